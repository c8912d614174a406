import type { Client } from "./client.ts";
import type { Provider } from "./stack.ts";

/** What a backend does with one session. `Lost` ends it where the run was interrupted. */
export type Scenario = {
  readonly name: string;
  readonly provider: Provider;
  /** The stack's start is part of it. */
  readonly withStart?: boolean;
  readonly play: (client: Client) => Promise<void>;
};

const isIdle = (session: { readonly active_run_id: string | null; readonly pending_input_count: number }) =>
  session.active_run_id === null && session.pending_input_count === 0;
const isPaused = ({ status }: { readonly status: string }) => status === "paused";

const batch = async (client: Client): Promise<void> => {
  await client.create("a 3");
  await client.work(1);
  await client.work(2);
  await client.until(isIdle);
};

export const scenarios: readonly Scenario[] = [
  {
    name: "text",
    provider: "openai",
    withStart: true,
    play: async (client) => {
      await client.create("a");
      await client.until(isIdle);
    },
  },
  { name: "calls", provider: "openai", play: batch },
  { name: "calls-anthropic", provider: "anthropic", play: batch },
  {
    name: "unawaited",
    provider: "openai",
    play: async (client) => {
      await client.create("a 2 unawaited");
      await client.until(isIdle);
      await client.input("b");
      await client.until(isIdle);
    },
  },
  {
    name: "queue",
    provider: "anthropic",
    play: async (client) => {
      await client.create("a 1");
      await client.until((now) => now.pending_tool_calls.length > 0);
      // Its content is too large for an item, and for the conversation to stay in the log.
      await client.input(`${"text ".repeat(8_000)}\nb`);
      await client.input("c");
      await client.input("d", "steer");
      await client.work(1);
      await client.until(isIdle);
    },
  },
  {
    name: "pause",
    provider: "openai",
    play: async (client) => {
      await client.create("a 2");
      await client.until((now) => now.pending_tool_calls.length === 2);
      await client.control("pause");
      await client.until(isPaused);
      await client.work(2);
      await client.input("b");
      await client.control("resume");
      await client.until(isIdle);
    },
  },
  {
    name: "stop",
    provider: "anthropic",
    play: async (client) => {
      await client.create("a 2");
      const { active_run_id: runId } = await client.until((now) => now.pending_tool_calls.length === 2);
      await client.input("b", "steer");
      await client.input("c");
      await client.control("stop", { run_id: runId });
      await client.until(isPaused);
      await client.control("resume");
      await client.until(isIdle);
    },
  },
  {
    name: "archive",
    provider: "openai",
    play: async (client) => {
      await client.create("a");
      await client.until(isIdle);
      await client.control("pause");
      await client.input("b");
      await client.input("c");
      await client.control("archive");
    },
  },
];
