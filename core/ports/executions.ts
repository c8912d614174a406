/** `missing`: there never was one by that name, or it was forgotten (after 90 days). */
export type ExecutionStatus = "running" | "ended" | "missing";

/** A run and which of its executions is meant. */
export type Carried = { readonly sessionId: string; readonly runId: string; readonly leg: number };

/** The engine that carries runs (Step Functions). */
export type Executions = {
  /**
   * Starts the execution of a run's leg. Starting one that exists, running or ended, does nothing. False when it
   * has ended.
   */
  start(run: Carried): Promise<boolean>;
  /** The same for the execution that does nothing but expire the calls of an interrupted run. */
  watch(run: Carried): Promise<void>;
  /** Releases a task token. A token that is unknown, timed out or used is settled: nothing happens, and false. */
  wake(token: string): Promise<boolean>;
  status(runId: string, leg: number): Promise<ExecutionStatus>;
};

/** The execution's name: the run's id, and from its second leg on the leg's number. At most 80 characters. */
export function executionName(runId: string, leg: number): string {
  return leg === 1 ? runId : `${runId}-${leg}`;
}

/** A run is interrupted once, so that one name is enough. */
export const watchName = (runId: string): string => `${runId}-deadlines`;
