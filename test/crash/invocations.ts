import { registerHooks } from "node:module";
import { invocationLabel } from "./labels.ts";
import type { Manner } from "./points.ts";
import type { Stand } from "./stand.ts";

type Handler = (event: unknown, ...rest: unknown[]) => Promise<unknown>;

/** Functions that the stack calls in answer to a message; `stream` only reads. */
const functions = /\/functions\/(api|advance|await|lost|fanout|sweep)\.ts$/;
const place = Symbol.for("stepyard.crash.handlers");

/** Stands at every invocation of a function: in place of its module another is loaded, which wraps its handler. */
export function standAtInvocations(stand: Stand): void {
  const wrap = (name: string, handler: Handler): Handler => wrapped(stand, name, handler);
  Object.assign(globalThis, { [place]: wrap });
  registerHooks({
    load: (url, context, next) => {
      const name = functions.exec(url)?.[1];
      if (name === undefined) return next(url, context);
      return { format: "module", source: wrapperOf(name), shortCircuit: true };
    },
  });
}

const wrapperOf = (name: string) => `
import { handler as inner } from "./${name}.ts?inner";
export const handler = globalThis[Symbol.for("${place.description}")]("${name}", inner);
`;

const wrapped =
  (stand: Stand, name: string, handler: Handler): Handler =>
  async (event, ...rest) => {
    const label = invocationLabel(name, event);
    if (label === null) return handler(event, ...rest);
    const { when, manner } = stand.at(label);
    if (when === "before") stand.powerCut();
    const invoke = () => handler(structuredClone(event), ...rest);
    const result = await (manner === null ? invoke() : twice(invoke, manner));
    if (when === "after") stand.powerCut();
    return result;
  };

/** The answer that came last is the one that is heard. */
async function twice(invoke: () => Promise<unknown>, manner: Manner): Promise<unknown> {
  if (manner === "after another") {
    await invoke();
    return invoke();
  }
  let last: unknown;
  const keep = async () => {
    last = await invoke();
  };
  await Promise.all([keep(), keep()]);
  return last;
}
