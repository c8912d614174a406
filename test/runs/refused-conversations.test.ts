import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commonPrefix } from "../../local/model/record.ts";
import type { ModelCall, Provider, Reply } from "../../local/model/reply.ts";
import { insertBefore, rawEvent } from "../models/support.ts";
import { endOf } from "./compacting.ts";
import { goesOn, said } from "./talk.ts";
import { type Actor, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const textOf = (actor: Actor, nth: number): string => actor.requests().at(nth)?.body.toString("utf8") ?? "";
/** Whether sealed reasoning is in the request. */
const isSealed = (actor: Actor, nth: number): boolean =>
  /"type":"(reasoning|thinking)"/.test(textOf(actor, nth).replace(/"thinking":\{[^}]*\}/, ""));

describe.each(providers)("sealed reasoning that %s no longer accepts", (provider) => {
  const think = (call: ModelCall): Reply =>
    call.lastUserText === "Compute" && call.lastScriptOutputs.length === 0
      ? { reasoning: "Hm.", scripts: ["return 42"] }
      : { reasoning: "Hm.", text: "Here you are." };
  const models = { openai: "openai/gpt-6.1-sol", anthropic: "anthropic/claude-opus-5-5" } as const;
  const talkTo = async () => {
    const actor = await world.actor(think, { provider, model: models[provider] });
    const talk = await actor.talk();
    expect((await talk.ask("Compute")).status).toBe("completed");
    expect((await talk.ask("Hello")).status).toBe("completed");
    return { actor, talk };
  };

  it("is left out after one refusal, at once, and stays out; what is sealed later goes back", async () => {
    const { actor, talk } = await talkTo();
    const before = actor.requests().length;
    expect(isSealed(actor, -1)).toBe(true);
    world.model().rotateSeals();
    const started = performance.now();
    expect((await talk.ask("And?")).status).toBe("completed");
    // A retry of a passing failure would have waited for two seconds.
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(actor.requests()).toHaveLength(before + 2);
    expect([isSealed(actor, -2), isSealed(actor, -1)]).toEqual([true, false]);
    await goesOn(talk);
    expect(actor.requests()).toHaveLength(before + 3);
    const [last, previous] = [actor.requests().at(-1), actor.requests().at(-2)];
    if (last === undefined || previous === undefined) throw new Error("there are two requests");
    expect(commonPrefix(previous.body, last.body)).toBeGreaterThanOrEqual(endOf(previous));
    expect(isSealed(actor, -1)).toBe(true);
  });

  it("goes back as it came, and in order, where it is accepted", async () => {
    const { actor, talk } = await talkTo();
    const before = actor.requests().at(-1);
    await talk.ask("Compute");
    await goesOn(talk);
    const last = actor.requests().at(-1);
    if (before === undefined || last === undefined) throw new Error("there are requests");
    expect(commonPrefix(before.body, last.body)).toBeGreaterThanOrEqual(endOf(before));
    expect(textOf(actor, -1).match(/"type":"(reasoning|thinking)"/g)).toHaveLength(5);
  });
});

/** How a provider says that it declines to answer. */
const declines: [Provider, string, Reply][] = [
  ["openai", "a refusal", { text: "I cannot help with that.", stop: "refusal" }],
  ["openai", "its content filter", { text: "I ca", stop: "content_filter" }],
  [
    "openai",
    "an invalid prompt",
    {
      httpError: {
        status: 400,
        type: "invalid_request_error",
        code: "invalid_prompt",
        message: "Your prompt was flagged as potentially violating our usage policy.",
      },
    },
  ],
  ["anthropic", "a refusal", { text: "I cannot help with that.", stop: "refusal" }],
];

