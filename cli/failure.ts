/** What ends a command with exit code 1: one line that says what to do next. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** The name and message of whatever was thrown. */
export function described(error: unknown): { readonly name: string; readonly message: string } {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message.split("\n")[0] ?? "" };
}
