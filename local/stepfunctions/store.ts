import { type Definition, parseDefinition } from "./definition.ts";
import { DefinitionError } from "./errors.ts";
import { createExecutions, type Executions, type Retention } from "./executions.ts";
import { type Journal, memoryJournal, openJournal } from "./journal.ts";
import { type Change, type JournalRecord, parseRecord } from "./records.ts";

/** Executions and definitions in memory, and the journal behind them. */
export type Store = {
  readonly executions: Executions;
  /** Since when the state machine exists, in milliseconds. */
  readonly createdAt: number;
  /** The definition that new executions start with. */
  readonly current: Definition;
  /** The definition with a hash; undefined when it can no longer be read. */
  definition(hash: string): Definition | undefined;
  /** Applies a change at once and resolves when it is durable. */
  commit(change: Omit<Change, "kind">): Promise<void>;
  /** Resolves when everything that can be seen is durable. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

export type StoreOptions = {
  readonly directory?: string | undefined;
  readonly stateMachineArn: string;
  readonly definition: Definition;
  readonly now: number;
  readonly retention: Retention;
  readonly compactAfterBytes?: number | undefined;
};

/**
 * Opens the store, from its directory if it has one.
 * @throws when the directory belongs to another state machine or its journal is damaged.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { stateMachineArn, definition, directory, compactAfterBytes } = options;
  const executions = createExecutions(options.retention);
  const definitions = new Map<string, Definition>();
  let createdAt: number | undefined;

  function replay(record: JournalRecord): void {
    if (record.kind === "change") executions.apply(record);
    if (record.kind === "names") executions.takeNames(record.names);
    if (record.kind === "definition") keepDefinition(record.definition, definitions);
    if (record.kind !== "open") return;
    if (record.stateMachineArn !== stateMachineArn) {
      throw new Error(`${directory} holds executions of ${record.stateMachineArn}; give another directory.`);
    }
    createdAt = record.createdAt;
  }

  function opening(): JournalRecord {
    return { kind: "open", version: 1, stateMachineArn, createdAt: createdAt ?? options.now };
  }

  function snapshot(): readonly JournalRecord[] {
    const used = new Set(executions.running().map((execution) => execution.head.definition));
    const kept = [...definitions.values()].filter(({ hash }) => used.has(hash) || hash === definition.hash);
    return [opening(), ...kept.map(definitionRecord), ...executions.records()];
  }

  const journal: Journal =
    directory === undefined
      ? memoryJournal()
      : await openJournal({
          directory,
          parse: parseRecord,
          replay,
          snapshot,
          ...(compactAfterBytes === undefined ? {} : { compactAfterBytes }),
        });
  if (createdAt === undefined) {
    createdAt = options.now;
    await journal.append(opening());
  }
  // In memory first: an append may rewrite the log from memory instead of adding to it.
  const isNew = !definitions.has(definition.hash);
  definitions.set(definition.hash, definition);
  if (isNew) await journal.append(definitionRecord(definition));

  return {
    executions,
    createdAt,
    current: definition,
    definition: (hash) => definitions.get(hash),
    commit(change) {
      const record: Change = { kind: "change", ...change };
      executions.apply(record);
      return journal.append(record);
    },
    settled: journal.settled,
    close: journal.close,
  };
}

function definitionRecord(definition: Definition): JournalRecord {
  return { kind: "definition", definition: JSON.parse(definition.source) };
}

function keepDefinition(source: unknown, definitions: Map<string, Definition>): void {
  try {
    const definition = parseDefinition(source);
    definitions.set(definition.hash, definition);
  } catch (thrown) {
    // Its executions fail when they next move; the others are not held up by it.
    if (!(thrown instanceof DefinitionError)) throw thrown;
  }
}
