/**
 * What the adapters of all providers share: checks, the SDK's client, time limits, and what a failure means.
 */
import type { ModelSpec } from "../../contract/models.ts";
import type {
  Model,
  ModelListener,
  ModelReply,
  ModelRequest,
  ToolDefinition,
} from "../../core/ports/model.ts";
import { type SdkErrors, unwritable } from "./failures.ts";
import { checkedSpec, checkImages } from "./limits.ts";
import type { Locate } from "./objection.ts";
import { type ModelTimeouts, watched } from "./watch.ts";

/** What reading an answer needs to know of its request. */
export type StreamContext = {
  readonly tool: ToolDefinition;
  readonly listener: ModelListener;
  readonly apiKey: string;
};

/** How every client is set up. The rest of an SDK's options keep it from reading the environment and from printing. */
export type ClientOptions = {
  readonly apiKey: string;
  readonly baseURL: string;
  /** Milliseconds until the response headers. */
  readonly timeout: number;
  /** Retries are the turn engine's: it counts them, and waits without compute. */
  readonly maxRetries: 0;
  /** Neither prints nor traces what was said. */
  readonly logLevel: "off";
  readonly fetch: typeof fetch;
};

/** A provider's SDK. */
export type Sdk<Body> = {
  readonly errors: SdkErrors;
  /** Sends a body and gives the events of the answer. */
  send(options: ClientOptions, body: Body, signal: AbortSignal): Promise<AsyncIterable<unknown>>;
};

/** A provider: its wire format and its SDK. */
export type Provider<Body> = {
  readonly baseUrl: string;
  /** The body of a request, and which entry of its transcript a refusal of it names. */
  write(spec: ModelSpec, request: ModelRequest): { readonly body: Body; readonly locate: Locate };
  /** Loads the SDK, which takes a while and most functions never need. */
  load(): Promise<Sdk<Body>>;
  /** Reads the events of an answer. Throws a `ModelFailure` when it is none. */
  read(events: AsyncIterable<unknown>, context: StreamContext): Promise<ModelReply>;
};

/** A `Model` for the models of one provider. */
export function providerModel<Body>(provider: Provider<Body>, timeouts: ModelTimeouts): Model {
  return {
    async generate(request, listener, signal) {
      signal.throwIfAborted();
      const spec = checkedSpec(request);
      const { body, locate } = provider.write(spec, request);
      checkImages(spec, request, body);
      const sdk = await provider.load();
      const { apiKey, tool } = request;
      const { idleMs, answerMs, headersMs } = timeouts;
      return watched({ signal, idleMs, answerMs, apiKey, sdk: sdk.errors, locate }, async (watch) => {
        const options: ClientOptions = {
          apiKey,
          baseURL: provider.baseUrl,
          timeout: headersMs,
          maxRetries: 0,
          logLevel: "off",
          fetch: watch.fetch,
        };
        const events = await sdk.send(options, body, watch.signal).catch((error: unknown) => {
          throw error instanceof RangeError ? unwritable() : error;
        });
        return provider.read(events, { tool, listener, apiKey });
      });
    },
  };
}
