#!/usr/bin/env node
// Runs cli/main.ts, which needs a Node that runs TypeScript: this one if it does, else the project's own.
// Plain JavaScript, since any Node from 20 on may start it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const OLDEST = 24;
const main = new URL("./main.ts", import.meta.url);
const own = fileURLToPath(
  new URL(`../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url),
);

if (Number.parseInt(process.versions.node, 10) >= OLDEST) await import(main.href);
else if (existsSync(own)) runWith(own);
else {
  console.error(
    `stepyard: this is Node ${process.versions.node}. Run npm ci in the project, or use Node ${OLDEST} or newer.`,
  );
  process.exitCode = 1;
}

/** As if it had been this process: same streams, arguments, signals and end. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.once("error", (error) => {
    console.error(`stepyard: ${node} could not be started: ${error.message}`);
    process.exit(1);
  });
  child.once("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
