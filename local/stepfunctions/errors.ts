/** An error of the Step Functions API. `code` is AWS's name of it, which the SDK turns into its typed exception. */
export class ApiError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "ApiError";
    this.code = code;
  }
}

/** A definition that cannot be run here. The message names the state and the field. */
export class DefinitionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DefinitionError";
  }
}

/** A JSONata expression that failed or returned nothing. `location` is the field, such as `Output/a[0]`. */
export class EvaluationError extends Error {
  readonly location: string;
  constructor(location: string, message: string) {
    super(message);
    this.name = "EvaluationError";
    this.location = location;
  }
}

/** A failed state: `error` and `cause` as Retry, Catch and the failed execution see them. */
export class StateFailure extends Error {
  readonly error: string;
  readonly failureCause: string | undefined;
  /** Further names that Retry and Catch may know this failure by. */
  readonly aliases: readonly string[];
  constructor(error: string, cause?: string, aliases: readonly string[] = []) {
    super(cause === undefined ? error : `${error}: ${cause}`);
    this.name = "StateFailure";
    this.error = error;
    this.failureCause = cause;
    this.aliases = aliases;
  }
}

/** The execution has no room for one more event beside the one that ends it. */
export class HistoryFull extends Error {
  constructor() {
    super("The execution reached the maximum number of history events (25000).");
    this.name = "HistoryFull";
  }
}

/** What a thrown value says, for messages. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  if (typeof thrown === "object" && thrown !== null && "message" in thrown) return String(thrown.message);
  return String(thrown);
}
