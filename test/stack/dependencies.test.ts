import { describe, expect, it } from "vitest";
import * as z from "zod";
import { parseTemplate, type Template } from "../../lib/template.ts";
import { templateUnderTest } from "./template-under-test.ts";

const attributeSchema = z.object({ "Fn::GetAtt": z.tuple([z.string(), z.unknown()]) });
const referenceSchema = z.object({ Ref: z.string() });
const substitutionSchema = z.object({
  "Fn::Sub": z.union([z.string(), z.tuple([z.string(), z.unknown()]).transform(([text]) => text)]),
});

const substituted = (text = ""): readonly string[] =>
  [...text.matchAll(/\$\{(\w+)/g)].flatMap(([, id]) => (id === undefined ? [] : [id]));

/** Logical ids that a value refers to, through any of CloudFormation's ways. */
const references = (value: unknown): readonly string[] => {
  if (typeof value !== "object" || value === null) return [];
  const own = [
    attributeSchema.safeParse(value).data?.["Fn::GetAtt"][0],
    referenceSchema.safeParse(value).data?.Ref,
    ...substituted(substitutionSchema.safeParse(value).data?.["Fn::Sub"]),
  ].filter((id) => id !== undefined);
  return [...own, ...Object.values(value).flatMap(references)];
};

const edges = (template: Template): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(template.Resources).map(([id, { DependsOn, Properties }]) => [
      id,
      [...DependsOn, ...references(Properties)].filter((other) => other in template.Resources),
    ]),
  );

/** The first circle of resources that wait for each other, or none. */
const findCycle = (template: Template): readonly string[] | undefined => {
  const graph = edges(template);
  const done = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (done.has(id)) return undefined;
    for (const next of graph.get(id) ?? []) {
      const cycle = visit(next, [...path, id]);
      if (cycle !== undefined) return cycle;
    }
    done.add(id);
    return undefined;
  };
  for (const id of graph.keys()) {
    const cycle = visit(id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
};

describe("dependencies", () => {
  it("form no circle, which only a deployment would notice", async () => {
    expect(findCycle(await templateUnderTest())).toBeUndefined();
  });

  it("are followed through every way to refer to a resource", () => {
    const template = parseTemplate({
      Resources: {
        A: { Type: "T", Properties: { x: [{ Ref: "B" }] } },
        B: { Type: "T", Properties: { y: { "Fn::Join": ["", [{ "Fn::GetAtt": ["C", "Arn"] }]] } } },
        C: { Type: "T", Properties: { z: { "Fn::Sub": `arn:\${AWS::Region}:\${D.Arn}` } } },
        D: { Type: "T", DependsOn: "A" },
      },
    });
    expect(findCycle(template)).toEqual(["A", "B", "C", "D", "A"]);
  });
});
