import type { SchemaCheck, Schemas } from "../../core/ports/schemas.ts";
import { workerUrl } from "../system/worker-url.ts";
import { type Child, openChild } from "./child.ts";
import { limits } from "./limits.ts";
import type { CheckText } from "./protocol.ts";

export type SchemasOptions = {
  /** Start a process before it is needed. */
  readonly eager?: boolean;
  /** CPU time of the checks of one request. */
  readonly cpuMs?: number;
  /** The worker's file, where it is not beside this module. */
  readonly workerUrl?: URL;
};

/**
 * Checks schemas and values in processes of their own: one for all that is checked one after the other, up to
 * `limits.processes` while some take long. Rejects only when they cannot start. They do not keep the host alive, and
 * end with it.
 */
export function createSchemas(options: SchemasOptions = {}): Schemas & { close(): void } {
  const url = options.workerUrl ?? workerUrl(import.meta.url, "schema-worker");
  const idle: Child[] = [];
  const all = new Set<Child>();
  const waiting: (() => void)[] = [];

  const open = (): Child => {
    const child = openChild(url, options.cpuMs ?? limits.cpuMs, () => all.delete(child));
    all.add(child);
    return child;
  };
  const take = async (): Promise<Child> => {
    for (;;) {
      const child = idle.pop();
      if (child?.alive() === true) return child;
      if (child === undefined && all.size < limits.processes) return open();
      if (child === undefined) await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const giveBack = (child: Child): void => {
    if (child.alive()) idle.push(child);
    waiting.shift()?.();
  };
  if (options.eager === true) idle.push(open());

  return {
    async firstProblem(checks) {
      if (checks.length === 0) return null;
      const texts = checks.map(textOf);
      const child = await take();
      try {
        if (await child.ready()) return await child.check(texts);
      } finally {
        giveBack(child);
      }
      throw new Error(`Schema workers cannot start: is ${url.pathname} there and whole?`);
    },
    close() {
      for (const child of all) child.end();
    },
  };
}

const textOf = ({ schema, value }: SchemaCheck): CheckText => ({
  schema: JSON.stringify(schema),
  value: value === undefined ? null : JSON.stringify(value),
});
