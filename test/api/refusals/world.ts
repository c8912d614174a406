/** What is stored when requests are refused: two projects that look alike, and cursors of every list. */
import * as z from "zod";
import { MODELS } from "../../../contract/models.ts";
import { CreatedApiKey } from "../../../contract/schemas/api-keys.ts";
import { type Backend, customerTool, isIdle, isWaiting } from "../../support/api.ts";
import { createKeyOf } from "../../support/keys.ts";
import { onLaptop, type Target } from "../../support/target.ts";

/** Asks the offline model for one call. */
export const askForCustomer = "Please look up get_customer for customer_123.";
/** Asks the scripted model for two calls at once and, when one is answered, for one that does not fit. */
export const askForTrouble = "Make two calls, then a wrong one.";

export const model = "openai/gpt-6.1-sol";
export const modelWithoutImages = "openai/gpt-4";

export type Project = {
  readonly openaiKey: string;
  readonly anthropicKey: string;
  readonly agent: string;
  /** Its first run called a function and completed, its second run waits for a call's result. */
  readonly session: string;
  readonly input: string;
  readonly endedRun: string;
  readonly settledCall: string;
  readonly activeRun: string;
  readonly pendingCall: string;
  readonly event: string;
};

export const settledOutput = { name: "Ada", tags: ["a", "b"], balance: null };

export async function createProject(api: Backend): Promise<Project> {
  const [openaiKey, anthropicKey] = await Promise.all([api.createKey("openai"), api.createKey("anthropic")]);
  const agent = await api.createAgent(agentConfig(openaiKey.id));
  const { id: session } = await api.createSession(agent.id, { subject_id: "tenant/refused" });
  const input = await api.sendInput(session, askForCustomer);
  const [first] = (await api.until(session, isWaiting)).pending_tool_calls;
  if (first === undefined) throw new Error("the first run made no call");
  await submit(api, session, first.run_id, first.id, settledOutput);
  await api.until(session, isIdle);
  await api.sendInput(session, askForCustomer);
  const [second] = (await api.until(session, isWaiting)).pending_tool_calls;
  const [event] = await api.events(session);
  if (second === undefined || event === undefined) throw new Error("the second run made no call");
  return {
    openaiKey: openaiKey.id,
    anthropicKey: anthropicKey.id,
    agent: agent.id,
    session,
    input: input.id,
    endedRun: first.run_id,
    settledCall: first.id,
    activeRun: second.run_id,
    pendingCall: second.id,
    event: event.id,
  };
}

export const agentConfig = (keyId: string, rest: object = {}) => ({
  model,
  model_api_key_id: keyId,
  instructions: "Help.",
  tools: [customerTool],
  ...rest,
});

async function submit(api: Backend, session: string, run: string, call: string, output: unknown) {
  const body = { run_id: run, results: [{ call_id: call, success: true, output }] };
  const answer = await api.send("POST", `/sessions/${session}/tool-results`, body);
  if (answer.status !== 200) throw new Error(`the result was refused: ${JSON.stringify(answer.body)}`);
}

const lists = {
  apiKeys: () => "/api-keys?",
  modelKeys: () => "/model-api-keys?",
  agents: () => "/agents?",
  sessions: () => "/sessions?",
  sessionsOfSubject: () => `/sessions?subject_id=${encodeURIComponent("tenant/refused")}&`,
  inputs: (session: string) => `/sessions/${session}/inputs?`,
  appliedInputs: (session: string) => `/sessions/${session}/inputs?status=applied&`,
  runs: (session: string) => `/sessions/${session}/runs?`,
  usage: (session: string) => `/sessions/${session}/usage?`,
  events: (session: string) => `/sessions/${session}/events?`,
  // The same lists of another session.
  otherRuns: (_: string, second: string) => `/sessions/${second}/runs?`,
  otherEvents: (_: string, second: string) => `/sessions/${second}/events?`,
  otherInputs: (_: string, second: string) => `/sessions/${second}/inputs?`,
} as const;
export type ListName = keyof typeof lists;

export type World = Project & {
  /** An API key of the project that the operators act for. */
  readonly apiKey: string;
  readonly other: Project & Pick<World, "apiKey">;
  /** Agents of models that can less. */
  readonly agentWithoutImages: string;
  readonly agentDeleted: string;
  /** Sessions without a run. */
  readonly idle: string;
  readonly idleWithoutImages: string;
  readonly sandboxed: string;
  readonly archived: string;
  /** A session that a failed run paused. */
  readonly paused: string;
  /** An input of `session` that was cancelled while it was queued. */
  readonly cancelledInput: string;
  /** A cancelled call and its run and session; on the laptop only. */
  readonly cancelled: { readonly session: string; readonly run: string; readonly call: string } | null;
  /** A cursor of each list. */
  readonly cursors: Readonly<Record<ListName, string>>;
};

