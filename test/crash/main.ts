/** Kills the stack before and after every write and external call of every scenario: `npm run test:crash`. */
import { Command } from "commander";
import { playOnce, record } from "./play.ts";
import { nameOf, type Point } from "./points.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { type Prepared, prepare } from "./stack.ts";

const program = new Command("stepyard-crash")
  .description("Kills the stack before and after every write and external call, and checks what is left.")
  .argument(
    "[words...]",
    "only points whose name has all of these words, such as: stop after TransactWriteItems 3",
  )
  .option("--json", "print the result as one JSON object", false)
  .addHelpText("after", "\nExample:\n  npm run test:crash -- pause before SendTaskSuccess");

type Failure = { readonly point: string; readonly problem: string };
type Tally = { points: number; killed: number; interrupted: number; failures: Failure[] };

async function main(): Promise<number> {
  program.parse();
  const words = program.args;
  const { json } = program.opts<{ json: boolean }>();
  const say = (text: string) => console.error(text);
  const prepared = await prepare();
  const tally: Tally = { points: 0, killed: 0, interrupted: 0, failures: [] };
  try {
    for (const scenario of scenarios) {
      const points = await record(prepared, scenario);
      const wanted = points.filter((point) => isWanted(scenario, point, words));
      say(`${scenario.name}: ${wanted.length} of ${points.length} points`);
      for (const point of wanted) await play(prepared, scenario, point, tally, say);
    }
  } finally {
    await prepared.close();
  }
  const { points, killed, interrupted, failures } = tally;
  if (json) console.log(JSON.stringify(tally));
  else {
    for (const { point, problem } of failures) console.log(`failed: ${point}\n  ${problem}`);
    console.log(
      `${points} points, ${killed} kills, ${interrupted} runs interrupted, ${failures.length} failed`,
    );
  }
  return failures.length === 0 ? 0 : 1;
}

function isWanted(scenario: Scenario, point: Point, words: readonly string[]): boolean {
  const parts = `${scenario.name} ${nameOf(point)}`.split(" ");
  return words.every((word) => parts.includes(word));
}

async function play(
  prepared: Prepared,
  scenario: Scenario,
  point: Point,
  tally: Tally,
  say: (text: string) => void,
): Promise<void> {
  const name = `${scenario.name} ${nameOf(point)}`;
  tally.points += 1;
  try {
    const { killed, interrupted } = await playOnce(prepared, scenario, point);
    if (killed) tally.killed += 1;
    if (interrupted) tally.interrupted += 1;
    say(
      `  ${name}: ${killed ? (interrupted ? "interrupted, as it says" : "as if nothing had been") : "not reached"}`,
    );
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    tally.failures.push({ point: name, problem });
    say(`  ${name}: FAILED: ${problem.split("\n")[0]}`);
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
