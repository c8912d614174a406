import middy from "@middy/core";
import * as z from "zod";
import { partition, sort } from "../contract/table.ts";
import { reconcile } from "../core/run/reconcile.ts";
import { reportFailure } from "./failure.ts";
import { createWorld, once } from "./wiring.ts";

const Key = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
const Record = z.object({ dynamodb: z.object({ Keys: Key, SequenceNumber: z.string() }) });
const Event = z.object({ Records: z.array(Record) });

const world = once(createWorld);

/**
 * Follows the table's stream: whatever a changed session asks for and its committer did not get to is done
 * here. Keys only, so the order of records does not matter; a session changed often is looked at once.
 */
export const handler = middy(async (input: unknown) => {
  const { Records } = Event.parse(input);
  const { store, clock, log } = world();
  const ports = { store, clock, log, executions: world().executions() };
  const heads = Records.filter(({ dynamodb }) => dynamodb.Keys.sk.S === sort.head);
  const latest = new Map(heads.map(({ dynamodb }) => [dynamodb.Keys.pk.S, dynamodb.SequenceNumber]));
  const failures = await Promise.all(
    [...latest].map(async ([pk, itemIdentifier]) => {
      try {
        await reconcile(ports, pk.slice(partition.session("").length));
        return [];
      } catch (error) {
        log.warn("a session could not be reconciled", {
          error: error instanceof Error ? error.name : "unknown",
        });
        return [{ itemIdentifier }];
      }
    }),
  );
  return { batchItemFailures: failures.flat() };
}).use(reportFailure(() => world().log));
