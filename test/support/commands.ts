import type { Json } from "../../contract/json.ts";
import {
  expireCalls,
  requestCalls,
  type SubmitResults,
  submitResults,
  type ToolResult,
} from "../../core/session/decide/calls.ts";
import {
  archive as archiveSession,
  settlePause as pauseNow,
  requestPause,
  requestStop,
  resume as resumeSession,
  settleStop as stopNow,
} from "../../core/session/decide/controls.ts";
import { createSession } from "../../core/session/decide/create.ts";
import { placeOf } from "../../core/session/decide/current.ts";
import {
  applyInputs,
  continueRun,
  endScript,
  park as parkRun,
  type RecordAnswer,
  type RecordCompaction,
  recordAnswer,
  recordCompaction,
  recordRepair,
  recordRetry,
} from "../../core/session/decide/engine.ts";
import { cancelInput, type NewInput, sendInput } from "../../core/session/decide/inputs.ts";
import { failRun, loseExecution } from "../../core/session/decide/runs.ts";
import type { Repair } from "../../core/session/events.ts";
import type { Payload } from "../../core/session/payload.ts";
import type { Usage } from "../../core/session/state.ts";
import { emptyRecords, withChanges } from "./records.ts";
import { type Command, moment, type Past, pastOf } from "./specification.ts";

export const SESSION = "ses_spec";
export const PROJECT = "prj_spec";
/** Seconds that an application has for a call. */
export const DEADLINE_SECONDS = 600;

export const inline = (value: Json): Payload => ({ inline: value });
export const userText = (text: string): Payload => inline([{ type: "text", text }]);

const newInput = (mode: NewInput["mode"], effort: NewInput["effort"]): NewInput => ({
  mode,
  effort,
  content: userText(`a ${mode} input`),
});

/** A session just created, with a first input where a mode is given. */
export function created(mode: NewInput["mode"] | null = null): Past {
  const decision = createSession({
    sessionId: SESSION,
    projectId: PROJECT,
    input: mode === null ? null : newInput(mode, "medium"),
    at: moment(0),
  });
  return { ...pastOf(decision.events), records: withChanges(emptyRecords, decision.changes) };
}

export const steer =
  (effort: NewInput["effort"] = "medium"): Command =>
  ({ state }, at) =>
    sendInput(state, newInput("steer", effort), at);

export const queue =
  (effort: NewInput["effort"] = "medium"): Command =>
  ({ state }, at) =>
    sendInput(state, newInput("queue", effort), at);

/** The active run's id; one that no session has where there is none. */
export const activeRun = ({ state }: Past): string => state.run?.id ?? "run_none";

/** Where the active run stands; a place of no run where there is none. */
export const placeIn = ({ state }: Past): string => (state.run === null ? "nowhere" : placeOf(state.run));

export const apply =
  (runId?: string): Command =>
  (past, at) =>
    applyInputs(past.state, runId ?? activeRun(past), at);

const noTokens = { input: 0, output: 0, cached: 0 };

/** Records an answer: with so many scripts, and public text unless `content` says otherwise. */
export const answer =
  (scripts = 0, rest: Partial<RecordAnswer> = {}): Command =>
  (past, at) =>
    recordAnswer(past.state, {
      place: placeIn(past),
      attempt: 0,
      content: inline([{ type: "text", text: "an answer" }]),
      lastDeltaIndex: -1,
      answer: inline({ native: [], scripts: [] }),
      scripts,
      cut: false,
      usage: noTokens,
      checkpoint: null,
      at,
      ...rest,
    });

/** Records a compaction of the conversation's first entry. */
export const compact =
  (rest: Partial<RecordCompaction> = {}): Command =>
  (past, at) =>
    recordCompaction(past.state, {
      place: placeIn(past),
      summary: inline("a summary"),
      replaces: 1,
      longest: null,
      usage: noTokens,
      at,
      ...rest,
    });

/** Records a repair of the conversation. */
export const repair =
  (plan: Repair = { kind: "unsealed", entries: 1 }, place?: string): Command =>
  (past, at) =>
    recordRepair(past.state, place ?? placeIn(past), plan, at);

export const retry =
  (failures: number, place?: string): Command =>
  (past, at) =>
    recordRetry(past.state, place ?? placeIn(past), { failures, notBefore: at }, at);

