import * as z from "zod";
import { ErrorEnvelope } from "../contract/schemas/common.ts";
import { described, Failure } from "./failure.ts";
import type { Outgoing, Target } from "./target.ts";

/** Longer than the API itself takes for an answer. */
const TIMEOUT_MS = 35_000;

export type Request = {
  readonly method: "GET" | "POST" | "DELETE";
  /** Behind `/v1`, query included. */
  readonly path: string;
  readonly body?: object;
  /** In place of the API's own words for a 404. */
  readonly notFound?: string;
};

/** Sends a request as an operator and parses its answer. @throws {Failure} for every other answer, and for none. */
export async function send<T>(target: Target, request: Request, schema: z.ZodType<T>): Promise<T> {
  const { status, text } = await exchange(target, request);
  if (status < 200 || status > 299) throw refusal(target, request, status, text);
  const parsed = schema.safeParse(json(text));
  // Without the text: it may hold a secret.
  if (!parsed.success)
    throw new Failure(
      `${target.url} gave an answer (${status}) that is none of Stepyard's. Check the address.`,
    );
  return parsed.data;
}

/** What an answer without a body is parsed with. */
export const nothing = z.null();

async function exchange(target: Target, { method, path, body }: Request) {
  const url = new URL(`${target.url}${path}`);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const plain: Outgoing = {
    method,
    url,
    headers: text === undefined ? {} : { "content-type": "application/json" },
    body: text,
  };
  const headers = await target.authorize(plain);
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const sent = {
      method,
      headers,
      redirect: "error",
      signal,
      ...(text === undefined ? {} : { body: text }),
    } as const;
    const answer = await fetch(url, sent);
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    throw new Failure(`${target.url} does not answer (${reasonOf(error)}). ${target.advice.unreachable}`);
  }
}

/** `fetch` hides why it failed in a cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = z.looseObject({ code: z.string() }).safeParse(cause).data?.code;
  return code ?? described(cause ?? error).message;
}

function refusal({ url, advice }: Target, { notFound }: Request, status: number, text: string): Failure {
  const said = ErrorEnvelope.safeParse(json(text)).data?.error;
  const words = said === undefined ? `status ${status}` : `${status} ${said.code}`;
  if (status === 401)
    return new Failure(`${url} did not accept the credentials (${words}). ${advice.unauthorized}`);
  if (status === 403) return new Failure(`${url} does not allow this (${words}). ${advice.forbidden}`);
  if (status === 404 && said !== undefined && notFound !== undefined) return new Failure(notFound);
  if (status === 404)
    return new Failure(
      `${url} serves no API keys (${words}). Check the address, and deploy this version there.`,
    );
  const id = said === undefined ? "" : ` ${said.message} (request ${said.request_id})`;
  return new Failure(`${url} refused the request (${words}).${id}`);
}

function json(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return undefined;
  }
}
