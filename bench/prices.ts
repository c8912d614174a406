/** Prices of us-east-1 in US dollars. Check them at each provider's page before relying on an amount. */
export const prices = {
  asOf: "2026-11-30",
  region: "us-east-1",
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  s3Put: 0.005 / 1e3,
  s3Get: 0.0004 / 1e3,
  /** A request to a Lambda function; its duration comes on top. */
  invocation: 0.2 / 1e6,
  /** A GB-second of Lambda on arm64. */
  gigabyteSecond: 0.0000133334,
  transition: 0.025 / 1e3,
  /** A request to the REST API. */
  request: 3.5 / 1e6,
} as const;

/** What a run asks of AWS. */
export type Operations = {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly s3Puts: number;
  readonly s3Gets: number;
  /** Function -> how often it was called. */
  readonly invocations: Readonly<Record<string, number>>;
  readonly transitions: number;
  readonly requests: number;
};

/** Dollars for the operations, Lambda's duration left out: it is mostly the model's time. */
export function priceOf(operations: Operations): number {
  const invocations = Object.values(operations.invocations).reduce((sum, count) => sum + count, 0);
  return (
    operations.writeUnits * prices.writeUnit +
    operations.readUnits * prices.readUnit +
    operations.s3Puts * prices.s3Put +
    operations.s3Gets * prices.s3Get +
    invocations * prices.invocation +
    operations.transitions * prices.transition +
    operations.requests * prices.request
  );
}
