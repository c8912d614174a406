/**
 * Reads the event stream of the Responses API into a reply.
 */
import * as z from "zod";
import { wellFormedText } from "../../contract/nul.ts";
import type { ModelReply } from "../../core/ports/model.ts";
import { cutFailure, providerFailure, readError, refusalFailure } from "./failures.ts";
import { index, text, tokens, typed } from "./fields.ts";
import type { ProviderReport } from "./objection.ts";
import { type OutputItem, outputItem, toNative } from "./openai-input.ts";
import type { StreamContext } from "./provider.ts";
import { readScript } from "./script.ts";
import { collectText } from "./text.ts";
import { count } from "./tokens.ts";

const usage = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  input_tokens_details: z.object({ cached_tokens: tokens }).nullish().catch(null),
});
const response = z.object({
  output: z.array(outputItem).nullish().catch(null),
  usage: usage.nullish().catch(null),
  // A key of `unknown` would have to be there; servers that speak the API leave it out.
  error: z.unknown().optional(),
  status: text,
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish().catch(null),
});

/** The events that matter; the others repeat what these say. */
const event = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("response.output_text.delta"),
    output_index: index,
    content_index: index,
    delta: text,
  }),
  z.object({
    type: z.literal("response.output_text.done"),
    output_index: index,
    content_index: index,
    text,
  }),
  z.object({ type: z.literal("response.output_item.done"), output_index: index, item: outputItem }),
  z.object({ type: z.literal("response.completed"), response }),
  z.object({ type: z.literal("response.incomplete"), response }),
  z.object({ type: z.literal("response.failed"), response }),
]);
const known: ReadonlySet<string> = new Set(event.options.map((option) => option.shape.type.value));

type Ending = { readonly cut: boolean; readonly response: z.infer<typeof response> };

/** Reads the events up to the one that ends the answer. Throws a `ModelFailure` when the answer is none. */
export async function readResponse(
  events: AsyncIterable<unknown>,
  context: StreamContext,
): Promise<ModelReply> {
  const texts = collectText(context.listener);
  const done = new Map<number, OutputItem>();
  const end = await readEvents(events, context.apiKey, {
    text: (key, piece) => texts.append(key, piece),
    textDone: (key, whole) => texts.finish(key, whole),
    item: (at, item) => done.set(at ?? done.size, item),
  });
  const items = itemsOf(done, end.response.output ?? []);
  refuseRefusal(items, context.apiKey);
  const last = items.at(-1);
  return {
    text: writtenTexts(items) ?? texts.texts(),
    scripts: items.flatMap((item) => {
      const call = functionCall.safeParse(item);
      if (!call.success) return [];
      const cut = call.data.status === "incomplete" || (end.cut && item === last);
      return [readScript({ ...call.data, id: call.data.call_id }, context.tool, cut)];
    }),
    native: toNative(items),
    cut: end.cut,
    usage: {
      inputTokens: count(end.response.usage?.input_tokens),
      outputTokens: count(end.response.usage?.output_tokens),
      cachedInputTokens: count(end.response.usage?.input_tokens_details?.cached_tokens),
    },
  };
}

const functionCall = z.object({
  type: z.literal("function_call"),
  call_id: text,
  name: text,
  arguments: text,
  status: text,
});

type Sink = {
  text(key: string, piece: string): void;
  textDone(key: string, whole: string): void;
  item(at: number | null, item: OutputItem): void;
};

async function readEvents(events: AsyncIterable<unknown>, apiKey: string, sink: Sink): Promise<Ending> {
  for await (const raw of events) {
    if (!known.has(typed.parse(raw).type)) continue;
    const read = event.parse(raw);
    switch (read.type) {
      case "response.output_text.delta":
        sink.text(`${read.output_index}/${read.content_index}`, read.delta);
        break;
      case "response.output_text.done":
        sink.textDone(`${read.output_index}/${read.content_index}`, read.text);
        break;
      case "response.output_item.done":
        sink.item(read.output_index, read.item);
        break;
      case "response.failed":
        throw providerFailure(report(read.response.error), apiKey);
      case "response.incomplete":
        if (read.response.incomplete_details?.reason === "content_filter") {
          throw refusalFailure("content_filter", apiKey);
        }
        return { cut: true, response: read.response };
      case "response.completed":
        return { cut: read.response.status === "incomplete", response: read.response };
    }
  }
  throw cutFailure();
}

function report(error: unknown): ProviderReport {
  return { status: null, headers: null, ...readError(error) };
}

/**
 * Finished items come from their own events, whose reasoning is complete; an item that was cut has no such
 * event and is only in the response that ends the stream.
 */
function itemsOf(done: ReadonlyMap<number, OutputItem>, final: readonly OutputItem[]): OutputItem[] {
  const ids = new Set([...done.values()].flatMap(({ id }) => (typeof id === "string" ? [id] : [])));
  const rest = final
    .map((item, at) => [at, item] as const)
    .filter(([at, { id }]) => !done.has(at) && !(typeof id === "string" && ids.has(id)));
  return [...done, ...rest].sort(([a], [b]) => a - b).map(([, item]) => item);
}

/** The parts of an item that is a message. */
function partsOf(
  item: OutputItem,
): { readonly type?: unknown; readonly text?: unknown; readonly refusal?: unknown }[] {
  if (item.type !== "message" || !Array.isArray(item.content)) return [];
  return item.content.filter((part) => typeof part === "object" && part !== null);
}

/** The public texts as the finished items have them, whatever the pieces were; null where there are none. */
function writtenTexts(items: readonly OutputItem[]): string[] | null {
  const texts = items
    .flatMap(partsOf)
    .flatMap(({ type, text }) =>
      type === "output_text" && typeof text === "string" && text !== "" ? [wellFormedText(text)] : [],
    );
  return texts.length > 0 ? texts : null;
}

function refuseRefusal(items: readonly OutputItem[], apiKey: string): void {
  const refused = items.flatMap(partsOf).find(({ type }) => type === "refusal");
  if (refused === undefined) return;
  throw refusalFailure(typeof refused.refusal === "string" ? refused.refusal : "refusal", apiKey);
}
