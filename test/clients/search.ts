import { type Answer, ask, engineSteps, type Request, type State } from "./rules.ts";

/** Requests of one client, one after the other, with the answers that it got. */
export type History = readonly { readonly request: Request; readonly answer: Answer }[];

type Node = { readonly state: State; readonly done: readonly number[] };

/**
 * Every state at rest that the rules allow after these clients had these answers at the same time: all orders of
 * their requests, with the engine's steps anywhere between. None: the answers cannot be explained.
 */
export function explain(starts: readonly State[], clients: readonly History[]): State[] {
  const atRest = new Map<string, State>();
  const seen = new Set<string>();
  const open: Node[] = starts.map((state) => ({ state, done: clients.map(() => 0) }));
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const name = JSON.stringify(node);
    if (seen.has(name)) continue;
    seen.add(name);
    const { state, done } = node;
    const steps = engineSteps(state);
    open.push(...steps.map((next) => ({ state: next, done })));
    const finished = done.every((count, client) => count === clients[client]?.length);
    if (finished && steps.length === 0) atRest.set(JSON.stringify(state), state);
    clients.forEach((history, client) => {
      const next = history[done[client] ?? 0];
      if (next === undefined) return;
      const outcome = ask(state, next.request);
      if (outcome.answer !== next.answer) return;
      open.push({ state: outcome.state, done: done.map((count, at) => (at === client ? count + 1 : count)) });
    });
  }
  return [...atRest.values()];
}
