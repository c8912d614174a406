import type { Usage } from "./state.ts";

export const noUsage: Usage = { input: 0, output: 0, cached: 0 };

export const addUsage = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: a.cached + b.cached,
});

/** Usage as an event has it: nothing where there is none. */
export const counted = (usage: Usage): { readonly usage?: Usage } =>
  usage.input + usage.output > 0 ? { usage } : {};
