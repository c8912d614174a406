/** Text of the message that is being generated: a window of its latest chunks. Never in the log. */
export type PreviewWindow = {
  readonly messageId: string;
  readonly runId: string;
  readonly chunks: readonly {
    readonly index: number;
    readonly contentIndex: number;
    readonly text: string;
  }[];
};

export type Previews = {
  /** Whether somebody watches the session. */
  watched(sessionId: string): Promise<boolean>;
  /** Says that somebody watches, until the given time. */
  watch(sessionId: string, until: Date): Promise<void>;
  publish(sessionId: string, window: PreviewWindow): Promise<void>;
};

/** Lets a reader of the log spare its wait where the host knows of a change. Never the only way to learn of one. */
export type Wakeups = {
  /** From now on, changes of the session end a wait early. */
  subscribe(sessionId: string): Subscription;
};

export type Subscription = {
  /**
   * Resolves after `ms`, or sooner when something changed since the last wait began or the signal aborts. True
   * when something changed.
   */
  wait(ms: number, signal: AbortSignal): Promise<boolean>;
  close(): void;
};
