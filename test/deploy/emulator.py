"""Starts the emulator with its gaps closed. Each gap stands in docs/deployment-test.md with its number."""

import json
import re
import threading

from ministack.core import iam_actions, iam_evaluator
from ministack.services import apigateway_v1, stepfunctions
from ministack.services.cloudformation import provisioners

current = threading.local()
machines = {}

execute_task = stepfunctions._execute_task
invoke_with_callback = stepfunctions._invoke_with_callback
call_lambda = stepfunctions._call_lambda
lambda_of = apigateway_v1._extract_lambda_ref_from_integration_uri
resource_arn = iam_actions.extract_resource_arn
pin_origin = iam_evaluator.pin_request_origin
alarm_record = provisioners._cw_metric_alarm_record


def task(state, raw_input, execution, context):
    """Gap 1: a timeout may be an expression."""
    seconds = state.get("TimeoutSeconds")
    if isinstance(seconds, str):
        seconds = stepfunctions._apply_jsonata_template(seconds, raw_input, context)
        state = {**state, "TimeoutSeconds": seconds}
    current.machine = context["StateMachine"]["Id"]
    return execute_task(state, raw_input, execution, context)


def callback(resource, arguments, token, state):
    machines[token] = current.machine
    current.token = token
    try:
        return invoke_with_callback(resource, arguments, token, state)
    finally:
        current.token = None


def call(function, event):
    """Gap 2: a function that fails ends the wait for its token."""
    try:
        return call_lambda(function, event)
    except stepfunctions._ExecutionError as error:
        waiting = stepfunctions._task_tokens.get(getattr(current, "token", None))
        if waiting is not None:
            waiting["error"] = {"Error": error.error, "Cause": error.cause}
            waiting["event"].set()
        raise


def resource_of(service, method, path, headers, body, *rest, **named):
    """Gap 3: permission to report on a task is given on the state machine."""
    if service == "states" and body and b"taskToken" in body:
        token = json.loads(body).get("taskToken")
        if token in machines:
            return machines[token]
    return resource_arn(service, method, path, headers, body, *rest, **named)


def without_streaming(uri):
    """Gap 4: the address of a function that streams."""
    return lambda_of(uri.replace("/response-streaming-invocations", "/invocations"))


def alarm(name, properties):
    """Gap 6: an alarm on an expression stands there as one on the first metric of it."""
    stats = [query["MetricStat"] for query in properties.get("Metrics") or [] if "MetricStat" in query]
    if stats:
        first = {**stats[0]["Metric"], "Period": stats[0]["Period"], "Statistic": stats[0]["Stat"]}
        properties = {**{key: value for key, value in properties.items() if key != "Metrics"}, **first}
    return alarm_record(name, properties)


stepfunctions._execute_task = task
stepfunctions._invoke_with_callback = callback
stepfunctions._call_lambda = call
iam_actions.extract_resource_arn = resource_of
apigateway_v1._extract_lambda_ref_from_integration_uri = without_streaming
provisioners._cw_metric_alarm_record = alarm
# Gap 5: loopback stands for TLS, which policies of buckets and queues demand.
iam_evaluator.pin_request_origin = lambda address, _secure: pin_origin(address, True)

if __name__ == "__main__":
    # Imported last: it takes the functions above by name.
    from ministack import app

    # A stage's host name that clients can have in an address, where a last part of digits makes it invalid.
    app._EXECUTE_API_RE = re.compile(r"^([a-f0-9]{8})\.execute-api\.(?:127\.0\.0\.1|localhost)(?::\d+)?$")
    app.main()
