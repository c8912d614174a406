/** The host's side of the border: what goes into a box as JSON text, and what comes out of it. */
import { createHash } from "node:crypto";
import type { Json } from "../../contract/json.ts";
import { wellFormed, wellFormedText } from "../../contract/nul.ts";
import type { ScriptCall, ScriptOptions, Settlement } from "../../core/ports/script.ts";
import type { CallText, ScriptText, SettlementText } from "./protocol.ts";

/** Settlements go in by parts of this size at most (one that is larger goes alone), to bound what the worker holds. */
const BATCH_CHARS = 1_048_576;
const BATCH_COUNT = 256;

export function scriptText(options: ScriptOptions, board: SharedArrayBuffer): ScriptText {
  const digest = createHash("sha256").update(options.seed).digest();
  return {
    source: options.source,
    seed: [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)],
    startedAt: options.startedAt,
    memory: Object.entries(options.memory).map(([key, value]) => [key, JSON.stringify(value)] as const),
    cpuMs: options.cpuMs,
    board,
  };
}

/** The settlements in their order, in at least one part. */
export function batches(settlements: readonly Settlement[]): SettlementText[][] {
  let batch: SettlementText[] = [];
  const all = [batch];
  let chars = 0;
  for (const settlement of settlements) {
    const { ordinal, at, ok } = settlement;
    const json = JSON.stringify(ok ? settlement.value : settlement.error);
    if (batch.length === BATCH_COUNT || (batch.length > 0 && chars + json.length > BATCH_CHARS)) {
      batch = [];
      all.push(batch);
      chars = 0;
    }
    batch.push({ ordinal, at, ok, json });
    chars += json.length;
  }
  return all;
}

/** Throws a SyntaxError when the worker gave what is not JSON. */
export function scriptCalls(calls: readonly CallText[]): ScriptCall[] {
  return calls.map((call) => ({
    ordinal: call.ordinal,
    tool: wellFormedText(call.tool),
    arguments: parseGuestJson(call.arguments),
  }));
}

/** Throws a SyntaxError when the worker gave what is not JSON. */
export function memoryValues(entries: readonly (readonly [string, string])[]): Record<string, Json> {
  const values = entries.map(([key, json]) => [wellFormedText(key), parseGuestJson(json)] as const);
  return Object.fromEntries(values.filter(([key]) => key !== "__proto__"));
}

/**
 * Reads JSON text from a box. Keys named `__proto__` are left out, so that no copy of the value can change a
 * prototype; text is made what storage takes.
 */
function parseGuestJson(text: string): Json {
  // A key is spelt plainly or with escapes; most text has neither.
  const suspect = text.includes("__proto__") || text.includes("\\u00");
  const value: Json = suspect ? JSON.parse(text, withoutProto) : JSON.parse(text);
  return wellFormed(value);
}

function withoutProto(key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}
