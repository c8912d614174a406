import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import type { BoardWriter } from "./board.ts";
import type { Ledger } from "./ledger.ts";
import type { ScriptMemory } from "./memory.ts";
import { prelude } from "./prelude.ts";

/** Where what a script does ends up. */
export type GuestHost = {
  readonly ledger: Ledger;
  readonly memory: ScriptMemory;
  readonly board: BoardWriter;
};

/** The functions of the prelude that the host calls, kept from before the script could change anything. */
export type Guest = {
  readonly begin: QuickJSHandle;
  readonly describe: QuickJSHandle;
  readonly finish: QuickJSHandle;
  readonly settle: QuickJSHandle;
};

/** Puts what every script finds into a new interpreter. `host` is asked for at every use. */
export function installGuest(context: QuickJSContext, host: () => GuestHost): Guest {
  // The prelude calls these with strings and undefined only: reading them runs no code of the script.
  const hostFunction = (
    name: string,
    run: (first: string, second: string | null) => string | number | null,
  ) =>
    context.newFunction(name, (first, second) => {
      const result = run(textOf(context, first) ?? "", textOf(context, second));
      if (result === null) return context.undefined;
      return typeof result === "number" ? context.newNumber(result) : context.newString(result);
    });
  const functions = [
    hostFunction("call", (tool, json) => host().ledger.add(parseText(tool), json ?? "")),
    hostFunction("print", (line) => {
      host().board.line(parseText(line));
      return null;
    }),
    hostFunction("store", (key, json) => host().memory.store(parseText(key), json)),
    hostFunction("load", (key) => host().memory.load(parseText(key))),
  ];
  const install = context.unwrapResult(context.evalCode(prelude, "box.js", { type: "global" }));
  const guest = context.unwrapResult(context.callFunction(install, context.undefined, functions));
  return {
    begin: context.getProp(guest, "begin"),
    describe: context.getProp(guest, "describe"),
    finish: context.getProp(guest, "finish"),
    settle: context.getProp(guest, "settle"),
  };
}

/** The text of a string of the box, null for undefined. "" when it does not fit out, which JSON text never is. */
export function textOf(context: QuickJSContext, handle: QuickJSHandle | undefined): string | null {
  return handle === undefined || context.typeof(handle) === "undefined" ? null : context.getString(handle);
}

/** The string that JSON text stands for; "" for text that did not fit out of the box. */
export function parseText(json: string): string {
  const value: unknown = json === "" ? "" : JSON.parse(json);
  return typeof value === "string" ? value : "";
}
