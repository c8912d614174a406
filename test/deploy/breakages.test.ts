import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { synthesize } from "../../lib/synthesize.ts";
import { breakages, select } from "./breakages.ts";
import { Editable } from "./edit.ts";

const whole = Editable.parse(await synthesize());

describe("breakages", () => {
  it.each(breakages)("$title: changes the template of this source", ({ break: breakIt }) => {
    const template = structuredClone(whole);
    breakIt(template);
    expect(template).not.toEqual(whole);
  });

  it("name files of tests that are there", () => {
    const files = breakages.flatMap(({ template, deployed }) => [template.file, deployed?.file ?? []].flat());
    expect(files.filter((file) => !existsSync(join(import.meta.dirname, "../..", file)))).toEqual([]);
  });

  it("are selected by all words of a title, in any case", () => {
    expect(select([])).toEqual(breakages);
    expect(select(["CONSUMER:", "off"]).map(({ title }) => title)).toEqual([
      "consumer: what reads the table's stream is off",
    ]);
  });
});
