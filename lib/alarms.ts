import { Duration, Stack } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { IStateMachine } from "aws-cdk-lib/aws-stepfunctions";
import { Construct } from "constructs";
import { alarmTopic } from "./alarm-topic.ts";
import type { Settings } from "./settings.ts";

export type AlarmsProps = {
  readonly settings: Settings;
  readonly machine: IStateMachine;
  readonly stage: Stage;
  readonly advance: IFunction;
  readonly fanout: IFunction;
  readonly sweep: IFunction;
  readonly deadLetters: IQueue;
};

type Watch = {
  /** Last part of the alarm's name. */
  readonly name: string;
  /** What has happened, for who reads the mail. */
  readonly what: string;
  /** The heading in `docs/runbook.md` that says what to do. */
  readonly section: string;
  readonly metric: IMetric;
  /** At least so much raises the alarm; `below` turns it round. */
  readonly threshold: number;
  readonly below?: true;
  /** How many of the last periods have to be beyond the threshold. Default: the last one. */
  readonly periods?: { readonly beyond: number; readonly of: number };
};

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
/** Ten sweeps. */
const sweepSilence = Duration.minutes(10);
/** A commit whose effects nobody has looked after for so long is one that a user waits for. */
const lagMilliseconds = 60_000;
/** What comes and goes by itself within two minutes is not reported. */
const lasting = { beyond: 3, of: 5 };

/** Three of five sweeps: one that fails is made up for by the next. */
const failedSweeps = 3;

/** One error in a quiet night is 100 % of its requests, and a hundredth of a busy day is many. */
const serverErrors = { count: 5, rate: 0.01 };

/** Executions have a metric for each way to end; one alarm each, as a sum would cost the same. */
const failedRuns = ({ machine }: AlarmsProps): readonly Watch[] => {
  const options = { period: fiveMinutes, statistic: Stats.SUM };
  const watch = (name: string, what: string, metric: IMetric) => ({
    name,
    what,
    section: "Failed runs",
    metric,
    threshold: 1,
  });
  return [
    watch("runs-failed", "An execution failed and its run was interrupted.", machine.metricFailed(options)),
    watch("runs-timed-out", "An execution ran out of time.", machine.metricTimedOut(options)),
    watch("runs-aborted", "An execution was stopped from outside.", machine.metricAborted(options)),
  ];
};

const stuckRuns = ({ sweep }: AlarmsProps): readonly Watch[] => [
  {
    name: "sweep-errors",
    what: "The sweep keeps failing, so runs that lost their way may be stuck.",
    section: "Stuck runs",
    metric: sweep.metricErrors({ period: fiveMinutes, statistic: Stats.SUM }),
    threshold: failedSweeps,
  },
  {
    name: "sweep-silent",
    what: "The sweep has not run for ten minutes: overdue calls do not expire, lost runs are not found.",
    section: "Stuck runs",
    metric: sweep.metricInvocations({ period: sweepSilence, statistic: Stats.SUM }),
    threshold: 1,
    below: true,
  },
];

const serverErrorWatch = ({ stage }: AlarmsProps): Watch => ({
  name: "server-errors",
  what: `API Gateway answered ${serverErrors.count} requests or more, and 1 % or more, with a 5xx status.`,
  section: "Server errors",
  metric: new MathExpression({
    label: "5xx answers, where they are many and frequent",
    expression: `IF(errors >= ${serverErrors.count} AND rate >= ${serverErrors.rate}, errors, 0)`,
    period: fiveMinutes,
    usingMetrics: {
      errors: stage.metricServerError({ period: fiveMinutes, statistic: Stats.SUM }),
      // One sample a request, 1 where it failed.
      rate: stage.metricServerError({ period: fiveMinutes, statistic: Stats.AVERAGE }),
    },
  }),
  threshold: 1,
});

const watches = (props: AlarmsProps): readonly Watch[] => [
  ...failedRuns(props),
  ...stuckRuns(props),
  {
    name: "stream-lag",
    what: "The consumer of the table's stream is more than a minute behind.",
    section: "Stream lag",
    metric: props.fanout.metric("IteratorAge", { period: minute, statistic: Stats.MAXIMUM }),
    threshold: lagMilliseconds,
    periods: lasting,
  },
  serverErrorWatch(props),
  {
    name: "dead-letters",
    what: "Work was given up and lies in the dead-letter queue.",
    section: "Dead letters",
    metric: props.deadLetters.metricApproximateNumberOfMessagesVisible({
      period: fiveMinutes,
      statistic: Stats.MAXIMUM,
    }),
    threshold: 1,
  },
  {
    name: "advance-throttled",
    what: "Lambda keeps refusing turns of runs for want of concurrency.",
    section: "Throttled runs",
    metric: props.advance.metricThrottles({ period: minute, statistic: Stats.SUM }),
    threshold: 1,
    periods: lasting,
  },
];

/**
 * What an operator is told about. Nine alarms on ten metrics, at $0.10 a metric and month. They are there
 * without an address as well: the console shows their state.
 */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { alarmEmail } = props.settings;
    const alarms = watches(props).map((watch) => this.alarm(watch));
    if (alarmEmail === "") return;
    const action = new SnsAction(alarmTopic(this, alarmEmail));
    for (const alarm of alarms) alarm.addAlarmAction(action);
  }

  private alarm({ name, what, section, metric, threshold, below, periods }: Watch): Alarm {
    return new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `${what} See "${section}" in docs/runbook.md.`,
      metric,
      threshold,
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods?.of ?? 1,
      datapointsToAlarm: periods?.beyond ?? 1,
      // No data means that nothing happened, which is bad news only where something has to happen.
      treatMissingData: below ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
  }
}
