/**
 * Names of the environment variables that infrastructure sets and handlers read.
 * Imports nothing: both sides must be able to load it.
 */
export const env = {
  /** Name of the one DynamoDB table. */
  table: "STEPYARD_TABLE",
  /** Bucket of bodies too large for an item and of conversation checkpoints. */
  bucket: "STEPYARD_BUCKET",
  /** ARN of the state machine that carries runs. Set where executions are started from outside of it. */
  stateMachine: "STEPYARD_STATE_MACHINE_ARN",
  /** KMS key that seals model keys and MCP headers. */
  kmsKey: "STEPYARD_KMS_KEY_ID",
  /** On the laptop, in place of the KMS key: a file with 32 random bytes, mode 0600. */
  keyFile: "STEPYARD_KEY_FILE",
  /** Seconds an application has to answer a function call. Default 600. */
  toolResultSeconds: "STEPYARD_TOOL_RESULT_SECONDS",
  /** CPU budget of a script in milliseconds. Default 30,000. */
  scriptCpuMs: "STEPYARD_SCRIPT_CPU_MS",
  /** Project that an operator with AWS credentials acts for. */
  operatorProject: "STEPYARD_OPERATOR_PROJECT",
  /** `info` (default) or `warn`. */
  logLevel: "STEPYARD_LOG_LEVEL",
  openaiBaseUrl: "OPENAI_BASE_URL",
  anthropicBaseUrl: "ANTHROPIC_BASE_URL",
} as const;

/** The most that a variable may be, in its own unit. */
export const most = { toolResultSeconds: 604_800, scriptCpuMs: 600_000 } as const;

/** The functions of the stack, by the name of their file in `functions/`. */
export const functionNames = ["api", "stream", "advance", "await", "lost", "fanout", "sweep"] as const;
export type FunctionName = (typeof functionNames)[number];
