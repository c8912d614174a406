import { readFileSync } from "node:fs";
import { synthesize } from "../../lib/synthesize.ts";
import { parseTemplate, type Template } from "../../lib/template.ts";

/** The template that `STEPYARD_TEST_TEMPLATE` names a file of, or else the one of this source. */
export const templateUnderTest = async (): Promise<Template> => {
  const file = process.env["STEPYARD_TEST_TEMPLATE"];
  return file === undefined ? synthesize() : parseTemplate(JSON.parse(readFileSync(file, "utf8")));
};
