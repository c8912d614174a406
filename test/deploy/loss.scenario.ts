import { readdirSync, readFileSync } from "node:fs";
import { platform } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Target, target } from "../support/target.ts";
import { takeYourTime } from "./slow-model.ts";

const workers = process.env["STEPYARD_TEST_WORKERS"];
/** A worker that starts cold takes seconds on a small machine. */
const patience = 40_000;

let stack: Target;
beforeAll(async () => {
  stack = await target();
});
afterAll(() => stack?.close());

/** Processes of the emulator's Lambda workers that run the function of this name. */
function workersOf(name: string): number[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return command.includes(`${workers}/ministack-lambda-stepyard-${name}`) ? [Number(pid)] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

describe.skipIf(platform() !== "linux" || workers === undefined)(
  "a function that is killed in mid-run",
  () => {
    it("leaves the run interrupted and the session paused", async () => {
      const { api } = stack;
      const key = await api.createKey();
      const config = { model: "openai/gpt-6.1-sol", model_api_key_id: key.id, instructions: "Help." };
      const agent = await api.createAgent(config);
      const { id } = await api.createSession(agent.id);
      await api.sendInput(id, takeYourTime);
      // The input is applied: the model is asked next, and answers in half a minute.
      await api.until(id, (session) => session.last_event_sequence >= 4, patience);
      const pids = workersOf("RunsAdvance");
      expect(pids.length).toBeGreaterThan(0);
      for (const pid of pids) process.kill(pid, "SIGKILL");
      const session = await api.until(id, ({ status }) => status === "paused", patience);
      expect(session.active_run_status).toBe("interrupted");
      const log = await api.events(id);
      expect(log.map(({ type }) => type)).toContain("run.interrupted");
    });
  },
);
