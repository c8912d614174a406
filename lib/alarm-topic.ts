import { ArnFormat, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";

/**
 * An encrypted topic that this stack's alarms may publish to, with one e-mail subscriber, who has to
 * confirm. It has a key of its own ($1 a month): CloudWatch cannot use the one that AWS manages for SNS,
 * and has no business with the one that seals secrets.
 */
export const alarmTopic = (scope: Construct, email: string): Topic => {
  const fromAlarms = (actions: readonly string[], resource: string) =>
    new PolicyStatement({
      actions: [...actions],
      resources: [resource],
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      conditions: {
        StringEquals: { "aws:SourceAccount": Stack.of(scope).account },
        ArnLike: { "aws:SourceArn": alarmArns(scope) },
      },
    });
  const key = new Key(scope, "TopicKey", {
    description: "Encrypts alarm mail",
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  key.addToResourcePolicy(fromAlarms(["kms:Decrypt", "kms:GenerateDataKey*"], "*"));
  const topic = new Topic(scope, "Topic", { masterKey: key, enforceSSL: true });
  topic.addToResourcePolicy(fromAlarms(["sns:Publish"], topic.topicArn));
  topic.addSubscription(new EmailSubscription(email));
  return topic;
};

const alarmArns = (scope: Construct): string =>
  Stack.of(scope).formatArn({
    service: "cloudwatch",
    resource: "alarm",
    resourceName: `${Stack.of(scope).stackName}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
