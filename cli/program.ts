import { Command } from "commander";
import { addKeyCommands } from "./keys.ts";

/** The command line. Throws `CommanderError` for usage errors and for help, and `Failure`. */
export function createProgram(): Command {
  const program = new Command("stepyard")
    .description("Looks after a Stepyard stack: the one on AWS, or with --local the one on this machine.")
    .exitOverride()
    .showHelpAfterError("Add --help to see what the command takes.")
    .addHelpText(
      "after",
      "\nExamples:\n  npx stepyard keys create --name backend\n  npx stepyard keys --help",
    );
  addKeyCommands(program.command("keys").description("project API keys: create, list, delete"));
  return program;
}
