/**
 * Works out everything about an answer that the script left open.
 */
import { sourceProperty } from "../../adapters/models/script.ts";
import { wireId } from "./ids.ts";
import type { Answer, Answered, ModelCall, ReadRequest, Wire } from "./reply.ts";
import type { Seals } from "./seals.ts";

const DEFAULT_CHUNKS = 4;

/** The text in `chunks` pieces of about the same length; one empty text is one empty piece. */
export function pieces(text: string, chunks: number = DEFAULT_CHUNKS): string[] {
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, chunks)));
  const cut = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
  return cut.length > 0 ? cut : [""];
}

/** Tokens as a rule of thumb: four bytes each. */
export function tokens(bytes: number): number {
  return Math.ceil(bytes / 4);
}

function callsOf(answer: Answer, wire: Wire, request: ReadRequest): Answered["calls"] {
  const tool = request.tools[0];
  const property = sourceProperty(tool?.parameters);
  const name = tool?.name ?? "tool";
  const scripts = (answer.scripts ?? []).map((source) => ({
    name,
    arguments: JSON.stringify({ [property]: source }),
  }));
  const broken = (answer.calls ?? []).map((call) => ({ name, ...call }));
  return [...scripts, ...broken].map((call) => ({ id: wireId(wire.callPrefix), ...call }));
}

function reasoningOf(answer: Answer, wire: Wire, seals: Seals): Answered["reasoning"] {
  if (answer.reasoning === undefined) return null;
  const id = wire.reasoningPrefix === null ? "" : wireId(wire.reasoningPrefix);
  return { id, text: answer.reasoning, sealed: seals.seal(answer.reasoning, id) };
}

/** `answer` with its pieces, ids and token counts. */
export function answered(
  answer: Answer,
  wire: Wire,
  request: ReadRequest,
  input: { readonly bytes: number; readonly cachedBytes: number; readonly seals: Seals },
): Answered {
  const texts =
    answer.text === undefined ? [] : typeof answer.text === "string" ? [answer.text] : answer.text;
  const calls = callsOf(answer, wire, request);
  const written = [...texts, answer.reasoning ?? "", ...calls.map((call) => call.arguments)].join("");
  return {
    reasoning: request.reasoning ? reasoningOf(answer, wire, input.seals) : null,
    texts: texts.map((text) => pieces(text, answer.chunks)),
    calls,
    stop: answer.stop ?? null,
    stopReason: answer.stopReason ?? null,
    usage: {
      input: tokens(input.bytes),
      cached: Math.min(tokens(input.bytes), Math.floor(input.cachedBytes / 4)),
      output: tokens(Buffer.byteLength(written)),
    },
  };
}

/** What the script is asked: the request and what stands at its end. */
export function modelCall(request: ReadRequest, attempt: number, body: unknown): ModelCall {
  const { stream: _, ...asked } = request;
  const { turns } = request;
  const last = turns.findLastIndex((turn) => turn.type === "assistant" || turn.type === "script");
  return {
    ...asked,
    attempt,
    body,
    lastUserText: turns.flatMap((turn) => (turn.type === "user" ? [turn.text] : [])).at(-1) ?? "",
    lastScriptOutputs: turns.slice(last + 1).flatMap((turn) => (turn.type === "output" ? [turn.output] : [])),
  };
}
