import { describe, expect, it } from "vitest";
import { scriptTool } from "../../core/tools/script-tool.ts";
import { callScript, findFunction, grantedFunctions } from "../../local/model/functions.ts";
import { offlineRespond } from "../../local/model/offline.ts";
import { assistant, harness, models, output, request, tool, user } from "./support.ts";

const described = `Runs the body of an async function. Call granted tools with await tools.<name>(args).

tools.get_customer(args)
Look up a customer visible to the session user.
{"type":"object","properties":{"customer_id":{"type":"string"},"limit":{"type":"integer"}},"required":["customer_id"],"additionalProperties":false}

tools.listInvoices(args: { account: string, year: number, open?: boolean }): Promise<unknown>

tools.refund_order(args)
{"type":"object","properties":{"order_id":{"type":"string"},"reason":{"type":"string"}},"required":["order_id","reason"]}`;

describe("the offline model's reading of the tool", () => {
  it("finds the granted functions and their parameters, in JSON Schema or as types", () => {
    expect(grantedFunctions(described)).toEqual([
      {
        name: "get_customer",
        parameters: [
          { name: "customer_id", type: "string", required: true },
          { name: "limit", type: "integer", required: false },
        ],
      },
      {
        name: "listInvoices",
        parameters: [
          { name: "account", type: "string", required: true },
          { name: "year", type: "number", required: true },
          { name: "open", type: "boolean", required: false },
        ],
      },
      {
        name: "refund_order",
        parameters: [
          { name: "order_id", type: "string", required: true },
          { name: "reason", type: "string", required: true },
        ],
      },
    ]);
    expect(grantedFunctions("")).toEqual([]);
  });

  it("reads the description that agents really get", () => {
    const parameters = {
      type: "object",
      properties: { id: { type: "string" }, any: true },
      required: ["id"],
    };
    const description = "Get {one}; see tools.other(x).";
    const { description: text } = scriptTool([
      { type: "function", name: "get_one", description, parameters },
    ]);
    expect(grantedFunctions(text)).toEqual([
      {
        name: "get_one",
        parameters: [
          { name: "id", type: "string", required: true },
          { name: "any", type: "string", required: false },
        ],
      },
    ]);
    expect(grantedFunctions(scriptTool([]).description)).toEqual([]);
  });

  it.each([
    ["Look up customer_123 for me, the customer.", "get_customer"],
    ["Which customers do I have?", "get_customer"],
    ["call get_customer", "get_customer"],
    ["Show the invoices of 2026", "listInvoices"],
    ["Please refund order_9", "refund_order"],
    ["Get me a coffee", null],
    ["", null],
  ])("takes %j as asking for %s", (text, name) => {
    expect(findFunction(grantedFunctions(described), text)?.name ?? null).toBe(name);
  });

  it.each([
    ["Look up customer customer_123", 'tools.get_customer({"customer_id":"customer_123"})'],
    ["Look up the customer", 'tools.get_customer({"customer_id":"Look up the customer"})'],
    ['Invoices of "ACME" in 2026', 'tools.listInvoices({"account":"ACME","year":2026})'],
    ['Refund order order_9 "damaged"', 'tools.refund_order({"order_id":"order_9","reason":"damaged"})'],
  ])("answers %j with a script that has %s", (text, call) => {
    const wanted = findFunction(grantedFunctions(described), text);
    expect(wanted && callScript(wanted, text)).toBe(`const result = await ${call};\nreturn result;`);
  });
});

describe.each(models)("the offline model as %s", (name) => {
  it("says what it is and repeats the question", async () => {
    await using at = await harness(offlineRespond);
    const reply = await at.ask(request(name, { transcript: [user("How are you?")] }));
    expect(reply.text.join("")).toMatch(/offline model.*"How are you\?".*get_customer/);
  });

  it("calls a function that the text asks for and answers with its result", async () => {
    await using at = await harness(offlineRespond);
    const asked = user("Please look up customer customer_123.");
    const first = await at.ask(
      request(name, { transcript: [asked], tool: { ...tool, description: described } }),
    );
    expect(first.scripts).toMatchObject([
      { source: expect.stringContaining('tools.get_customer({"customer_id":"customer_123"})') },
    ]);
    const result = output(first.scripts[0]?.id ?? "", '{"name":"Ada"}');
    const second = await at.ask(request(name, { transcript: [asked, assistant(first), result] }));
    expect(second.text).toEqual(['get_customer returned {"name":"Ada"}']);
    expect(second.scripts).toEqual([]);
  });

  it("answers a word that came in between, after the result", async () => {
    await using at = await harness(offlineRespond);
    const asked = user("get_customer customer_1");
    const first = await at.ask(request(name, { transcript: [asked] }));
    const result = output(first.scripts[0]?.id ?? "", "timeout", name.startsWith("anthropic"));
    const transcript = [asked, assistant(first), result, user("Never mind")];
    const second = await at.ask(request(name, { transcript }));
    expect(second.text[0]).toMatch(/get_customer (returned|failed:) timeout/);
    expect(second.text[1]).toContain('"Never mind"');
  });

  it("remembers the question before", async () => {
    await using at = await harness(offlineRespond);
    const first = await at.ask(request(name, { transcript: [user("Is it raining?")] }));
    const transcript = [user("Is it raining?"), assistant(first), user("What did I just ask you?")];
    const second = await at.ask(request(name, { transcript }));
    expect(second.text).toEqual(['You asked me: "Is it raining?"']);
    const alone = await at.ask(request(name, { transcript: [user("What did I just ask you?")] }));
    expect(alone.text).toEqual(["You have not asked me anything before."]);
  });

  it("mentions images", async () => {
    await using at = await harness(offlineRespond);
    const content = [{ type: "image" as const, mediaType: "image/png", base64: "aGk=" }];
    const reply = await at.ask(request(name, { transcript: [{ type: "user", content }] }));
    expect(reply.text.join("")).toContain("1 image");
  });
});
