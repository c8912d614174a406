/** Edits of a synthesized template. Each throws when there is nothing to change: a breakage must break. */
import * as z from "zod";
import type { FunctionName } from "../../contract/env.ts";
import { functionMetadata } from "../../lib/definition.ts";

const Resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.json()),
  Metadata: z.looseObject({ [functionMetadata]: z.string().optional() }).optional(),
});
type Resource = z.infer<typeof Resource>;
/** A template that stays what it is where it is not edited. */
export const Editable = z.looseObject({
  Resources: z.record(z.string(), z.union([Resource, z.looseObject({ Type: z.string() })])),
});
export type Editable = z.infer<typeof Editable>;

const Reference = z.object({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) });
const referred = (value: unknown): string | undefined => Reference.safeParse(value).data?.["Fn::GetAtt"][0];

const Policy = z.looseObject({
  Roles: z.array(z.object({ Ref: z.string() })),
  PolicyDocument: z.looseObject({
    Statement: z.array(
      z.looseObject({
        Action: z.union([z.string().transform((action) => [action]), z.array(z.string())]),
        Resource: z.union([z.array(z.json()), z.json().transform((resource) => [resource])]),
      }),
    ),
  }),
});
type Statement = z.infer<typeof Policy>["PolicyDocument"]["Statement"][number];

/** Resources of a type by logical id. */
function ofType(template: Editable, type: string): [string, Resource][] {
  return Object.entries(template.Resources).flatMap(([id, resource]) =>
    resource.Type === type ? [[id, Resource.parse(resource)]] : [],
  );
}

function only(template: Editable, type: string, fits: (resource: Resource) => boolean): [string, Resource] {
  const [found, ...others] = ofType(template, type).filter(([, resource]) => fits(resource));
  if (found === undefined || others.length > 0)
    throw new Error(`${others.length + (found === undefined ? 0 : 1)} resources of ${type} fit, not one`);
  return found;
}

const lambda = (template: Editable, name: FunctionName) =>
  only(template, "AWS::Lambda::Function", ({ Metadata }) => Metadata?.[functionMetadata] === name);

function put(template: Editable, id: string, resource: Resource, properties: Resource["Properties"]): void {
  template.Resources[id] = { ...resource, Properties: { ...resource.Properties, ...properties } };
}

/** Rewrites the statements of a role's policies; those that `edit` leaves without action or resource go. */
function editPolicies(
  template: Editable,
  role: string | undefined,
  edit: (one: Statement) => Statement,
): void {
  let changed = false;
  for (const [id, resource] of ofType(template, "AWS::IAM::Policy")) {
    const { Roles, PolicyDocument } = Policy.parse(resource.Properties);
    if (!Roles.some(({ Ref }) => Ref === role)) continue;
    const edited = PolicyDocument.Statement.map(edit);
    changed ||= JSON.stringify(edited) !== JSON.stringify(PolicyDocument.Statement);
    const Statement = edited.filter(({ Action, Resource }) => Action.length > 0 && Resource.length > 0);
    put(template, id, resource, { PolicyDocument: z.json().parse({ ...PolicyDocument, Statement }) });
  }
  if (!changed) throw new Error(`no policy of ${role} was changed`);
}

/** The function may not do this any more, on any resource. */
export function forbid(template: Editable, name: FunctionName, action: string): void {
  const [, fn] = lambda(template, name);
  editPolicies(template, referred(fn.Properties["Role"]), (statement) => ({
    ...statement,
    Action: statement.Action.filter((allowed) => allowed !== action),
  }));
}

/** The state machine may not invoke the function any more. */
export function forbidMachine(template: Editable, name: FunctionName): void {
  const [id] = lambda(template, name);
  const [, machine] = only(template, "AWS::StepFunctions::StateMachine", () => true);
  editPolicies(template, referred(machine.Properties["RoleArn"]), (statement) => ({
    ...statement,
    Resource: statement.Resource.filter((resource) => referred(resource) !== id),
  }));
}

/** The variable of the function gets another name. */
export function misname(template: Editable, name: FunctionName, variable: string): void {
  const [id, fn] = lambda(template, name);
  const Environment = z.object({ Variables: z.record(z.string(), z.json()) });
  const { [variable]: value, ...others } = Environment.parse(fn.Properties["Environment"]).Variables;
  if (value === undefined) throw new Error(`${name} has no ${variable}`);
  put(template, id, fn, { Environment: { Variables: { ...others, [`${variable}_`]: value } } });
}

/** The one resource of a type whose properties hold the text goes. */
export function remove(template: Editable, type: string, text = ""): void {
  const [id] = only(template, type, ({ Properties }) => JSON.stringify(Properties).includes(text));
  delete template.Resources[id];
}

/** Properties of the one resource of a type, whose properties hold the text, become others. */
export function set(
  template: Editable,
  type: string,
  text: string,
  properties: Resource["Properties"],
): void {
  const [id, resource] = only(template, type, ({ Properties }) => JSON.stringify(Properties).includes(text));
  put(template, id, resource, properties);
}

/** A text that the properties of resources of a type hold becomes another one, wherever it stands. */
export function replace(template: Editable, type: string, from: string, to: string): void {
  let changed = false;
  const edit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(edit);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, edit(inner)]));
    if (typeof value !== "string" || !value.includes(from)) return value;
    changed = true;
    return value.replaceAll(from, to);
  };
  for (const [id, resource] of ofType(template, type))
    put(template, id, resource, z.record(z.string(), z.json()).parse(edit(resource.Properties)));
  if (!changed) throw new Error(`no ${type} holds ${from}`);
}
