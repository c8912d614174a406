/**
 * What the turn engine's commands do in every state of a session: work goes on while the session is active, what
 * was under way when a pause came settles, and nothing is done for a run that stops, was lost or has ended.
 */
import { describe, expect, test } from "vitest";
import {
  answer,
  apply,
  created,
  end,
  fail,
  nextLeg,
  park,
  pause,
  queue,
  request,
  resume,
  retry,
  settlePause,
  settleStop,
  steer,
} from "../support/commands.ts";
import { type Command, given, next, story } from "../support/specification.ts";
import { type Outcome, outcomeOf, pausing, running, type StateName, states } from "./states.ts";

const updated = "session.updated";
const nothing: Outcome = [];

/** No run that the engine may still act for. */
const over = {
  idle: "stale",
  "paused, idle": "stale",
  stopping: "stale",
  stopped: "stale",
  failed: "stale",
  interrupted: "stale",
  archived: "stale",
} as const;
/** Nor one that may begin anything. */
const held = {
  ...over,
  pausing: "stale",
  "pausing, scripting": "stale",
  "pausing, waiting": "stale",
  "paused, running": "stale",
  "paused, waiting": "stale",
} as const;

const parked = ["engine.parked"];
const answered = ["message.completed", "engine.answered"];
const ended = ["engine.script_ended"];
const failing = ["input.cancelled", "run.failed", updated];
const failingCalls = ["tool.cancelled", "tool.cancelled", ...failing];

type Cells = Readonly<Partial<Record<StateName, Outcome>>>;
/** A state that is not in a row is not one that the engine can meet there. */
const table: Readonly<Record<string, { readonly command: Command; readonly in: Cells }>> = {
  "applying inputs": {
    command: apply(),
    in: {
      ...held,
      "not begun": ["engine.begun", "input.applied", "input.applied"],
      running: ["input.applied"],
      // Steering is applied before the model is asked again, behind the script.
      scripting: nothing,
      waiting: nothing,
    },
  },
  "recording an answer": {
    command: answer(),
    in: {
      ...over,
      // Steering is bound: the run does not complete.
      running: answered,
      scripting: "stale",
      waiting: "stale",
      pausing: answered,
      "pausing, scripting": "stale",
      "pausing, waiting": "stale",
      "paused, waiting": "stale",
    },
  },
  "requesting a call": {
    command: request(),
    in: {
      ...held,
      "not begun": "stale",
      running: "stale",
      scripting: ["tool.requested", updated],
      waiting: ["tool.requested"],
    },
  },
  "ending a script": {
    command: end(),
    in: {
      ...over,
      "not begun": "stale",
      running: "stale",
      scripting: [...ended, "input.applied"],
      pausing: "stale",
      "pausing, scripting": ended,
    },
  },
  parking: {
    command: park("another"),
    in: {
      ...over,
      running: parked,
      waiting: parked,
      pausing: "stale",
      "pausing, scripting": "stale",
      "pausing, waiting": "stale",
      "paused, running": parked,
      "paused, waiting": parked,
    },
  },
  "settling a stop": {
    command: settleStop(),
    in: {
      ...over,
      ...held,
      "not begun": "stale",
      running: "stale",
      scripting: "stale",
      waiting: "stale",
      stopping: ["input.cancelled", "run.stopped", updated],
    },
  },
  "settling a pause": {
    command: settlePause(),
    in: {
      ...over,
      "not begun": nothing,
      running: nothing,
      scripting: nothing,
      waiting: nothing,
      pausing: [updated],
      "pausing, scripting": [updated],
      "pausing, waiting": [updated],
      "paused, running": nothing,
      "paused, waiting": nothing,
    },
  },
  "failing the run": {
    command: fail(),
    in: {
      ...over,
      "not begun": ["input.cancelled", ...failing],
      running: failing,
      scripting: failing,
      waiting: failingCalls,
      pausing: failing,
      "pausing, scripting": failing,
      "pausing, waiting": failingCalls,
    },
  },
  "counting a retry": { command: retry(1), in: { ...over, running: ["engine.retried"], waiting: "stale" } },
  "going on in another execution": {
    command: nextLeg(),
    in: { ...over, running: ["engine.continued"], scripting: ["engine.continued"] },
  },
};

/** How a session is after each of these. */
const statuses: Readonly<Record<string, string>> = {
  "run.failed": "paused null",
  "run.stopped": "paused null",
  "tool.requested": "active waiting_for_tools",
};

describe.each(Object.entries(table))("%s", (_, { command, in: cells }) => {
  test.each(Object.entries(cells) as [StateName, Outcome][])("of a session that is %s", (name, outcome) => {
    const past = states[name];
    expect(outcomeOf(past, command)).toEqual(outcome);
    const decision = command(past, next(past));
    if (!decision.accepted) return;
    const { status, run } = decision.state;
    const shown = decision.events.flatMap(({ type }) => statuses[type] ?? [])[0];
    if (shown !== undefined) expect(`${status} ${run?.status ?? null}`).toBe(shown);
    if (command === table["settling a pause"]?.command)
      expect(status).toBe(name.startsWith("paus") ? "paused" : "active");
  });
});

describe("the engine", () => {
  test("applies nothing and requests nothing of a session that pauses", () => {
    for (const past of [pausing, states["paused, running"]]) expect(outcomeOf(past, apply())).toBe("stale");
    const script = story(created("queue"), apply(), answer(1), pause());
    expect(outcomeOf(script, request(1))).toBe("stale");
    expect(outcomeOf(story(script, settlePause()), request(1))).toBe("stale");
  });

  test("settles what was under way when the pause came, and the session pauses behind it", () => {
    given(created("queue"), apply(), steer(), pause())
      .when(answer(1))
      .then("message.completed", "engine.answered");
    given(created("queue"), apply(), answer(1), steer(), pause()).when(end()).then("engine.script_ended");
    given(created("queue"), apply(), queue(), pause())
      .when(answer())
      .then("message.completed", "engine.answered", "run.completed", {
        type: updated,
        session: { status: "paused", activeRunId: null, pendingInputCount: 1 },
      });
  });

  test("applies what was bound before the pause after the resume", () => {
    const resumed = story(running, pause(), settlePause(), park("token"), resume());
    expect(outcomeOf(resumed, apply())).toEqual(["input.applied"]);
  });
});
