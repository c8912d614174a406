"""Prints what stands in the account, as JSON: one list of names for each kind."""

import json

import botocore.session

session = botocore.session.get_session()


def names(service, operation, result, name=None):
    client = session.create_client(service)
    pages = client.get_paginator(operation).paginate() if client.can_paginate(operation) else [getattr(client, operation)()]
    return sorted(item[name] if name else item for page in pages for item in page.get(result, []))


def keys():
    """A key that waits for its deletion is gone."""
    client = session.create_client("kms")
    states = {key: client.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] for key in names("kms", "list_keys", "Keys", "KeyId")}
    return [key for key, state in states.items() if state != "PendingDeletion"]


print(json.dumps({
    "table": names("dynamodb", "list_tables", "TableNames"),
    "bucket": names("s3", "list_buckets", "Buckets", "Name"),
    "key": keys(),
    "function": names("lambda", "list_functions", "Functions", "FunctionName"),
    "event source": names("lambda", "list_event_source_mappings", "EventSourceMappings", "UUID"),
    "state machine": names("stepfunctions", "list_state_machines", "stateMachines", "name"),
    "API": names("apigateway", "get_rest_apis", "items", "name"),
    "rule": names("events", "list_rules", "Rules", "Name"),
    "queue": names("sqs", "list_queues", "QueueUrls"),
    "role": names("iam", "list_roles", "Roles", "RoleName"),
    "alarm": names("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    "log group": names("logs", "describe_log_groups", "logGroups", "logGroupName"),
}))
