import * as z from "zod";
import { JsonValue } from "../../contract/schemas/common.ts";
import { Payload } from "./payload.ts";

/** What a session fixes at creation: stored once, joined on read. */
export const SessionConfig = z.strictObject({
  projectId: z.string(),
  title: z.string().nullable(),
  agent: z.strictObject({ id: z.string(), version: z.int().positive() }),
  /** An `AgentConfig` of the reference. */
  agentConfig: Payload,
  model: z.string(),
  environment: JsonValue,
  connections: JsonValue,
  subjectId: z.string(),
});
export type SessionConfig = z.infer<typeof SessionConfig>;
