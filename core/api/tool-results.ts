import type { Json } from "../../contract/json.ts";
import type { ToolResult as SubmittedResult } from "../../contract/schemas/tool-results.ts";
import type { Upload } from "../ports/blobs.ts";
import { timestamp } from "../ports/clock.ts";
import { receiptCall } from "../present/call.ts";
import { required } from "../present/sources.ts";
import { performSoon } from "../run/perform.ts";
import { submitResults as decideResults, type ToolResult } from "../session/decide/calls.ts";
import { refuse } from "../session/decision.ts";
import { effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import { committed } from "./committed.ts";
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
  const handled = await handle(
    ports,
    sessionId,
    async ({ state }) => {
      if (state.projectId !== projectId) return refuse("not_found", "");
      const records = await ports.store.calls(sessionId, [...new Set(ids)]);
      return decideResults(state, { runId: body.run_id, results, records, at: timestamp(ports.clock) });
    },
    uploads,
  );
  const { state } = committed(handled, "session");
  await performSoon(ports, effects(state));
  const records = await ports.store.calls(sessionId, ids);
  const calls = await Promise.all(ids.map((id) => receiptCall(ports.blobs, required(records, id))));
  return { status: 200, body: { session_id: sessionId, run_id: body.run_id, calls } };
};

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
