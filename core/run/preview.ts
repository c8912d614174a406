import type { Clock } from "../ports/clock.ts";
import type { ModelListener } from "../ports/model.ts";
import type { Previews, PreviewWindow } from "../ports/previews.ts";

/** Text is gathered this long before it becomes a chunk. */
const COALESCE_MS = 100;
/** How much of the latest text the window keeps: readers look several times a second. */
const WINDOW_CHARACTERS = 16_384;

export type Preview = {
  readonly listener: ModelListener;
  /** Publishes what is left and returns the index of the last chunk, -1 if there was none. */
  finish(): Promise<number>;
};

type Chunk = PreviewWindow["chunks"][number];

/**
 * Publishes the text of one message while it is generated. Best effort: a failing publication ends the
 * preview of this message and nothing else. Nobody watching when the message begins: no preview at all.
 */
export async function startPreview(
  { previews, clock }: { previews: Previews; clock: Clock },
  message: { sessionId: string; runId: string; messageId: string },
): Promise<Preview> {
  const watched = await previews.watched(message.sessionId).catch(() => false);
  if (!watched) return { listener: { onText: () => undefined }, finish: async () => -1 };

  const gathered: { contentIndex: number; text: string }[] = [];
  let chunks: readonly Chunk[] = [];
  let nextIndex = 0;
  let publishing: Promise<void> | null = null;
  let broken = false;

  const cut = () => {
    for (const piece of gathered.splice(0)) {
      chunks = trim([...chunks, { index: nextIndex, ...piece }]);
      nextIndex += 1;
    }
  };
  const publish = async () => {
    cut();
    const { messageId, runId } = message;
    await previews.publish(message.sessionId, { messageId, runId, chunks });
  };
  const publishLoop = async () => {
    while (gathered.length > 0 && !broken) {
      await publish();
      await clock.sleep(COALESCE_MS);
    }
  };
  const settle = (loop: Promise<void>) =>
    loop
      .catch(() => {
        broken = true;
      })
      .finally(() => {
        publishing = null;
      });

  return {
    listener: {
      onText: (text, contentIndex) => {
        const last = gathered.at(-1);
        if (last?.contentIndex === contentIndex) last.text += text;
        else gathered.push({ contentIndex, text });
        if (publishing === null && !broken) publishing = settle(publishLoop());
      },
    },
    finish: async () => {
      if (gathered.length > 0 && !broken) await publish().catch(() => undefined);
      cut();
      return nextIndex - 1;
    },
  };
}

function trim(chunks: readonly Chunk[]): readonly Chunk[] {
  let size = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
  let first = 0;
  while (size > WINDOW_CHARACTERS && first < chunks.length - 1) {
    size -= chunks[first]?.text.length ?? 0;
    first += 1;
  }
  return chunks.slice(first);
}
