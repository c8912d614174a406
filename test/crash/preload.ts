/**
 * Loaded into the stack's process before anything else. It stands where the stack's parts reach each other:
 * requests to DynamoDB, S3, Step Functions and the model, and invocations of functions (those of the table's
 * stream too). There it ends the process as a power cut does, or does the step twice. Reads are passed over.
 */
import { isMainThread } from "node:worker_threads";
import * as z from "zod";
import { standAtInvocations } from "./invocations.ts";
import { standAtRequests } from "./outgoing.ts";
import { manners, moments, type Plan, planVariable } from "./points.ts";
import { createStand } from "./stand.ts";

const step = z.string();
const PlanShape = z.union([
  z.strictObject({ record: z.string() }),
  z.strictObject({ kill: z.strictObject({ step, nth: z.int().positive(), when: z.enum(moments) }) }),
  z.strictObject({ double: z.strictObject({ step, manner: z.enum(manners) }) }),
]) satisfies z.ZodType<Plan>;

const given = process.env[planVariable];
if (isMainThread && given !== undefined) {
  const stand = createStand(PlanShape.parse(JSON.parse(given)));
  standAtInvocations(stand);
  standAtRequests(stand);
}