describe.each(declines)("what %s declines with %s", (provider, _, declined) => {
  /** Declines whatever has the forbidden word in it, however far back. */
  const strict = (call: ModelCall): Reply => {
    if (JSON.stringify(call.body).includes("FORBIDDEN")) return declined;
    if (call.lastUserText === "Read" && call.lastScriptOutputs.length === 0)
      return { scripts: ["return 'FORBID' + 'DEN'"] };
    return { text: `You said ${call.turns.length} things.` };
  };

  it.for(["This is FORBIDDEN", "Read"])("fails that run and no later one: %s", async (text) => {
    const actor = await world.actor(strict, { provider });
    const talk = await actor.talk();
    expect((await talk.ask("Hello, I am Ada")).status).toBe("completed");
    const input = await talk.send(text);
    expect(await talk.ended(input)).toMatchObject({ status: "failed", error: { code: "model_error" } });
    const asked = actor.asked.length;
    await goesOn(talk);
    expect(actor.asked).toHaveLength(asked + 1);
    const last = textOf(actor, -1);
    expect(last).toContain("I am Ada");
    expect(last).toContain("It was not answered and is left out");
    // What clients read is untouched.
    expect(await talk.input(input.id)).toMatchObject({
      content: [{ type: "text", text }],
      status: "applied",
    });
  });

  it("ends a session for no cause that is older than the run", async () => {
    const actor = await world.actor(
      (call) =>
        JSON.stringify(call.body).includes("SLOW POISON") && call.turns.length > 2
          ? declined
          : { text: "Yes." },
      { provider },
    );
    const talk = await actor.talk();
    expect((await talk.ask("SLOW POISON")).status).toBe("completed");
    for (let nth = 1; nth <= 3; nth += 1) {
      expect((await talk.ask(`Harmless ${nth}`)).status).toBe("failed");
      await talk.resume();
    }
    await goesOn(talk);
  });
});

/** How each provider refuses one item of a request. */
const refusing = {
  openai: (input: number): Reply => ({
    httpError: {
      status: 400,
      type: "invalid_request_error",
      code: "invalid_value",
      param: `input[${input}].arguments`,
      message: `Invalid 'input[${input}].arguments': this value is not accepted.`,
    },
  }),
  anthropic: (message: number): Reply => ({
    httpError: {
      status: 400,
      type: "invalid_request_error",
      message: `messages.${message}.content.0: this block is not accepted`,
    },
  }),
} as const;

describe.each(providers)("an item that %s does not read back", (provider) => {
  const entriesOf = ({ body }: ModelCall): readonly unknown[] => {
    const { input, messages } = body as { input?: unknown[]; messages?: unknown[] };
    return input ?? messages ?? [];
  };
  /** Refuses the first entry of the request in which the text is. */
  const refusal = (call: ModelCall, text: string): Reply | null => {
    const at = entriesOf(call).findIndex((entry) => JSON.stringify(entry).includes(text));
    return at === -1 ? null : refusing[provider](at);
  };

  it("is told in short when the model wrote it, once, and the history stays", async () => {
    const actor = await world.actor(
      (call, nth) => {
        if (nth === 2) return { scripts: [`return "${"odd ".repeat(10)}"`] };
        const isQuoted = JSON.stringify(call.body).includes("[Your answer, as JSON]");
        return (isQuoted ? null : refusal(call, "odd odd")) ?? { text: "Fine." };
      },
      { provider },
    );
    const talk = await actor.talk();
    await talk.ask("I am Ada");
    expect((await talk.ask("Go")).status).toBe("completed");
    expect(actor.asked).toHaveLength(4);
    await goesOn(talk);
    expect(actor.asked).toHaveLength(5);
    expect(textOf(actor, -1)).toContain("I am Ada");
    expect(textOf(actor, -1)).toContain("[Output of a script]");
  });

  it("is shortened when it is an output that the provider finds too long", async () => {
    const actor = await world.actor(
      (call) => {
        const long = call.turns.some((turn) => turn.type === "output" && turn.output.length > 40_000);
        if (call.lastUserText === "Go" && call.lastScriptOutputs.length === 0)
          return { scripts: ["return 'long '.repeat(12000)"] };
        return (
          (long ? refusal(call, "long long") : null) ?? { text: `Got ${call.lastScriptOutputs[0]?.length}.` }
        );
      },
      { provider },
    );
    const talk = await actor.talk();
    await talk.ask("I am Ada");
    const run = await talk.ask("Go");
    expect([run.status, ...said(run)]).toEqual(["completed", expect.stringMatching(/^Got 2\d{4}\.$/)]);
    expect(actor.asked).toHaveLength(4);
    await goesOn(talk);
    expect(actor.asked).toHaveLength(5);
    expect(textOf(actor, -1)).toContain("I am Ada");
  });

  it("fails the run when it is what the user has just sent, and no later run", async () => {
    const actor = await world.actor((call) => refusal(call, "unreadable") ?? { text: "Fine." }, { provider });
    const talk = await actor.talk();
    await talk.ask("I am Ada");
    expect((await talk.ask("unreadable")).status).toBe("failed");
    const asked = actor.asked.length;
    await goesOn(talk);
    expect(actor.asked).toHaveLength(asked + 1);
    expect(textOf(actor, -1)).toContain("I am Ada");
  });

  it("is sent within the limits that are known: a script of more than a million characters", async () => {
    const script = `return 1; // ${"x".repeat(1_100_000)}`;
    const actor = await world.actor((_, nth) => (nth === 1 ? { scripts: [script] } : { text: "Fine." }), {
      provider,
    });
    const talk = await actor.talk();
    expect((await talk.ask("Go")).status).toBe("completed");
    expect(actor.asked).toHaveLength(2);
    await goesOn(talk);
  });
});

