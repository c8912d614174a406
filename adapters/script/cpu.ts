/** Counts the CPU time of this thread while it runs, against a budget. */
export type CpuMeter = {
  resume(): void;
  pause(): void;
  /** True from the moment the budget is used up: it never becomes false again. */
  exceeded(): boolean;
  usedMs(): number;
};

export function createCpuMeter(budgetMs: number): CpuMeter {
  let used = 0;
  let mark: NodeJS.CpuUsage | null = null;
  let over = false;
  const running = (): number => {
    if (mark === null) return 0;
    const { user, system } = process.threadCpuUsage(mark);
    return (user + system) / 1_000;
  };
  return {
    resume() {
      mark = process.threadCpuUsage();
    },
    pause() {
      used += running();
      mark = null;
    },
    exceeded() {
      over ||= used + running() > budgetMs;
      return over;
    },
    usedMs: () => used + running(),
  };
}
