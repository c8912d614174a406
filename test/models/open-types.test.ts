import { describe, expect, it } from "vitest";
import type { RawEvent } from "../../local/model/reply.ts";
import {
  assistant,
  harness,
  insertAfter,
  insertBefore,
  joined,
  models,
  rawEvent,
  request,
  user,
} from "./support.ts";

const [openai, anthropic] = models;

const delta = (index: number, type: string, fields: object = {}) =>
  rawEvent("content_block_delta", { index, delta: { type, ...fields } });
const block = (index: number, type: string, ...changes: readonly RawEvent[]): RawEvent[] => [
  rawEvent("content_block_start", { index, content_block: { type, data: "x" } }),
  ...changes,
  rawEvent("content_block_stop", { index }),
];
const item = { type: "tomorrow", id: "tm_1", payload: { deep: [1, null] } };

/** What a provider may add to an answer some day. */
const additions: [string, string, (made: readonly RawEvent[]) => readonly RawEvent[]][] = [
  [
    anthropic,
    "a delta in a text block",
    insertAfter("content_block_start", delta(0, "tomorrow_delta", { text: "No" })),
  ],
  [anthropic, "a delta without a type", insertAfter("content_block_start", delta(0, ""))],
  [
    anthropic,
    "a block with deltas of its own",
    insertBefore(
      "message_delta",
      ...block(7, "tomorrow", delta(7, "tomorrow_delta"), delta(7, "text_delta", { text: "No" })),
    ),
  ],
  [anthropic, "a block that comes whole", insertBefore("message_delta", ...block(7, "tomorrow"))],
  [anthropic, "an event", insertAfter("content_block_start", rawEvent("tomorrow", { index: "x" }))],
  [anthropic, "a ping between any two events", (made) => made.flatMap((event) => [event, rawEvent("ping")])],
  [
    anthropic,
    "counts that are none",
    insertBefore(
      "message_stop",
      rawEvent("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: "many" } }),
    ),
  ],
  [
    openai,
    "an event",
    insertAfter("response.output_item.added", rawEvent("response.tomorrow.delta", { delta: { x: 1 } })),
  ],
  [
    openai,
    "an item",
    (made) =>
      insertBefore(
        "response.completed",
        rawEvent("response.output_item.added", { output_index: 7, item }),
        rawEvent("response.output_item.done", { output_index: 7, item }),
      )(made),
  ],
  [
    openai,
    "a keep-alive",
    (made) => made.flatMap((event) => [event, rawEvent("keepalive", { sequence_number: 1 })]),
  ],
  [
    openai,
    "counts that are none",
    (made) =>
      made.map((event) =>
        event.event === "response.completed"
          ? rawEvent(event.event, {
              response: { ...Object(event.data).response, usage: { input_tokens: "many" } },
            })
          : event,
      ),
  ],
];

describe("what a provider adds to its answers", () => {
  it.each(additions)("changes nothing that is known of %s: %s", async (model, _, events) => {
    await using at = await harness({ text: "Hello world", chunks: 3, events });
    const reply = await at.ask(request(model));
    expect(reply.text).toEqual(["Hello world"]);
    expect(joined(at.pieces)).toEqual(["Hello world"]);
    expect(reply).toMatchObject({ cut: false, scripts: [] });
    expect(at.server.requests).toHaveLength(1);
    expect(JSON.stringify(reply.native)).not.toContain("tomorrow_delta");
  });

  it.each(models)("as a reason to stop ends the answer of %s", async (model) => {
    await using at = await harness({ text: "Hello world", stopReason: "tomorrow" });
    expect((await at.ask(request(model))).text).toEqual(["Hello world"]);
  });

  it("leaves out a block whose changes cannot be understood, so that it is not sent back", async () => {
    await using at = await harness({
      text: "Hello world",
      events: insertBefore("message_delta", ...block(7, "tomorrow", delta(7, "tomorrow_delta"))),
    });
    const reply = await at.ask(request(anthropic));
    await at.ask(request(anthropic, { transcript: [user("Hi"), assistant(reply), user("And?")] }));
    expect(at.server.requests).toHaveLength(2);
  });
});

describe("a thinking budget", () => {
  it("is not asked for in a tool loop whose thinking is left out", async () => {
    await using at = await harness((call) =>
      call.lastScriptOutputs.length > 0 ? { text: "Done." } : { reasoning: "Hm.", scripts: ["return 1"] },
    );
    const model = "anthropic/claude-haiku-4-5";
    const first = await at.ask(request(model));
    const loop = { ...assistant(first), unsealed: true };
    const [script] = first.scripts;
    const output = { type: "script" as const, id: script?.id ?? "", output: "1", failed: false };
    const next = await at.ask(request(model, { transcript: [user("Hello"), loop, output] }));
    expect(next.text).toEqual(["Done."]);
    expect(JSON.stringify(first.native)).toContain("thinking");
  });
});
