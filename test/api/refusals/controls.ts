/** Refusals of what controls a session, and of inputs' cancellation. */
import { badBodies, type Case, changed } from "./case.ts";
import type { World } from "./world.ts";

const stopping = (code: Case["code"], what: string, run: (world: World) => string): Case =>
  changed("post_sessions_session_id_stop", code, what, (world) => ({ body: { run_id: run(world) } }));

const cancelling = (code: Case["code"], what: string, input: (world: World) => string): Case =>
  changed("delete_sessions_session_id_inputs_input_id", code, what, (world) => ({
    params: { session_id: world.session, input_id: input(world) },
  }));

const ofArchived = ({ archived }: World) => ({ params: { session_id: archived } });
const input = (mode: string) => ({ mode, content: [{ type: "text", text: "Hello" }] });

export const controlCases: readonly Case[] = [
  ...badBodies("post_sessions_session_id_stop", {
    "no run": { run_id: undefined },
    "a malformed run id": { run_id: "ses_1" },
    "an unknown key": { force: true },
  }),
  stopping("run_not_active", "a run that never was", ({ endedRun }) =>
    endedRun.replace(/\d{10}$/, "9999999999"),
  ),
  stopping("not_found", "another session's run", () => "run_01ARZ3NDEKTSV4RRFFQ69G5FAV0000000001"),
  stopping("not_found", "another project's run", ({ other }) => other.activeRun),
  stopping("not_found", "an endless run id", () => `run_${"9".repeat(3_000)}`),
  changed("post_sessions_session_id_pause", "session_archived", "an archived session", ofArchived),
  changed("post_sessions_session_id_resume", "session_archived", "an archived session", ofArchived),
  ...["steer", "queue"].map((mode) =>
    changed(
      "post_sessions_session_id_inputs",
      "session_archived",
      `${mode} in an archived session`,
      (world) => ({
        ...ofArchived(world),
        body: input(mode),
      }),
    ),
  ),
  changed(
    "post_sessions_session_id_archive",
    "session_active",
    "a session whose run waits",
    ({ session }) => ({
      params: { session_id: session },
    }),
  ),
  cancelling("input_not_queued", "an input that a run has applied", ({ input: applied }) => applied),
  cancelling("not_found", "an input that never was", () => "inp_01ARZ3NDEKTSV4RRFFQ69G5FAV0000000001"),
  cancelling("not_found", "another project's input", ({ other }) => other.input),
];
