/** Places for so many at a time; whoever comes when all are taken waits in line. */
export type Line = {
  /** Takes a place, in turn. Rejects with the signal's reason, and leaves the line, when that is aborted first. */
  enter(signal: AbortSignal): Promise<void>;
  /** Gives a place to the next in line, or back. */
  leave(): void;
  /** Lets everybody in who waits, to see that there is nothing to wait for. */
  dismiss(): void;
};

export function createLine(places: number): Line {
  const waiting = new Set<() => void>();
  let taken = 0;
  return {
    enter(signal) {
      if (taken < places) {
        taken += 1;
        return Promise.resolve();
      }
      return wait(waiting, signal);
    },
    leave() {
      const [next] = waiting;
      if (next === undefined) taken -= 1;
      else next();
    },
    dismiss() {
      for (const go of waiting) go();
    },
  };
}

function wait(line: Set<() => void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const go = (): void => {
    line.delete(go);
    signal.removeEventListener("abort", giveUp);
    resolve();
  };
  const giveUp = (): void => {
    line.delete(go);
    reject(signal.reason);
  };
  line.add(go);
  signal.addEventListener("abort", giveUp, { once: true });
  return promise;
}
