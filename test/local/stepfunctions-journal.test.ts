import { readFileSync } from "node:fs";
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListExecutionsCommand, SendTaskSuccessCommand } from "@aws-sdk/client-sfn";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Invoke, parseDefinition, type StatusChange } from "../../local/stepfunctions/index.ts";
import { openStore } from "../../local/stepfunctions/store.ts";
import {
  machine,
  openWorld,
  stateMachineArn,
  task,
  tokenTask,
  until,
  type World,
} from "./stepfunctions-support.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "stepfunctions-"));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

describe("the journal", () => {
  const parked = machine({ Hold: tokenTask("park", { End: true }) });
  const passing = machine({ Only: { Type: "Pass", End: true } });
  const log = () => join(directory, "executions.log");

  async function reopened(world: World, definition: object, options = {}): Promise<World> {
    await world.sfn.close();
    return openWorld(definition, { park: () => null }, { directory, ...options });
  }

  it("holds a step before its effect: a start, a call, a wake-up, an end", async () => {
    const onDisk = (name: string, type: string) =>
      readFileSync(log(), "utf8")
        .split("\n")
        .some((line) => line.includes(`"name":"${name}"`) && line.includes(`"type":"${type}"`));
    const seen: boolean[] = [];
    const world = await openWorld(
      machine({ Hold: tokenTask("park", { Next: "After" }), After: task("after", { End: true }) }),
      {
        park: () => seen.push(onDisk("traced", "TaskStarted")),
        after: () => seen.push(onDisk("traced", "TaskSucceeded")),
      },
      {
        directory,
        onStatusChange: ({ status }) => {
          if (status === "SUCCEEDED") seen.push(onDisk("traced", "ExecutionSucceeded"));
        },
      },
    );
    const arn = await world.start({}, "traced");
    seen.push(onDisk("traced", "ExecutionStarted"));
    const taskToken = String((await until(() => world.calls[0])).payload["token"]);
    await world.client.send(new SendTaskSuccessCommand({ taskToken, output: "{}" }));
    seen.push(onDisk("traced", "TaskSucceeded"));
    await world.ended(arn);
    await until(() => seen.length === 5 || undefined);
    expect(seen).toEqual([true, true, true, true, true]);
  });

  it("is the same when it is rewritten in the middle of everything", async () => {
    const options = { directory, compactAfterBytes: 1 };
    let world = await openWorld(passing, {}, options);
    const arns = await Promise.all(
      Array.from({ length: 40 }, (_, index) => world.start({ index }, `e${index}`)),
    );
    for (const arn of arns) await world.ended(arn);
    const before = await Promise.all(arns.map((arn) => world.history(arn)));
    expect(before.map((events) => events.length)).toEqual(arns.map(() => 4));
    world = await reopened(world, passing, options);
    expect(await Promise.all(arns.map((arn) => world.history(arn)))).toEqual(before);
  });

  it("tolerates a last line that was torn or never finished", async () => {
    let world = await openWorld(passing, {}, { directory });
    const arn = await world.start({}, "kept");
    await world.ended(arn);
    for (const tail of ['{"kind":"change","hea', '{"kind":"change"}\n', "\u0000\u0000\u0000"]) {
      await world.sfn.close();
      await appendFile(log(), tail);
      world = await reopened(world, passing, {});
      expect((await world.describe(arn)).status).toBe("SUCCEEDED");
      await world.ended(await world.start());
    }
    expect(await readFile(log(), "utf8")).not.toContain("\u0000");
  });

  it("goes back to the last whole record when its end is cut anywhere", async () => {
    let world = await openWorld(parked, { park: () => null }, { directory });
    const arn = await world.start({}, "cut");
    await until(async () => (await world.eventTypes(arn)).includes("TaskSubmitted") || undefined);
    world = await reopened(world, parked);
    await world.sfn.close();
    const { size } = await stat(log());
    await truncate(log(), size - 1);
    world = await reopened(world, parked);
    expect(await world.ended(arn)).toMatchObject({ status: "FAILED", error: "Lambda.Unknown" });
  });

  it("refuses to open when it is damaged before its end, and for another state machine", async () => {
    const world = await openWorld(passing, {}, { directory });
    await world.ended(await world.start());
    await world.sfn.close();
    const other = { directory, stateMachineArn: `${stateMachineArn}2` };
    await expect(openWorld(passing, {}, other)).rejects.toThrow("give another directory");
    const text = await readFile(log(), "utf8");
    await writeFile(log(), text.replace('"kind":"definition"', '"kind":"defXnition"'));
    await expect(openWorld(passing, {}, { directory })).rejects.toThrow("is damaged at byte");
  });

  it("stays bounded: it is rewritten, keeps the last ended executions, and all names", async () => {
    const options = { directory, compactAfterBytes: 20_000, retention: { executions: 10, events: 10_000 } };
    const definition = machine({
      Which: {
        Type: "Choice",
        Choices: [{ Condition: "{% $states.input.hold %}", Next: "Hold" }],
        Default: "Done",
      },
      Hold: tokenTask("park", { Next: "Done" }),
      Done: { Type: "Succeed" },
    });
    let world = await openWorld(definition, { park: () => null }, options);
    const held = await world.start({ hold: true }, "held");
    const taskToken = String((await until(() => world.calls[0])).payload["token"]);
    await until(async () => (await world.eventTypes(held)).includes("TaskSubmitted") || undefined);
    const arns: string[] = [];
    for (let index = 0; index < 200; index += 1) arns.push(await world.start({ hold: false }, `e${index}`));
    await world.ended(arns.at(-1) ?? "");
    await world.ended(arns.at(-2) ?? "");
    expect((await stat(log())).size).toBeLessThan(60_000);
    for (const reopen of [false, true]) {
      if (reopen) world = await reopened(world, definition, options);
      await expect(world.describe(arns[0] ?? "")).rejects.toMatchObject({ name: "ExecutionDoesNotExist" });
      await expect(world.start({ hold: false }, "e0")).rejects.toMatchObject({
        name: "ExecutionAlreadyExists",
      });
      expect(await world.eventTypes(arns.at(-1) ?? "")).toHaveLength(6);
      const list = await world.client.send(new ListExecutionsCommand({ stateMachineArn }));
      expect(list.executions).toHaveLength(11);
    }
    await world.client.send(new SendTaskSuccessCommand({ taskToken, output: "{}" }));
    expect((await world.ended(held)).status).toBe("SUCCEEDED");
  });

  it("lets an execution end on the definition that it was started with, rewritten or not", async () => {
    const old = machine({ Hold: tokenTask("park", { Output: "old", End: true }) });
    for (const compactAfterBytes of [1, 1_000_000]) {
      const options = { directory, compactAfterBytes };
      let world = await openWorld(old, { park: () => null }, options);
      const arn = await world.start();
      await until(async () => (await world.eventTypes(arn)).includes("TaskSubmitted") || undefined);
      const taskToken = String(world.calls[0]?.payload["token"]);
      for (let reopenings = 0; reopenings < 2; reopenings += 1) {
        world = await reopened(world, passing, options);
        expect((await world.ended(await world.start())).output).toBe("{}");
      }
      await world.client.send(new SendTaskSuccessCommand({ taskToken, output: "{}" }));
      expect((await world.ended(arn)).output).toBe('"old"');
      await world.sfn.close();
    }
  });

  it("keeps an execution whose function runs when the server closes, for the next start", async () => {
    const definition = machine({ Do: task("do", { End: true }) });
    let signal: AbortSignal | undefined;
    const invoke: Invoke = (_name, _payload, context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    };
    const changes: string[] = [];
    const onStatusChange = ({ status }: StatusChange) => {
      changes.push(status);
    };
    let world = await openWorld(definition, {}, { directory, invoke, onStatusChange });
    const arn = await world.start();
    await until(() => signal);
    expect(signal?.aborted).toBe(false);
    await world.sfn.close();
    expect(signal?.aborted).toBe(true);
    expect(changes).toEqual(["RUNNING"]);
    world = await reopened(world, definition, { onStatusChange });
    expect(await world.ended(arn)).toMatchObject({ status: "FAILED", error: "Lambda.Unknown" });
    expect(world.calls).toEqual([]);
    await until(() => changes.length === 2 || undefined);
    expect(changes).toEqual(["RUNNING", "FAILED"]);
  });

  it.each([0, 3])(
    "keeps its definition when rewritten before any runs, after %i have ended",
    async (before) => {
      const retention = { executions: 10, events: 1000 };
      const store = (source: object, compactAfterBytes: number) =>
        openStore({
          directory,
          stateMachineArn,
          definition: parseDefinition(source),
          now: 0,
          retention,
          compactAfterBytes,
        });
      const head = { sequence: 1, name: "a", input: "{}", startDate: 0, transitions: 0, variables: {} };
      const first = await store(parked, 1);
      const definition = first.current.hash;
      const output = "x".repeat(10_000);
      for (let turn = 0; turn < before; turn += 1) {
        const ended = { ...head, name: `ended${turn}`, definition, status: "SUCCEEDED", output } as const;
        await first.commit({ head: ended, events: [] });
      }
      await first.commit({ head: { ...head, definition, status: "RUNNING" }, events: [] });
      await first.close();
      const second = await store(passing, 1_000_000);
      expect(second.definition(definition)?.source).toBe(JSON.stringify(parked));
      expect(second.executions.get("a")?.head.status).toBe("RUNNING");
      await second.close();
    },
  );

  it("counts the transitions of an execution across restarts", async () => {
    let world = await openWorld(parked, { park: () => null }, { directory });
    const arn = await world.start();
    await until(async () => (await world.eventTypes(arn)).includes("TaskSubmitted") || undefined);
    world = await reopened(world, parked);
    expect(world.sfn.transitions(arn)).toBe(1);
    expect(world.sfn.counters.transitions).toBe(0);
  });
});
