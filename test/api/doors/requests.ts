/** Requests whose bodies are written by hand, since no JavaScript value has in it what these tests send. */
import { ErrorEnvelope } from "../../../contract/schemas/common.ts";
import type { Backend } from "../../support/api.ts";
import { asJson, bearer, exchange, type Received, refusalOf } from "../../support/http.ts";
import { model } from "../refusals/world.ts";

export type Door = {
  readonly path: string;
  /** The body with JSON text in a place. */
  readonly body: (json: string) => string;
  /** Where that is. */
  readonly place: string;
};

/** What there is at a door. */
export type Here = {
  readonly key: string;
  readonly agent: string;
  readonly session: string;
  readonly run: string;
  readonly call: string;
};

export const post = (
  { baseUrl, key }: Backend,
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Received> =>
  exchange(baseUrl, { method: "POST", path, body, headers: { ...asJson, ...bearer(key), ...headers } });

/** Status, code and message of a refusal. */
export const refused = (received: Received) => ({
  ...refusalOf(received),
  message: ErrorEnvelope.parse(JSON.parse(received.text)).error.message,
});

/** A tool result whose output is the JSON text. */
export const output = ({ run, call }: Here, json: string): string =>
  `{"run_id":"${run}","results":[{"call_id":"${call}","success":true,"output":${json}}]}`;

/** An agent with one function, whose parameters have the JSON text beside their type. */
export const agentWith = ({ key }: Here, json: string): string =>
  JSON.stringify({
    name: "by hand",
    config: {
      model,
      model_api_key_id: key,
      instructions: "Help.",
      tools: [{ type: "function", name: "f", description: "d", parameters: { type: "object", note: 0 } }],
    },
  }).replace('"note":0', json);

/** Places of free-form JSON. */
export const freeForm = (here: Here): readonly Door[] => [
  {
    path: `/sessions/${here.session}/tool-results`,
    body: (json) => output(here, json),
    place: "results.0.output",
  },
  {
    path: `/sessions/${here.session}/tool-results`,
    body: (json) => output(here, `{"pad":"${"x".repeat(20_000)}","list":[1,${json}]}`),
    place: "results.0.output.list.1",
  },
  {
    path: "/agents",
    body: (json) => agentWith(here, `"note":${json}`),
    place: "config.tools.0.parameters.note",
  },
  {
    path: `/agents/${here.agent}/versions`,
    body: (json) => agentWith(here, `"note":${json}`).replace('"name":"by hand",', ""),
    place: "config.tools.0.parameters.note",
  },
];

const input = (json: string): string => `{"mode":"queue","content":[{"type":"text","text":${json}}]}`;
const config = (here: Here): string => /"config":(.*)\}$/s.exec(agentWith(here, '"note":0'))?.[1] ?? "";
const session = ({ agent }: Here, rest: string): string =>
  `{"agent":{"id":"${agent}"},"subject_id":"tenant/doors","environment":{"type":"none"},${rest}}`;

/** Places of text, free-form JSON included. */
export const ofText = (here: Here): readonly Door[] => [
  ...freeForm(here),
  { path: "/agents", body: (json) => `{"name":${json},"config":${config(here)}}`, place: "name" },
  {
    path: "/agents",
    body: (json) => agentWith(here, '"note":0').replace('"Help."', json),
    place: "config.instructions",
  },
  {
    path: "/model-api-keys",
    body: (json) => `{"name":${json},"provider":"openai","key":"sk-test-0123456789"}`,
    place: "name",
  },
  {
    path: "/model-api-keys",
    body: (json) => `{"name":"by hand","provider":"openai","key":${json}}`,
    place: "key",
  },
  { path: "/sessions", body: (json) => session(here, `"title":${json}`), place: "title" },
  {
    path: "/sessions",
    body: (json) => session(here, "").replace('"tenant/doors"', json).replace(",}", "}"),
    place: "subject_id",
  },
  {
    path: "/sessions",
    body: (json) => session(here, `"input":${input(json)}`),
    place: "input.content.0.text",
  },
  { path: `/sessions/${here.session}/inputs`, body: input, place: "content.0.text" },
];
