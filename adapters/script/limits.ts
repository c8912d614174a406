/** What one script may use. Sizes in characters are UTF-16 code units, as `String.length` counts them. */
export const limits = {
  /** Scripts that run at the same time in one process; others wait in line. Each has a thread and its memory. */
  scriptsAtOnce: 8,
  /** 32 MiB of WebAssembly memory in pages of 64 KiB. About 28 MiB are left for the script's values. */
  memoryPages: 512,
  /** The interpreter's own stack. The thread below it has `threadStackMb`. */
  stackBytes: 256 * 1024,
  threadStackMb: 8,
  /** The worker's JavaScript heap: holds JSON text on its way in or out. */
  threadHeapMb: 128,
  /** Printed lines and the returned value together, the note that they were cut included. */
  outputChars: 65_536,
  /** One stored value as JSON. */
  valueChars: 262_144,
  /** All stored keys and values of a session. */
  memoryChars: 1_048_576,
  /** The arguments of all calls of one script, as JSON. */
  argumentChars: 8 * 1_048_576,
  /** Values in them, each item of an array and each property of an object: what reads them on the way pays by those. */
  argumentValues: 500_000,
  /** Calls that wait for their settlement at one time. */
  waitingCalls: 1_000,
  /** Longest tool name that becomes a call. */
  toolNameChars: 256,
  /** Arrays and objects in each other, in arguments and stored values. */
  depth: 128,
  /** The message of a failed script. */
  messageChars: 2_000,
} as const;
