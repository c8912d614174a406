import { Duration } from "aws-cdk-lib";
import type { IDestination, IEventSourceDlq, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { allow } from "./function.ts";
import { accept } from "./nag.ts";

/** Where work ends that was given up. A message here is for an operator; the sweep has redone the work. */
export class DeadLetters extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.queue = new Queue(this, "Queue", {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    accept(this.queue, "SQS3", "This queue is the dead-letter queue.");
  }

  /** Lets the function send here what it gave up. Returns the destination for its stream or its events. */
  bind(fn: LambdaFunction): IEventSourceDlq & IDestination {
    allow(fn, ["sqs:SendMessage"], [this.queue.queueArn]);
    return { bind: () => ({ destination: this.queue.queueArn }) };
  }
}
