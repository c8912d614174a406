/** Refusals of tool results. */
import { badBodies, type Case, changed, nested } from "./case.ts";
import { settledOutput, type World } from "./world.ts";

const operation = "post_sessions_session_id_tool_results";
const success = (call_id: string, output: unknown = null) => ({ call_id, success: true, output });
const failure = (call_id: string, error: unknown = { code: "gone", message: "It is gone." }) => ({
  call_id,
  success: false,
  error,
});
const one = { results: [success("call_1")] };
const only = (result: object) => ({ results: [result] });

const badResults: Readonly<Record<string, object>> = {
  "no run": { run_id: undefined },
  "a malformed run id": { run_id: "ses_1" },
  "no results": { results: undefined },
  "an empty batch": { results: [] },
  "results that are an object": { results: one },
  "no call": only({ success: true, output: 1 }),
  "a malformed call id": only(success("tool_1")),
  "neither success nor failure": only({ call_id: "call_1", output: 1 }),
  "success as a text": only({ call_id: "call_1", success: "true", output: 1 }),
  "success without output": only({ call_id: "call_1", success: true }),
  "success with an error": only({ ...success("call_1"), error: { code: "a", message: "b" } }),
  "failure with an output": only({ ...failure("call_1"), output: 1 }),
  "failure without an error": only({ call_id: "call_1", success: false }),
  "an error without a message": only(failure("call_1", { code: "gone" })),
  "an error with an empty code": only(failure("call_1", { code: "", message: "Gone." })),
  "an error with more": only(failure("call_1", { code: "a", message: "b", stack: "c" })),
  "an unknown key in a result": only({ ...success("call_1"), note: "x" }),
  "NUL in an output": only(success("call_1", { deep: ["a\0"] })),
  "NUL in a key of an output": only(success("call_1", { "a\0": 1 })),
  "NUL in an error": only(failure("call_1", { code: "a", message: "\0" })),
  "an output of 250 levels": only(success("call_1", nested(250))),
  "one wrong result of two": { results: [success("call_1"), success("tool_2")] },
};

type Results = (world: World) => readonly object[];

function submitting(
  code: Case["code"],
  what: string,
  run: (world: World) => string,
  results: Results,
  session: (world: World) => string = (world) => world.session,
): Case {
  return changed(operation, code, what, (world) => ({
    params: { session_id: session(world) },
    body: { run_id: run(world), results: results(world) },
  }));
}

const pending = ({ pendingCall }: World) => success(pendingCall, "fresh");
const active = ({ activeRun }: World) => activeRun;
const ended = ({ endedRun }: World) => endedRun;
const nothing = "call_01ARZ3NDEKTSV4RRFFQ69G5FAV";

const otherOutputs: Readonly<Record<string, unknown>> = {
  "another output": { ...settledOutput, name: "Bob" },
  "an output with another order": { ...settledOutput, tags: ["b", "a"] },
  "an output without a null": { name: settledOutput.name, tags: settledOutput.tags },
  "an output with more": { ...settledOutput, more: 1 },
  "a large output": "x".repeat(100_000),
};

export const workCases: readonly Case[] = [
  ...badBodies(operation, badResults),
  submitting("duplicate_call_id", "one call twice", active, (w) => [pending(w), pending(w)]),
  submitting("duplicate_call_id", "one call twice, once failed", active, (w) => [
    pending(w),
    failure(w.pendingCall),
  ]),
  submitting("not_found", "a call that never was", active, () => [success(nothing)]),
  submitting("not_found", "a call that never was and one that is", active, (w) => [
    pending(w),
    success(nothing),
  ]),
  submitting("not_found", "an endless call id", active, () => [success(`call_${"9".repeat(3_000)}`)]),
  submitting("not_found", "another project's call", active, ({ other }) => [success(other.pendingCall)]),
  submitting("not_found", "another session's call", active, pendingAlone, ({ idle }) => idle),
  submitting("not_found", "the id of a run as a call", active, ({ activeRun }) => [
    success(activeRun.replace("run_", "call_")),
  ]),
  submitting("tool_call_run_mismatch", "a call of the later run", ended, pendingAlone),
  submitting("tool_call_run_mismatch", "a call of the earlier run", active, ({ settledCall }) => [
    success(settledCall, settledOutput),
  ]),
  submitting("tool_call_run_mismatch", "another project's run", ({ other }) => other.activeRun, pendingAlone),
  submitting("tool_call_run_mismatch", "a good call and one of another run", active, (w) => [
    pending(w),
    success(w.settledCall, settledOutput),
  ]),
  // Of two things wrong with a batch, the one that the reference names first.
  submitting("duplicate_call_id", "a call that never was, twice", active, () => [
    success(nothing),
    success(nothing),
  ]),
  submitting("duplicate_call_id", "two results for a call that has one", ended, ({ settledCall }) => [
    success(settledCall, settledOutput),
    success(settledCall, "another"),
  ]),
  submitting("not_found", "a call of another run and one that never was", active, ({ settledCall }) => [
    success(settledCall, settledOutput),
    success(nothing),
  ]),
  submitting("tool_call_run_mismatch", "another output and a call of another run", ended, (w) => [
    success(w.settledCall, "another"),
    pending(w),
  ]),
  ...Object.entries(otherOutputs).map(([what, output]) =>
    submitting("tool_result_conflict", what, ended, ({ settledCall }) => [success(settledCall, output)]),
  ),
  submitting("tool_result_conflict", "a failure after success", ended, ({ settledCall }) => [
    failure(settledCall),
  ]),
  {
    ...submitting(
      "tool_call_not_pending",
      "a result for a cancelled call",
      ({ cancelled }) => cancelled?.run ?? "",
      ({ cancelled }) => [success(cancelled?.call ?? "")],
      ({ cancelled }) => cancelled?.session ?? "",
    ),
    laptopOnly: true,
  },
];

function pendingAlone(world: World): object[] {
  return [pending(world)];
}
