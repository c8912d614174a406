import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../../contract/schemas/events.ts";
import { Input } from "../../contract/schemas/inputs.ts";
import { Session } from "../../contract/schemas/sessions.ts";
import { type Answer, type Backend, backend } from "../support/api.ts";
import type { Laptop } from "../support/laptop.ts";
import { type Follower, follow } from "./follower.ts";

/** Since the stack was last started: well below the minute after which the sweep would look by itself. */
const PATIENCE_MS = 30_000;
const PAUSE_MS = 75;

/** The run lost its execution: what the scenario wanted of it does not come. */
export class Lost extends Error {
  override readonly name = "Lost";
}

function refuseLost({ active_run_status: status, active_run_id: runId }: Session): void {
  if (status === "interrupted") throw new Lost(runId ?? "");
}

/** One backend that keeps at it: when the stack is gone it is started again, and the request sent again. */
export type Client = Awaited<ReturnType<typeof createClient>>;

/** `start` starts the stack, with its plan or, again, without. */
export async function createClient(start: (again: boolean) => Promise<Laptop>, agentId: string) {
  let crashes = 0;
  // The plan may end the stack before it is up.
  let laptop = await start(false).catch(() => {
    crashes += 1;
    return start(true);
  });
  let api: Backend = backend(laptop.url);
  let startedAt = Date.now();
  let sessionId = "";
  let follower: Follower | null = null;

  const reach = async <T>(act: (api: Backend) => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await act(api);
      } catch (error) {
        // fetch fails with a TypeError when the connection does.
        if (!(error instanceof TypeError)) throw error;
        if (crashes > 0) throw new Error("the stack was gone a second time", { cause: error });
        crashes += 1;
        await laptop.kill();
        laptop = await start(true);
        startedAt = Date.now();
        api = backend(laptop.url);
      }
    }
  };
  const send = (method: string, path: string, body?: object): Promise<Answer> => {
    const key = method === "POST" ? { "idempotency-key": randomUUID() } : {};
    return reach((now) => now.send(method, path, body, key));
  };
  const session = () => reach((now) => now.session(sessionId));

  /** How the session stands and what the log ends with. */
  const tellStuck = async ({ agent_config: _, ...now }: Session): Promise<string> => {
    const events = await reach((api) => api.events(sessionId));
    const last = events.slice(-4).map(({ type, data }) => `${type} ${JSON.stringify(data)}`);
    return [`the session stayed ${JSON.stringify(now)}`, ...last].join("\n  ");
  };

  /** Resolves when the session is as wanted. Throws `Lost` when its run was interrupted. */
  const until = async (wanted: (session: Session) => boolean): Promise<Session> => {
    const began = Date.now();
    for (;;) {
      const now = await session();
      refuseLost(now);
      if (wanted(now)) return now;
      if (Date.now() > Math.max(began, startedAt) + PATIENCE_MS) throw new Error(await tellStuck(now));
      await sleep(PAUSE_MS);
    }
  };
  const control = async (what: "stop" | "pause" | "resume" | "archive", body?: object) => {
    const answer = await send("POST", `/sessions/${sessionId}/${what}`, body);
    // The run may have been lost since the session was read.
    if (answer.status === 409) await session().then(refuseLost);
    if (answer.status >= 400) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return Session.parse(answer.body);
  };

  return {
    laptop: () => laptop,
    crashes: () => crashes,
    sessionId: () => sessionId,
    session,
    until,
    control,
    create: async (text: string): Promise<void> => {
      const answer = await send("POST", "/sessions", {
        agent: { id: agentId },
        subject_id: "tenant/user",
        environment: { type: "none" },
        input: { mode: "queue", content: [{ type: "text", text }] },
      });
      sessionId = Session.parse(answer.body).id;
      const [first] = await reach((now) => now.events(sessionId));
      if (first === undefined) throw new Error("the log is empty");
      follower = follow(() => api, sessionId, first);
    },
    /** What came over its event streams, each opened at the cursor that the one before had reached. */
    received: async (sequence: number): Promise<readonly Event[]> =>
      (await follower?.received(sequence)) ?? [],
    close: async (): Promise<void> => {
      await laptop.kill();
      await follower?.close();
    },
    input: async (text: string, mode: "queue" | "steer" = "queue"): Promise<Input | null> => {
      const body = { mode, content: [{ type: "text", text }] };
      const { status, body: input } = await send("POST", `/sessions/${sessionId}/inputs`, body);
      if (status === 202) return Input.parse(input);
      // Steering may find that the run was lost meanwhile.
      if (mode === "steer" && status === 409) return null;
      throw new Error(`input: ${status} ${JSON.stringify(input)}`);
    },
    /** Answers pending calls, one request each, as a worker that finds them in the session. */
    work: async (count: number): Promise<void> => {
      const { pending_tool_calls: calls } = await until((now) => now.pending_tool_calls.length >= count);
      for (const { id, run_id: runId } of calls.slice(0, count)) {
        const body = { run_id: runId, results: [{ call_id: id, success: true, output: id }] };
        const { status, body: receipt } = await send("POST", `/sessions/${sessionId}/tool-results`, body);
        if (status !== 200) throw new Error(`result: ${status} ${JSON.stringify(receipt)}`);
      }
    },
    events: (): Promise<Event[]> => reach((now) => now.events(sessionId)),
    read: (path: string): Promise<Answer> => reach((now) => now.send("GET", `/sessions/${sessionId}${path}`)),
  };
}
