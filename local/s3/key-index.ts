/** Keys of one bucket in S3's order (by UTF-8 bytes), each with a value. */
export type KeyIndex<Value> = {
  readonly size: () => number;
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  remove(key: string): void;
  /** Key at a position of the order, or undefined past the end. */
  at(position: number): string | undefined;
  /** Position of the first key for which `reached` holds; `reached` must stay true once it is. */
  search(reached: (key: string) => boolean): number;
};

/** Makes an empty index. Setting a new key costs a shift of the array: fine up to some 100,000 keys. */
export function makeKeyIndex<Value>(): KeyIndex<Value> {
  const order: string[] = [];
  const values = new Map<string, Value>();

  function search(reached: (key: string) => boolean): number {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (reached(order[middle] ?? "")) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  const positionOf = (key: string) => search((candidate) => compareKeys(candidate, key) >= 0);

  return {
    size: () => order.length,
    get: (key) => values.get(key),
    set(key, value) {
      if (!values.has(key)) order.splice(positionOf(key), 0, key);
      values.set(key, value);
    },
    remove(key) {
      if (values.delete(key)) order.splice(positionOf(key), 1);
    },
    at: (position) => order[position],
    search,
  };
}

/** Compares as UTF-8 bytes would: as UTF-16 does, but with surrogates above the rest of the basic plane. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
