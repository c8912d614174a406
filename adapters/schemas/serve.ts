import type { SchemaProblem } from "../../core/ports/schemas.ts";
import { schemaProblem, valueProblem } from "./compile.ts";
import { limits } from "./limits.ts";
import type { CheckText, FromWorker } from "./protocol.ts";

/** Answers the host's requests, one after the other. `turns` counts their beginnings and ends. */
export function serve(turns: Int32Array): void {
  process.on("message", (checks: readonly CheckText[]) => {
    Atomics.add(turns, 0, 1);
    const problem = firstProblem(checks);
    Atomics.add(turns, 0, 1);
    say({ type: "checked", problem, spent: process.memoryUsage.rss() > limits.spentMb * 2 ** 20 });
  });
  // The host is gone; the guard sees to it that a check which goes on is not for ever.
  process.on("disconnect", () => process.exit());
  say({ type: "ready" });
}

function firstProblem(checks: readonly CheckText[]): SchemaProblem | null {
  for (const [index, { schema, value }] of checks.entries()) {
    if (index > 0) say({ type: "at", index });
    const problem =
      value === null ? schemaProblem(JSON.parse(schema)) : valueProblem(schema, JSON.parse(value));
    if (problem !== null) return { index, problem };
  }
  return null;
}

function say(message: FromWorker): void {
  process.send?.(message);
}
