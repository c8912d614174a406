import { KMSClient } from "@aws-sdk/client-kms";
import { ulid } from "ulid";
import { createApiKeys } from "../adapters/aws/api-keys.ts";
import { createBlobs, stow } from "../adapters/aws/blobs.ts";
import { createCatalog } from "../adapters/aws/catalog.ts";
import { documentClient, s3Client, sfnClient } from "../adapters/aws/clients.ts";
import { createCredentials } from "../adapters/aws/credentials.ts";
import { createExecutions } from "../adapters/aws/executions.ts";
import { createPreviews } from "../adapters/aws/previews.ts";
import { createReceipts } from "../adapters/aws/receipts.ts";
import { createSessionStore } from "../adapters/aws/session-store.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { createLog } from "../adapters/system/log.ts";
import { createKeyFileVault } from "../adapters/vault/key-file.ts";
import { createKmsVault } from "../adapters/vault/kms.ts";
import { blobKey } from "../contract/table.ts";
import type { Vault } from "../core/ports/vault.ts";
import { INLINE_BYTES } from "../core/session/payload.ts";
import { readSettings, type Settings } from "./settings.ts";

/** The clients and adapters of a process: made at the first event, kept for the next. */
export type World = ReturnType<typeof createWorld>;

export function createWorld(settings: Settings = readSettings()) {
  const client = documentClient();
  const { table, bucket } = settings;
  const sfn = sfnClient();
  const blobs = createBlobs({ client: s3Client(), bucket });
  const { now } = systemClock;
  return {
    settings,
    clock: systemClock,
    log: createLog(settings.logLevel),
    blobs,
    store: createSessionStore({ client, table, blobs, now }),
    catalog: createCatalog({ client, table, blobs }),
    receipts: createReceipts({ client, name: table }),
    credentials: createCredentials({ client, table }),
    apiKeys: createApiKeys({ client, table }),
    previews: createPreviews({ client, table, now }),
    newSuffix: (now: number) => ulid(now),
    /** `stateMachineArn` is given by the execution itself where the function must not know it by name. */
    executions: (stateMachineArn: string | null = settings.stateMachineArn) => {
      if (stateMachineArn === null) throw new Error("this function has no state machine in its environment");
      return createExecutions({ client: sfn, stateMachineArn });
    },
    vault: () => createVault(settings),
    /** Agent configurations belong to the project, not to a session. */
    configs: (projectId: string) => ({
      stow: (_: string, value: Parameters<typeof stow>[0]) =>
        stow(value, INLINE_BYTES, (sha256) => blobKey.agentConfig(projectId, sha256)),
      fetch: blobs.fetch,
    }),
    answers: (projectId: string) => ({
      stow: (_: string, value: Parameters<typeof stow>[0]) =>
        stow(value, INLINE_BYTES, (sha256) => blobKey.answer(projectId, sha256)),
    }),
  };
}

function createVault(settings: Settings): Vault {
  if (settings.keyFile !== null) return createKeyFileVault(settings.keyFile);
  if (settings.kmsKey === null) throw new Error("this function has neither a KMS key nor a key file");
  return createKmsVault({ client: new KMSClient({ maxAttempts: 5 }), keyId: settings.kmsKey });
}

/** Makes a value at its first use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
