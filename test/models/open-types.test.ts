import { describe, expect, it } from "vitest";
import { toNative } from "../../adapters/models/openai-input.ts";
import type { RawEvent } from "../../local/model/reply.ts";
import {
  assistant,
  failure,
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

/** Drops or changes the first event of a name. */
const change =
  (name: string, changed: (data: Record<string, unknown>) => object | null) =>
  (made: readonly RawEvent[]): readonly RawEvent[] => {
    const at = made.findIndex(({ event }) => event === name);
    return made.flatMap((event, nth) => {
      if (nth !== at) return [event];
      const data = changed({ ...event.data });
      return data === null ? [] : [{ event: name, data }];
    });
  };
const without = (name: string) => (data: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(data).filter(([key]) => key !== name));
const stopped = (stop_reason: string | null) =>
  change("message_delta", (data) => ({ ...data, delta: { stop_reason } }));

describe("an answer of which something is missing", () => {
  it.each<[string, string, (made: readonly RawEvent[]) => readonly RawEvent[]]>([
    [anthropic, "the start of its text", change("content_block_start", () => null)],
    [
      anthropic,
      "the text of a piece",
      change("content_block_delta", (d) => ({ ...d, delta: { type: "text_delta" } })),
    ],
    [anthropic, "the reason why it stops", stopped(null)],
    [anthropic, "the call that it stops for", stopped("tool_use")],
  ])("is asked for again, not taken for whole: %s lacks %s", async (model, _, events) => {
    await using at = await harness({ text: "Hello world", events });
    const failed = await failure(at.ask(request(model)));
    expect(failed).toMatchObject({ retryable: true });
  });

  it.each<[string, string, (made: readonly RawEvent[]) => readonly RawEvent[]]>([
    [openai, "a piece of its text", change("response.output_text.delta", () => null)],
    [openai, "the place of its text", change("response.output_text.delta", without("output_index"))],
    [openai, "the place of its item", change("response.output_item.done", without("output_index"))],
    [openai, "its item", change("response.output_item.done", () => null)],
    [anthropic, "the place of its block", change("content_block_start", without("index"))],
    [anthropic, "the place of a piece", change("content_block_delta", without("index"))],
  ])("is whole where the rest says so: %s lacks %s", async (model, _, events) => {
    await using at = await harness({ text: "Hello world", events });
    expect((await at.ask(request(model))).text).toEqual(["Hello world"]);
  });

  it("is as long as it is, wherever its items are said to stand", async () => {
    const far = (made: readonly RawEvent[]) =>
      made.map((event) =>
        "output_index" in event.data ? { ...event, data: { ...event.data, output_index: 5e9 } } : event,
      );
    await using at = await harness({ text: "Hello world", events: far });
    expect(await at.ask(request(openai))).toMatchObject({
      text: ["Hello world"],
      native: [{ type: "message" }],
    });
  });

  it("was not finished when the model only paused", async () => {
    await using at = await harness({ text: "Hello", events: stopped("pause_turn") });
    expect(await at.ask(request(anthropic))).toMatchObject({ text: ["Hello"], cut: true });
  });
});

describe("counts of tokens that cannot be", () => {
  it.each([openai, anthropic])("are none: %s", async (model) => {
    const usage = { input_tokens: 2 ** 53 - 1, output_tokens: 2 ** 53 - 1 };
    await using at = await harness({
      text: "Hi",
      events: (made) =>
        made.map((event) => {
          const data = Object(event.data);
          if (event.event === "response.completed")
            return { ...event, data: { ...data, response: { ...data.response, usage } } };
          return event.event === "message_delta" ? { ...event, data: { ...data, usage } } : event;
        }),
    });
    const reply = await at.ask(request(model));
    expect(reply.usage.inputTokens + reply.usage.outputTokens).toBeLessThan(1_000_000);
  });
});

describe("an item that nests deeper than a request can", () => {
  const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`);

  it("is left out of what goes back to OpenAI", () => {
    const item = { type: "tomorrow", id: "tm_1", value: deep };
    expect(toNative([item])).toEqual([]);
  });

  it("is an empty call when it is the arguments of one", async () => {
    const json = `{"source":"return 1","x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
    await using at = await harness((call) =>
      call.lastScriptOutputs.length > 0 ? { text: "Done." } : { calls: [{ arguments: json }] },
    );
    const first = await at.ask(request(anthropic));
    const [script] = first.scripts;
    const output = { type: "script" as const, id: script?.id ?? "", output: "1", failed: false };
    const next = await at.ask(request(anthropic, { transcript: [user("Hi"), assistant(first), output] }));
    expect(next.text).toEqual(["Done."]);
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
