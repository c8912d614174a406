/** A session in every state that commands lead to, for tables over all of them. */
import {
  answer,
  apply,
  archive,
  created,
  fail,
  lose,
  park,
  pause,
  queue,
  settlePause,
  settleStop,
  steer,
  stop,
  waiting,
} from "../support/commands.ts";
import { type Command, next, type Past, story } from "../support/specification.ts";

/** A run with an input applied, another bound to it, and one queued behind it. */
export const running = story(created("queue"), apply(), steer(), queue());
/** The same with two calls open, and parked. */
export const waits = story(created("queue"), ...waiting(2), steer(), queue(), park("token"));
export const pausing = story(running, pause());
export const stopping = story(waits, stop());

export const states = {
  idle: created(),
  "not begun": story(created("queue"), steer(), queue()),
  running,
  scripting: story(created("queue"), apply(), answer(1), steer(), queue()),
  waiting: waits,
  pausing,
  "pausing, scripting": story(created("queue"), apply(), answer(1), steer(), queue(), pause()),
  "pausing, waiting": story(waits, pause()),
  "paused, idle": story(created(), pause(), queue()),
  "paused, running": story(pausing, settlePause(), park("token")),
  "paused, waiting": story(waits, pause(), settlePause(), park("later")),
  stopping,
  stopped: story(stopping, settleStop()),
  failed: story(running, fail()),
  interrupted: story(waits, lose()),
  archived: story(created(), archive()),
} as const satisfies Record<string, Past>;
export type StateName = keyof typeof states;

/** A refusal's code, or the types of the events; none: it is so already. */
export type Outcome = string | readonly string[];
export const outcomeOf = (past: Past, command: Command): Outcome => {
  const decision = command(past, next(past));
  return decision.accepted ? decision.events.map(({ type }) => type) : decision.code;
};
