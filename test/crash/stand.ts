import { appendFileSync } from "node:fs";
import type { Manner, Plan, When } from "./points.ts";

/** What is to happen at a step of the stack. */
export type Fate = { readonly when: When | null; readonly manner: Manner | null };
const nothing: Fate = { when: null, manner: null };

/** Counts the steps by name and says what happens at each. */
export type Stand = { readonly at: (step: string) => Fate; readonly powerCut: () => void };

export function createStand(plan: Plan): Stand {
  const counts = new Map<string, number>();
  return {
    at: (step) => {
      const nth = (counts.get(step) ?? 0) + 1;
      counts.set(step, nth);
      if ("record" in plan) appendFileSync(plan.record, `${step}\n`);
      else if ("double" in plan) {
        return plan.double.step === step ? { when: null, manner: plan.double.manner } : nothing;
      } else if (plan.kill.step === step && plan.kill.nth === nth) {
        return { when: plan.kill.when, manner: null };
      }
      return nothing;
    },
    powerCut: () => process.kill(process.pid, "SIGKILL"),
  };
}