/** The running script calls so many functions at once. */
export const request =
  (count = 1, place?: string): Command =>
  (past, at) => {
    const turn = past.state.run?.turn;
    const before = turn?.at === "script" ? turn.calls : 0;
    return requestCalls(past.state, {
      place: place ?? placeIn(past),
      calls: Array.from({ length: count }, (_, index) => ({
        tool: "get_customer",
        ordinal: before + index,
        arguments: inline({ customer_id: `c${before + index}` }),
      })),
      at,
      answerMs: DEADLINE_SECONDS * 1_000,
    });
  };

/** The running script ends. */
export const end =
  (rest: { readonly place?: string; readonly memory?: Payload } = {}): Command =>
  (past, at) =>
    endScript(past.state, {
      place: rest.place ?? placeIn(past),
      scriptId: "script",
      output: inline("printed"),
      failed: false,
      memory: rest.memory ?? null,
      at,
    });

/** Id of the session's n-th call, counted from 0 over all its runs. */
export function callId(past: Past, index: number): string {
  const requested = past.events.filter((event) => event.type === "tool.requested")[index];
  return requested?.callId ?? "call_none";
}

/** A result for the n-th call of the session. */
export type Result = (past: Past) => ToolResult;
export const ok =
  (index: number, output: Json = { name: "Ann" }): Result =>
  (past) => ({ callId: callId(past, index), outcome: { output: inline(output) } });
export const failed =
  (index: number, message = "there is no such customer"): Result =>
  (past) => ({ callId: callId(past, index), outcome: { error: inline({ code: "not_there", message }) } });
export const resultFor =
  (id: string): Result =>
  () => ({ callId: id, outcome: { output: inline(null) } });

export const submit =
  (...results: readonly Result[]): Command =>
  (past, at) =>
    submitTo(activeRun(past), ...results)(past, at);

/** The same with the run_id of the request given. */
export const submitTo =
  (runId: string, ...results: readonly Result[]): Command =>
  (past, at) => {
    const named = results.map((result) => result(past));
    const records: SubmitResults["records"] = past.records.call;
    return submitResults(past.state, { runId, results: named, records, at });
  };

export const expire =
  (): Command =>
  ({ state }, at) =>
    expireCalls(state, at);

export const fail =
  (code = "model_error", place?: string, usage: Usage = noTokens): Command =>
  (past, at) =>
    failRun(past.state, {
      place: place ?? placeIn(past),
      error: { code, message: "the model is gone" },
      repair: null,
      usage,
      at,
    });

export const lose =
  (leg = 1, runId?: string): Command =>
  (past, at) =>
    loseExecution(past.state, runId ?? activeRun(past), leg, at);

export const park =
  (token = "token", rest: { readonly seen?: number; readonly leg?: number } = {}): Command =>
  (past, at) =>
    parkRun(past.state, {
      runId: activeRun(past),
      leg: rest.leg ?? past.state.run?.leg ?? 1,
      token,
      seen: rest.seen ?? past.state.sequence,
      at,
    });

export const nextLeg =
  (leg?: number): Command =>
  (past, at) =>
    continueRun(past.state, activeRun(past), leg ?? (past.state.run?.leg ?? 0) + 1, at);

/** Frequent beginnings. */
export const begun: readonly Command[] = [apply()];
export const scripting = (scripts = 1): readonly Command[] => [apply(), answer(scripts)];
export const waiting = (calls = 1): readonly Command[] => [...scripting(), request(calls)];

/** Stops a run; the active one unless another is named. */
export const stop =
  (runId?: string): Command =>
  (past, at) => {
    const named = runId ?? activeRun(past);
    return requestStop(past.state, { runId: named, ended: past.records.run.has(named), at });
  };

export const pause =
  (): Command =>
  ({ state }, at) =>
    requestPause(state, at);

export const resume =
  (): Command =>
  ({ state }, at) =>
    resumeSession(state, at);

export const archive =
  (): Command =>
  ({ state }, at) =>
    archiveSession(state, at);

/** The engine has reached a boundary of a run that is to be stopped, or of a session that is to pause. */
export const settleStop = (): Command => (past, at) => stopNow(past.state, activeRun(past), at);
export const settlePause = (): Command => (past, at) => pauseNow(past.state, activeRun(past), at);

/** Cancels the n-th accepted input of the session, counted from 0. */
export const cancel =
  (index: number): Command =>
  (past, at) => {
    const accepted = past.events.filter((event) => event.type === "input.accepted")[index];
    const inputId = accepted?.inputId ?? "inp_none";
    return cancelInput(past.state, { inputId, record: past.records.input.get(inputId) ?? null, at });
  };
