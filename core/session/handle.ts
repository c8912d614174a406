import type { Upload } from "../ports/blobs.ts";
import type { Clock } from "../ports/clock.ts";
import { type Loaded, type SessionStore, VersionConflict } from "../ports/store.ts";
import type { Decision, Refusal } from "./decision.ts";

/**
 * A loser of the race decides again after up to 2, 4, … 64 ms. With 20 writers at once the unluckiest needs
 * about 20 rounds; 100 rounds mean that something else is wrong.
 */
const ATTEMPTS = 100;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 64;

export type Handling = {
  readonly store: SessionStore;
  readonly clock: Clock;
};

export type Handled =
  /** `version` is the session's after the decision. */
  | { readonly outcome: "committed" | "unchanged"; readonly decision: Decision; readonly version: number }
  /** `loaded` is the session that refused. */
  | { readonly outcome: "refused"; readonly refusal: Refusal; readonly loaded: Loaded }
  | { readonly outcome: "missing" };

/**
 * Loads, decides and commits, again from the start whenever another commit came first, and only then.
 * `decide` may read records of the session: what it reads must not be older than the state it is given.
 *
 * `known` is the session as the caller last read or wrote it. It spares the first load where nothing has
 * happened since; a decision that changes nothing or refuses is never made on it alone.
 */
export async function handle(
  { store, clock }: Handling,
  sessionId: string,
  decide: (loaded: Loaded) => Decision | Refusal | Promise<Decision | Refusal>,
  uploads: readonly Upload[] = [],
  known: Loaded | null = null,
): Promise<Handled> {
  if (known !== null) {
    const decision = await decide(known);
    if (decision.accepted && decision.events.length > 0) {
      const handled = await attempt(store, known.version, decision, uploads);
      if (handled !== null) return handled;
    }
  }
  return contend(clock, `session ${sessionId}`, async () => {
    const loaded = await store.load(sessionId);
    if (loaded === null) return { outcome: "missing" };
    const decision = await decide(loaded);
    if (!decision.accepted) return { outcome: "refused", refusal: decision, loaded };
    if (decision.events.length === 0) return { outcome: "unchanged", decision, version: loaded.version };
    await store.commit(loaded.version, decision, uploads);
    return { outcome: "committed", decision, version: loaded.version + 1 };
  });
}

const isConflict = (error: unknown): boolean => error instanceof VersionConflict;

/**
 * Does a round of load, decide and write, again whenever it was lost to another writer, and only then. `what` is
 * contended for; `isLost` tells a lost round by its error, unless told otherwise a commit that came first.
 */
export async function contend<T>(
  clock: Clock,
  what: string,
  round: () => Promise<T>,
  isLost: (error: unknown) => boolean = isConflict,
): Promise<T> {
  for (let lost = 0; lost < ATTEMPTS; lost += 1) {
    try {
      return await round();
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    await clock.sleep(clock.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** lost));
  }
  throw new Error(`${what} is under too much contention`);
}

/** Commits; null when another commit came first. */
async function attempt(
  store: SessionStore,
  version: number,
  decision: Decision,
  uploads: readonly Upload[],
): Promise<Handled | null> {
  try {
    await store.commit(version, decision, uploads);
    return { outcome: "committed", decision, version: version + 1 };
  } catch (error) {
    if (error instanceof VersionConflict) return null;
    throw error;
  }
}
