/** Longest single timer: far under setTimeout's 2^31 ms, and short enough to notice a machine that slept. */
const longestTimer = 30_000;

/** How often a clock that is not the system's is looked at, since it may jump. */
const foreignClockPoll = 10;

/** Calls back when the clock reaches a moment. Cancels with the returned function. */
export type Alarm = (at: number, ring: () => void) => () => void;

/** Makes alarms on a clock in milliseconds; without one, on the system's. */
export function createAlarm(now?: () => number): Alarm {
  const clock = now ?? Date.now;
  const longest = now === undefined ? longestTimer : foreignClockPoll;
  return (at, ring) => {
    let timer: NodeJS.Timeout;
    const arm = () => {
      timer = setTimeout(check, Math.min(Math.max(at - clock(), 0), longest));
    };
    const check = () => (clock() >= at ? ring() : arm());
    arm();
    return () => clearTimeout(timer);
  };
}
