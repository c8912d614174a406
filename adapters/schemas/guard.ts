import { limits } from "./limits.ts";
import { endings } from "./protocol.ts";

const LOOK_MS = 50;

/**
 * Ends this process when a request has used up its CPU time or its memory, whatever the other thread is doing: the
 * compiler of a regular expression looks at no interrupt, and a heap that is full takes the process with it. `turns`
 * is odd while a request is under way. CPU time and not the clock decides: on a busy machine nobody is blamed for the
 * time that others take.
 */
export function guard({ turns, cpuMs }: { readonly turns: Int32Array; readonly cpuMs: number }): void {
  let turn = 0;
  let before = process.cpuUsage();
  setInterval(() => {
    const now = Atomics.load(turns, 0);
    if (now !== turn) {
      turn = now;
      before = process.cpuUsage();
    } else if (now % 2 === 1) {
      const { user, system } = process.cpuUsage(before);
      if ((user + system) / 1_000 > cpuMs) process.kill(process.pid, endings.tooLong);
    }
    if (process.memoryUsage.rss() > limits.memoryMb * 2 ** 20) process.kill(process.pid, endings.tooMuch);
  }, LOOK_MS);
}
