/** What was asked for lately of things that never change: the oldest goes when there are too many. */
export type Recent<T> = {
  /** The remembered value, or the one that `read` gives; a null is not remembered. */
  get(key: string, read: () => Promise<T | null>): Promise<T | null>;
};

export function createRecent<T>(most: number): Recent<T> {
  const known = new Map<string, T>();
  return {
    get: async (key, read) => {
      const remembered = known.get(key);
      const value = remembered ?? (await read());
      if (value === null) return null;
      known.delete(key);
      known.set(key, value);
      const oldest = known.keys().next();
      if (known.size > most && oldest.done !== true) known.delete(oldest.value);
      return value;
    },
  };
}
