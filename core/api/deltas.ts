import type { Event } from "../../contract/schemas/events.ts";
import type { MessageDelta } from "../../contract/schemas/stream.ts";
import type { PreviewWindow } from "../ports/previews.ts";

/**
 * Turns windows of preview text into deltas for one connection: from index 0 on and without a gap. A gap
 * ends the previews of that message, and so does its completion. `begun` is a message whose text had begun
 * before the connection: it is not previewed. Ids of a session's messages sort in the order of the messages,
 * so a window that was written late, after the next message's or its own completion, is known by its id.
 */
export function deltaReader(sessionId: string, begun: string | null) {
  let latest = begun ?? "";
  let next = 0;
  let over = begun !== null;
  return {
    read(window: PreviewWindow | null): MessageDelta[] {
      if (window === null || window.messageId < latest) return [];
      if (window.messageId > latest) {
        latest = window.messageId;
        next = 0;
        over = false;
      }
      if (over) return [];
      const fresh = window.chunks.filter((chunk) => chunk.index >= next);
      if (fresh[0] !== undefined && fresh[0].index > next) {
        over = true;
        return [];
      }
      next += fresh.length;
      return fresh.map((chunk) => ({
        type: "message.delta",
        session_id: sessionId,
        run_id: window.runId,
        message_id: window.messageId,
        index: chunk.index,
        content_index: chunk.contentIndex,
        text: chunk.text,
      }));
    },
    /** After a message's completion nothing more of it is previewed. */
    follow(event: Event): void {
      if (event.type !== "message.completed" || event.data.message.id < latest) return;
      latest = event.data.message.id;
      over = true;
    },
  };
}
