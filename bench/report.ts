import type { Latency } from "./latency.ts";
import type { Operations, prices } from "./prices.ts";
import type { Spread } from "./statistics.ts";
import type { Throughput } from "./throughput.ts";

export type Priced = { readonly operations: Operations; readonly dollars: number };

export type Report = {
  readonly latency: Latency;
  /** From the request to stop a streaming run to its `run.stopped`. */
  readonly stop: Spread;
  readonly throughput: Throughput;
  /** Which turn of its session the late text run was. */
  readonly turns: number;
  readonly textRun: Priced;
  readonly lateTextRun: Priced;
  readonly functionRun: Priced;
  readonly prices: typeof prices;
};

/** What a text run may cost, at the first turn of a session as at the last; how long a stop may take here. */
const bars = { transitions: 5, advances: 1, writeUnits: 40, functionAdvances: 2, stopMs: 300 } as const;

/** The bars that were missed, in words. */
export function checkBars({ textRun, lateTextRun, functionRun, turns, stop }: Report): string[] {
  const missed: string[] = [];
  const bar = (what: string, value: number, most: number) => {
    if (value > most) missed.push(`${what}: ${value}, at most ${most}`);
  };
  for (const [turn, { operations }] of [
    ["2", textRun],
    [String(turns), lateTextRun],
  ] as const) {
    bar(`transitions of turn ${turn}`, operations.transitions, bars.transitions);
    bar(`Advance invocations of turn ${turn}`, operations.invocations["advance"] ?? 0, bars.advances);
    bar(`write units of turn ${turn}`, operations.writeUnits, bars.writeUnits);
  }
  bar(
    "write units of a late turn beyond an early one",
    lateTextRun.operations.writeUnits - textRun.operations.writeUnits,
    0,
  );
  bar(
    "Advance invocations of a run with a call",
    functionRun.operations.invocations["advance"] ?? 0,
    bars.functionAdvances,
  );
  bar("median milliseconds to stop a run", stop.p50, bars.stopMs);
  return missed;
}

export function print(report: Report, missed: readonly string[]): string {
  const { latency, stop, throughput, textRun, lateTextRun, functionRun, turns } = report;
  return [
    "",
    row("from the input's request to", "p50 ms", "p99 ms"),
    times("  the model's request", latency.toModelRequest),
    times("  the first delta", latency.toFirstDelta),
    times("  run.completed", latency.toRunCompleted),
    row("from a stop's request to", "", ""),
    times("  run.stopped", stop),
    "",
    `${throughput.runsPerSecond} runs a second at ${throughput.sessions} sessions`,
    "",
    row("operations of a run", "text", `turn ${turns}`, "one call"),
    ...operationRows([textRun, lateTextRun, functionRun]),
    "",
    `Prices of ${report.prices.region}, ${report.prices.asOf}; Lambda's duration comes on top ($${report.prices.gigabyteSecond} a GB-second).`,
    missed.length === 0
      ? "Every bar is met."
      : `Bars missed:\n${missed.map((line) => `  ${line}`).join("\n")}`,
  ].join("\n");
}

function operationRows(runs: readonly Priced[]): string[] {
  const line = (name: string, pick: (operations: Operations) => number) =>
    row(`  ${name}`, ...runs.map(({ operations }) => String(pick(operations))));
  return [
    line("DynamoDB write units", ({ writeUnits }) => writeUnits),
    line("DynamoDB read units", ({ readUnits }) => readUnits),
    line("S3 PUT", ({ s3Puts }) => s3Puts),
    line("S3 GET", ({ s3Gets }) => s3Gets),
    line("API requests", ({ requests }) => requests),
    line("Advance invocations", ({ invocations }) => invocations["advance"] ?? 0),
    line("other invocations", ({ invocations }) => others(invocations)),
    line("state transitions", ({ transitions }) => transitions),
    row("  dollars per 1,000 runs", ...runs.map(({ dollars }) => (dollars * 1_000).toFixed(4))),
  ];
}

const others = (invocations: Readonly<Record<string, number>>): number =>
  Object.entries(invocations).reduce((sum, [name, count]) => (name === "advance" ? sum : sum + count), 0);

const times = (name: string, { p50, p99 }: Spread): string => row(name, String(p50), String(p99));

const row = (name: string, ...cells: readonly string[]): string =>
  `${name.padEnd(30)}${cells.map((cell) => cell.padStart(12)).join("")}`;
