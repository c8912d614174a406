import * as z from "zod";
import type { PendingToolCall } from "../../contract/schemas/tool-calls.ts";
import type { Client } from "./client.ts";
import type { Printer } from "./printer.ts";

const customers: ReadonlyMap<string, { readonly name: string; readonly plan: string }> = new Map([
  ["customer_123", { name: "Grace Hopper", plan: "team" }],
]);

const Arguments = z.object({ customer_id: z.string() });

/** The application whose function the agent calls: it looks a customer up and posts the result. */
export function startCustomerApp(client: Client, print: Printer) {
  return {
    tool: {
      type: "function",
      name: "get_customer",
      description: "Look up a customer of this application.",
      parameters: {
        type: "object",
        properties: { customer_id: { type: "string", description: "For example customer_123." } },
        required: ["customer_id"],
        additionalProperties: false,
      },
    },
    execute: async (sessionId: string, call: PendingToolCall): Promise<void> => {
      const { customer_id } = Arguments.parse(call.arguments);
      const customer = customers.get(customer_id);
      const error = { code: "customer_not_found", message: "There is no such customer." };
      const outcome =
        customer === undefined ? { success: false, error } : { success: true, output: customer };
      print.application(`get_customer("${customer_id}") → ${JSON.stringify(customer ?? error)}`);
      const body = { run_id: call.run_id, results: [{ call_id: call.id, ...outcome }] };
      await client.post(`/sessions/${sessionId}/tool-results`, body);
    },
  };
}