export async function createWorld(stack: Target): Promise<World> {
  const { api, other } = stack;
  if (!MODELS.includes(model)) throw new Error(`${model} is not registered`);
  const [mine, others] = await Promise.all([createProject(api), createProject(other)]);
  const small = await api.createAgent(agentConfig(mine.openaiKey, { model: modelWithoutImages }));
  const doomed = await api.createAgent(agentConfig(mine.openaiKey));
  await api.send("DELETE", `/agents/${doomed.id}`);
  const [idle, idleSmall, sandboxed, second] = await Promise.all([
    api.createSession(mine.agent, { subject_id: "tenant/refused" }),
    api.createSession(small.id),
    api.createSession(mine.agent, { environment: { type: "sandbox" } }),
    talkTwice(api, small.id),
  ]);
  return {
    ...mine,
    ...(await apiKeys(stack, others)),
    agentWithoutImages: small.id,
    agentDeleted: doomed.id,
    idle: idle.id,
    idleWithoutImages: idleSmall.id,
    sandboxed: sandboxed.id,
    archived: await archivedSession(api, mine.agent),
    paused: await pausedSession(api),
    cancelledInput: await cancelledInput(api, mine.session),
    cancelled: onLaptop ? await cancelledCall(api, mine.agent) : null,
    cursors: await cursorsOf(stack, mine.session, second),
  };
}

/** Of an id that nothing has, where keys cannot be made. */
const noKey = "key_01ARZ3NDEKTSV4RRFFQ69G5FAW";

/** Two keys, so that a page of one has a cursor; another project's as its own operators would make it. */
async function apiKeys(
  { operator, laptop }: Target,
  others: Project,
): Promise<Pick<World, "apiKey" | "other">> {
  const theirs = laptop === null ? noKey : (await createKeyOf(laptop, "prj_devother")).id;
  const other = { ...others, apiKey: theirs };
  if (operator === null) return { apiKey: noKey, other };
  const create = () => operator.expectOk(CreatedApiKey, 201, "POST", "/api-keys", { name: "refused" });
  await create();
  return { apiKey: (await create()).id, other };
}

async function talkTwice(api: Backend, agent: string): Promise<string> {
  const { id } = await api.createSession(agent);
  for (const text of ["one", "two"]) {
    await api.sendInput(id, text);
    await api.until(id, isIdle);
  }
  return id;
}

/** A run whose model key is gone fails and pauses its session. */
async function pausedSession(api: Backend): Promise<string> {
  const key = await api.createKey();
  const agent = await api.createAgent(agentConfig(key.id));
  const { id } = await api.createSession(agent.id);
  await api.send("DELETE", `/model-api-keys/${key.id}`);
  await api.sendInput(id, "Hello");
  await api.until(id, ({ status }) => status === "paused");
  return id;
}

export async function archivedSession(api: Backend, agent: string): Promise<string> {
  const { id } = await api.createSession(agent);
  const { status } = await api.send("POST", `/sessions/${id}/archive`);
  if (status !== 200) throw new Error(`the session was not archived: ${status}`);
  return id;
}

/** The session has a run that waits: what is sent is queued. */
export async function cancelledInput(api: Backend, session: string): Promise<string> {
  const { id } = await api.sendInput(session, "Never mind");
  const { status } = await api.send("DELETE", `/sessions/${session}/inputs/${id}`);
  if (status !== 204) throw new Error(`the input was not cancelled: ${status}`);
  return id;
}

/** Of two calls one is answered; the script's next call does not fit, so the run fails and the other is cancelled. */
async function cancelledCall(api: Backend, agent: string) {
  const { id: session } = await api.createSession(agent);
  await api.sendInput(session, askForTrouble);
  const [answered, cancelled] = (await api.until(session, isWaiting)).pending_tool_calls;
  if (answered === undefined || cancelled === undefined)
    throw new Error("the script made fewer than two calls");
  await submit(api, session, answered.run_id, answered.id, null);
  await api.until(session, isIdle);
  return { session, run: cancelled.run_id, call: cancelled.id };
}

const Page = z.object({ next_cursor: z.string() });

async function cursorsOf(
  { api, operator }: Target,
  session: string,
  second: string,
): Promise<World["cursors"]> {
  const entries = Object.entries(lists).map(async ([name, path]) => {
    const reader = name === "apiKeys" ? operator : api;
    if (reader === null) return [name, ""] as const;
    const page = await reader.expectOk(Page, 200, "GET", `${path(session, second)}limit=1`);
    return [name, page.next_cursor] as const;
  });
  return Object.fromEntries(await Promise.all(entries)) as World["cursors"];
}
