import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../support/api.ts";
import { checkDense, eventually, exactly, failure, only, output, said, settled } from "./talk.ts";
import { playScript, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const tools = ["look_up", "send_mail", "count"];

/** A session whose agent runs one script at every input. */
async function scripted(source: string, provider: (typeof providers)[number] = "openai") {
  const actor = await world.actor(playScript(source), { provider, tools });
  return { actor, talk: await actor.talk() };
}

const three = `return await Promise.all([1, 2, 3].map((n) => tools.count({ n })))`;

describe.each(providers)("with %s, parallel calls", (provider) => {
  it("are one batch, whose results come one by one in any order", async () => {
    const { actor, talk } = await scripted(three, provider);
    const input = await talk.send("Count");
    const calls = exactly(3, await talk.calls(3));
    expect(calls.map((call) => call.arguments)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    for (const at of [2, 0, 1]) {
      const call = only(calls.slice(at, at + 1));
      const receipt = await talk.settle(call, output(`result ${call.arguments["n"]}`));
      expect(receipt.calls).toMatchObject([{ id: call.id, status: "completed" }]);
      expect((await talk.session()).pending_tool_calls.map(({ id }) => id)).not.toContain(call.id);
    }
    expect(said(await talk.ended(input))).toEqual(['It gave ["result 1","result 2","result 3"]']);
    // The model was asked before and after the batch, and not with a part of it.
    expect(actor.asked).toHaveLength(2);
    expect(await talk.eventsOf("tool.requested")).toHaveLength(3);
    expect(await talk.eventsOf("tool.completed")).toHaveLength(3);
    checkDense(await talk.events());
  });
});

describe("a result", () => {
  it("that wins a race lets the script go on, and what it left is cancelled with the run", async () => {
    const { talk } = await scripted(
      `const first = await Promise.race([tools.look_up({ n: 1 }), tools.look_up({ n: 2 })]);
       return [first, await tools.count({ n: first })];`,
    );
    const input = await talk.send("Race");
    const [slow, fast] = exactly(2, await talk.calls(2));
    if (slow === undefined || fast === undefined) throw new Error("there are two calls");
    await talk.settle(fast, output(2));
    const after = await talk.until(({ pending_tool_calls: pending }) =>
      pending.some(({ tool }) => tool === "count"),
    );
    expect(after.pending_tool_calls.map(({ tool }) => tool)).toEqual(["look_up", "count"]);
    await talk.settle(only(after.pending_tool_calls.slice(1)), output(4));
    const run = await talk.ended(input);
    expect(said(run)).toEqual(["It gave [2,4]"]);
    expect(only(await talk.eventsOf("tool.cancelled")).data.call).toMatchObject({
      id: slow.id,
      error: { code: "tool_call_cancelled" },
    });
    const late = await talk.submit(run.id, { call_id: slow.id, ...output(1) });
    expect([late.status, codeOf(late)]).toEqual([409, "tool_call_not_pending"]);
  });

  it("of a call reaches the calls that depend on it in another batch of the same run", async () => {
    const { actor, talk } = await scripted(
      `const chain = async (n) => tools.count({ n: await tools.look_up({ n }) });
       return await Promise.all([chain(1), chain(2)]);`,
    );
    const input = await talk.send("Chain");
    const [first, second] = exactly(2, await talk.calls(2));
    if (first === undefined || second === undefined) throw new Error("there are two calls");
    // Both at once: whichever the run sees first, the other must not be slept through.
    await Promise.all([talk.settle(first, output(10)), talk.settle(second, output(20))]);
    const dependent = await talk.until(
      ({ pending_tool_calls: pending }) =>
        pending.length === 2 && pending.every(({ tool }) => tool === "count"),
    );
    expect(dependent.active_run_id).toBe(first.run_id);
    for (const call of dependent.pending_tool_calls)
      await talk.settle(call, output(Number(call.arguments["n"]) + 1));
    expect(said(await talk.ended(input))).toEqual(["It gave [11,21]"]);
    expect(actor.asked).toHaveLength(2);
  });

  it("that comes while the script already runs on another one is not slept through", async () => {
    const { talk } = await scripted(
      `const chain = async (n) => {
         const found = await tools.look_up({ n });
         for (const until = 300_000; n === 1 && globalThis.at !== until; ) globalThis.at = (globalThis.at ?? 0) + 1;
         return tools.count({ n: found });
       };
       return await Promise.all([chain(1), chain(2)]);`,
    );
    const input = await talk.send("Chain");
    const [first, second] = exactly(2, await talk.calls(2));
    if (first === undefined || second === undefined) throw new Error("there are two calls");
    const advances = async () => (await world.laptop().counters()).invocations["advance"] ?? 0;
    const before = await advances();
    await talk.settle(first, output(10));
    await eventually(advances, (count) => count > before);
    await talk.settle(second, output(20));
    const dependent = await talk.until(
      ({ pending_tool_calls: pending }) =>
        pending.length === 2 && pending.every(({ tool }) => tool === "count"),
    );
    for (const call of dependent.pending_tool_calls) await talk.settle(call, output(call.arguments["n"]));
    expect(said(await talk.ended(input))).toEqual(["It gave [10,20]"]);
  });

  it("that reports an error is thrown in the script with its code", async () => {
    const { talk } = await scripted(
      "try { await tools.look_up() } catch (error) { return [error.code, error.message] }",
    );
    const input = await talk.send("Look");
    await talk.settle(only(await talk.calls(1)), failure("customer_not_found", "No such customer."));
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual([
      "completed",
      'It gave ["customer_not_found","No such customer."]',
    ]);
    expect(only(await talk.eventsOf("tool.failed")).data.call.error).toEqual({
      code: "customer_not_found",
      message: "No such customer.",
    });
  });

  it("is accepted once when 50 equal ones come at the same moment", async () => {
    const { talk } = await scripted("return await tools.look_up({ n: 1 })");
    const input = await talk.send("Look");
    const call = only(await talk.calls(1));
    const receipts = await Promise.all(
      Array.from({ length: 50 }, () => talk.settle(call, output({ b: [1, 2], a: "x" }))),
    );
    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
    await talk.ended(input);
    expect(await talk.eventsOf("tool.completed")).toHaveLength(1);
    // The same JSON in another order of keys, after the end of the run.
    expect(await talk.settle(call, output({ a: "x", b: [1, 2] }))).toEqual(receipts[0]);
    checkDense(await talk.events());
  });

  it("is accepted once when 50 different ones come at the same moment", async () => {
    const { talk } = await scripted("return await tools.look_up({ n: 1 })");
    const input = await talk.send("Look");
    const call = only(await talk.calls(1));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => talk.submit(call.run_id, { call_id: call.id, ...output(n) })),
    );
    const winner = only(answers.flatMap(({ status }, n) => (status === 200 ? [n] : [])));
    const losers = answers.filter(({ status }) => status !== 200);
    expect(new Set(losers.map((answer) => `${answer.status} ${codeOf(answer)}`))).toEqual(
      new Set(["409 tool_result_conflict"]),
    );
    expect(said(await talk.ended(input))).toEqual([`It gave ${winner}`]);
    expect(only(await talk.eventsOf("tool.completed")).data.call.result).toBe(winner);
  });

  it.each([
    ["300 KB", 150_000],
    ["5 MB", 2_500_000],
  ] as const)("of %s is read back whole and reaches the script", async (_, length) => {
    const { talk } = await scripted(
      "const text = await tools.look_up(); return [text.length, text.slice(0, 3), text.slice(-3)]",
    );
    const input = await talk.send("Look");
    const call = only(await talk.calls(1));
    const text = `<é ${"ä".repeat(length - 6)} é>`;
    expect((await talk.settle(call, output(text))).calls[0]?.result).toBe(text);
    expect(said(await talk.ended(input))).toEqual([`It gave [${length},"<é "," é>"]`]);
    expect(only(await talk.eventsOf("tool.completed")).data.call.result).toBe(text);
  });
});

