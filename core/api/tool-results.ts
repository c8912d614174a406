import type { Json } from "../../contract/json.ts";
import type { ToolResult as SubmittedResult } from "../../contract/schemas/tool-results.ts";
import type { Upload } from "../ports/blobs.ts";
import { receiptCall } from "../present/call.ts";
import { required } from "../present/sources.ts";
import { submitResults as decideResults, type ToolResult } from "../session/decide/calls.ts";
import type { SessionState } from "../session/state.ts";
import { changeSession } from "./change-session.ts";
import { checkReceipt } from "./deliverable.ts";
import type { ApiPorts, Operation } from "./operation.ts";

/** post_sessions_session_id_tool_results */
export const submitToolResults: Operation<"post_sessions_session_id_tool_results"> = async (
  ports,
  request,
) => {
  const { projectId, params, body } = request;
  const sessionId = params.session_id;
  const { results, uploads } = stowResults(ports, sessionId, body.results);
  const ids = body.results.map((result) => result.call_id);
  const decide = async (state: SessionState, at: string) => {
    const records = await ports.store.calls(sessionId, [...new Set(ids)]);
    const decision = decideResults(state, { runId: body.run_id, results, records, at });
    if (decision.accepted && decision.events.length > 0)
      await checkReceipt(ports.blobs, body.results.map(outcomeOf), [...records.values()]);
    return decision;
  };
  await changeSession(ports, { projectId, sessionId }, decide, uploads);
  const records = await ports.store.calls(sessionId, ids);
  const calls = await Promise.all(ids.map((id) => receiptCall(ports.blobs, required(records, id))));
  return { status: 200, body: { session_id: sessionId, run_id: body.run_id, calls } };
};

const outcomeOf = (result: SubmittedResult): Json => (result.success ? result.output : result.error);

function stowResults(
  ports: ApiPorts,
  sessionId: string,
  submitted: readonly SubmittedResult[],
): { results: ToolResult[]; uploads: Upload[] } {
  const uploads: Upload[] = [];
  const stow = (value: Json) => {
    const { payload, upload } = ports.blobs.stow(sessionId, value);
    if (upload !== null) uploads.push(upload);
    return payload;
  };
  const results = submitted.map((result): ToolResult => {
    const outcome = result.success ? { output: stow(result.output) } : { error: stow(result.error) };
    return { callId: result.call_id, outcome };
  });
  return { results, uploads };
}
