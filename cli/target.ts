import { laptop } from "../contract/laptop.ts";
import type { Options } from "./options.ts";

/** A request of the API as it is sent; `headers` in lower case. */
export type Outgoing = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** Where operators' requests go, and what makes them acceptable there. */
export type Target = {
  /** Ends in `/v1`. */
  readonly url: string;
  /** The same stack's address for backends, which have a project's key. */
  readonly baseUrl: string;
  readonly authorize: (request: Outgoing) => Promise<Readonly<Record<string, string>>>;
  /** What to do when nobody answers at the address, or with 401 or 403. */
  readonly advice: {
    readonly unreachable: string;
    readonly unauthorized: string;
    readonly forbidden: string;
  };
};

/** @throws {Failure} when the stack or its region is not found. */
export async function targetOf(options: Options): Promise<Target> {
  if (options.local) return onThisMachine(options.port);
  // The SDK is loaded only where it is needed: it takes longer than all the rest.
  const { onAws } = await import("./aws.ts");
  return onAws(options);
}

function onThisMachine(port: number): Target {
  const url = `http://127.0.0.1:${port}/v1`;
  const foreign = `Is it another program's port? Choose that of npm start with --port.`;
  return {
    url,
    baseUrl: url,
    authorize: async ({ headers }) => ({ ...headers, authorization: `Bearer ${laptop.dashboard}` }),
    advice: {
      unreachable: "Start the stack with npm start, or say where it is with --port.",
      unauthorized: foreign,
      forbidden: foreign,
    },
  };
}
