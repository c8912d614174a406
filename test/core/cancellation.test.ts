import { describe, expect, test } from "vitest";
import { archive, cancel, resume } from "../support/commands.ts";
import { given } from "../support/specification.ts";
import { outcomeOf, running, type StateName, states } from "./states.ts";

/** The session's inputs in these states, by the order of their acceptance. */
const first = 0;
const bound = 1;
const queued = 2;

const withQueue = Object.keys(states).filter(
  (name) => !["idle", "archived", "paused, idle"].includes(name),
) as StateName[];

describe("a cancellation", () => {
  test.each(withQueue)("takes a queued input out of a session that is %s, once", (name) => {
    const { status, run } = states[name].state;
    const past = given(states[name])
      .when(cancel(queued))
      .then(
        { type: "input.cancelled", reason: "customer_cancelled", runId: null },
        { type: "session.updated", session: { pendingInputCount: 0 } },
      );
    expect(past.state).toMatchObject({ status, run, queue: [] });
    given(past).when(cancel(queued)).thenNothing();
  });

  test.each(withQueue)("comes too late in a session that is %s for an input that has a run", (name) => {
    expect(outcomeOf(states[name], cancel(first))).toBe("input_not_queued");
    expect(outcomeOf(states[name], cancel(bound))).toBe("input_not_queued");
  });

  test("comes too late for an input that a resume has started", () => {
    given(states.stopped, resume()).when(cancel(queued)).thenRefused("input_not_queued");
  });

  test("may be asked for again when it was the archive that cancelled", () => {
    given(states["paused, idle"], cancel(0)).when(cancel(0)).thenNothing();
    given(states["paused, idle"], archive()).when(cancel(0)).thenNothing();
  });

  test("of an input that the session does not have is not found", () => {
    given(running).when(cancel(9)).thenRefused("not_found");
  });
});
