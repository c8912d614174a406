import { DescribeExecutionCommand, StartExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Reply } from "../../local/model/reply.ts";
import { sfn, stateMachineArn } from "./history.ts";
import { checkDense, eventually, only, output, said } from "./talk.ts";
import { type Actor, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

let doubles = 0;

/**
 * Another execution with the same input: `Advance` gets the same event once more, beside the first. A wait belongs
 * to the execution that parked last; the other is not released.
 */
async function deliverAgain(sessionId: string, runId: string, cycle: number): Promise<string> {
  const input = JSON.stringify({ sessionId, runId, leg: 1, cycle });
  const name = `double-${++doubles}`;
  const command = new StartExecutionCommand({ stateMachineArn, name, input });
  return (await sfn(world.laptop()).send(command)).executionArn ?? "";
}

const ended = (executionArn: string) =>
  eventually(
    async () => (await sfn(world.laptop()).send(new DescribeExecutionCommand({ executionArn }))).status,
    (status) => status === "SUCCEEDED",
  );

const asked = (actor: Actor, times: number) =>
  eventually(
    () => actor.asked.length,
    (count) => count === times,
  );

it.each(providers)(
  "a turn of %s that is delivered twice at once is recorded and dispatched once",
  async (provider) => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const actor = await world.actor(
      ({ lastScriptOutputs }) => (lastScriptOutputs.length === 0 ? promise : { text: "Done." }),
      { provider, tools: ["look_up"] },
    );
    const talk = await actor.talk();
    const input = await talk.send("Look");
    await asked(actor, 1);
    await deliverAgain(talk.id, input.run_id ?? "", 0);
    await asked(actor, 2);
    resolve({ text: "Looking.", scripts: ["return await tools.look_up()"] });
    const call = only(await talk.calls(1));
    // Whichever was second has nothing to record, and waits for the same call.
    await talk.settle(call, output(1));
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", "Looking.", "Done."]);
    expect(only(await talk.eventsOf("tool.requested")).data.call.id).toBe(call.id);
    expect(await talk.eventsOf("message.completed")).toHaveLength(2);
    checkDense(await talk.events());
  },
);

it("a turn that is delivered again after the run's end asks nothing and changes nothing", async () => {
  const actor = await world.actor(() => ({ text: "Done." }));
  const talk = await actor.talk();
  const run = await talk.ask("Hi");
  const before = await talk.events();
  for (const cycle of [0, 1]) await ended(await deliverAgain(talk.id, run.id, cycle));
  expect(await talk.events()).toEqual(before);
  expect(actor.asked).toHaveLength(1);
});

it("of two functions that take a run up at once both ask with its input", async () => {
  const replies = [Promise.withResolvers<Reply>(), Promise.withResolvers<Reply>()] as const;
  const actor = await world.actor((_, nth) => replies[nth === 1 ? 0 : 1].promise);
  const talk = await actor.talk();
  const session = await talk.session();
  const input = await talk.send("Hi");
  // Without a pause the second would come when the first has long applied the input.
  const doubles = await Promise.all([0, 1].map(() => deliverAgain(session.id, input.run_id ?? "", 0)));
  await asked(actor, 3);
  replies[0].resolve({ text: "Done." });
  replies[1].resolve({ text: "Done." });
  const run = await talk.ended(input);
  await Promise.all(doubles.map(ended));
  expect([run.status, ...said(run)]).toEqual(["completed", "Done."]);
  expect(actor.asked.map(({ lastUserText }) => lastUserText)).toEqual(["Hi", "Hi", "Hi"]);
});

it("a request that fails when the run has gone on without it fails nothing", async () => {
  const [answered, refused] = [Promise.withResolvers<Reply>(), Promise.withResolvers<Reply>()];
  const actor = await world.actor(
    ({ lastScriptOutputs }, nth) => {
      if (lastScriptOutputs.length > 0) return { text: "Done." };
      return nth === 1 ? answered.promise : refused.promise;
    },
    { tools: ["look_up"] },
  );
  const talk = await actor.talk();
  const input = await talk.send("Look");
  await asked(actor, 1);
  await deliverAgain(talk.id, input.run_id ?? "", 0);
  await asked(actor, 2);
  answered.resolve({ text: "Looking.", scripts: ["return await tools.look_up()"] });
  const call = only(await talk.calls(1));
  refused.resolve({ httpError: { status: 400, type: "invalid_request_error", message: "no" } });
  await talk.settle(call, output(1));
  const run = await talk.ended(input);
  expect([run.status, ...said(run)]).toEqual(["completed", "Looking.", "Done."]);
});
