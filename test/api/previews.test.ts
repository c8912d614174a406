import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offlineRespond } from "../../local/model/offline.ts";
import type { Reply, Respond } from "../../local/model/reply.ts";
import { type Backend, isIdle } from "../support/api.ts";
import { patience } from "../support/patience.ts";
import { deltasOf, eventsOf, type Frame, isOver, openStream } from "../support/sse.ts";
import { laptopCan, onLaptop, type Target, target } from "../support/target.ts";
import { agentConfig } from "./refusals/world.ts";

const poem = Array.from({ length: 40 }, (_, at) => `Line ${at}: déjà vu, 😀 and "quotes".`).join("\n");
const slowly = { chunks: 25, chunkMs: 20 };

const replies: Record<string, Reply> = {
  "a slow poem": { text: poem, ...slowly },
  "two texts": { text: [poem, `${poem} again`], ...slowly },
  "a call between": { text: "Let me look.", scripts: ["return 1"], ...slowly },
  "a failure": {
    text: poem,
    ...slowly,
    streamError: { type: "invalid_request_error", message: "no", after: 12 },
  },
};

const respond: Respond = (call) => {
  const isFirst = call.lastScriptOutputs.length === 0;
  return (isFirst ? replies[call.lastUserText] : undefined) ?? offlineRespond(call);
};

let stack: Target;
let api: Backend;
const agents: Record<string, string> = {};

beforeAll(async () => {
  if (!onLaptop) return;
  stack = await target({ respond });
  ({ api } = stack);
  for (const [provider, model] of [
    ["openai", "openai/gpt-6.1-sol"],
    ["anthropic", "anthropic/claude-sonnet-5-5"],
  ] as const) {
    const { id } = await api.createKey(provider);
    agents[provider] = (await api.createAgent(agentConfig(id, { model, tools: [] }))).id;
  }
}, patience.hook);
afterAll(() => stack?.close());

/** Sends a text while previews are watched; gives all frames until the run's end. */
async function watch(provider: string, text: string): Promise<readonly Frame[]> {
  const { id } = await api.createSession(String(agents[provider]));
  const stream = await openStream(api, id, { deltas: true });
  await api.sendInput(id, text);
  await stream.until(isOver);
  await stream.close();
  return stream.frames;
}

/** What every watched message must be: previewed from 0 on without a gap, before its completion, word by word. */
function checkPreviews(frames: readonly Frame[]): number {
  const completed = frames.flatMap(({ item }, at) =>
    item.type === "message.completed" ? [{ item, at }] : [],
  );
  for (const { item, at } of completed) {
    const { message, last_delta_index } = item.data;
    const own = frames.flatMap(({ item: delta }, place) =>
      delta.type === "message.delta" && delta.message_id === message.id ? [{ delta, place }] : [],
    );
    expect(own.map(({ delta }) => delta.index)).toEqual(own.map((_, index) => index));
    expect(own.every(({ place }) => place < at)).toBe(true);
    expect(own.every(({ delta }) => delta.run_id === item.data.run_id)).toBe(true);
    expect(last_delta_index).toBe(own.length - 1);
    const texts = message.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
    const previewed = texts.map((_, content) =>
      own.flatMap(({ delta }) => (delta.content_index === content ? [delta.text] : [])).join(""),
    );
    expect(previewed).toEqual(texts);
  }
  return completed.length;
}

const completedMessages = (frames: readonly Frame[]) =>
  eventsOf(frames).filter(({ type }) => type === "message.completed").length;

const scripted = laptopCan("previews", "its model cannot be scripted");

describe.runIf(scripted).each(["openai", "anthropic"])("previews of %s", patience.test, (provider) => {
  it("come piece by piece and are the message", async () => {
    const frames = await watch(provider, "a slow poem");
    expect(checkPreviews(frames)).toBe(1);
    // Half a second of text in pieces of a tenth: far more than one, far fewer than were sent.
    expect(deltasOf(frames).length).toBeGreaterThan(2);
    expect(deltasOf(frames).length).toBeLessThan(slowly.chunks);
    const [first] = frames.flatMap(({ item }, at) => (item.type === "message.delta" ? [at] : []));
    const [applied] = frames.flatMap(({ item }, at) => (item.type === "input.applied" ? [at] : []));
    expect(first).toBeGreaterThan(Number(applied));
    const history = await api.events(String(frames[0]?.item.session_id));
    expect(history.slice(1)).toEqual(eventsOf(frames));
  });

  it("of a message with two texts are each text's", async () => {
    const frames = await watch(provider, "two texts");
    expect(checkPreviews(frames)).toBe(1);
    const indexes = deltasOf(frames).map(({ content_index }) => content_index);
    expect(new Set(indexes)).toEqual(new Set([0, 1]));
    expect(indexes).toEqual([...indexes].sort());
  });

  it("of two messages in a run are each message's, and a script is never previewed", async () => {
    const frames = await watch(provider, "a call between");
    expect(checkPreviews(frames)).toBe(2);
    expect(JSON.stringify(deltasOf(frames))).not.toContain("return 1");
  });

  it("of a message that fails never complete", async () => {
    const frames = await watch(provider, "a failure");
    expect(checkPreviews(frames)).toBe(0);
    expect(deltasOf(frames).length).toBeGreaterThan(0);
    const run = eventsOf(frames).find(({ type }) => type === "run.failed");
    expect(run).toBeDefined();
  });
});

describe.runIf(scripted)("a stream that is opened in mid-message", patience.test, () => {
  it("has no previews of that message, only of the next", async () => {
    const { id } = await api.createSession(String(agents["openai"]));
    const early = await openStream(api, id, { deltas: true });
    await api.sendInput(id, "a slow poem");
    await early.until((frames) => deltasOf(frames).length > 0);
    const late = await openStream(api, id, { deltas: true });
    await late.until(isOver);
    expect(deltasOf(late.frames)).toEqual([]);
    await api.sendInput(id, "a slow poem");
    await late.until(
      (frames) => eventsOf(frames).filter(({ type }) => type === "run.completed").length === 2,
    );
    expect(new Set(deltasOf(late.frames).map(({ index }) => index)).has(0)).toBe(true);
    const second = late.frames.slice(late.frames.findIndex(({ item }) => item.type === "input.accepted"));
    expect(checkPreviews(second)).toBe(1);
    await early.until((frames) => completedMessages(frames) === 2);
    await Promise.all([early.close(), late.close()]);
    expect(checkPreviews(early.frames)).toBe(2);
  });

  it("behind an old place replays events, and previews only what is new", async () => {
    const { id } = await api.createSession(String(agents["openai"]));
    const watched = await openStream(api, id, { deltas: true });
    await api.sendInput(id, "a slow poem");
    await watched.until(isOver);
    await watched.close();
    const events = await api.events(id);
    const again = await openStream(api, id, { deltas: true, after: String(events[0]?.id) });
    await again.until(isOver);
    expect(deltasOf(again.frames)).toEqual([]);
    await api.sendInput(id, "a slow poem");
    await api.until(id, isIdle);
    const finished = (frames: readonly Frame[]) =>
      eventsOf(frames).filter(({ type }) => type === "run.completed").length === 2 && isOver(frames);
    await again.until(finished);
    await again.close();
    expect(checkPreviews(again.frames.slice(events.length - 1))).toBe(1);
    expect(eventsOf(again.frames)).toEqual((await api.events(id)).slice(1));
  });
});
