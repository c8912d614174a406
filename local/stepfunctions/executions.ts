import type { Change, Head, HistoryEvent, JournalRecord, Status } from "./records.ts";

/** An execution and its events so far. Heads are replaced, never changed; events are only added. */
export type Execution = { head: Head; readonly history: HistoryEvent[] };

/** All executions that are known. */
export type Executions = {
  /** The execution, or undefined when there was none or its detail was dropped. */
  get(name: string): Execution | undefined;
  /** Whether a name is taken, for ever after its first use. */
  knows(name: string): boolean;
  nextSequence(): number;
  apply(change: Change): void;
  takeNames(names: readonly string[]): void;
  /** Heads, the latest started first, only those before a sequence number and of a status if given. */
  list(filter: { before?: number | undefined; status?: Status | undefined }): Head[];
  running(): Execution[];
  /** What is worth keeping, for a rewritten journal. */
  records(): JournalRecord[];
};

/** How much of ended executions is kept; the oldest go first, and the last one always stays. */
export type Retention = { readonly executions: number; readonly events: number };

const namesPerRecord = 10_000;

/** An empty set of executions. */
export function createExecutions(retention: Retention): Executions {
  const known = new Map<string, Execution>();
  const names = new Set<string>();
  const ended: Execution[] = [];
  let endedEvents = 0;
  let sequence = 0;

  const running = () => [...known.values()].filter((execution) => execution.head.status === "RUNNING");

  function retire(execution: Execution): void {
    ended.push(execution);
    endedEvents += execution.history.length;
    while (ended.length > 1 && (ended.length > retention.executions || endedEvents > retention.events)) {
      const oldest = ended.shift();
      if (!oldest) return;
      endedEvents -= oldest.history.length;
      known.delete(oldest.head.name);
    }
  }

  return {
    get: (name) => known.get(name),
    knows: (name) => names.has(name),
    nextSequence: () => sequence + 1,
    apply({ head, events }) {
      const execution = known.get(head.name) ?? { head, history: [] };
      execution.head = head;
      for (const event of events) execution.history.push(event);
      known.set(head.name, execution);
      names.add(head.name);
      sequence = Math.max(sequence, head.sequence);
      if (head.status !== "RUNNING") retire(execution);
    },
    takeNames(taken) {
      for (const name of taken) names.add(name);
    },
    list({ before = Number.POSITIVE_INFINITY, status }) {
      return [...known.values()]
        .map((execution) => execution.head)
        .filter((head) => head.sequence < before && (status === undefined || head.status === status))
        .sort((a, b) => b.sequence - a.sequence);
    },
    running,
    records() {
      const dropped = [...names].filter((name) => !known.has(name));
      return [
        ...chunksOf(dropped).map((some) => ({ kind: "names", names: some }) as const),
        ...[...ended, ...running()].map(changeRecord),
      ];
    },
  };
}

function changeRecord({ head, history }: Execution): JournalRecord {
  // A copy, because events may be added while the record waits to be written.
  return { kind: "change", head, events: history.slice() };
}

function chunksOf(names: readonly string[]): string[][] {
  const chunks: string[][] = [];
  for (let from = 0; from < names.length; from += namesPerRecord) {
    chunks.push(names.slice(from, from + namesPerRecord));
  }
  return chunks;
}
