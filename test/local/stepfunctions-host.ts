// A process of its own with a local Step Functions, to be killed by a test.
// Arguments: directory, file for the calls, milliseconds that the clock is ahead, definition as JSON.
import { appendFileSync } from "node:fs";
import { startStepFunctions } from "../../local/stepfunctions/index.ts";
import { stateMachineArn } from "./stepfunctions-fixtures.ts";

const [directory = "", callsFile = "", ahead = "0", definition = "{}"] = process.argv.slice(2);

const sfn = await startStepFunctions({
  directory,
  stateMachineArn,
  definition: JSON.parse(definition),
  now: () => Date.now() + Number(ahead),
  async invoke(name, payload) {
    // Synchronous, so that a call is on file before anything can kill the process.
    appendFileSync(callsFile, `${JSON.stringify({ name, payload })}\n`);
    if (name === "hang") await new Promise(() => undefined);
    if (name === "brief") await new Promise((resolve) => setTimeout(resolve, 3));
    return { ok: true, payload };
  },
});
console.log(sfn.url);
