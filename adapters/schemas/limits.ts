/** What the checks of one request may use. */
export const limits = {
  /** CPU time of all checks together. A normal one takes a fraction of a millisecond, a new schema a few. */
  cpuMs: 2_000,
  /** However busy the machine is: this many times the CPU time. */
  patience: 10,
  /** JavaScript's part of the memory. A process whose heap is full aborts. */
  heapMb: 160,
  /** Memory of the whole process, regular expressions included. It has about 70 when it begins. */
  memoryMb: 360,
  /** A process that has grown to this size is not used again: what is left in it is not the next one's to pay. */
  spentMb: 200,
  /** In KB, of the 8 MB that a process has: the compiler recurses through a schema. */
  stackKb: 3_900,
  /** Requests that are checked at the same time; others wait for their turn. */
  processes: 4,
  /** What a process keeps compiled, by the size of the schemas. */
  compiledChars: 1_048_576,
  problemChars: 300,
} as const;
