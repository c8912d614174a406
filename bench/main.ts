import { Command } from "commander";
import { startBed } from "./bed.ts";
import { measureLatency } from "./latency.ts";
import { countFunctionRun, countTextRun, passTurns } from "./operations.ts";
import { priceOf, prices } from "./prices.ts";
import { checkBars, print, type Report } from "./report.ts";
import { measureStop } from "./stop.ts";
import { measureThroughput } from "./throughput.ts";

const program = new Command("stepyard-bench")
  .description(
    "Measures latency, throughput and the AWS operations of a run on this machine, with a model that answers at once.",
  )
  .option("--json", "print one JSON object", false)
  .option("--quick", "fewer runs: a check of the bars rather than a measurement", false)
  .showHelpAfterError("Add --help to see what it takes.");

async function main(): Promise<number> {
  const { json, quick } = program.parse().opts<{ json: boolean; quick: boolean }>();
  const say = (text: string) => {
    if (!json) console.error(text);
  };
  const sizes = quick
    ? { runs: 20, stops: 10, each: 2, turns: 50 }
    : { runs: 200, stops: 50, each: 10, turns: 500 };
  say("Starting the stack …");
  const bed = await startBed();
  try {
    say(`Latency: ${sizes.runs} runs …`);
    const latency = await measureLatency(bed, sizes.runs, 10);
    say(`Stops: ${sizes.stops} …`);
    const stop = await measureStop(bed, sizes.stops);
    say(`Throughput: 32 sessions, ${sizes.each} runs each …`);
    const throughput = await measureThroughput(bed, 32, sizes.each);
    const session = await bed.api.createSession(bed.agentId);
    say("Operations: the first turns …");
    await passTurns(bed, session.id, 1);
    const first = await countTextRun(bed, session.id);
    const functionCall = await countFunctionRun(bed, (await bed.api.createSession(bed.agentId)).id);
    say(`Operations: ${sizes.turns} turns …`);
    await passTurns(bed, session.id, sizes.turns - 3);
    const late = await countTextRun(bed, session.id);
    const report: Report = {
      latency,
      stop,
      throughput,
      turns: sizes.turns,
      textRun: { operations: first, dollars: priceOf(first) },
      lateTextRun: { operations: late, dollars: priceOf(late) },
      functionRun: { operations: functionCall, dollars: priceOf(functionCall) },
      prices,
    };
    const missed = checkBars(report);
    console.log(json ? JSON.stringify({ ...report, missed }) : print(report, missed));
    return missed.length === 0 ? 0 : 1;
  } finally {
    await bed.close();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`The bench failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
