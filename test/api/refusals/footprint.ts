/** What a request that stores something would change. */
import { setTimeout as delay } from "node:timers/promises";
import { laptopOf, onLaptop, type Target } from "../../support/target.ts";
import type { ServedId } from "./valid.ts";
import type { World } from "./world.ts";

/** Resources that the requests name, and on the laptop every list and everything that was ever written. */
export async function footprint(stack: Target, world: World) {
  const resources = [
    `/model-api-keys/${world.openaiKey}`,
    `/agents/${world.agent}`,
    ...[world.session, world.idle, world.paused, world.sandboxed, world.idleWithoutImages].map(
      (id) => `/sessions/${id}`,
    ),
  ];
  const keys =
    stack.operator === null ? null : (await stack.operator.send("GET", "/api-keys?limit=100")).body;
  const lists = onLaptop ? ["/model-api-keys?limit=100", "/agents?limit=100", "/sessions?limit=100"] : [];
  const read = async (path: string) => [path, (await stack.api.send("GET", path)).body] as const;
  const seen = Object.fromEntries(await Promise.all([...resources, ...lists].map(read)));
  return { seen: { ...seen, keys }, written: onLaptop ? await written(stack) : null };
}

export type Footprint = Awaited<ReturnType<typeof footprint>>;

/** The table itself refuses these where there is nothing to change, and a refused write costs a unit. */
const refusedByTable: readonly ServedId[] = [
  "delete_model_api_keys_model_api_key_id",
  "patch_agents_agent_id",
  "delete_agents_agent_id",
];

/** What has to be the same before and after the operation was refused. */
export function comparable({ seen, written }: Footprint, operation: ServedId) {
  return refusedByTable.includes(operation) ? { seen, objects: written?.objects } : { seen, written };
}

async function written(stack: Target) {
  const { dynamodb, s3, executions } = await laptopOf(stack).counters();
  return { units: dynamodb.capacity.write, objects: s3["put"], executions };
}

const QUIET_READS = 10;

/** Resolves when nothing has been written for half a second: runs that wait have come to rest. */
export async function settled(stack: Target): Promise<void> {
  if (!onLaptop) return;
  let last = JSON.stringify(await written(stack));
  for (let quiet = 0; quiet < QUIET_READS; ) {
    await delay(50);
    const now = JSON.stringify(await written(stack));
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
}
