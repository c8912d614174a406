import { describe, expect, test } from "vitest";
import type { Event } from "../../contract/schemas/events.ts";
import { deltaReader } from "../../core/api/deltas.ts";
import { deltaFrame, eventFrame, retryFrame } from "../../core/api/sse.ts";
import type { PreviewWindow } from "../../core/ports/previews.ts";
import { messageId } from "../../core/session/ids.ts";

const SESSION = "ses_spec";
const RUN = "run_spec0000000003";
const first = messageId(SESSION, RUN, 0, 0);
const second = messageId(SESSION, RUN, 1, 0);

/** A window with the chunks from one index up to another, this one left out. */
const window = (id: string, from: number, to: number): PreviewWindow => ({
  messageId: id,
  runId: RUN,
  chunks: Array.from({ length: to - from }, (_, n) => ({
    index: from + n,
    contentIndex: 0,
    text: `t${from + n}`,
  })),
});

const completed = (id: string): Event => ({
  id: "evt_spec0000000009",
  session_id: SESSION,
  sequence: 9,
  created_at: "2026-01-01T00:00:00.000Z",
  type: "message.completed",
  data: {
    run_id: RUN,
    last_delta_index: 2,
    message: {
      id,
      role: "assistant",
      content: [{ type: "text", text: "t0t1" }],
      created_at: "2026-01-01T00:00:00.000Z",
    },
  },
});

const indexes = (deltas: readonly { index: number }[]) => deltas.map(({ index }) => index);

describe("previews of one message", () => {
  test("start at 0 and follow each other, whatever windows overlap", () => {
    const reader = deltaReader(SESSION, null);
    expect(indexes(reader.read(window(first, 0, 2)))).toEqual([0, 1]);
    expect(indexes(reader.read(window(first, 0, 2)))).toEqual([]);
    expect(indexes(reader.read(window(first, 1, 5)))).toEqual([2, 3, 4]);
  });

  test("carry what the contract shows", () => {
    expect(deltaReader(SESSION, null).read(window(first, 0, 1))).toEqual([
      {
        type: "message.delta",
        session_id: SESSION,
        run_id: RUN,
        message_id: first,
        index: 0,
        content_index: 0,
        text: "t0",
      },
    ]);
  });

  test("end at a gap and do not begin again", () => {
    const reader = deltaReader(SESSION, null);
    reader.read(window(first, 0, 2));
    expect(reader.read(window(first, 3, 5))).toEqual([]);
    expect(reader.read(window(first, 2, 6))).toEqual([]);
  });

  test("do not begin in the middle", () => {
    const reader = deltaReader(SESSION, null);
    expect(reader.read(window(first, 2, 4))).toEqual([]);
    expect(reader.read(window(first, 0, 4))).toEqual([]);
  });

  test("end with its completion", () => {
    const reader = deltaReader(SESSION, null);
    reader.read(window(first, 0, 2));
    reader.follow(completed(first));
    expect(reader.read(window(first, 0, 4))).toEqual([]);
  });

  test("do not come after a completion that was seen first", () => {
    const reader = deltaReader(SESSION, null);
    reader.follow(completed(first));
    expect(reader.read(window(first, 0, 2))).toEqual([]);
  });

  test("are none of a message that had begun before the connection", () => {
    const reader = deltaReader(SESSION, first);
    expect(reader.read(window(first, 0, 4))).toEqual([]);
  });
});

describe("previews of the next message", () => {
  test("start at 0 again, after a completion, a gap, or one that had begun before", () => {
    const complete = deltaReader(SESSION, null);
    complete.read(window(first, 0, 2));
    complete.follow(completed(first));
    const gap = deltaReader(SESSION, null);
    gap.read(window(first, 3, 4));
    for (const reader of [complete, gap, deltaReader(SESSION, first)]) {
      expect(indexes(reader.read(window(second, 0, 2)))).toEqual([0, 1]);
    }
  });

  test("are not restarted by a late window of the one before", () => {
    const reader = deltaReader(SESSION, null);
    reader.read(window(first, 0, 2));
    reader.read(window(second, 0, 2));
    expect(reader.read(window(first, 0, 4))).toEqual([]);
    expect(indexes(reader.read(window(second, 0, 3)))).toEqual([2]);
  });

  test("are not ended by the completion of the one before", () => {
    const reader = deltaReader(SESSION, null);
    reader.read(window(second, 0, 1));
    reader.follow(completed(first));
    expect(indexes(reader.read(window(second, 0, 2)))).toEqual([1]);
  });
});

test("no window, no previews", () => {
  expect(deltaReader(SESSION, null).read(null)).toEqual([]);
});

describe("frames", () => {
  test("an event's frame has its id, its type and itself", () => {
    const event = completed(first);
    expect(eventFrame(event)).toBe(
      `id: ${event.id}\nevent: message.completed\ndata: ${JSON.stringify(event)}\n\n`,
    );
  });

  test("a preview's frame has no id", () => {
    const [delta] = deltaReader(SESSION, null).read(window(first, 0, 1));
    if (delta === undefined) throw new Error("there is a delta");
    expect(deltaFrame(delta)).toBe(`event: message.delta\ndata: ${JSON.stringify(delta)}\n\n`);
  });

  test("text with line breaks stays in one line of data", () => {
    const event = completed(first);
    if (event.type !== "message.completed") throw new Error("it is that event");
    event.data.message.content = [{ type: "text", text: "a\nb\r\nc\u2028d" }];
    expect(eventFrame(event).split("\n")).toHaveLength(5);
    expect(eventFrame(event)).not.toContain("\r");
  });

  test("the end of the host's time asks for a reconnect", () => {
    expect(retryFrame).toBe("retry: 1000\n\n");
  });
});
