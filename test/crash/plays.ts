import { lossOf, type Outcome, playDouble, playKill, playLoss, type Recording } from "./play.ts";
import { type Double, manners, messages, nameOf, nameOfDouble } from "./points.ts";
import type { Scenario } from "./scenarios.ts";
import type { Prepared } from "./stack.ts";

/** One thing to try, by a name that finds it again. */
export type Play = { readonly name: string; readonly play: (prepared: Prepared) => Promise<Outcome> };

/** A kill before and after each step of the scenario. */
export const kills = (scenario: Scenario, { points }: Recording): Play[] =>
  points.map((point) => ({
    name: `${scenario.name} ${nameOf(point)}`,
    play: (prepared) => playKill(prepared, scenario, point),
  }));

/** Every message of a kind twice, for each kind that the scenario has. */
export const messagesTwice = (scenario: Scenario, { steps }: Recording): Play[] =>
  doublesOf(messages.filter((step) => steps.includes(step))).map((double) => ({
    name: `${scenario.name} ${nameOfDouble(double)}`,
    play: (prepared) => playDouble(prepared, scenario, double),
  }));

/** A run is lost, and what tells of it and puts it right comes twice. */
export const lossesTwice = (scenario: Scenario): Play[] =>
  doublesOf(["invoke lost", "invoke fanout", "invoke sweep"]).map((double) => ({
    name: `${scenario.name} ${nameOf(lossOf)} and ${nameOfDouble(double)}`,
    play: (prepared) => playLoss(prepared, scenario, double),
  }));

const doublesOf = (steps: readonly string[]): Double[] =>
  steps.flatMap((step) => manners.map((manner) => ({ step, manner })));

/** Whether every word is one of the name's. */
export function isWanted({ name }: Play, words: readonly string[]): boolean {
  const parts = name.split(" ");
  return words.every((word) => parts.includes(word));
}
