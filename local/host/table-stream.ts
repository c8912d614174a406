import { partition, sort } from "../../contract/table.ts";
import type { Lambdas } from "./lambda.ts";

type WrittenKey = {
  readonly key: { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };
};

/** A batch waits this long for company, as an event source of AWS does by polling. */
const GATHER_MS = 150;
const RETRIES = 3;

/**
 * The laptop's stream of the table: hands the keys of written heads to the consumer in batches, and tells
 * those in this process who follow a session that it was written.
 */
export function createTableStream(lambdas: () => Lambdas, wake: (sessionId: string) => void) {
  const prefix = partition.session("");
  let sequence = 0;
  let pending = new Map<string, object>();
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  const deliver = async (records: readonly object[], tries: number): Promise<void> => {
    const result = await lambdas().attempt("fanout", { Records: records });
    const failed = !result.ok || hasFailures(result.payload);
    if (failed && tries < RETRIES && !closed) await deliver(records, tries + 1);
  };
  const flush = () => {
    timer = null;
    const records = [...pending.values()];
    pending = new Map();
    if (records.length > 0 && !closed) void deliver(records, 0);
  };

  return {
    onWrite(keys: readonly WrittenKey[]): void {
      for (const { key } of keys) {
        if (!key.pk.S.startsWith(prefix)) continue;
        wake(key.pk.S.slice(prefix.length));
        if (key.sk.S !== sort.head) continue;
        sequence += 1;
        const dynamodb = { Keys: key, SequenceNumber: String(sequence), StreamViewType: "KEYS_ONLY" };
        pending.set(key.pk.S, { eventSource: "aws:dynamodb", eventName: "MODIFY", dynamodb });
      }
      if (pending.size > 0) timer ??= setTimeout(flush, GATHER_MS);
    },
    close(): void {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function hasFailures(payload: unknown): boolean {
  if (typeof payload !== "object" || payload === null || !("batchItemFailures" in payload)) return false;
  return Array.isArray(payload.batchItemFailures) && payload.batchItemFailures.length > 0;
}
