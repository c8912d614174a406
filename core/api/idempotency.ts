import { canonicalJson } from "../../contract/canonical.ts";
import type { Json } from "../../contract/json.ts";
import { type NewReceipt, type Receipt, ReceiptConflict, type ReceiptPlace } from "../ports/receipts.ts";
import type { SessionStore } from "../ports/store.ts";
import type { Decision } from "../session/decision.ts";
import { contend } from "../session/handle.ts";
import { ApiError } from "./error.ts";
import type { ApiPorts, ApiResponse, Keep } from "./operation.ts";
import { ownSession } from "./sessions.ts";

/** How long an answer is kept. Documented with the header: IdempotencyHeaders. */
const KEPT_SECONDS = 24 * 60 * 60;

/** A request with an Idempotency-Key. */
export type KeyedRequest = {
  readonly projectId: string;
  readonly operationId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly key: string;
  /** The body as it was sent: what a schema makes of it may lack keys such as `__proto__`. */
  readonly body: Json;
};

/** For a request without a key. */
export const keepNothing: Keep = () => undefined;

/**
 * Runs a creation once for its key: the same body again gives the first answer, another body throws
 * `idempotency_conflict`. What failed is not kept, and its key is free.
 */
export async function once(
  ports: ApiPorts,
  keyed: KeyedRequest,
  run: (keep: Keep) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const ticket = ticketOf(ports, keyed);
  const { projectId } = keyed;
  const round = async () => {
    const kept = await replay(ports, projectId, ticket);
    if (kept !== null) return kept;
    try {
      return await run((answer) => receipt(ports, projectId, ticket, answer));
    } catch (error) {
      // A refusal may come of what the first request with this key has done by now.
      const first = error instanceof ApiError ? await replay(ports, projectId, ticket) : null;
      if (first === null) throw error;
      return first;
    }
  };
  // A request that loses to another one with its key finds that one's receipt at the next look.
  const isLost = (error: unknown) => error instanceof ReceiptConflict;
  return contend(ports.clock, keyed.operationId, round, isLost);
}

/** The store for a commit that keeps the answer to the decision. */
export function keeping(
  store: SessionStore,
  keep: Keep,
  answer: (decision: Decision) => Promise<ApiResponse>,
): SessionStore {
  if (keep === keepNothing) return store;
  return {
    ...store,
    commit: async (version, decision, uploads) =>
      store.commit(version, decision, uploads, keep(await answer(decision))),
  };
}

type Ticket = { readonly place: ReceiptPlace; readonly request: string };

/**
 * A key is good for one project, operation and path. The hash of a body covers them and the key, which is kept
 * nowhere: without it nobody can try bodies against the hash. The one secret that a body may have, a model key,
 * is beyond trying besides.
 */
function ticketOf(
  { receipts }: ApiPorts,
  { projectId, operationId, params, key, body }: KeyedRequest,
): Ticket {
  const place = [projectId, operationId, params, key];
  return {
    place: { sessionId: params["session_id"] ?? null, id: receipts.hash(canonicalJson(place)) },
    request: receipts.hash(canonicalJson([...place, body])),
  };
}

function receipt(
  ports: ApiPorts,
  projectId: string,
  ticket: Ticket,
  { status, body }: ApiResponse,
): NewReceipt {
  const text = JSON.stringify(body ?? null);
  const { sessionId } = ticket.place;
  // What tells of a session's content goes with the session.
  const { payload, upload } =
    sessionId === null ? ports.answers.stow(projectId, text) : ports.blobs.stow(sessionId, text);
  const at = seconds(ports);
  return { ...ticket, status, answer: payload, upload, at, expiresAt: at + KEPT_SECONDS };
}

async function replay(ports: ApiPorts, projectId: string, ticket: Ticket): Promise<ApiResponse | null> {
  const { sessionId } = ticket.place;
  const found = await ports.receipts.read(ticket.place, seconds(ports));
  if (found === null) return null;
  // A receipt may outlive its session until all of it is erased.
  if (sessionId !== null) await ownSession(ports, projectId, sessionId);
  if (found.request !== ticket.request) throw new ApiError("idempotency_conflict");
  return { status: found.status, body: await answerOf(ports, found) };
}

async function answerOf({ blobs }: ApiPorts, { answer }: Receipt): Promise<unknown> {
  const text = await blobs.fetch(answer);
  if (typeof text !== "string") throw new Error("a receipt's answer is text");
  return JSON.parse(text);
}

const seconds = ({ clock }: ApiPorts): number => Math.floor(clock.now() / 1_000);
