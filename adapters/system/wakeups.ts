import type { Subscription, Wakeups } from "../../core/ports/previews.ts";

export type WakeupHub = Wakeups & {
  /** Ends the waits of those that follow the session. */
  wake(sessionId: string): void;
};

/**
 * Wake-ups within one process. On AWS nobody calls `wake`, and a wait is just a pause between two reads;
 * on the laptop the host does, when it sees the session written.
 */
export function createWakeups(): WakeupHub {
  const followers = new Map<string, Set<() => void>>();
  return {
    wake: (sessionId) => {
      for (const follow of followers.get(sessionId) ?? []) follow();
    },
    subscribe: (sessionId) => {
      const own = followers.get(sessionId) ?? new Set();
      followers.set(sessionId, own);
      const { follow, subscription } = createSubscription(() => {
        own.delete(follow);
        if (own.size === 0) followers.delete(sessionId);
      });
      own.add(follow);
      return subscription;
    },
  };
}

function createSubscription(close: () => void): { follow: () => void; subscription: Subscription } {
  let changed = false;
  let resume: (() => void) | null = null;
  const follow = () => {
    changed = true;
    resume?.();
  };
  const wait = (ms: number, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resume = null;
        resolve(changed);
        changed = false;
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end, { once: true });
      resume = end;
      if (changed || signal.aborted) end();
    });
  return { follow, subscription: { wait, close } };
}
