/**
 * The worker's clock. The interpreter asks its host for the time and the time zone through this thread's
 * `Date`, so setting `Date` here, and not inside the box, leaves a script nothing to get around.
 */
export type GuestClock = {
  /** Epoch milliseconds. Earlier times than the clock shows are ignored. */
  advance(to: number): void;
  reset(to: number): void;
};

const LOCAL_PARTS = [
  "FullYear",
  "Month",
  "Date",
  "Day",
  "Hours",
  "Minutes",
  "Seconds",
  "Milliseconds",
] as const;

/** Makes `Date.now` of this thread show a time that only moves when told to, in UTC. For the worker only. */
export function installGuestClock(): GuestClock {
  let now = 0;
  Date.now = () => now;
  Date.prototype.getTimezoneOffset = () => 0;
  for (const part of LOCAL_PARTS) Date.prototype[`get${part}`] = Date.prototype[`getUTC${part}`];
  return {
    advance(to) {
      now = Math.max(now, to);
    },
    reset(to) {
      now = to;
    },
  };
}
