import { BatchWriteCommand, type DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { dueItem, encodeFields, recordKey } from "../../adapters/aws/items.ts";
import { headItem } from "../../adapters/aws/session-writes.ts";
import type { Look } from "../../core/session/look.ts";
import { CallRecord } from "../../core/session/records.ts";
import { SessionState } from "../../core/session/state.ts";
import { answer, apply, created, lose, park, pause, settlePause, waiting } from "./commands.ts";
import { type Past, story } from "./specification.ts";

/** Ways to wait, each as the log of a session says it. */
export const ways = {
  /** For a client's result. */
  call: story(created("queue"), ...waiting(), park("token")),
  /** For a client's resume. */
  resume: story(created("queue"), apply(), answer(1), pause(), settlePause(), park("token")),
  /** For a result, with no execution. */
  interrupted: story(created("queue"), ...waiting(), lose()),
} satisfies Record<string, Past>;

export type Waiting = {
  readonly way: keyof typeof ways;
  /** When its calls expire; as the log says unless given. */
  readonly deadline?: string;
  /** When the sweep is to look; as the state says unless given. */
  readonly look?: Look;
};

/** Ids of the n-th of many sessions; they are spread over the shards as real ones are. */
export const nthSession = (n: number): string => `ses_${nth(n)}`;
export const nthRun = (n: number): string => `run_${nth(n)}0000000003`;
const nth = (n: number): string => `W${n.toString(32).toUpperCase().padStart(6, "0")}`;

/** Half the most requests of a BatchWriteItem, as a session has up to two items; and batches sent at a time. */
const BATCH = 12;
const AT_ONCE = 8;

/** Writes the heads and calls of that many waiting sessions and nothing else of them: all that the sweep needs. */
export async function writeWaiting(
  table: { readonly client: DynamoDBDocumentClient; readonly name: string; readonly now: () => number },
  range: { readonly from: number; readonly count: number },
  of: (n: number) => Waiting,
): Promise<void> {
  const batches = Math.ceil(range.count / BATCH);
  let at = 0;
  const work = async (): Promise<void> => {
    for (let batch = at++; batch < batches; batch = at++) {
      const count = Math.min(BATCH, range.count - batch * BATCH);
      const items = Array.from({ length: count }, (_, index) => {
        const n = range.from + batch * BATCH + index;
        return waitingItems(table, n, of(n));
      }).flat();
      const requests = items.map((Item) => ({ PutRequest: { Item } }));
      await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function waitingItems(table: { readonly now: () => number }, n: number, { way, deadline, look }: Waiting) {
  const { records } = ways[way];
  const state = SessionState.parse(renamed(ways[way].state, n));
  const run = state.run;
  if (run === null) throw new Error("a session waits with its run");
  const calls = run.calls.map((call) => ({ ...call, deadlineAt: deadline ?? call.deadlineAt }));
  const head = headItem(table, { ...state, run: { ...run, calls } }, 1);
  const kept = [...records.call.values()].map((call) => {
    const record = CallRecord.parse(renamed(call, n));
    return { ...recordKey(state.id, "call", record.id), ...encodeFields(record) };
  });
  return [look === undefined ? head : { ...head, ...dueItem(state.id, look) }, ...kept];
}

/** The same of the n-th session. */
const renamed = (value: object, n: number): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll("_spec", `_${nth(n)}`));