/** What a provider may add to an answer some day, and not read back. */
const additions = {
  openai: [
    rawEvent("response.output_item.added", { output_index: 7, item: { type: "tomorrow", id: "tm_1" } }),
    rawEvent("response.output_item.done", { output_index: 7, item: { type: "tomorrow", id: "tm_1" } }),
  ],
  anthropic: [
    rawEvent("content_block_start", { index: 7, content_block: { type: "tomorrow", data: "x" } }),
    rawEvent("content_block_stop", { index: 7 }),
  ],
} as const;
const ends = { openai: "response.completed", anthropic: "message_delta" } as const;

describe.each(providers)("an addition to an answer of %s that it does not read back", (provider) => {
  it("costs one refusal, and the session goes on", async () => {
    const actor = await world.actor(
      (_, nth) => ({
        text: `Answer ${nth}`,
        ...(nth === 1 ? { events: insertBefore(ends[provider], ...additions[provider]) } : {}),
      }),
      { provider },
    );
    const talk = await actor.talk();
    expect(said(await talk.ask("Hi"))).toEqual(["Answer 1"]);
    expect((await talk.ask("And?")).status).toBe("completed");
    expect(actor.requests()).toHaveLength(3);
    expect(textOf(actor, -1)).toContain("Answer 1");
    await goesOn(talk);
    expect(actor.requests()).toHaveLength(4);
  });
});

describe.each(providers)("a refusal by %s that says neither what nor where", (provider) => {
  const refused: Reply = {
    httpError: { status: 400, type: "invalid_request_error", message: "This was not understood." },
  };

  it("is forgotten with its exchange, and after some runs with all that is older", async () => {
    const actor = await world.actor(
      (call) =>
        JSON.stringify(call.body).includes("ODD") && call.turns.length > 1 ? refused : { text: "Yes." },
      { provider },
    );
    const talk = await actor.talk();
    expect((await talk.ask("An ODD beginning")).status).toBe("completed");
    for (let nth = 1; nth <= 5; nth += 1) {
      expect((await talk.ask(`Harmless ${nth}`)).status).toBe("failed");
      await talk.resume();
    }
    await goesOn(talk);
  });

  it("forgets nothing where it is about the account", async () => {
    let isPaid = false;
    const broke: Reply = {
      httpError: { status: 400, type: "invalid_request_error", message: "Your credit balance is too low." },
    };
    const actor = await world.actor(() => (isPaid ? { text: "Yes." } : broke), { provider });
    const talk = await actor.talk();
    expect((await talk.ask("I am Ada")).status).toBe("failed");
    isPaid = true;
    await goesOn(talk);
    expect(textOf(actor, -1)).toContain("I am Ada");
  });
});