describe("a script", () => {
  it("with invalid arguments in a batch fails the run before anything is requested", async () => {
    const { actor, talk } = await scripted(
      "return await Promise.all([tools.count({ n: 1 }), tools.count({ n: 'two' })])",
    );
    const input = await talk.send("Count");
    expect(await talk.ended(input)).toMatchObject({
      status: "failed",
      error: { code: "invalid_tool_arguments" },
    });
    expect(await talk.eventsOf("tool.requested")).toEqual([]);
    expect(await talk.session()).toMatchObject({ status: "paused", active_run_id: null });
    expect(actor.asked).toHaveLength(1);
  });

  it("can catch the refusal of a tool that was not granted", async () => {
    const { talk } = await scripted(
      "try { await tools.shell({ command: 'ls' }) } catch (error) { return error.code }",
    );
    expect(said(await talk.ask("Look"))).toEqual(['It gave "tool_not_granted"']);
    expect(await talk.eventsOf("tool.requested")).toEqual([]);
  });

  it("may wait for 120 calls at once, which are requested in slices", async () => {
    const { actor, talk } = await scripted(
      `const list = await Promise.all(Array.from({ length: 120 }, (_, n) => tools.count({ n })));
       return list.every((value, n) => value === n * n);`,
    );
    const input = await talk.send("Count");
    const seen = new Set<string>();
    while (seen.size < 120) {
      const fresh = await eventually(
        async () => (await talk.session()).pending_tool_calls.filter(({ id }) => !seen.has(id)),
        (calls) => calls.length > 0,
      );
      const results = fresh.map((call) => ({
        call_id: call.id,
        ...output(Number(call.arguments["n"]) ** 2),
      }));
      expect(
        (await talk.submit(only([...new Set(fresh.map((call) => call.run_id))]), ...results)).status,
      ).toBe(200);
      for (const { id } of fresh) seen.add(id);
    }
    expect(said(await talk.ended(input))).toEqual(["It gave true"]);
    const requested = await talk.eventsOf("tool.requested");
    expect(requested.map(({ data }) => data.call.arguments["n"])).toEqual(
      Array.from({ length: 120 }, (_, n) => n),
    );
    expect(actor.asked).toHaveLength(2);
  });

  it("that does not await a call finishes, and the call is cancelled as the run completes", async () => {
    const { talk } = await scripted("tools.send_mail(); return await tools.look_up()");
    const input = await talk.send("Mail");
    const [mail, look] = exactly(2, await talk.calls(2));
    if (mail === undefined || look === undefined) throw new Error("there are two calls");
    await talk.settle(look, output("found"));
    expect(await talk.ended(input)).toMatchObject({ status: "completed" });
    expect(only(await talk.eventsOf("tool.cancelled")).data.call).toMatchObject({
      id: mail.id,
      error: { code: "tool_call_cancelled" },
    });
    checkDense(await talk.events());
  });

  it.each([
    ["that has a syntax error", "return (", /script_syntax_error: SyntaxError/],
    ["that throws", "throw new TypeError('no such thing')", /script_error: TypeError: no such thing/],
    ["that waits for nothing", "await new Promise(() => {})", /script_stalled/],
    ["that does not catch a failed call", "return await tools.shell()", /tool_not_granted/],
  ])("%s is an error that the model handles", async (_, source, message) => {
    const { actor, talk } = await scripted(source);
    const run = await talk.ask("Try");
    expect([run.status, ...said(run)]).toEqual(["completed", expect.stringMatching(message)]);
    expect(actor.asked).toHaveLength(2);
  });
});

