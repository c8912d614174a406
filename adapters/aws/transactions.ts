import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";

/** One action of a transaction. */
export type Action = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** False when somebody else changed an item first, or is about to. Nothing was written. */
export async function unlessCancelled(transaction: Promise<unknown>): Promise<boolean> {
  try {
    await transaction;
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException && isLostRace(error)) return false;
    throw error;
  }
}

/** Any other reason, such as an item that is too large, would be the same the next time. */
const isLostRace = ({ CancellationReasons: reasons = [] }: TransactionCanceledException): boolean =>
  reasons.some(({ Code }) => Code === "ConditionalCheckFailed" || Code === "TransactionConflict");
