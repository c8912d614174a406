import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../adapters/system/clock.ts";
import { type Round, sweep } from "../../core/run/sweep.ts";
import { startHolding } from "../support/holding.ts";
import { nthRun, nthSession, type Waiting, writeWaiting } from "../support/waiting.ts";
import { dueIn, startStores } from "./harness.ts";

/** Sessions that wait, whatever else a test adds. */
const MANY = 2_000;
const SHARDS = 8;
const stores = await startStores();
const { client, table, store } = stores;
const executions = await startHolding();
afterAll(executions.close);

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

const ports = {
  store,
  clock: systemClock,
  executions,
  log: { info: () => undefined, warn: () => undefined },
};

const round = (rest: Partial<Round> = {}) =>
  sweep(ports, {
    before: inMinutes(0),
    hasTime: () => true,
    most: { soon: 10_000, rest: 10_000 },
    ...rest,
  });

/** What a round asks of the table and the engine. */
async function asked(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = { ...stores.counts.dynamodb };
  const described = executions.described();
  await work();
  const counts = Object.entries(stores.counts.dynamodb).map(
    ([name, count]) => [name, count - (before[name] ?? 0)] as const,
  );
  return {
    ...Object.fromEntries(counts.filter(([, count]) => count > 0)),
    described: executions.described() - described,
  };
}

let next = 0;
/** Writes more sessions that wait; gives their numbers. */
async function more(count: number, waiting: Waiting): Promise<number[]> {
  const from = next;
  next += count;
  await writeWaiting({ client, name: table, now: systemClock.now }, { from, count }, () => waiting);
  return Array.from({ length: count }, (_, index) => from + index);
}

/** Starts what carries the runs. */
const carry = (numbers: readonly number[]) =>
  Promise.all(numbers.map((n) => executions.start({ sessionId: nthSession(n), runId: nthRun(n), leg: 1 })));

const openCalls = async (n: number) => (await store.load(nthSession(n)))?.state.run?.calls.length;

beforeEach(async () => {
  if (next === 0) await more(MANY, { way: "call", deadline: inMinutes(600) });
  await round();
});

describe("a round of the sweep", () => {
  test("asks for nothing but its index where nothing is due, however many sessions wait", async () => {
    expect(await asked(round)).toEqual({ Query: 2 * SHARDS, described: 0 });
  });

  test("costs what is due: a load, a description and a write each", async () => {
    const due = await more(40, { way: "resume", look: { lane: "rest", at: inMinutes(-1) } });
    await carry(due);
    const cost = await asked(async () =>
      expect(await round()).toEqual({ looked: 40, failed: 0, left: false }),
    );
    expect(cost).toEqual({ Query: 2 * SHARDS, GetItem: 40, UpdateItem: 40, described: 40 });
    expect(await asked(round)).toEqual({ Query: 2 * SHARDS, described: 0 });
  });

  test("describes no execution where its calls have yet to expire, and none of an interrupted run", async () => {
    await more(30, { way: "interrupted", deadline: inMinutes(-1) });
    const cost = await asked(round);
    expect(cost).toEqual({ Query: 2 * SHARDS, GetItem: 30, TransactWriteItems: 30, described: 0 });
  });

  test("comes to what is overdue before what only waits, and takes no more of that than it may", async () => {
    const resting = await more(60, { way: "resume", look: { lane: "rest", at: inMinutes(-60) } });
    await carry(resting);
    const overdue = await more(40, { way: "interrupted", deadline: inMinutes(-1) });
    const swept = await round({ most: { soon: 10_000, rest: 20 } });
    expect(swept).toEqual({ looked: 60, failed: 0, left: true });
    expect(await Promise.all(overdue.map(openCalls))).toEqual(overdue.map(() => 0));
    expect(await dueIn(store, "rest", inMinutes(0))).toHaveLength(40);
    expect(await round()).toEqual({ looked: 40, failed: 0, left: false });
  });

  test("ends when its time is over, and the next goes on with the oldest", async () => {
    const late = await more(64, { way: "interrupted", deadline: inMinutes(-5) });
    const later = await more(64, { way: "interrupted", deadline: inMinutes(-1) });
    let looks = 64;
    const swept = await round({ hasTime: () => looks-- > 0 });
    expect(swept).toEqual({ looked: 64, failed: 0, left: true });
    const open = async (numbers: readonly number[]) =>
      (await Promise.all(numbers.map(openCalls))).filter((calls) => calls === 1).length;
    // Oldest first in each of eight shards, which are not of one length.
    expect(await open(late)).toBeLessThan(16);
    expect((await open(late)) + (await open(later))).toBe(64);
    expect(await round()).toEqual({ looked: 64, failed: 0, left: false });
  });

  test("finds every run that lost its execution, and one failure keeps nobody from a turn", async () => {
    const lost = await more(40, { way: "resume", look: { lane: "rest", at: inMinutes(-1) } });
    const failing = nthSession(lost[0] ?? 0);
    const load = (id: string) => (id === failing ? Promise.reject(new Error("no")) : store.load(id));
    const swept = await sweep(
      { ...ports, store: { ...store, load } },
      { before: inMinutes(0), hasTime: () => true, most: { soon: 10_000, rest: 10_000 } },
    );
    expect(swept).toEqual({ looked: 40, failed: 1, left: false });
    const states = await Promise.all(lost.map((n) => store.load(nthSession(n))));
    expect(states.filter((loaded) => loaded?.state.run?.status === "interrupted")).toHaveLength(39);
  });

  test("shares its sessions with one that overlaps it, and each is settled once", async () => {
    const overdue = await more(60, { way: "interrupted", deadline: inMinutes(-1) });
    const swept = await Promise.all([round(), round()]);
    expect(swept.map(({ failed }) => failed)).toEqual([0, 0]);
    const logs = await Promise.all(overdue.map((n) => store.log(nthSession(n), { sequence: 0 }, 10)));
    expect(logs.map(({ items }) => items.length)).toEqual(overdue.map(() => 1));
  });
});