describe.each(providers)("with %s, an answer", (provider) => {
  it("with two scripts and text runs one after the other, and the model gets both outputs in order", async () => {
    const actor = await world.actor(
      ({ lastScriptOutputs }) =>
        lastScriptOutputs.length === 0
          ? {
              text: "One moment.",
              scripts: [
                "return 'a' + await tools.count({ n: 1 })",
                "return 'b' + await tools.count({ n: 2 })",
              ],
            }
          : { text: lastScriptOutputs.join(" ") },
      { provider, tools },
    );
    const talk = await actor.talk();
    const input = await talk.send("Both");
    const first = only(await talk.calls(1));
    await talk.settle(first, output(1));
    const second = only(
      (await talk.until(({ pending_tool_calls: [call] }) => call !== undefined && call.id !== first.id))
        .pending_tool_calls,
    );
    expect(second.arguments).toEqual({ n: 2 });
    await talk.settle(second, output(2));
    expect(said(await talk.ended(input))).toEqual(["One moment.", '"a1" "b2"']);
    await settled(talk);
  });

  it("that calls a tool which does not exist, or with unusable arguments, is told so and the run goes on", async () => {
    const actor = await world.actor(
      ({ lastScriptOutputs }) =>
        lastScriptOutputs.length === 0
          ? { calls: [{ name: "delete_all", arguments: "{}" }, { arguments: '{"source": 5}' }] }
          : { text: lastScriptOutputs.join(" / ") },
      { provider, tools },
    );
    const run = await (await actor.talk()).ask("Break");
    expect(run.status).toBe("completed");
    expect(said(run)[0]).toMatch(/There is no tool delete_all.* \/ The arguments are not a JSON object/);
  });
});
