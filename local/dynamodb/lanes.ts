/** Runs tasks at once unless they share a key; those run one after the other, in the order in which they came. */
export type Lanes = {
  run<Result>(keys: readonly string[], task: () => Promise<Result>): Promise<Result>;
};

export function makeLanes(): Lanes {
  const tails = new Map<string, Promise<void>>();
  return {
    async run(keys, task) {
      const { promise: done, resolve: finish } = Promise.withResolvers<void>();
      const before = keys.flatMap((key) => tails.get(key) ?? []);
      for (const key of keys) tails.set(key, done);
      try {
        if (before.length > 0) await Promise.all(before);
        return await task();
      } finally {
        for (const key of keys) {
          if (tails.get(key) === done) tails.delete(key);
        }
        finish();
      }
    },
  };
}
