import { readBeats } from "./board.ts";

/** How long a worker that has had its time may be silent. */
const SILENCE_MS = 500;
/** However busy the machine is and whatever the worker says: this many times its CPU time, and a second. */
const PATIENCE = 10;
const PATIENCE_EXTRA_MS = 1_000;

/**
 * Calls `bite` once when the worker does not come back by itself: its CPU budget has passed by the
 * host's clock and it gives no sign of being in control (native code of the interpreter looks at no clock),
 * or it took far longer than it could need. Returns how to stop watching.
 */
export function watch(board: SharedArrayBuffer, budgetMs: number, bite: () => void): () => void {
  const started = performance.now();
  let heard = readBeats(board);
  const timer = setInterval(() => {
    const elapsed = performance.now() - started;
    const beats = readBeats(board);
    const silent = beats === heard;
    heard = beats;
    if ((silent && elapsed > budgetMs) || elapsed > PATIENCE * budgetMs + PATIENCE_EXTRA_MS) {
      clearInterval(timer);
      bite();
    }
  }, SILENCE_MS);
  return () => clearInterval(timer);
}
