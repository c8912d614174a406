import type * as z from "zod";
import type { Json } from "../../contract/json.ts";
import type { OperationId, routes } from "../../contract/routes.ts";
import type { ApiKeys } from "../ports/api-keys.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executions } from "../ports/executions.ts";
import type { Log } from "../ports/log.ts";
import type { NewReceipt, Receipts } from "../ports/receipts.ts";
import type { Schemas } from "../ports/schemas.ts";
import type { SessionStore } from "../ports/store.ts";
import type { Vault } from "../ports/vault.ts";

/** What operations need of the world. */
export type ApiPorts = {
  readonly store: SessionStore;
  readonly catalog: Catalog;
  readonly apiKeys: ApiKeys;
  readonly blobs: Blobs;
  /** Where agent configurations of a project go. */
  readonly configs: Pick<Blobs, "stow" | "fetch">;
  /** Where answers to keyed requests of a project go. */
  readonly answers: Pick<Blobs, "stow">;
  readonly receipts: Receipts;
  readonly vault: Pick<Vault, "seal">;
  readonly executions: Executions;
  readonly schemas: Schemas;
  readonly clock: Clock;
  readonly log: Log;
  /** A new suffix for an id, ordered by the time, in milliseconds since 1970. */
  readonly newSuffix: (now: number) => string;
};

type Parsed<
  Id extends OperationId,
  Part extends "params" | "query" | "headers" | "body",
> = (typeof routes)[Id] extends { readonly [P in Part]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** A request whose every part was checked against the route table. */
export type ApiRequest<Id extends OperationId> = {
  readonly projectId: string;
  readonly params: Parsed<Id, "params">;
  readonly query: Parsed<Id, "query">;
  readonly headers: Parsed<Id, "headers">;
  readonly body: Parsed<Id, "body">;
  /** The JSON body as it was sent; undefined where the route has none. */
  readonly sent: Json | undefined;
};

export type ApiResponse = { readonly status: number; readonly body?: unknown };

/** Makes the receipt that goes with an answer, in the transaction that the answer is about. Undefined without a key. */
export type Keep = (answer: ApiResponse) => NewReceipt | undefined;

/** One operation of the reference. `keep` is for those that take an Idempotency-Key. Throws `ApiError`. */
export type Operation<Id extends OperationId> = (
  ports: ApiPorts,
  request: ApiRequest<Id>,
  keep: Keep,
) => Promise<ApiResponse>;
