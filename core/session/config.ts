import * as z from "zod";
import { Payload } from "./payload.ts";

/** What a session fixes at creation: stored once, joined on read. */
export const SessionConfig = z.strictObject({
  title: z.string().nullable(),
  agent: z.strictObject({ id: z.string(), version: z.int().positive() }),
  /** An `AgentConfig` of the reference. */
  agentConfig: Payload,
  model: z.string(),
  environment: z.json(),
  connections: z.json(),
  subjectId: z.string(),
});
export type SessionConfig = z.infer<typeof SessionConfig>;
