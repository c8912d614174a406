/** Ids of calls that every provider takes. */
const TAKEN_BY_ALL = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Gives each call of a conversation, in order, an id that no earlier one has: its own where that is possible. A model
 * may use an id twice, or one that its provider does not take back. The same calls always get the same ids, and a
 * later call never changes an earlier one's.
 */
export function distinctIds(): (id: string) => string {
  const taken = new Set<string>();
  let calls = 0;
  return (id) => {
    calls += 1;
    let free = id;
    for (let nth = calls; !TAKEN_BY_ALL.test(free) || taken.has(free); nth += 1) free = `call_${nth}`;
    taken.add(free);
    return free;
  };
}
