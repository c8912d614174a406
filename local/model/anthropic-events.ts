/**
 * The events of a streamed Messages API answer, in the order in which the API sends them.
 */
import { wireId } from "./ids.ts";
import type { Answered, ReadRequest, WireEvent } from "./reply.ts";

type Fields = Record<string, unknown>;

function event(type: string, data: Fields, piece = false): WireEvent {
  return { event: type, data: { type, ...data }, piece };
}

function stopReason(answer: Answered): string {
  if (answer.stopReason !== null) return answer.stopReason;
  if (answer.stop === "length") return "max_tokens";
  if (answer.stop !== null) return "refusal";
  return answer.calls.length > 0 ? "tool_use" : "end_turn";
}

function stopDetails(answer: Answered): Fields | null {
  if (stopReason(answer) !== "refusal") return null;
  const explanation = answer.texts.map((pieces) => pieces.join("")).join(" ");
  return { type: "refusal", category: "cyber", explanation: explanation === "" ? null : explanation };
}

function usage(answer: Answered, output: number): Fields {
  return {
    input_tokens: answer.usage.input - answer.usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: answer.usage.cached,
    output_tokens: output,
    output_tokens_details: null,
    server_tool_use: null,
  };
}

function blockEvents(index: number, start: Fields, deltas: readonly [Fields, boolean?][]): WireEvent[] {
  return [
    event("content_block_start", { index, content_block: start }),
    ...deltas.map(([delta, piece]) => event("content_block_delta", { index, delta }, piece)),
    event("content_block_stop", { index }),
  ];
}

/** With the text of the thinking left out, as the API does on request: the signature alone stands for it. */
function thinkingEvents(index: number, signature: string): WireEvent[] {
  return blockEvents(index, { type: "thinking", thinking: "", signature: "" }, [
    [{ type: "signature_delta", signature }],
  ]);
}

function textEvents(index: number, pieces: readonly string[]): WireEvent[] {
  return blockEvents(
    index,
    { type: "text", text: "", citations: null },
    pieces.map((text) => [{ type: "text_delta", text }, true]),
  );
}

function callEvents(index: number, call: Answered["calls"][number]): WireEvent[] {
  const half = Math.ceil(call.arguments.length / 2);
  const pieces = ["", call.arguments.slice(0, half), call.arguments.slice(half)];
  return blockEvents(
    index,
    { type: "tool_use", id: call.id, name: call.name, input: {}, caller: { type: "direct" } },
    pieces.map((partial_json) => [{ type: "input_json_delta", partial_json }]),
  );
}

function base(request: ReadRequest): Fields {
  return {
    id: wireId("msg"),
    type: "message",
    role: "assistant",
    model: request.model,
    container: null,
    stop_sequence: null,
  };
}

/** The events of `answer`. */
export function anthropicEvents(request: ReadRequest, answer: Answered): WireEvent[] {
  const signatures = answer.reasoning === null ? [] : [answer.reasoning.sealed];
  const makers: ((index: number) => WireEvent[])[] = [
    ...signatures.map((signature) => (at: number) => thinkingEvents(at, signature)),
    ...answer.texts.map((pieces) => (at: number) => textEvents(at, pieces)),
    ...answer.calls.map((call) => (at: number) => callEvents(at, call)),
  ];
  const message = { ...base(request), content: [], stop_reason: null, stop_details: null };
  const delta = {
    container: null,
    stop_reason: stopReason(answer),
    stop_sequence: null,
    stop_details: stopDetails(answer),
  };
  return [
    event("message_start", { message: { ...message, usage: usage(answer, 1) } }),
    event("ping", {}),
    ...makers.flatMap((make, index) => make(index)),
    event("message_delta", { delta, usage: usage(answer, answer.usage.output) }),
    event("message_stop", {}),
  ];
}

/** The whole message, for a request that does not stream. */
export function messageObject(request: ReadRequest, answer: Answered): Fields {
  const signatures = answer.reasoning === null ? [] : [answer.reasoning.sealed];
  return {
    ...base(request),
    content: [
      ...signatures.map((signature) => ({ type: "thinking", thinking: "", signature })),
      ...answer.texts.map((pieces) => ({ type: "text", text: pieces.join(""), citations: null })),
      ...answer.calls.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: parsed(call.arguments),
        caller: { type: "direct" },
      })),
    ],
    stop_reason: stopReason(answer),
    stop_details: stopDetails(answer),
    usage: usage(answer, answer.usage.output),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}
