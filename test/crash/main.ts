/** Everything that the crash suite tries, or what words select of it: `npm run test:crash`. */
import { Command, InvalidArgumentError } from "commander";
import { record } from "./play.ts";
import { isWanted, kills, lossesTwice, messagesTwice, type Play } from "./plays.ts";
import { scenarios } from "./scenarios.ts";
import { type Prepared, prepare } from "./stack.ts";

/** Two stacks are as much as two cores carry without being slower. */
const MOST_AT_ONCE = 4;

const program = new Command("stepyard-crash")
  .description("Kills the stack at every step and delivers every message twice, and checks what is left.")
  .argument("[words...]", "only what has all of these words in its name, such as: stop after SendTaskSuccess")
  .option("--jobs <count>", "stacks at the same time", jobs, 2)
  .option("--list", "say what there is and play none of it", false)
  .option("--json", "print the result as one JSON object", false)
  .showHelpAfterError("Add --help to see what it takes.")
  .addHelpText("after", "\nExample:\n  npm run test:crash -- pause before SendTaskSuccess");

function jobs(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MOST_AT_ONCE) return value;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST_AT_ONCE}.`);
}

type Options = { jobs: number; list: boolean; json: boolean };
type Result = { readonly name: string; readonly result: string; readonly problem?: string };
const say = (text: string) => console.error(text);

async function main(): Promise<number> {
  program.parse();
  const words = program.args;
  const options = program.opts<Options>();
  const began = performance.now();
  const workers = await Promise.all(Array.from({ length: options.jobs }, prepare));
  try {
    const wanted = await choose(workers, words);
    if (options.list) for (const { name } of wanted) console.log(name);
    const results = options.list ? [] : await share(workers, wanted, tell);
    if (wanted.length === 0) say(`Nothing is named ${words.join(" ")}. Look at --list.`);
    if (!options.list) report(results, Math.round((performance.now() - began) / 1_000), options.json);
    return wanted.length > 0 && results.every(({ problem }) => problem === undefined) ? 0 : 1;
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
  }
}

/** Records the scenarios and gives what is to be played. */
async function choose(workers: readonly Prepared[], words: readonly string[]): Promise<Play[]> {
  const named = scenarios.filter(({ name }) => words.includes(name));
  const plays = await share(workers, named.length > 0 ? named : scenarios, async (prepared, scenario) => {
    const recording = await record(prepared, scenario);
    const all = [
      ...kills(scenario, recording),
      ...messagesTwice(scenario, recording),
      ...lossesTwice(scenario),
    ];
    const wanted = all.filter((play) => isWanted(play, words));
    say(
      `${scenario.name}: ${recording.points.length} points, ${wanted.length} of ${all.length} plays wanted`,
    );
    return wanted;
  });
  return plays.flat();
}

/** Does the work with all workers, in the order given. */
async function share<Work, Done>(
  workers: readonly Prepared[],
  work: readonly Work[],
  act: (prepared: Prepared, one: Work) => Promise<Done>,
): Promise<Done[]> {
  const left = work.entries();
  const done: Done[] = [];
  const run = async (prepared: Prepared) => {
    for (const [index, one] of left) done[index] = await act(prepared, one);
  };
  await Promise.all(workers.map(run));
  return done;
}

async function tell(prepared: Prepared, { name, play }: Play): Promise<Result> {
  const began = performance.now();
  const result = await play(prepared).then(
    (outcome): Result => ({ name, result: describe(outcome) }),
    (error: unknown): Result => {
      const problem = error instanceof Error ? error.message : String(error);
      return { name, result: "FAILED", problem };
    },
  );
  say(`  ${name}: ${result.result} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
  return result;
}

function describe({ killed, interrupted }: { killed: boolean; interrupted: boolean }): string {
  if (interrupted) return "interrupted, as it says";
  return killed ? "as if nothing had been" : "not killed, and as it should be";
}

function report(results: readonly Result[], seconds: number, json: boolean): void {
  const failures = results.filter(({ problem }) => problem !== undefined);
  const counts: Record<string, number> = {};
  for (const { result } of results) counts[result] = (counts[result] ?? 0) + 1;
  if (json) {
    console.log(JSON.stringify({ plays: results.length, seconds, counts, failures }));
    return;
  }
  for (const { name, problem } of failures) console.log(`failed: ${name}\n  ${problem}`);
  const kinds = Object.entries(counts).map(([result, count]) => `${count} ${result}`);
  console.log(`${results.length} plays in ${seconds} s: ${kinds.join("; ")}`);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
