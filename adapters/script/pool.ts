import { limits } from "./limits.ts";
import { createLine } from "./line.ts";
import { openSeat, type Seat } from "./seat.ts";

/** Workers that wait for a script. */
export type Pool = {
  /** A worker that is ready, in its turn. Rejects when workers cannot start, and when the signal is aborted in line. */
  take(signal: AbortSignal): Promise<Seat>;
  /** Takes a worker back after its script; it is ended unless it is `intact` and wanted. */
  giveBack(seat: Seat, intact: boolean): Promise<void>;
  close(): Promise<void>;
};

/** Keeps up to `spare` idle workers; the first starts at once. At most `limits.scriptsAtOnce` are taken. */
export function createPool(url: URL, spare: number): Pool {
  const idle = new Set<Seat>();
  const taken = new Set<Seat>();
  const line = createLine(limits.scriptsAtOnce);
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
  const ready = async (): Promise<Seat> => {
    // A worker that is lost before it is ready is replaced once; a second loss means that none can start.
    for (let tries = 0; tries < 2; tries += 1) {
      if (closed) throw new Error("The script runtime is closed: create another one.");
      const [seat = open()] = idle;
      idle.delete(seat);
      taken.add(seat);
      if (await seat.ready()) return seat;
      taken.delete(seat);
    }
    throw new Error(`Script workers cannot start: is ${url.pathname} there and whole?`, { cause: problem });
  };
  fill();
  return {
    async take(signal) {
      await line.enter(signal);
      try {
        return await ready();
      } catch (error) {
        line.leave();
        throw error;
      }
    },
    async giveBack(seat, intact) {
      taken.delete(seat);
      if (intact && seat.alive() && !closed && idle.size < spare) {
        seat.reset();
        idle.add(seat);
      } else {
        // The next one comes when this one's memory is free.
        await seat.kill();
        fill();
      }
      line.leave();
    },
    async close() {
      closed = true;
      line.dismiss();
      await Promise.all([...idle, ...taken].map((seat) => seat.kill()));
    },
  };
}
