/**
 * Collects the public text of an answer while it streams, and hands each piece to the listener.
 */
import { wellFormedText } from "../../contract/nul.ts";
import type { ModelListener } from "../../core/ports/model.ts";

type Block = { index: number | null; raw: string; held: string };

export type TextBlocks = {
  /** Adds a piece to the block `key`. */
  append(key: string, piece: string): void;
  /** Ends the block `key`; `whole`, where the provider repeats the text, supplies what no piece brought. */
  finish(key: string, whole?: string): void;
  /** The blocks that are not empty, in the order in which their text began. */
  texts(): string[];
};

/**
 * Numbers only blocks that have text, as `ModelListener.onText` demands. A character that a provider splits
 * over two pieces is held back until it is whole; NUL and lone surrogates become U+FFFD.
 */
export function collectText(listener: ModelListener): TextBlocks {
  const blocks = new Map<string, Block>();
  const texts: string[] = [];

  function emit(block: Block, text: string): void {
    const clean = wellFormedText(text);
    if (clean === "") return;
    block.index ??= texts.push("") - 1;
    texts[block.index] += clean;
    listener.onText(clean, block.index);
  }

  function append(key: string, piece: string): void {
    const block = blocks.get(key) ?? { index: null, raw: "", held: "" };
    blocks.set(key, block);
    block.raw += piece;
    const text = block.held + piece;
    block.held = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : "";
    emit(block, block.held === "" ? text : text.slice(0, -1));
  }

  function finish(key: string, whole = ""): void {
    const raw = blocks.get(key)?.raw ?? "";
    if (whole.length > raw.length && whole.startsWith(raw)) append(key, whole.slice(raw.length));
    const block = blocks.get(key);
    if (block === undefined) return;
    emit(block, block.held);
    block.held = "";
  }

  return {
    append,
    finish,
    texts() {
      for (const key of blocks.keys()) finish(key);
      return [...texts];
    },
  };
}
