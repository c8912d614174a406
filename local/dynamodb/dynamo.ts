import { type EngineOptions, startDynoxide } from "./dynoxide.ts";
import { type DynamoFront, type FrontOptions, startDynamoFront } from "./front.ts";

export type DynamoOptions = Pick<FrontOptions, "host" | "port" | "onWrite"> & EngineOptions;

export type Dynamo = DynamoFront & {
  /** The engine behind the front: requests sent there are neither seen nor counted. */
  readonly engine: { readonly url: string; readonly pid: number };
};

/** Starts the engine and the front of it. Rejects as `startDynoxide` does; then nothing is left running. */
export async function startDynamo(options: DynamoOptions): Promise<Dynamo> {
  const engine = await startDynoxide(options);
  try {
    const front = await startDynamoFront({ ...options, target: engine.url });
    return {
      ...front,
      engine: { url: engine.url, pid: engine.pid },
      async close() {
        await front.close();
        await engine.close();
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
