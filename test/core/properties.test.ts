import assert from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SessionEvent } from "../../core/session/events.ts";
import { created } from "../support/commands.ts";
import { append, moment, type Past } from "../support/specification.ts";
import { checkInvariants } from "./invariants.ts";
import { commandOf, type Step, steps } from "./model.ts";

/** The rarest event comes in a sequence of forty: in so many, one that never comes is a model that is stuck. */
const RUNS = 500;

test("whatever is asked in whatever order, the session stays whole", () => {
  const seen = new Set<string>();
  const property = fc.property(steps, (sequence) => {
    for (const { type } of play(sequence).events) seen.add(type);
  });
  const result = fc.check(property, { numRuns: RUNS });
  if (result.failed) {
    throw new Error(report(result.counterexample?.[0] ?? [], result), { cause: result.errorInstance });
  }
  // A model that no longer gets anywhere would hold every invariant.
  const never = ["engine.checkpointed"];
  const types = SessionEvent.options.map((option) => option.shape.type.value);
  expect([...seen].sort()).toEqual(types.filter((type) => !never.includes(type)).sort());
});

/** Plays the steps on a new session, checking after each; tells the trace what happened. */
function play(sequence: readonly Step[], trace: string[] = []): Past {
  let past = frozen(created());
  let seconds = 0;
  for (const step of sequence) {
    seconds += step.after;
    const { after: _, do: name, ...details } = step;
    const line = `${moment(seconds)} ${name} ${Object.keys(details).length === 0 ? "" : JSON.stringify(details)}`;
    trace.push(line);
    const decision = commandOf(step)(past, moment(seconds));
    assert.deepStrictEqual(
      commandOf(step)(past, moment(seconds)),
      decision,
      "the same command decides otherwise",
    );
    trace.push(`    ${decision.accepted ? list(decision.events) : `refused: ${decision.code}`}`);
    if ("late" in step && step.late) assert(!decision.accepted, "what comes too late is accepted");
    if (!decision.accepted) continue;
    const next = frozen(append(past, decision));
    checkInvariants(past, decision, next);
    past = next;
  }
  return past;
}

/** Deciding must not touch what it is given, refused or not: in a frozen past it would throw. */
function frozen(past: Past): Past {
  freeze(past.state);
  freeze(past.events);
  return past;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}

const list = (events: readonly SessionEvent[]): string =>
  events.length === 0 ? "nothing to do" : events.map(({ type }) => type).join(", ");

type Reproducible = { readonly seed: number; readonly counterexamplePath: string | null };

/** The smallest sequence that fails, step by step, and how to see it again. */
function report(sequence: readonly Step[], { seed, counterexamplePath }: Reproducible): string {
  const trace: string[] = [];
  let problem = "the sequence does not fail again";
  try {
    play(sequence, trace);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  return [problem, "", ...trace, "", `again with { seed: ${seed}, path: "${counterexamplePath}" }`].join(
    "\n",
  );
}
