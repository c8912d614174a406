/**
 * The offline model: a small deterministic assistant that needs no key and no network. It tells what it was
 * asked, and calls the application's functions when the text asks for one.
 */
import { callScript, findFunction, grantedFunctions } from "./functions.ts";
import type { Answer, ModelCall, Turn } from "./reply.ts";

const recall = /\bwhat (?:did|have) i (?:just )?(?:ask|say|said|tell|told|asked)\b/i;

/** Longest piece of somebody else's text that is repeated. */
const QUOTE_LIMIT = 2_000;

function quote(text: string): string {
  const line = text.trim();
  return line.length <= QUOTE_LIMIT ? line : `${line.slice(0, QUOTE_LIMIT)}…`;
}

/** Answers `call`. The same conversation gives the same answer. */
export function offlineRespond(call: ModelCall): Answer {
  const results = call.lastScriptOutputs.length > 0 ? [reportResults(call.turns)] : [];
  const steered = call.turns.at(-1)?.type === "user";
  if (!steered) return { text: results.length > 0 ? results : "There is nothing to answer yet." };
  const next = answerText(call);
  const words = typeof next.text === "string" ? [next.text] : (next.text ?? []);
  return { reasoning: "Reading the request.", ...next, text: [...results, ...words] };
}

/** A sentence that holds what the last scripts printed or returned. */
function reportResults(turns: readonly Turn[]): string {
  const sources = new Map(turns.flatMap((turn) => (turn.type === "script" ? [[turn.id, turn.source]] : [])));
  const last = turns.findLastIndex((turn) => turn.type === "script");
  return turns
    .slice(last + 1)
    .flatMap((turn) => (turn.type === "output" ? [turn] : []))
    .map((turn) => {
      const name = /tools\.([\w$]+)/.exec(sources.get(turn.id) ?? "")?.[1] ?? "The script";
      return turn.failed ? `${name} failed: ${quote(turn.output)}` : `${name} returned ${quote(turn.output)}`;
    })
    .join("\n");
}

function answerText(call: ModelCall): Answer {
  const text = call.lastUserText;
  if (recall.test(text)) return { text: recallQuestion(call.turns) };
  const functions = grantedFunctions(call.tools[0]?.description ?? "");
  const wanted = findFunction(functions, text);
  if (wanted !== null) return { scripts: [callScript(wanted, text)] };
  return {
    text: introduce(
      call,
      functions.map((at) => at.name),
    ),
  };
}

function recallQuestion(turns: readonly Turn[]): string {
  const earlier = turns.flatMap((turn) => (turn.type === "user" ? [turn.text] : [])).slice(0, -1);
  const last = earlier.at(-1);
  return last === undefined ? "You have not asked me anything before." : `You asked me: "${quote(last)}"`;
}

function introduce(call: ModelCall, functions: readonly string[]): string {
  const last = call.turns.findLast((turn) => turn.type === "user");
  const images = last?.type === "user" && last.images > 0 ? ` and sent ${last.images} image(s)` : "";
  const can =
    functions.length > 0
      ? ` I can call ${functions.join(", ")}: ask for one by name.`
      : " I have no functions to call.";
  return `I am the offline model, a stand-in that answers without a provider. You wrote: "${quote(call.lastUserText)}"${images}.${can}`;
}
