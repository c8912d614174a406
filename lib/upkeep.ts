import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import {
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  type Function as LambdaFunction,
  StartingPosition,
} from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { keyAttributes, sort } from "../contract/table.ts";
import type { BlobBucket } from "./bucket.ts";
import type { DeadLetters } from "./dead-letters.ts";
import { handler } from "./function.ts";
import type { Runs } from "./runs.ts";
import type { Settings } from "./settings.ts";
import type { SessionTable } from "./table.ts";

export type UpkeepProps = {
  readonly settings: Settings;
  readonly table: SessionTable;
  readonly blobs: BlobBucket;
  readonly runs: Runs;
  readonly deadLetters: DeadLetters;
};

/** Longest time between two looks for what is overdue. */
const sweepEvery = Duration.minutes(1);

/**
 * A record that cannot be processed holds up its shard, and within three minutes the sweep has redone what it was
 * for: five are generous. Splitting a batch to find the record costs no attempt.
 */
const streamRetries = { maxRecordAge: Duration.minutes(5), retryAttempts: 10 };

/** For an hour, whether Lambda cannot take the event (EventBridge retries) or the function fails. */
const eventAge = Duration.hours(1);

/** What makes up for everything that may fail between a commit and its effect. All of it may run twice. */
export class Upkeep extends Construct {
  readonly functions: Readonly<Record<"fanout" | "sweep", LambdaFunction>>;

  constructor(scope: Construct, id: string, props: UpkeepProps) {
    super(scope, id);
    this.functions = { fanout: this.fanout(props), sweep: this.sweep(props) };
    this.failedExecutions(props);
  }

  /** Redoes a start or a wake-up whose committer died, and wakes subscribers. */
  private fanout({ settings, table, blobs, runs, deadLetters }: UpkeepProps): LambdaFunction {
    const fn = handler(this, "fanout", {
      description: "Completes what follows a commit",
      memorySize: 256,
      timeout: Duration.seconds(60),
      settings,
    });
    table.bind(fn, "read");
    blobs.name(fn);
    runs.bind(fn, ["start", "wake"]);
    const stream = table.bindStream(fn);
    new EventSourceMapping(this, "Commits", {
      target: fn,
      eventSourceArn: stream,
      // Not LATEST: it may leave out what is written while the mapping is being created.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      maxBatchingWindow: Duration.seconds(0),
      filters: [
        FilterCriteria.filter({
          dynamodb: { Keys: { [keyAttributes.sort]: { S: FilterRule.isEqual(sort.head) } } },
        }),
      ],
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      onFailure: deadLetters.bind(fn),
      ...streamRetries,
    });
    return fn;
  }

  /**
   * Finds deadlines that have passed, runs without an execution and what deleted sessions left. Ends before the next
   * one begins, and looks at 32 sessions at a time: its memory is for the share of a processor that comes with it.
   */
  private sweep({ settings, table, blobs, runs }: UpkeepProps): LambdaFunction {
    const fn = handler(this, "sweep", {
      description: "Settles what is overdue",
      memorySize: 512,
      timeout: Duration.seconds(55),
      settings,
    });
    table.bind(fn, "readWrite");
    table.bindDueIndex(fn);
    blobs.bindErasure(fn);
    runs.bind(fn, ["start", "wake", "describe"]);
    new Rule(this, "EveryMinute", {
      description: "Starts the sweep",
      schedule: Schedule.rate(sweepEvery),
      // A sweep that failed is not repeated: the next one is due.
      targets: [new LambdaTarget(fn, { retryAttempts: 0, maxEventAge: sweepEvery })],
    });
    fn.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: sweepEvery });
    return fn;
  }

  /** Executions that end in a way no state of theirs could catch. */
  private failedExecutions({ runs, deadLetters }: UpkeepProps): void {
    const { lost } = runs.functions;
    lost.configureAsyncInvoke({
      // Two is the most that Lambda offers.
      retryAttempts: 2,
      maxEventAge: eventAge,
      onFailure: deadLetters.bind(lost),
    });
    new Rule(this, "FailedExecutions", {
      description: "Marks runs of failed executions as interrupted",
      eventPattern: {
        source: ["aws.states"],
        detailType: ["Step Functions Execution Status Change"],
        detail: {
          status: ["FAILED", "TIMED_OUT", "ABORTED"],
          stateMachineArn: [runs.machine.stateMachineArn],
        },
      },
      targets: [
        new LambdaTarget(lost, {
          deadLetterQueue: deadLetters.queue,
          retryAttempts: 24,
          maxEventAge: eventAge,
        }),
      ],
    });
  }
}
