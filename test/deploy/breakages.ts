import { env } from "../../contract/env.ts";
import { type Editable, forbid, forbidMachine, misname, remove, replace, set } from "./edit.ts";

/** A test, by the file that it stands in and its name behind its suite's, `suite > title`. */
export type Check = { readonly file: string; readonly name: string };

export type Breakage = {
  /** Words to select it by, and what is broken. */
  readonly title: string;
  readonly break: (template: Editable) => void;
  /** Which test of the template notices. */
  readonly template: Check;
  /** Which test of a deployed stack notices; null where the emulator cannot see it, or the stack makes up for it. */
  readonly deployed: Check | null;
};

const inStack = (file: string, name: string): Check => ({ file: `test/stack/${file}.test.ts`, name });
const inScenario = (file: string, name: string): Check => ({ file: `test/deploy/${file}.scenario.ts`, name });

const allows = (name: string) => inStack("permissions", `permissions > allows ${name} exactly what it needs`);
const tells = (name: string) =>
  inStack("permissions", `permissions > tells ${name} exactly what it may touch`);
const consumes = inStack(
  "functions",
  "functions > consume commits of heads from the stream, one failure not failing the batch",
);
const mayInvoke = inStack(
  "invocations",
  "invocations > are allowed to each route of this API's stage and to each rule, for its own function only",
);
const runs = inScenario(
  "run",
  "a deployed stack > runs a text input in five transitions that carry ids only",
);
const waits = inScenario(
  "run",
  "a deployed stack > waits for a function's result in the state machine, and the result wakes it",
);
const streams = inScenario("run", "a deployed stack > streams the events of a run while it goes on");
const starts = inScenario(
  "consumer",
  "the consumer of the table's stream > starts a run whose committer died after the commit",
);

/** Each is one slip that a change of the infrastructure could make. */
export const breakages: readonly Breakage[] = [
  {
    title: "permission: api may not put items into the table",
    break: (template) => forbid(template, "api", "dynamodb:PutItem"),
    template: allows("api"),
    deployed: runs,
  },
  {
    title: "permission: api may not start executions (the stream's consumer does it instead)",
    break: (template) => forbid(template, "api", "states:StartExecution"),
    template: allows("api"),
    deployed: null,
  },
  {
    title: "permission: advance may not open model keys",
    break: (template) => forbid(template, "advance", "kms:Decrypt"),
    template: allows("advance"),
    deployed: runs,
  },
  {
    title: "permission: fanout may not start executions",
    break: (template) => forbid(template, "fanout", "states:StartExecution"),
    template: allows("fanout"),
    deployed: starts,
  },
  {
    title: "permission: stream may not query the table",
    break: (template) => forbid(template, "stream", "dynamodb:Query"),
    template: allows("stream"),
    deployed: streams,
  },
  {
    title: "permission: the state machine may not invoke await",
    break: (template) => forbidMachine(template, "await"),
    template: inStack(
      "invocations",
      "invocations > by the state machine are allowed to its own role, of three functions and no other",
    ),
    deployed: null,
  },
  {
    title: "permission: API Gateway may not invoke stream for backends",
    break: (template) => remove(template, "AWS::Lambda::Permission", "/GET/v1/sessions/"),
    template: mayInvoke,
    deployed: null,
  },
  {
    title: "permission: EventBridge may not invoke lost",
    break: (template) => remove(template, "AWS::Lambda::Permission", "UpkeepFailedExecutions"),
    template: mayInvoke,
    deployed: null,
  },
  {
    title: "streaming: the stream's routes answer in one piece",
    break: (template) => {
      const method = "AWS::ApiGateway::Method";
      replace(template, method, "/response-streaming-invocations", "/invocations");
      replace(template, method, "/2021-11-15/", "/2015-03-31/");
      replace(template, method, "STREAM", "BUFFERED");
    },
    template: inStack("http-api", "HTTP API > streams events below /v1 for up to 15 minutes"),
    deployed: null,
  },
  {
    title: "consumer: nothing reads the table's stream",
    break: (template) => remove(template, "AWS::Lambda::EventSourceMapping"),
    template: consumes,
    deployed: starts,
  },
  {
    title: "consumer: what reads the table's stream is off",
    break: (template) => set(template, "AWS::Lambda::EventSourceMapping", "", { Enabled: false }),
    template: consumes,
    deployed: starts,
  },
  {
    title: "await: the state gives no token",
    break: (template) =>
      replace(
        template,
        "AWS::StepFunctions::StateMachine",
        ',"token":"{% $states.context.Task.Token %}"',
        "",
      ),
    template: inStack(
      "state-machine",
      "state machine > waits for a token until the deadline, then goes on as if it had been woken",
    ),
    deployed: waits,
  },
  {
    title: "environment: await is told the table under a wrong name",
    break: (template) => misname(template, "await", env.table),
    template: tells("await"),
    deployed: waits,
  },
  {
    title: "environment: api is told the key of its vault under a wrong name",
    break: (template) => misname(template, "api", env.kmsKey),
    template: tells("api"),
    deployed: runs,
  },
  {
    title: "environment: advance is told its time for results under a wrong name (it has a default)",
    break: (template) => misname(template, "advance", env.toolResultSeconds),
    template: inStack(
      "permissions",
      "permissions > tells advance nothing under a name that functions do not read",
    ),
    deployed: null,
  },
];

/** Those whose title holds every word; all without words. */
export const select = (words: readonly string[]): readonly Breakage[] =>
  breakages.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word.toLowerCase())));
