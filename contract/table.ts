/**
 * Keys of the one table, spelled once for infrastructure, adapters and the laptop.
 *
 * pk                              sk                        what
 * SES#<session>                   HEAD                      live state and version
 *                                 CONFIG                    what never changes
 *                                 LOG#<sequence>#<version>  the events of one commit
 *                                 INPUT#<sequence>          an input
 *                                 RUN#<sequence>            a run that has ended
 *                                 CALL#<sequence>           a tool call
 *                                 MESSAGE#<run>#<number>    an assistant message
 *                                 LOG#~PREVIEW              text being generated (short-lived)
 *                                 WATCH                     somebody watches (short-lived)
 *                                 DELETED                   all that is left of a deleted session, until it is erased
 *                                 RECEIPT#<sha256>          the answer to an input with an Idempotency-Key (short-lived)
 * PRJ#<project>                   AGENT#<agent>             an agent
 *                                 AGENTV#<agent>#<version>  one of its versions
 *                                 MKEY#<model key>          a model API key, sealed
 *                                 APIKEY#<api key>          a project API key as its project lists it
 *                                 SESSION#<session>         the project's list of sessions
 * PRJ#<project>#SUB#<subject>     SESSION#<session>         the same by subject
 * KEY#<sha256 of the secret>      KEY                       the project of a project API key
 * RECEIPT#<sha256>                RECEIPT#                  the answer to a creation with an Idempotency-Key (short-lived)
 */
export const keyAttributes = { partition: "pk", sort: "sk", ttl: "ttl" } as const;

/** Sparse index of sessions that the sweep has to look at, by when: what may be overdue, and what only waits. */
export const dueIndex = {
  name: "due",
  partition: "due",
  sort: "dueAt",
  shards: 8,
  lanes: { soon: "DUE", rest: "REST" },
} as const;

const digits = (n: number, width: number): string => String(n).padStart(width, "0");

export const partition = {
  session: (sessionId: string) => `SES#${sessionId}`,
  project: (projectId: string) => `PRJ#${projectId}`,
  subject: (projectId: string, subjectId: string) => `PRJ#${projectId}#SUB#${subjectId}`,
  apiKey: (secretSha256: string) => `KEY#${secretSha256}`,
  receipt: (sha256: string) => `RECEIPT#${sha256}`,
} as const;

export const sort = {
  head: "HEAD",
  config: "CONFIG",
  /** Sorts right behind the log, so that one query reads both. */
  preview: "LOG#~PREVIEW",
  watch: "WATCH",
  deleted: "DELETED",
  apiKey: "KEY",
  receipt: (sha256: string) => `RECEIPT#${sha256}`,
  /** Sorts commits by the last sequence they reach, then by version: everything after sequence n is `> logAfter(n)`. */
  log: (lastSequence: number, version: number) => `LOG#${digits(lastSequence, 10)}#${digits(version, 10)}`,
  logAfter: (sequence: number) => `LOG#${digits(sequence, 10)}#~`,
  logEnd: "LOG#~",
  input: (sequence: number) => `INPUT#${digits(sequence, 10)}`,
  run: (sequence: number) => `RUN#${digits(sequence, 10)}`,
  call: (sequence: number) => `CALL#${digits(sequence, 10)}`,
  message: (runSequence: number, number: number) => `MESSAGE#${digits(runSequence, 10)}#${digits(number, 8)}`,
  agent: (agentId: string) => `AGENT#${agentId}`,
  agentVersion: (agentId: string, version: number) => `AGENTV#${agentId}#${digits(version, 10)}`,
  modelKey: (keyId: string) => `MKEY#${keyId}`,
  projectApiKey: (keyId: string) => `APIKEY#${keyId}`,
  session: (sessionId: string) => `SESSION#${sessionId}`,
} as const;

/** Answers to requests with an Idempotency-Key: the bucket forgets them by itself. */
export const answersPrefix = "answers/";

/** S3 keys. Everything of a session lies under one prefix, so that deleting the session is deleting the prefix. */
export const blobKey = {
  session: (sessionId: string) => `sessions/${sessionId}/`,
  body: (sessionId: string, sha256: string) => `sessions/${sessionId}/bodies/${sha256}`,
  transcript: (sessionId: string, version: number) =>
    `sessions/${sessionId}/transcript/${digits(version, 10)}`,
  agentConfig: (projectId: string, sha256: string) => `projects/${projectId}/configs/${sha256}`,
  answer: (projectId: string, sha256: string) => `${answersPrefix}${projectId}/${sha256}`,
} as const;
