import { limits } from "./limits.ts";
import { openSeat, type Seat } from "./seat.ts";

/** Workers that wait for a script. */
export type Pool = {
  /** A worker that is ready, in its turn. Rejects when workers cannot start, and when the signal is aborted first. */
  take(signal: AbortSignal): Promise<Seat>;
  /** Takes a worker back after its script; it is ended unless it is `intact` and wanted. */
  giveBack(seat: Seat, intact: boolean): Promise<void>;
  close(): Promise<void>;
};

/** Keeps up to `spare` idle workers; the first starts at once. At most `limits.scriptsAtOnce` are taken. */
export function createPool(url: URL, spare: number): Pool {
  const idle = new Set<Seat>();
  const taken = new Set<Seat>();
  const waiting = new Set<() => void>();
  let closed = false;
  let problem: unknown = null;
  const open = (): Seat => {
    const seat = openSeat(url, (cause) => {
      problem = cause;
      idle.delete(seat);
    });
    return seat;
  };
  const fill = (): void => {
    if (!closed && idle.size === 0 && spare > 0) idle.add(open());
  };
  const turn = async (signal: AbortSignal): Promise<void> => {
    while (taken.size >= limits.scriptsAtOnce && !closed) await next(waiting, signal);
  };
  const callNext = (): void => {
    const [go] = waiting;
    go?.();
  };
  fill();
  return {
    async take(signal) {
      await turn(signal);
      // A worker that is lost before it is ready is replaced once; a second loss means that none can start.
      for (let tries = 0; tries < 2; tries += 1) {
        if (closed) throw new Error("The script runtime is closed: create another one.");
        const [seat = open()] = idle;
        idle.delete(seat);
        taken.add(seat);
        if (await seat.ready()) return seat;
        taken.delete(seat);
        callNext();
      }
      throw new Error(`Script workers cannot start: is ${url.pathname} there and whole?`, { cause: problem });
    },
    async giveBack(seat, intact) {
      taken.delete(seat);
      callNext();
      if (intact && seat.alive() && !closed && idle.size < spare) {
        seat.reset();
        idle.add(seat);
        return;
      }
      await seat.kill();
      fill();
    },
    async close() {
      closed = true;
      for (const go of waiting) go();
      await Promise.all([...idle, ...taken].map((seat) => seat.kill()));
    },
  };
}

/** Waits in line until it is called. Rejects with the signal's reason, and leaves the line, when it is aborted. */
function next(line: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const go = (): void => {
    line.delete(go);
    signal.removeEventListener("abort", leave);
    resolve();
  };
  const leave = (): void => {
    line.delete(go);
    reject(signal.reason);
  };
  line.add(go);
  signal.addEventListener("abort", leave, { once: true });
  return promise;
}
