import type {
  CallRecord,
  InputRecord,
  MessageRecord,
  RecordChange,
  RunRecord,
} from "../../core/session/records.ts";

/** The records that commits have made and changed, by id. */
export type Records = {
  readonly input: ReadonlyMap<string, InputRecord>;
  readonly call: ReadonlyMap<string, CallRecord>;
  readonly message: ReadonlyMap<string, MessageRecord>;
  readonly run: ReadonlyMap<string, RunRecord>;
};

export const emptyRecords: Records = {
  input: new Map(),
  call: new Map(),
  message: new Map(),
  run: new Map(),
};

/** Applies changes under the store's conditions: a put makes a record that is new, a patch changes one that exists. */
export function withChanges(records: Records, changes: readonly RecordChange[]): Records {
  const next = {
    input: new Map(records.input),
    call: new Map(records.call),
    message: new Map(records.message),
    run: new Map(records.run),
  };
  for (const change of changes) {
    if ("patch" in change) {
      if (change.kind === "input") patch(next.input, change.id, change.patch);
      else patch(next.call, change.id, change.patch);
    } else if (change.kind === "input") put(next.input, change.put);
    else if (change.kind === "call") put(next.call, change.put);
    else if (change.kind === "message") put(next.message, change.put);
    else put(next.run, change.put);
  }
  return next;
}

function put<R extends { readonly id: string }>(records: Map<string, R>, record: R): void {
  if (records.has(record.id)) throw new Error(`${record.id} exists already`);
  records.set(record.id, record);
}

function patch<R extends { readonly id: string }>(
  records: Map<string, R>,
  id: string,
  change: Partial<Omit<R, "id">>,
): void {
  const record = records.get(id);
  if (record === undefined) throw new Error(`${id} does not exist`);
  records.set(id, { ...record, ...change });
}
