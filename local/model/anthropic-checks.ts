/**
 * The rules by which the Messages API refuses messages that do not fit each other.
 */
import { invalid } from "./anthropic-refusals.ts";
import type { Block, Message, Thinking } from "./anthropic-request.ts";
import type { Seals } from "./seals.ts";

/** Throws the API's refusal of what the schema alone does not show. */
export function checkMessages(
  messages: readonly Message[],
  thinking: Thinking | undefined,
  seals: Seals,
): void {
  if (messages[0]?.role !== "user") throw invalid("messages: first message must use the user role");
  for (const [at, message] of messages.entries()) checkContent(message, `messages.${at}`, seals);
  checkIds(messages);
  for (const [at, message] of messages.entries()) checkResults(message, messages[at - 1], at);
  const last = messages.at(-1);
  if (last?.role === "assistant") {
    throw invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  if (thinking?.type === "enabled") checkLoop(messages);
}

const sides: Partial<Record<Block["type"], Message["role"]>> = {
  tool_use: "assistant",
  thinking: "assistant",
  redacted_thinking: "assistant",
  tool_result: "user",
  image: "user",
};

function checkContent({ role, content }: Message, where: string, seals: Seals): void {
  if (content.length === 0) {
    throw invalid(
      `${where}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  content.forEach((block, at) => {
    const side = sides[block.type] ?? role;
    if (side !== role) {
      throw invalid(`${where}.content.${at}: \`${block.type}\` blocks can only be in \`${side}\` messages`);
    }
    if (block.type === "tool_result" && block.is_error && block.content.length === 0) {
      throw invalid(`${where}.content.${at}.tool_result: content cannot be empty if \`is_error\` is true`);
    }
    if (!isSealed(block, seals)) {
      const field = block.type === "thinking" ? "signature" : "data";
      throw invalid(`${where}.content.${at}: Invalid \`${field}\` in \`${block.type}\` block`);
    }
  });
  const last = content.at(-1);
  if (last?.type === "thinking" || last?.type === "redacted_thinking") {
    throw invalid(`${where}: The final block in an assistant message cannot be \`thinking\`.`);
  }
}

/** Thinking that is left out is the signature's alone. */
function isSealed(block: Block, seals: Seals): boolean {
  if (block.type === "redacted_thinking") return seals.accepts(block.data);
  if (block.type !== "thinking") return true;
  const whole = block.thinking === "" || seals.holds(block.signature, block.thinking);
  return whole && seals.accepts(block.signature);
}

function checkIds(messages: readonly Message[]): void {
  const seen = new Set<string>();
  messages.forEach((message, at) => {
    message.content.forEach((block, position) => {
      if (block.type !== "tool_use") return;
      if (seen.has(block.id)) {
        throw invalid(`messages.${at}.content.${position}: \`tool_use\` ids must be unique`);
      }
      seen.add(block.id);
    });
  });
}

/** All calls of a message have their results at the start of the next one, each once. */
function checkResults({ content }: Message, before: Message | undefined, at: number): void {
  const calls = before?.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) ?? [];
  const other = content.findIndex((block) => block.type !== "tool_result");
  const leading = other === -1 ? content : content.slice(0, other);
  const answered = leading.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
  const open = calls.filter((id) => !answered.includes(id));
  if (open.length > 0) {
    throw invalid(
      `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
  const seen = new Set<string>();
  content.forEach((block, position) => {
    if (block.type !== "tool_result") return;
    const id = block.tool_use_id;
    if (!calls.includes(id)) {
      throw invalid(
        `messages.${at}.content.${position}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      throw invalid(
        `messages.${at}.content.${position}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  });
}

/** With a thinking budget, the tool loop that is still open has to begin with thinking. */
function checkLoop(messages: readonly Message[]): void {
  let start: number | null = null;
  let at = messages.length - 1;
  while (at > 0) {
    const results = at;
    while (messages[at]?.role === "user") at -= 1;
    const said = messages.slice(at + 1, results + 1);
    if (!said.some(({ content }) => content.some((block) => block.type === "tool_result"))) break;
    start = at;
    at -= 1;
  }
  const first = start === null ? undefined : messages[start]?.content[0]?.type;
  if (first === undefined || first === "thinking" || first === "redacted_thinking") return;
  throw invalid(
    `messages.${start}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
  );
}
