import { type Measured, startSweepBed } from "./sweep-bed.ts";

/**
 * `npm run bench:sweep [-- sessions]`: what a round of the sweep costs while so many sessions wait (100,000), in a
 * usual minute and when a tenth more is due at once. Ends after some minutes, whatever it finds.
 */
const SESSIONS = Number(process.argv[2] ?? 100_000);
const MOST_AT_REST = 400;
/** What a round has of its minute. */
const ROUND_MS = 40_000;
const MOST_ROUNDS = 10;
const A_DAY = 24 * 60;

const half = Math.floor(SESSIONS / 2);
const tenth = Math.floor(SESSIONS / 10);
const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

const round = () => {
  const end = performance.now() + ROUND_MS;
  return {
    before: inMinutes(0),
    hasTime: () => performance.now() < end,
    most: { soon: Number.POSITIVE_INFINITY, rest: MOST_AT_REST },
  };
};

const bed = await startSweepBed();
try {
  await bench();
} finally {
  await bed.close();
}

async function bench(): Promise<void> {
  const started = performance.now();
  await bed.write(0, half, () => ({ way: "call", deadline: inMinutes(600) }));
  // Looked at once a day, at any minute of it. The first minute's worth is due.
  const aMinute = Math.ceil((SESSIONS - half) / A_DAY);
  await bed.write(half, SESSIONS - half, (n) => ({
    way: "resume",
    look: { lane: "rest", at: inMinutes(Math.floor((n - half) / aMinute) || -1) },
  }));
  console.log(`${SESSIONS} sessions wait, written in ${seconds(performance.now() - started)} s`);
  await bed.carry(half, aMinute);
  report("a usual minute", await bed.measure(round()));
  report("a minute with nothing due", await bed.measure(round()));

  const [overdue, resting] = [SESSIONS, SESSIONS + tenth];
  await bed.write(overdue, tenth, () => ({ way: "interrupted", deadline: inMinutes(-1) }));
  await bed.write(resting, tenth, () => ({ way: "resume", look: { lane: "rest", at: inMinutes(-60) } }));
  await bed.carry(resting, MOST_AT_REST);
  console.log(`${tenth} more are overdue, and ${tenth} that only wait are due, all at once`);
  for (let nth = 1; nth <= MOST_ROUNDS; nth += 1) {
    const measured = await bed.measure(round());
    report(`round ${nth}`, measured);
    // What waits gets its turn when nothing is overdue any more.
    if (measured.looked === 0 || (measured.requests["DescribeExecution"] ?? 0) > 0) return;
  }
}

function report(what: string, { looked, failed, left, ms, requests, readUnits, writeUnits }: Measured): void {
  const asked = Object.entries(requests).map(([name, count]) => `${name} ${count}`);
  const rate = looked === 0 ? "" : `, ${Math.round(looked / (ms / 1_000))} looks a second`;
  const state = `${failed} failed${left ? ", more is left" : ""}`;
  console.log(`${what}: ${looked} looks, ${state}, ${seconds(ms)} s${rate}`);
  console.log(`  ${asked.join(", ")}; ${readUnits} read units, ${writeUnits} write units`);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
