import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idPattern, idPrefixes, idSuffix, newId, parseSequencedId, sequencedId } from "../../contract/ids.ts";

const session = "ses_01K9A7T8EN";
const prefix = fc.constantFrom(...Object.values(idPrefixes));
const suffix = fc.stringMatching(/^[0-9A-Za-z]{1,30}$/);
const sequence = fc.integer({ min: 1, max: 9_999_999_999 });

describe("newId", () => {
  it("joins prefix and suffix", () => {
    expect(newId("agt", "01K9A7Q2ZC")).toBe("agt_01K9A7Q2ZC");
  });

  it.each(["", "a_b", "a\n", "é"])("refuses the suffix %j", (bad) => {
    expect(() => newId("agt", bad)).toThrow(RangeError);
  });
});

describe("sequencedId", () => {
  it("has the session's suffix and ten digits", () => {
    expect(sequencedId("run", session, 12)).toBe("run_01K9A7T8EN0000000012");
  });

  it.each([0, -1, 1.5, Number.NaN, 10_000_000_000])("refuses the sequence %d", (bad) => {
    expect(() => sequencedId("run", session, bad)).toThrow(RangeError);
  });

  it.each(["01K9A7T8EN", "ses_", "zzz_01", ""])("refuses %j as a session id", (bad) => {
    expect(() => sequencedId("run", bad, 1)).toThrow(RangeError);
  });

  it("matches the pattern of its prefix and gives its sequence back", () => {
    fc.assert(
      fc.property(prefix, suffix, sequence, (kind, own, number) => {
        const owner = newId("ses", own);
        const id = sequencedId(kind, owner, number);
        expect(id).toMatch(idPattern(kind));
        expect(parseSequencedId(id, owner)).toBe(number);
      }),
    );
  });

  it("sorts by sequence", () => {
    fc.assert(
      fc.property(sequence, sequence, (a, b) => {
        expect(sequencedId("evt", session, a) < sequencedId("evt", session, b)).toBe(a < b);
      }),
    );
  });
});

describe("parseSequencedId", () => {
  it.each([
    ["of another session", "run_01K9A7T8EX0000000012"],
    ["of a session whose suffix is longer", "run_01K9A7T8EN10000000012"],
    ["with nine digits", "run_01K9A7T8EN000000012"],
    ["with eleven digits", "run_01K9A7T8EN00000000012"],
    ["with a letter among the digits", "run_01K9A7T8EN00000000a2"],
    ["with sequence zero", "run_01K9A7T8EN0000000000"],
    ["with an unknown prefix", "zzz_01K9A7T8EN0000000012"],
    ["without a prefix", "01K9A7T8EN0000000012"],
    ["that ends in a line break", "run_01K9A7T8EN0000000012\n"],
    ["that is the session's own", session],
    ["that is empty", ""],
  ])("gives null for an id %s", (_, id) => {
    expect(parseSequencedId(id, session)).toBeNull();
  });
});

describe("idSuffix", () => {
  it("takes the prefix off", () => {
    expect(idSuffix(session)).toBe("01K9A7T8EN");
  });
});
