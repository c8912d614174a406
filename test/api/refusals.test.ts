import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ErrorCode, errors } from "../../contract/errors.ts";
import { routes } from "../../contract/routes.ts";
import { isServed } from "../../core/api/operations.ts";
import { bearer, exchange, refusalOf } from "../support/http.ts";
import { patience } from "../support/patience.ts";
import { laptopCan, operatorCan, operatorOf, type Target, target } from "../support/target.ts";
import { agentCases } from "./refusals/agents.ts";
import { type Case, isForOperators, needsDashboard, routeOf } from "./refusals/case.ts";
import { controlCases } from "./refusals/controls.ts";
import { cursorCases } from "./refusals/cursors.ts";
import { comparable, type Footprint, footprint, settled } from "./refusals/footprint.ts";
import { genericCases } from "./refusals/generic.ts";
import { respond } from "./refusals/respond.ts";
import { sessionCases } from "./refusals/sessions.ts";
import { servedIds } from "./refusals/valid.ts";
import { workCases } from "./refusals/work.ts";
import { createWorld, type World } from "./refusals/world.ts";

const table: readonly Case[] = [
  ...genericCases,
  ...agentCases,
  ...sessionCases,
  ...controlCases,
  ...workCases,
  ...cursorCases,
];
const whole = laptopCan(
  "a call of a stopped run, a body above 16 MiB",
  "API Gateway or its model is in the way",
);
const managed = operatorCan("refusals about API keys");
const cases = table
  .filter(({ laptopOnly }) => whole || laptopOnly !== true)
  .filter((row) => managed || !needsDashboard(row));

/** Codes that no request brings about by itself, and why. */
const unprovokable: Readonly<Partial<Record<ErrorCode, string>>> = {
  internal_error: "it is for what nobody foresaw",
  stream_unavailable: "it needs a table that fails",
  cursor_expired: "history has no end of its retention",
  idempotency_conflict: "it needs two requests, and is tested with them",
  rate_limited: "tested with a full queue",
  session_pausing: "a pause settles at once, unless the model is held: tested with one that is",
  run_stopping: "a stop settles at once, unless the model is held: tested with one that is",
  run_interrupted: "it needs a lost execution",
  invalid_tool_result: "the platform has no tools of its own",
  invalid_url: "there are no connections to bind",
  connection_subject_mismatch: "there are no connections to bind",
  connection_session_scoped: "there are no connections to bind",
  invalid_image: "there are no files to send",
  image_limits_exceeded: "there are no files to send",
  image_preparation_failed: "there are no files to send",
};

let stack: Target;
let world: World;
/** What was there after the latest row. */
let last: Footprint | null = null;

beforeAll(async () => {
  stack = await target({ respond });
  world = await createWorld(stack);
  await settled(stack);
}, patience.hook);
afterAll(() => stack?.close());

async function send(row: Case) {
  const { request, authorization, byOther, what } = row;
  const { headers, ...sent } = request(world);
  const own = needsDashboard(row) ? operatorOf(stack) : stack.api;
  const { key } = byOther === true ? stack.other : own;
  const credential =
    authorization === undefined ? bearer(key) : authorization === null ? {} : { authorization };
  const received = await exchange(stack.api.baseUrl, { ...sent, headers: { ...headers, ...credential } });
  if (received.status < 400) return { what, status: received.status, code: received.text.slice(0, 200) };
  return { what, ...refusalOf(received) };
}

/** Several at a time: the machine is small, and a refusal must not lean on the one before it. */
async function sendAll(wanted: readonly Case[], atOnce = 8) {
  const answers: Awaited<ReturnType<typeof send>>[] = [];
  for (let at = 0; at < wanted.length; at += atOnce)
    answers.push(...(await Promise.all(wanted.slice(at, at + atOnce).map(send))));
  return answers;
}

describe("a refused request", patience.test, () => {
  for (const operation of servedIds) {
    const { method, path } = routeOf(operation);
    const rows = cases.filter((row) => row.operation === operation);

    it(`to ${method} ${path} gets the code of what is wrong and leaves nothing behind`, async () => {
      const before = last ?? (await footprint(stack, world));
      const answers = await sendAll(rows);
      const expected = rows.map(({ what, code }) => ({ what, status: errors[code].status, code }));
      expect(answers).toEqual(expected);
      last = await footprint(stack, world);
      expect(comparable(last, operation)).toEqual(comparable(before, operation));
    });

    it(`to ${method} ${path} is tested for every code that the route lists and can be provoked`, () => {
      // What a project may do is forbidden to nobody: a credential is of an operator or of a project.
      const allowed = isForOperators(operation) ? [] : ["forbidden"];
      const provokable = routeOf(operation).errors.filter((code) => !(code in unprovokable));
      const listed = provokable.filter((code) => !allowed.includes(code));
      const isPlainList = operation === "get_agents" || operation === "get_sessions";
      const tested = new Set(table.filter((row) => row.operation === operation).map(({ code }) => code));
      const missing = listed.filter((code) => !tested.has(code) && !(isPlainList && code === "not_found"));
      expect(missing).toEqual([]);
      // Nor does an operation answer with a code that its route does not list.
      expect([...tested].filter((code) => !routeOf(operation).errors.includes(code))).toEqual([]);
    });
  }

  it("is tested for every operation that is served", () => {
    const served = Object.values(routes).map(({ operationId }) => operationId);
    expect([...servedIds].sort()).toEqual(served.filter(isServed).sort());
  });
});
