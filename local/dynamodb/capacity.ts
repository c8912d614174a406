import * as z from "zod";

/** Units consumed since the start, as AWS bills them on demand. */
export type Capacity = { write: number; read: number };

const READS = new Set(["GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"]);
const ASK = "ReturnConsumedCapacity";
const ANSWER = '"ConsumedCapacity":';
const COMMA = 0x2c;

const unitsSchema = z.object({
  CapacityUnits: z.number(),
  ReadCapacityUnits: z.number().optional(),
  WriteCapacityUnits: z.number().optional(),
});
const consumedSchema = z.union([z.array(unitsSchema), unitsSchema.transform((units) => [units])]);
const bodySchema = z.record(z.string(), z.unknown());

/** True for reads whose consumption the engine tells. */
export function isRead(operation: string): boolean {
  return READS.has(operation);
}

/** A request body that asks for the consumed capacity; `asked` when the client did so itself. */
export function askForCapacity(body: Buffer): { readonly body: Buffer; readonly asked: boolean } {
  if (!body.includes(`"${ASK}"`)) return { body: insertMember(body), asked: false };
  try {
    const request = bodySchema.parse(JSON.parse(body.toString("utf8")));
    if (request[ASK] !== undefined && request[ASK] !== "NONE") return { body, asked: true };
    return { body: Buffer.from(JSON.stringify({ ...request, [ASK]: "TOTAL" })), asked: false };
  } catch {
    return { body, asked: true };
  }
}

/** What an answer says of consumption, and the answer without it. */
export type Consumption = { readonly capacity: Capacity; readonly rest: Buffer };

/** Reads an answer's consumption; undefined when it has none. `write` says what undivided units count as. */
export function takeCapacity(answer: Buffer, write: boolean): Consumption | undefined {
  const cut = cutLastMember(answer) ?? cutAnyMember(answer);
  const consumed = cut && consumedSchema.safeParse(cut.consumed);
  if (cut === undefined || !consumed?.success) return undefined;
  const capacity = { write: 0, read: 0 };
  for (const { CapacityUnits, ReadCapacityUnits, WriteCapacityUnits } of consumed.data) {
    const divided = ReadCapacityUnits !== undefined || WriteCapacityUnits !== undefined;
    capacity.read += divided ? (ReadCapacityUnits ?? 0) : write ? 0 : CapacityUnits;
    capacity.write += divided ? (WriteCapacityUnits ?? 0) : write ? CapacityUnits : 0;
  }
  return { capacity, rest: cut.rest };
}

/** Adds a member to a JSON object without parsing it: requests can be megabytes. */
function insertMember(body: Buffer): Buffer {
  const open = body.indexOf("{");
  if (open < 0 || /^\s*\}/.test(body.toString("latin1", open + 1, open + 100))) return body;
  return Buffer.concat([Buffer.from(`{"${ASK}":"TOTAL",`), body.subarray(open + 1)]);
}

type Cut = { readonly consumed: unknown; readonly rest: Buffer };

/** The engine writes the consumption last: then it can be cut off without parsing what comes before. */
function cutLastMember(answer: Buffer): Cut | undefined {
  const at = answer.lastIndexOf(ANSWER);
  if (at < 0) return undefined;
  const tail = parseObject(`{${answer.toString("utf8", at)}`);
  if (tail === undefined || Object.keys(tail).length !== 1) return undefined;
  const end = answer[at - 1] === COMMA ? at - 1 : at;
  const rest = Buffer.concat([answer.subarray(0, end), Buffer.from("}")]);
  return { consumed: tail["ConsumedCapacity"], rest };
}

function cutAnyMember(answer: Buffer): Cut | undefined {
  const { ConsumedCapacity, ...rest } = parseObject(answer.toString("utf8")) ?? {};
  return ConsumedCapacity === undefined
    ? undefined
    : { consumed: ConsumedCapacity, rest: Buffer.from(JSON.stringify(rest)) };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return bodySchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
