/**
 * What a scripted model sees and what it answers, the same for both providers.
 */
import type { Seals } from "./seals.ts";

export type Provider = "openai" | "anthropic";

/** One turn of the conversation as the request holds it. */
export type Turn =
  | { readonly type: "user"; readonly text: string; readonly images: number }
  | { readonly type: "assistant"; readonly text: string }
  /** A script the model asked for; null when the call had no usable source. */
  | { readonly type: "script"; readonly id: string; readonly source: string | null }
  | { readonly type: "output"; readonly id: string; readonly output: string; readonly failed: boolean };

export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
};

export type ModelCall = {
  readonly provider: Provider;
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly turns: readonly Turn[];
  /** Text of the last user turn; empty when there is none. */
  readonly lastUserText: string;
  /** The outputs that came after the model's last answer. */
  readonly lastScriptOutputs: readonly string[];
  /** How often this very body has been received, this time included. */
  readonly attempt: number;
  /** The request as it was received, parsed. */
  readonly body: unknown;
  /** True when the request asks for reasoning; otherwise `Answer.reasoning` is not sent. */
  readonly reasoning: boolean;
};

/** Pieces a text is sent in: cut every so many UTF-16 units, even in the middle of a character. */
type Pace = {
  /** Number of pieces of each text. Default 4. */
  readonly chunks?: number;
  /** Milliseconds before each piece. Default 0. */
  readonly chunkMs?: number;
};

export type Answer = Pace & {
  /** Public text, one block each. */
  readonly text?: string | readonly string[];
  /** Sources of scripts to run. */
  readonly scripts?: readonly string[];
  /** Private reasoning. */
  readonly reasoning?: string;
  /** Tool calls as a broken model makes them: any id, any name, any arguments. They follow `scripts`. */
  readonly calls?: readonly { readonly id?: string; readonly name?: string; readonly arguments: string }[];
  /** Why the answer ends. `length`: the output limit was reached; `refusal`: declined for safety. */
  readonly stop?: "length" | "refusal" | "content_filter";
  /** The provider's own word for the end in place of `stop`'s: `stop_reason`, or the reason of an incomplete response. */
  readonly stopReason?: string;
  /** What is streamed, as it is, in place of the events that are made of the rest, or what becomes of those. */
  readonly events?: readonly RawEvent[] | ((made: readonly RawEvent[]) => readonly RawEvent[]);
};

/** An event of the stream as a server of another release may send it: any name, any data. */
export type RawEvent = { readonly event: string; readonly data: object };

type ErrorBody = {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** What of the request is wrong; only OpenAI says so. */
  readonly param?: string;
};

export type Reply =
  | Answer
  /** An error instead of an answer; `body` replaces the provider's JSON. */
  | {
      readonly httpError: ErrorBody & {
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: string;
      };
    }
  /** An error event after `after` pieces of `text`; `failed`: as a failed response where the provider has those. */
  | (Pace & {
      readonly streamError: ErrorBody & { readonly after?: number; readonly failed?: boolean };
      readonly text?: string;
    })
  /** The connection is destroyed after so many pieces of `text`; `end`: it is closed in good order instead. */
  | (Pace & { readonly cut: number; readonly end?: boolean; readonly text?: string })
  /** Nothing more is ever sent: not even headers (`true`), or nothing after them (`"stream"`). */
  | { readonly hang: true | "stream" };

export type Respond = (call: ModelCall) => Reply | Promise<Reply>;

/** One event of the stream. `piece` marks the pieces of public text, which pacing and cutting count. */
export type WireEvent = {
  readonly event: string;
  readonly data: Record<string, unknown>;
  readonly piece?: boolean;
};

/** An answer with everything decided. */
export type Answered = {
  /** `sealed` is what goes to the client; the id is empty where reasoning has none. */
  readonly reasoning: { readonly id: string; readonly text: string; readonly sealed: string } | null;
  /** Each text in its pieces. */
  readonly texts: readonly (readonly string[])[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly stop: Answer["stop"] | null;
  readonly stopReason: string | null;
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number };
};

/** A request that the provider would refuse. */
export class WireProblem extends Error {
  override readonly name = "WireProblem";
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** What a request says, apart from how often it came. */
export type ReadRequest = Omit<ModelCall, "attempt" | "body" | "lastUserText" | "lastScriptOutputs"> & {
  readonly stream: boolean;
};

/** One provider's wire format. */
export type Wire = {
  readonly provider: Provider;
  /** Prefix of the ids of tool calls. */
  readonly callPrefix: string;
  /** Prefix of the ids of reasoning; null where it is a block without one. */
  readonly reasoningPrefix: string | null;
  /** Largest request, in bytes. */
  readonly bodyLimit: number;
  /** Parses and checks a body as the provider does. Throws `WireProblem`. */
  read(body: unknown, seals: Seals): ReadRequest;
  /** The events of an answer, the last of which ends it. */
  events(request: ReadRequest, answer: Answered): WireEvent[];
  /** The whole answer, for a request that does not stream. */
  whole(request: ReadRequest, answer: Answered): Record<string, unknown>;
  error(error: ErrorBody): Record<string, unknown>;
  streamError(error: ErrorBody & { readonly failed?: boolean }): WireEvent;
};
