import type { RunUsage } from "../../contract/schemas/usage.ts";
import type { RunRecord } from "../session/records.ts";
import type { ActiveRun } from "../session/state.ts";
import type { Operation } from "./operation.ts";
import { pageOf } from "./page.ts";
import { runsOf } from "./runs.ts";

/** get_sessions_session_id_usage: what each run used, in the order of the runs. */
export const listUsage: Operation<"get_sessions_session_id_usage"> = async (ports, request) => {
  const { scope, found, place } = await runsOf(ports, "get_sessions_session_id_usage", request);
  return { status: 200, body: await pageOf(scope, found, { place, present: (runs) => runs.map(present) }) };
};

const present = ({ id, usage }: RunRecord | ActiveRun): RunUsage => ({
  run_id: id,
  input_tokens: usage?.input ?? 0,
  cached_input_tokens: usage?.cached ?? 0,
  output_tokens: usage?.output ?? 0,
});
