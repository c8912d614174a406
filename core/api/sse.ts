import type { Event } from "../../contract/schemas/events.ts";
import type { MessageDelta } from "../../contract/schemas/stream.ts";
import { eventJson } from "./event-json.ts";

/** A committed event; its id is the cursor that a client resumes from. */
export const eventFrame = (event: Event): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`;

/** A preview has no id: it must not move the cursor. */
export const deltaFrame = (delta: MessageDelta): string =>
  `event: ${delta.type}\ndata: ${eventJson(delta)}\n\n`;

export const comment = (text: string): string => `: ${text}\n\n`;

/** Tells a client to reconnect a second after the stream has ended. */
export const retryFrame = "retry: 1000\n\n";
