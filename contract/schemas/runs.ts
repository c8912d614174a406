/** Runs: one execution of the agent, begun by one input. */
import * as z from "zod";
import { FileId, InputId, MessageId, pageOf, RunId, SessionId, Timestamp } from "./common.ts";
import { Content } from "./content.ts";
import { having, none, withRules } from "./rules.ts";

export const RunStatus = z.enum([
  "running",
  "waiting_for_tools",
  "interrupted",
  "stopping",
  "completed",
  "failed",
  "stopped",
]);
export type RunStatus = z.infer<typeof RunStatus>;

export const AssistantMessage = z
  .strictObject({
    id: MessageId,
    role: z.literal("assistant"),
    content: z.array(Content).min(1),
    created_at: Timestamp,
  })
  .describe("A whole message of the agent.");
export type AssistantMessage = z.infer<typeof AssistantMessage>;

export const RunFailure = z
  .strictObject({ code: z.string().min(1), message: z.string().min(1) })
  .describe("Why a run or a tool call failed, free of secrets.");
export type RunFailure = z.infer<typeof RunFailure>;

const noOutputs = { output_file_ids: none };

export const Run = withRules(
  z
    .strictObject({
      id: RunId,
      session_id: SessionId,
      status: RunStatus.describe("The first four are active; completed, failed and stopped are final."),
      initial_input_id: InputId,
      applied_input_ids: z.array(InputId),
      messages: z.array(AssistantMessage),
      output_file_ids: z.array(FileId).describe("Files saved when it completed and not deleted since."),
      error: RunFailure.nullable(),
      started_at: Timestamp,
      ended_at: Timestamp.nullable(),
    })
    .describe("One execution of the agent: its progress, messages and outcome."),
  {
    oneOf: [
      having({
        status: z.enum(["running", "waiting_for_tools", "stopping"]),
        ended_at: z.null(),
        ...noOutputs,
      }),
      having({ status: z.literal("interrupted"), ended_at: z.null(), error: RunFailure, ...noOutputs }),
      having({ status: z.literal("completed"), ended_at: Timestamp }),
      having({ status: z.literal("failed"), ended_at: Timestamp, error: RunFailure, ...noOutputs }),
      having({ status: z.literal("stopped"), ended_at: Timestamp, ...noOutputs }),
    ],
  },
  "status does not fit ended_at, error or output_file_ids.",
);
export type Run = z.infer<typeof Run>;

export const StopRun = z
  .strictObject({ run_id: RunId })
  .describe("Which run to stop, so that a repeated request cannot hit a later one.");
export type StopRun = z.infer<typeof StopRun>;

export const RunList = pageOf(Run).describe("A page of runs.");
export type RunList = z.infer<typeof RunList>;
