import type * as z from "zod";
import { Agent } from "../../contract/schemas/agents.ts";
import { ErrorEnvelope } from "../../contract/schemas/common.ts";
import { type Event, EventList } from "../../contract/schemas/events.ts";
import { Input } from "../../contract/schemas/inputs.ts";
import { ModelApiKey } from "../../contract/schemas/model-keys.ts";
import { Run } from "../../contract/schemas/runs.ts";
import { Session } from "../../contract/schemas/sessions.ts";

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

/** A backend of the API: sends requests with a project's key. */
export type Backend = ReturnType<typeof backend>;

export function backend(baseUrl: string, key = "dev-key") {
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === "" ? null : JSON.parse(text),
    };
  };
  /** Sends, expects the status, and parses the body with the schema. */
  const expectOk = async <T>(
    schema: z.ZodType<T>,
    status: number,
    ...request: Parameters<typeof send>
  ): Promise<T> => {
    const answer = await send(...request);
    if (answer.status !== status)
      throw new Error(`${request[0]} ${request[1]}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return schema.parse(answer.body);
  };
  const session = (id: string) => expectOk(Session, 200, "GET", `/sessions/${id}`);
  return {
    baseUrl,
    key,
    send,
    expectOk,
    createKey: (provider: "openai" | "anthropic" = "openai", secret = "sk-test-0123456789abcdef") =>
      expectOk(ModelApiKey, 201, "POST", "/model-api-keys", { name: "test", provider, key: secret }),
    createAgent: (config: object, name = "test") => expectOk(Agent, 201, "POST", "/agents", { name, config }),
    createSession: (agentId: string, rest: object = {}) =>
      expectOk(Session, 201, "POST", "/sessions", {
        agent: { id: agentId },
        subject_id: "tenant/user",
        environment: { type: "none" },
        ...rest,
      }),
    session,
    sendInput: (sessionId: string, text: string, rest: object = {}) =>
      expectOk(Input, 202, "POST", `/sessions/${sessionId}/inputs`, {
        mode: "queue",
        content: [{ type: "text", text }],
        ...rest,
      }),
    run: (sessionId: string, runId: string) =>
      expectOk(Run, 200, "GET", `/sessions/${sessionId}/runs/${runId}`),
    /** The whole log, page by page. */
    events: async (sessionId: string): Promise<Event[]> => {
      const all: Event[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const query: string = cursor === "" ? "?limit=100" : `?limit=100&cursor=${cursor}`;
        const page: z.infer<typeof EventList> = await expectOk(
          EventList,
          200,
          "GET",
          `/sessions/${sessionId}/events${query}`,
        );
        all.push(...page.data);
        cursor = page.next_cursor;
      }
      return all;
    },
    /** Resolves when the session is as asked; fails after the time, saying how it was. */
    until: async (
      sessionId: string,
      wanted: (session: Session) => boolean,
      withinMs = 10_000,
    ): Promise<Session> => {
      const deadline = Date.now() + withinMs;
      for (;;) {
        const now = await session(sessionId);
        if (wanted(now)) return now;
        if (Date.now() > deadline) throw new Error(`the session stayed ${JSON.stringify(now)}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

export const isIdle = (session: Session): boolean => session.active_run_id === null;
export const isWaiting = (session: Session): boolean => session.pending_tool_calls.length > 0;

/** The error code of an answer in the reference's envelope. */
export const codeOf = (answer: Answer): string => ErrorEnvelope.parse(answer.body).error.code;

/** A function tool for agents under test. */
export const customerTool = {
  type: "function",
  name: "get_customer",
  description: "Look up a customer.",
  parameters: {
    type: "object",
    properties: { customer_id: { type: "string" } },
    required: ["customer_id"],
    additionalProperties: false,
  },
} as const;
