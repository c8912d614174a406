import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitOf, mayNotFit } from "../../contract/numbers.ts";

const fitting = [
  ...["0", "-0", "0e99999", "0.000", "1", "-1", "9007199254740991", "9007199254740992", "9007199254740994"],
  ...["1e23", "100000000000000000000000", "1.7976931348623157e308", "1E+2", "12300e-2"],
  ...["0.1", "0.12345678901234567890", "9007199254740993.5", "1e-400", "5e-324", "-1.5e300"],
];
const rounded = [
  ...["9007199254740993", "-9007199254740993", "9007199254740993.0", "9.007199254740993e15"],
  ...["90071992547409930e-1", "900719925474099.30e1", "18446744073709551616", "12345678901234567890"],
  ...["100000000000000000000001", `1${"0".repeat(300)}1`],
];
const endless = [
  "1e400",
  "-1e400",
  "1E+0400",
  "1e99999999999999999999",
  "9".repeat(400),
  `${"9".repeat(250)}e99`,
];

describe("a number of JSON", () => {
  it.each(fitting)("%s is what a double holds", (source) => {
    expect(fitOf(source)).toBe("fits");
  });

  it.each(rounded)("%s would come back as another integer", (source) => {
    expect([fitOf(source), mayNotFit(source)]).toEqual(["another integer", true]);
  });

  it.each(endless)("%s is larger than any double", (source) => {
    expect([fitOf(source), mayNotFit(source)]).toEqual(["too large", true]);
  });

  it("fits as an integer exactly if it comes back as the same one", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (integer) => {
        const back = BigInt(Number(integer).toLocaleString("en", { useGrouping: false }));
        expect(fitOf(String(integer))).toBe(back === integer ? "fits" : "another integer");
      }),
    );
  });

  it("is suspected whenever it does not fit, however it is spelt", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength: 20 });
    const spelt = fc
      .tuple(digits, fc.option(digits), fc.option(fc.integer({ min: -330, max: 330 })))
      .map(([whole, fraction, power]) =>
        [whole, fraction === null ? "" : `.${fraction}`, power === null ? "" : `e${power}`].join(""),
      );
    fc.assert(
      fc.property(spelt, (source) => fitOf(source) === "fits" || mayNotFit(source)),
      {
        numRuns: 2_000,
      },
    );
  });

  it("is judged at once however long it is", () => {
    expect(fitOf(`1${"0".repeat(2_000_000)}1e-2000000`)).toBe("fits");
  });
});
