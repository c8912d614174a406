/**
 * The rules by which the Responses API refuses items that do not fit each other.
 */
import { refused } from "./openai-refusals.ts";
import type { Item } from "./openai-request.ts";
import { WireProblem } from "./reply.ts";
import type { Seals } from "./seals.ts";

/** Throws the API's refusal of what the schema alone does not show. */
export function checkItems(items: readonly Item[], seals: Seals): void {
  checkIds(items);
  checkCalls(items);
  items.forEach((at, position) => {
    if (at.type === "reasoning") checkReasoning(at, items[position + 1], seals);
  });
}

function checkIds(items: readonly Item[]): void {
  const seen = new Set<string>();
  for (const id of items.flatMap((at) => ("id" in at && at.id ? [at.id] : []))) {
    if (seen.has(id)) {
      throw refused(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
        "input",
      );
    }
    seen.add(id);
  }
}

function checkCalls(items: readonly Item[]): void {
  const outputs = new Set(items.flatMap((at) => (at.type === "function_call_output" ? [at.call_id] : [])));
  const calls = new Set<string>();
  const answered = new Set<string>();
  for (const at of items) {
    if (at.type === "function_call") {
      if (calls.has(at.call_id)) throw refused(`Duplicate call_id ${at.call_id}.`, "input");
      if (!outputs.has(at.call_id)) {
        throw refused(`No tool output found for function call ${at.call_id}.`, "input");
      }
      calls.add(at.call_id);
    }
    if (at.type !== "function_call_output") continue;
    if (!calls.has(at.call_id)) {
      throw refused(`No tool call found for function call output with call_id ${at.call_id}.`, "input");
    }
    if (answered.has(at.call_id)) throw refused(`Duplicate output for call_id ${at.call_id}.`, "input");
    answered.add(at.call_id);
  }
}

type Reasoning = Extract<Item, { type: "reasoning" }>;

function checkReasoning(
  { id, encrypted_content: sealed }: Reasoning,
  next: Item | undefined,
  seals: Seals,
): void {
  if (sealed === undefined || sealed === null) throw notStored(id);
  if (!seals.accepts(sealed, id)) {
    const reason = "Encrypted content could not be decrypted or parsed.";
    throw refused(
      `The encrypted content for item ${id} could not be verified. Reason: ${reason}`,
      null,
      "invalid_encrypted_content",
    );
  }
  const follows =
    next?.type === "function_call" ||
    next?.type === "reasoning" ||
    (next?.type === "message" && next.role === "assistant");
  if (follows) return;
  throw refused(
    `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    "input",
  );
}

/** Without its content an item would have to be in a store, which no request here has asked for. */
function notStored(id: string): WireProblem {
  return new WireProblem(404, {
    type: "invalid_request_error",
    message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    param: "input",
  });
}
