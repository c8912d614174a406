import type { MiddlewareObj } from "@middy/core";
import type { Log } from "../core/ports/log.ts";

const SHOWN_FRAMES = 8;

/** Where an error was thrown. Frames only: its message may quote what it failed on. */
export function describeFailure(error: unknown): { readonly error: string; readonly frames: string } {
  if (!(error instanceof Error)) return { error: "unknown", frames: "" };
  const frames = (error.stack ?? "").split("\n").filter((line) => line.startsWith("    at "));
  return { error: error.name, frames: frames.slice(0, SHOWN_FRAMES).join("") };
}

/**
 * For functions that the state machine and event sources call: logs a failure and passes its name on alone,
 * because what Lambda reports of an error ends up in the execution's history, which holds no content.
 */
export function reportFailure(log: () => Log): MiddlewareObj<unknown, unknown> {
  return {
    onError: (request) => {
      const described = describeFailure(request.error);
      log().warn("a function failed", described);
      const bare = new Error(`failed with ${described.error}; its log has the place`);
      bare.name = described.error;
      request.error = bare;
    },
  };
}
