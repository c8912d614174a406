/** Refusals of cursors, of filters and of places in an event stream. */
import { assemble, type Case, changed, withQuery } from "./case.ts";
import { type ServedId, validRequest } from "./valid.ts";
import type { ListName, World } from "./world.ts";

type List = {
  readonly operation: ServedId;
  /** The list whose cursors fit, and the filter that goes with them. */
  readonly own: ListName;
  readonly filter?: string;
};

const lists: readonly List[] = [
  { operation: "get_api_keys", own: "apiKeys" },
  { operation: "get_model_api_keys", own: "modelKeys" },
  { operation: "get_agents", own: "agents" },
  { operation: "get_sessions", own: "sessions" },
  { operation: "get_sessions", own: "sessionsOfSubject", filter: "subject_id=tenant%2Frefused" },
  { operation: "get_sessions_session_id_inputs", own: "inputs" },
  { operation: "get_sessions_session_id_inputs", own: "appliedInputs", filter: "status=applied" },
  { operation: "get_sessions_session_id_runs", own: "runs" },
  { operation: "get_sessions_session_id_usage", own: "usage" },
  { operation: "get_sessions_session_id_events", own: "events" },
];

/** Lists whose cursors are tried on another: all of them on one, and those most like it on the others. */
const foreign: Readonly<Partial<Record<ListName, readonly ListName[]>>> = {
  apiKeys: ["modelKeys", "agents"],
  modelKeys: ["agents", "apiKeys"],
  agents: ["modelKeys"],
  sessions: ["sessionsOfSubject", "agents"],
  sessionsOfSubject: ["sessions"],
  inputs: [
    ...(["modelKeys", "agents", "sessions", "sessionsOfSubject", "appliedInputs", "runs", "events"] as const),
    ...(["otherInputs", "otherRuns", "otherEvents"] as const),
  ],
  appliedInputs: ["inputs", "otherInputs"],
  runs: ["otherRuns", "inputs"],
  usage: ["runs"],
  events: ["otherEvents", "runs"],
};

const base64 = (text: string) => Buffer.from(text).toString("base64url");
const garbage = [
  "x",
  "%00",
  "null",
  base64("{}"),
  base64("null"),
  base64("[1]"),
  base64('{"k":"1"}'),
  "",
  "é",
];

function ofList({ operation, own, filter }: List): Case[] {
  const withCursor = (what: string, cursor: (world: World) => string) =>
    changed(operation, "invalid_cursor", what, (world) => ({
      query: `${filter === undefined ? "" : `${filter}&`}cursor=${cursor(world)}`,
    }));
  const thrown = own === "inputs" ? garbage : garbage.slice(0, 3);
  return [
    ...thrown.map((cursor) => withCursor(`the cursor "${cursor}"`, () => cursor)),
    ...(foreign[own] ?? []).map((name) =>
      withCursor(`a cursor of ${name} for ${own}`, ({ cursors }) => cursors[name]),
    ),
    withCursor("half a cursor", ({ cursors }) => cursors[own].slice(0, 20)),
    withCursor("a cursor and more", ({ cursors }) => `${cursors[own]}AAAA`),
    withCursor("a cursor with an endless place", ({ cursors }) => endless(cursors[own])),
  ];
}

/** The cursor with a place that no key of the table could hold. */
function endless(cursor: string): string {
  const json = Buffer.from(cursor, "base64url").toString();
  return base64(json.replace(/"[^"]*"\}$/, `"agt_${"a".repeat(3_000)}"}`));
}

const stream = "get_sessions_session_id_events_stream";

function streaming(
  code: Case["code"],
  what: string,
  place: (world: World) => { after?: string; lastEventId?: string },
): Case {
  const request = (world: World) => {
    const { after, lastEventId } = place(world);
    const query = after === undefined ? {} : { query: `after=${after}` };
    return {
      ...assemble(stream, { ...validRequest(stream, world), ...query }),
      ...(lastEventId === undefined ? {} : { headers: { "last-event-id": lastEventId } }),
    };
  };
  return { operation: stream, code, what, request };
}

/** The id of an event of the session that nothing has happened at. */
const unborn = ({ event }: World) => `${event.slice(0, -4)}9999`;

const places: readonly Case[] = [
  ...["", "1", "evt_", "evt_a-b", "msg_1", "evt_a%0A"].map((id) =>
    withQuery(stream, "invalid_parameter", `after=${id}`),
  ),
  ...["TRUE", "1", "yes", "", "true%20"].map((value) =>
    withQuery(stream, "invalid_parameter", `include_deltas=${value}`),
  ),
  withQuery(stream, "invalid_parameter", "include_deltas=true&include_deltas=true"),
  changed(stream, "invalid_parameter", "after twice", ({ event }) => ({
    query: `after=${event}&after=${event}`,
  })),
  streaming("invalid_parameter", "a malformed Last-Event-ID", () => ({ lastEventId: "1" })),
  streaming("invalid_cursor", "an event that never was, as after", () => ({ after: "evt_1" })),
  streaming("invalid_cursor", "an event that never was, as Last-Event-ID", () => ({ lastEventId: "evt_1" })),
  streaming("invalid_cursor", "an event to come", (world) => ({ after: unborn(world) })),
  streaming("invalid_cursor", "event 0", ({ event }) => ({ after: event.replace(/\d{10}$/, "0000000000") })),
  streaming("invalid_cursor", "an event id with a digit more", ({ event }) => ({ after: `${event}0` })),
  streaming("invalid_cursor", "another project's event", ({ other }) => ({ after: other.event })),
  streaming("conflicting_cursor", "two places", (world) => ({
    after: world.event,
    lastEventId: unborn(world),
  })),
  streaming("conflicting_cursor", "two places of nothing", () => ({ after: "evt_1", lastEventId: "evt_2" })),
];

export const cursorCases: readonly Case[] = [
  ...lists.flatMap(ofList),
  ...places,
  ...["Applied", "", "done", "accepted,applied"].map((status) =>
    withQuery("get_sessions_session_id_inputs", "invalid_parameter", `status=${status}`),
  ),
  withQuery("get_sessions_session_id_inputs", "invalid_parameter", "status=applied&status=applied"),
];
