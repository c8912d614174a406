/**
 * Numbers of JSON that a double does not hold. JSON itself has no bounds; JavaScript reads `1e400` as Infinity, which
 * it writes as null, and gives 9007199254740993 back as another integer.
 */

/** What a double makes of a number: nothing else, an infinity, or another integer. */
export type Fit = "fits" | "too large" | "another integer";

/** Digits without a zero at either end, times ten to the power. */
type Decimal = { readonly negative: boolean; readonly digits: string; readonly power: number };

/**
 * What becomes of a number of JSON, given by its text. A fraction fits always: whoever reads one expects the nearest
 * double. An integer, however it is spelt, fits if it is written again as the same one.
 */
export function fitOf(source: string): Fit {
  const value = Number(source);
  if (!Number.isFinite(value)) return "too large";
  if (!Number.isInteger(value)) return "fits";
  const sent = decimal(source);
  if (sent.power < 0) return "fits";
  const held = decimal(String(value));
  const same = sent.negative === held.negative && sent.digits === held.digits && sent.power === held.power;
  return same ? "fits" : "another integer";
}

/** Sixteen digits, or an exponent of three: what every number has that does not fit. Texts and fractions may, too. */
const suspect = /\d[\d.]{15}|[eE][+-]?\d{3}/;

/** False when all numbers of the JSON text fit, at the cost of one search. */
export const mayNotFit = (json: string): boolean => suspect.test(json);

const form = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function decimal(source: string): Decimal {
  const [matched, sign, whole = "", fraction = "", exponent = "0"] = form.exec(source) ?? [];
  if (matched === undefined) throw new RangeError(`${source.slice(0, 20)} is no number of JSON`);
  const all = whole + fraction;
  let from = 0;
  while (all[from] === "0") from += 1;
  let to = all.length;
  while (to > from && all[to - 1] === "0") to -= 1;
  if (from === to) return { negative: false, digits: "", power: 0 };
  const power = Number(exponent) - fraction.length + (all.length - to);
  return { negative: sign === "-", digits: all.slice(from, to), power };
}
