import { expect } from "vitest";
import { commonPrefix, type RecordedRequest } from "../../local/model/record.ts";
import type { ModelCall, Reply } from "../../local/model/reply.ts";
import { eventually, type Talk } from "./talk.ts";
import type { Actor } from "./world.ts";

/** The smallest window of each provider, and the text of one turn that is about a tenth of it. */
export const small = {
  openai: { model: "openai/gpt-4", padding: "lorem ipsum ".repeat(160) },
  anthropic: { model: "anthropic/claude-haiku-4-5", padding: "lorem ipsum ".repeat(4_000) },
} as const;

/** How each provider refuses a conversation that is too long. */
export const tooLong = {
  openai: {
    httpError: {
      status: 400,
      type: "invalid_request_error",
      code: "context_length_exceeded",
      message: "Your input exceeds the context window of this model.",
    },
  },
  anthropic: {
    httpError: {
      status: 400,
      type: "invalid_request_error",
      message: "prompt is too long: 210000 tokens > 200000 maximum",
    },
  },
} as const satisfies Record<string, Reply>;

export const isQuestion = ({ lastUserText }: ModelCall): boolean =>
  lastUserText.includes("will be taken away");
export const questions = ({ asked }: Actor): readonly ModelCall[] => asked.filter(isQuestion);
/** What the model was asked last. */
export function lastOf({ asked }: Actor): ModelCall {
  const last = asked.at(-1);
  if (last === undefined) throw new Error("the model was not asked");
  return last;
}
export const userTexts = ({ turns }: ModelCall): string[] =>
  turns.flatMap((turn) => (turn.type === "user" ? [turn.text] : []));
const secretIn = (texts: readonly string[]): string =>
  /secret (\w+)/.exec(texts.join("\n"))?.[1] ?? "unknown";

/** Summarizes the secret, tells it when asked to, and runs a script for every input that wants one. */
export function play(call: ModelCall): Reply {
  if (isQuestion(call)) return { text: `The user gave the secret ${secretIn(userTexts(call))}.` };
  if (call.lastScriptOutputs.length > 0) return { text: `It gave ${call.lastScriptOutputs[0]?.length}` };
  if (call.lastUserText.startsWith("recall")) return { text: `It is ${secretIn(userTexts(call))}.` };
  if (call.lastUserText.startsWith("script")) {
    return { scripts: ["return 'x'.repeat(300)", "return 'y'.repeat(300)"] };
  }
  return { text: "Heard." };
}

export const isSummary = (turn: ModelCall["turns"][number]): boolean =>
  turn.type === "user" && turn.text.includes("your own summary");

/** Sends inputs until the model is asked for a summary. Gives the id of the run that waits for it. */
export async function untilQuestion(actor: Actor, talk: Talk, padding: string): Promise<string> {
  for (let turn = 1; turn <= 60; turn += 1) {
    const input = await talk.send(`note ${turn} ${padding}`);
    const runId = input.run_id ?? "";
    await eventually(
      async () => questions(actor).length > 0 || (await talk.session()).active_run_id !== runId,
      (over) => over,
    );
    if (questions(actor).length > 0) return runId;
  }
  throw new Error("the conversation was never compacted");
}

const bytesOf = ({ body }: RecordedRequest): string => body.toString("utf8");
/** Where the conversation ends in a body: what comes after may change from one request to the next. */
export const endOf = (request: RecordedRequest): number => {
  const ends = ['],"reasoning"', '],"thinking"', '],"stream"'].map((end) => request.body.lastIndexOf(end));
  return Math.min(...ends.filter((end) => end > 0));
};
const isAsking = (request: RecordedRequest): boolean => bytesOf(request).includes("will be taken away");
const before = (list: readonly RecordedRequest[], index: number): RecordedRequest => {
  const found = list[index - 1];
  if (found === undefined) throw new Error("there is one before");
  return found;
};

/** Every request begins with the bytes of the one before it; the one after a compaction begins anew. */
export function checkPrefixes(requests: readonly RecordedRequest[]): void {
  requests.forEach((request, index) => {
    if (index === 0 || isAsking(before(requests, index))) return;
    const last = before(requests, index);
    // A question for a summary ends the old part itself, which an earlier request sent.
    const same = isAsking(request)
      ? bytesOf(request).lastIndexOf(request.provider === "openai" ? ',{"type":"message"' : ',{"role":"user"')
      : endOf(last);
    expect(same).toBeGreaterThan(100);
    expect(commonPrefix(last.body, request.body)).toBeGreaterThanOrEqual(same);
  });
}
