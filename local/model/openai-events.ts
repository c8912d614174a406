/**
 * The events of a streamed Responses API answer, in the order in which the API sends them.
 */
import { wireId } from "./ids.ts";
import type { Answered, ReadRequest, WireEvent } from "./reply.ts";

type Fields = Record<string, unknown>;
type Draft = { readonly started: Fields; readonly finished: Fields; readonly events: readonly WireEvent[] };

/** What a refusal says that the script gave no words for. */
const refusal = "I'm sorry, but I cannot help with that.";

function event(type: string, data: Fields, piece = false): WireEvent {
  return { event: type, data: { type, ...data }, piece };
}

function reasoningItem({ id, sealed }: NonNullable<Answered["reasoning"]>, cut: boolean): Draft {
  const base = { id, type: "reasoning", summary: [] };
  return {
    started: { ...base, encrypted_content: "", status: "in_progress" },
    finished: { ...base, encrypted_content: sealed, status: cut ? "incomplete" : "completed" },
    events: [],
  };
}

function messageItem(pieces: readonly string[], index: number, kind: "text" | "refusal"): Draft {
  const id = wireId("msg");
  const whole = pieces.join("");
  const where = { item_id: id, output_index: index, content_index: 0 };
  const part = (text: string): Fields =>
    kind === "refusal"
      ? { type: "refusal", refusal: text }
      : { type: "output_text", annotations: [], logprobs: [], text };
  const name = kind === "refusal" ? "response.refusal" : "response.output_text";
  const logprobs = kind === "refusal" ? {} : { logprobs: [] };
  const done = kind === "refusal" ? { refusal: whole } : { text: whole };
  const base = { id, type: "message", role: "assistant" };
  return {
    started: { ...base, status: "in_progress", content: [] },
    finished: { ...base, status: "completed", content: [part(whole)] },
    events: [
      event("response.content_part.added", { ...where, part: part("") }),
      ...pieces.map((delta) => event(`${name}.delta`, { ...where, delta, ...logprobs }, true)),
      event(`${name}.done`, { ...where, ...done, ...logprobs }),
      event("response.content_part.done", { ...where, part: part(whole) }),
    ],
  };
}

function callItem(call: Answered["calls"][number], index: number, cut: boolean): Draft {
  const id = wireId("fc");
  const half = Math.ceil(call.arguments.length / 2);
  const where = { item_id: id, output_index: index };
  const base = { id, type: "function_call", call_id: call.id, name: call.name };
  const pieces = [call.arguments.slice(0, half), call.arguments.slice(half)].filter((at) => at !== "");
  return {
    started: { ...base, arguments: "", status: "in_progress" },
    finished: { ...base, arguments: call.arguments, status: cut ? "incomplete" : "completed" },
    events: [
      ...pieces.map((delta) => event("response.function_call_arguments.delta", { ...where, delta })),
      ...(cut
        ? []
        : [event("response.function_call_arguments.done", { ...where, arguments: call.arguments })]),
    ],
  };
}

function drafts(answer: Answered): Draft[] {
  const kind = answer.stop === "refusal" ? "refusal" : "text";
  const { reasoning, calls } = answer;
  const texts = kind === "refusal" && answer.texts.length === 0 ? [[refusal]] : answer.texts;
  const cut = answer.stop === "length";
  const bare = cut && texts.length === 0 && calls.length === 0;
  const makers: ((index: number) => Draft)[] = [
    ...(reasoning === null ? [] : [() => reasoningItem(reasoning, bare)]),
    ...texts.map((pieces) => (index: number) => messageItem(pieces, index, kind)),
    ...calls.map((call, at) => (index: number) => callItem(call, index, cut && at === calls.length - 1)),
  ];
  return makers.map((make, index) => make(index));
}

type Responses = { readonly initial: Fields; readonly final: Fields; readonly drafts: readonly Draft[] };

/** The response object at the start and at the end of an answer. */
export function responseObject(id: string, request: ReadRequest, answer: Answered): Responses {
  const items = drafts(answer);
  const base = {
    id,
    object: "response",
    created_at: Math.floor(Date.now() / 1_000),
    model: request.model,
    instructions: request.instructions,
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    metadata: {},
    store: false,
    error: null,
  };
  const { input, cached, output } = answer.usage;
  const reasons = { length: "max_output_tokens", content_filter: "content_filter", refusal: null };
  const reason = answer.stopReason ?? (answer.stop ? reasons[answer.stop] : null);
  return {
    drafts: items,
    initial: { ...base, status: "in_progress", incomplete_details: null, output: [], usage: null },
    final: {
      ...base,
      status: reason === null ? "completed" : "incomplete",
      incomplete_details: reason === null ? null : { reason },
      output: items.map((at) => at.finished),
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: answer.reasoning?.text.length ?? 0 },
        total_tokens: input + output,
      },
    },
  };
}

/** An item that was cut is never reported as done: only the final response has it. */
function itemEvents(draft: Draft, index: number): WireEvent[] {
  const done = draft.finished.status === "incomplete" ? [] : [draft.finished];
  return [
    event("response.output_item.added", { output_index: index, item: draft.started }),
    ...draft.events,
    ...done.map((item) => event("response.output_item.done", { output_index: index, item })),
  ];
}

/** The events of `answer`, numbered. */
export function openaiEvents(request: ReadRequest, answer: Answered): WireEvent[] {
  const { initial, final, drafts: items } = responseObject(wireId("resp"), request, answer);
  const ending = final.status === "incomplete" ? "response.incomplete" : "response.completed";
  return [
    event("response.created", { response: initial }),
    event("response.in_progress", { response: initial }),
    ...items.flatMap(itemEvents),
    event(ending, { response: final }),
  ].map((at, sequence) => ({ ...at, data: { ...at.data, sequence_number: sequence } }));
}
