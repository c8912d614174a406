/**
 * What the emulator lacks or gets wrong, by the numbers of `docs/deployment-test.md`, which has the
 * smallest reproduction of each. `skipped` are those for which something of the stack is not tested here.
 */
export const skipped: readonly (readonly [what: string, why: string])[] = [
  [
    "response streaming by API Gateway",
    "gap 4: the emulator answers in one piece; the function streams through the test's own front, and test/stack holds the transfer mode",
  ],
  [
    "an alarm on an expression",
    "gap 6: the emulator takes alarms on one metric only; the alarm is deployed on its first",
  ],
  ["arm64", "gap 7: functions run on this machine's own architecture, whatever the template says"],
  ["memory of functions", "gap 8: a worker's memory has no bound"],
  [
    "a condition on who may invoke a function",
    "gap 9: Lambda permissions of API Gateway, rules and the state machine's role are not looked at; test/stack holds them",
  ],
  [
    "the envelope of what IAM denies",
    "gap 12: the emulator refuses in its own words; test/stack holds the gateway response",
  ],
  ["throttling, access logs and tracing", "gap 10: nothing reads what the stage and the machine log"],
];
