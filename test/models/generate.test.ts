import { describe, expect, it } from "vitest";
import { assistant, failure, harness, joined, models, output, request, sent, user } from "./support.ts";

describe.each(models)("generating with %s", (name) => {
  it("streams a text whose pieces add up to the reply", async () => {
    await using at = await harness({ text: "Hello there, how are you?", chunks: 5 });
    const reply = await at.ask(request(name));
    expect(reply.text).toEqual(["Hello there, how are you?"]);
    expect(at.pieces.length).toBe(5);
    expect(joined(at.pieces)).toEqual(reply.text);
    expect(reply.scripts).toEqual([]);
    expect(reply.usage.inputTokens).toBeGreaterThan(0);
    expect(reply.usage.outputTokens).toBeGreaterThan(0);
  });

  it("numbers only the text blocks that are not empty", async () => {
    await using at = await harness({ text: ["", "first", "", "second"], chunks: 2 });
    const reply = await at.ask(request(name));
    expect(reply.text).toEqual(["first", "second"]);
    expect(joined(at.pieces)).toEqual(["first", "second"]);
    expect(new Set(at.pieces.map(([index]) => index))).toEqual(new Set([0, 1]));
  });

  it("puts a character together that two pieces split, and replaces what is no character", async () => {
    const text = "a😀b\ud83dc\u0000d\ude00";
    await using at = await harness({ text, chunks: text.length });
    const reply = await at.ask(request(name));
    expect(reply.text).toEqual(["a😀b\uFFFDc\uFFFDd\uFFFD"]);
    expect(joined(at.pieces)).toEqual(reply.text);
    const native = JSON.stringify(reply.native);
    expect(native).toContain("a😀b");
    expect(JSON.parse(native)).toEqual(reply.native);
    expect(native).not.toMatch(/\\ud83d|\\u0000|\\ude00/);
  });

  it("takes an answer without text and without calls as a reply with nothing in it", async () => {
    await using at = await harness({});
    const reply = await at.ask(request(name));
    expect(reply).toMatchObject({ text: [], scripts: [], native: [] });
    await at.ask(request(name, { transcript: [user("Hello"), assistant(reply), user("Still there?")] }));
    expect(at.server.requests.length).toBe(2);
  });

  it("gives the script of a tool call, beside the text before it", async () => {
    await using at = await harness({ text: "Looking.", scripts: ["return 1"] });
    const reply = await at.ask(request(name));
    expect(reply.text).toEqual(["Looking."]);
    expect(reply.scripts).toEqual([{ id: expect.any(String), source: "return 1" }]);
  });

  it("gives every call of an answer and takes all their results back at once", async () => {
    await using at = await harness((call) =>
      call.lastScriptOutputs.length > 0
        ? { text: call.lastScriptOutputs.join("+") }
        : { scripts: ["return 1", "return 2"] },
    );
    const first = await at.ask(request(name));
    expect(first.scripts.map((script) => script.source)).toEqual(["return 1", "return 2"]);
    const [one, two] = first.scripts.map((script) => script.id);
    const transcript = [user("Hello"), assistant(first), output(one ?? "", "1"), output(two ?? "", "2")];
    const second = await at.ask(request(name, { transcript }));
    expect(second.text).toEqual(["1+2"]);
  });

  it("keeps reasoning out of the text and sends it back as it came", async () => {
    await using at = await harness((call) =>
      call.turns.length === 1
        ? { reasoning: "a private thought", text: "Looking.", scripts: ["return 1"] }
        : { text: "Done." },
    );
    const first = await at.ask(request(name));
    expect(JSON.stringify([first.text, first.scripts, at.pieces])).not.toContain("private thought");
    expect(JSON.stringify(first.native)).toMatch(/encrypted_content|signature/);
    // The server refuses reasoning that does not come back as it was sent.
    const transcript = [user("Hello"), assistant(first), output(first.scripts[0]?.id ?? "", "1")];
    const second = await at.ask(request(name, { transcript }));
    expect(second.text).toEqual(["Done."]);
    const replayed = JSON.stringify(sent(at.server, 1));
    expect(replayed).toContain(JSON.stringify(first.native).slice(1, -1));
  });

  it("says that a failed script failed, and sends an empty output", async () => {
    await using at = await harness((call) =>
      call.turns.length === 1 ? { scripts: ["boom()", ""] } : { text: "ok" },
    );
    const first = await at.ask(request(name));
    const [one, two] = first.scripts.map((script) => script.id);
    const results = [output(one ?? "", "boom is not defined", true), output(two ?? "", "", true)];
    await at.ask(request(name, { transcript: [user("Hello"), assistant(first), ...results] }));
    const body = JSON.stringify(sent(at.server, 1));
    expect(body).toContain("boom is not defined");
    expect(body.includes('"is_error":true')).toBe(name.startsWith("anthropic/"));
  });

  it.each([
    [
      "cut off by the output limit",
      { calls: [{ arguments: '{"source":"return' }], stop: "length" as const },
      /cut off/,
    ],
    ["not JSON", { calls: [{ arguments: "return 1" }] }, /not a JSON object with a string "source"/],
    ["without the source", { calls: [{ arguments: '{"code":"1"}' }] }, /string "source"/],
    ["with a source that is no string", { calls: [{ arguments: '{"source":1}' }] }, /string "source"/],
    ["for a tool there is not", { calls: [{ name: "shell", arguments: "{}" }] }, /no tool shell/],
  ])("reports a call that is %s as a problem and can go on", async (_, answer, problem) => {
    await using at = await harness((call) => (call.turns.length === 1 ? answer : { text: "ok" }));
    const first = await at.ask(request(name));
    expect(first.scripts).toEqual([
      { id: expect.any(String), source: null, problem: expect.stringMatching(problem) },
    ]);
    const transcript = [user("Hello"), assistant(first), output(first.scripts[0]?.id ?? "", "no", true)];
    expect((await at.ask(request(name, { transcript }))).text).toEqual(["ok"]);
  });

  it("goes on after an answer that was cut in the middle of its reasoning", async () => {
    await using at = await harness((call) =>
      call.turns.length === 1 ? { reasoning: "hm", stop: "length" } : { text: "ok" },
    );
    const first = await at.ask(request(name));
    expect(first).toMatchObject({ text: [], scripts: [], native: [] });
    const transcript = [user("Hello"), assistant(first), user("And?")];
    expect((await at.ask(request(name, { transcript }))).text).toEqual(["ok"]);
  });

  it("shows images to the model in the order of the content", async () => {
    await using at = await harness((call) => ({
      text: `${call.turns[0]?.type === "user" && call.turns[0].images}`,
    }));
    const image = { type: "image" as const, mediaType: "image/png", base64: "aGk=" };
    const content = [
      { type: "text" as const, text: "one" },
      image,
      { type: "text" as const, text: "two" },
      image,
    ];
    const reply = await at.ask(request(name, { transcript: [{ type: "user", content }] }));
    expect(reply.text).toEqual(["2"]);
    const body = JSON.stringify(sent(at.server, 0));
    const order = ["one", "aGk=", "two", "aGk="].map((mark, nth) =>
      body.indexOf(mark, nth === 3 ? body.indexOf("two") : 0),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it("refuses more images than the model takes in a request", async () => {
    await using at = await harness({ text: "ok" });
    const image = { type: "image" as const, mediaType: "image/png", base64: "aGk=" };
    const transcript = [{ type: "user" as const, content: Array.from({ length: 1_501 }, () => image) }];
    const failed = await failure(at.ask(request(name, { transcript })));
    expect(failed).toMatchObject({ retryable: false, message: expect.stringContaining("1501 images") });
    expect(at.server.requests).toEqual([]);
  });

  it("counts tokens that the provider had in its cache", async () => {
    await using at = await harness({ text: "ok" });
    const transcript = [user("x".repeat(4_000))];
    const first = await at.ask(request(name, { transcript }));
    const second = await at.ask(
      request(name, { transcript: [...transcript, assistant(first), user("More")] }),
    );
    expect(first.usage.cachedInputTokens).toBe(0);
    expect(second.usage.cachedInputTokens).toBeGreaterThan(1_000);
    expect(second.usage.inputTokens).toBeGreaterThan(second.usage.cachedInputTokens);
  });

  it("stops at once when aborted, closes the connection and rejects with the reason", async () => {
    await using at = await harness({ text: "a long answer", chunks: 10, chunkMs: 20 });
    const controller = new AbortController();
    const reason = new Error("the run was stopped");
    const answer = at.model.generate(
      request(name),
      { onText: () => controller.abort(reason) },
      controller.signal,
    );
    await expect(answer).rejects.toBe(reason);
    await expect(at.server.requests[0]?.over).resolves.toBe("closed");
  });

  it("stops waiting for headers when aborted", async () => {
    const controller = new AbortController();
    const reason = new Error("the run was stopped");
    await using at = await harness(() => {
      controller.abort(reason);
      return { hang: true };
    });
    await expect(at.ask(request(name), controller.signal)).rejects.toBe(reason);
    await expect(at.server.requests[0]?.over).resolves.toBe("closed");
  });

  it("sends nothing when the signal is aborted beforehand", async () => {
    await using at = await harness({ text: "ok" });
    const reason = new Error("too late");
    await expect(at.ask(request(name), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(at.server.requests).toEqual([]);
  });
});
