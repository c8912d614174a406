import { describe, expect, it } from "vitest";
import {
  collectParameters,
  IdempotencyHeaders,
  InputPageQuery,
  StreamHeaders,
  StreamQuery,
  SubjectPageQuery,
} from "../../contract/parameters.ts";
import { routes } from "../../contract/routes.ts";

const query = (text: string) => collectParameters(new URLSearchParams(text));

describe("a page", () => {
  it("has twenty records unless the request says otherwise", () => {
    expect(SubjectPageQuery.parse(query(""))).toEqual({ limit: 20 });
  });

  it("takes a limit, a cursor and a filter, and ignores what it does not know", () => {
    expect(
      SubjectPageQuery.parse(query("limit=100&cursor=abc&subject_id=a%2Fb&order=asc&order=desc")),
    ).toEqual({
      limit: 100,
      cursor: "abc",
      subject_id: "a/b",
    });
  });

  it.each(["0", "101", "-1", "+5", "1e1", "020", "1.0", " 5", "", "ten", "0x10", "٢"])(
    "refuses the limit %j",
    (limit) => {
      expect(SubjectPageQuery.safeParse({ limit }).success).toBe(false);
    },
  );

  it.each(["limit=1&limit=1", "cursor=a&cursor=b", "subject_id=a&subject_id=a"])(
    "refuses the repetition in %s",
    (text) => {
      expect(SubjectPageQuery.safeParse(query(text)).success).toBe(false);
    },
  );

  it.each(["subject_id=", "subject_id=a%00", "subject_id=a%0A"])("refuses the filter %s", (text) => {
    expect(SubjectPageQuery.safeParse(query(text)).success).toBe(false);
  });

  it("filters inputs by a status that exists", () => {
    expect(InputPageQuery.parse(query("status=applied"))).toEqual({ limit: 20, status: "applied" });
    expect(InputPageQuery.safeParse(query("status=queued")).success).toBe(false);
  });
});

describe("a stream", () => {
  it("has no previews unless asked for", () => {
    expect(StreamQuery.parse(query(""))).toEqual({ include_deltas: false });
    expect(StreamQuery.parse(query("include_deltas=true&after=evt_A1"))).toEqual({
      include_deltas: true,
      after: "evt_A1",
    });
  });

  it.each(["include_deltas=1", "include_deltas=TRUE", "include_deltas=", "after=ses_A1", "after="])(
    "refuses %s",
    (text) => {
      expect(StreamQuery.safeParse(query(text)).success).toBe(false);
    },
  );

  it("takes the last event id from its header", () => {
    expect(StreamHeaders.parse({ "last-event-id": "evt_A1", accept: "*/*" })).toEqual({
      "last-event-id": "evt_A1",
    });
    expect(StreamHeaders.safeParse({ "last-event-id": "7" }).success).toBe(false);
  });
});

describe("path parameters", () => {
  it("turn a version into a number", () => {
    const { params } = routes.get_agents_agent_id_versions_version;
    expect(params.parse({ agent_id: "agt_B1", version: "12" })).toEqual({ agent_id: "agt_B1", version: 12 });
    expect(params.safeParse({ agent_id: "agt_B1", version: "0" }).success).toBe(false);
    expect(params.safeParse({ agent_id: "agt_B1", version: "9".repeat(20) }).success).toBe(false);
  });
});

describe("an idempotency key", () => {
  it("is up to 255 visible characters", () => {
    expect(IdempotencyHeaders.parse({})).toEqual({});
    expect(IdempotencyHeaders.safeParse({ "idempotency-key": "k".repeat(255) }).success).toBe(true);
    for (const bad of ["", "k".repeat(256), "a b", "é"]) {
      expect(IdempotencyHeaders.safeParse({ "idempotency-key": bad }).success).toBe(false);
    }
  });
});

describe("collectParameters", () => {
  it("keeps a name that is also a property of every object", () => {
    expect(Object.entries(query("__proto__=1&constructor=2"))).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
  });

  it("gathers three of a name", () => {
    expect(query("a=1&a=2&a=3")).toEqual({ a: ["1", "2", "3"] });
  });
});
