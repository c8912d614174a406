import { expect, it } from "vitest";
import { errorBody, errors, isErrorCode } from "../../contract/errors.ts";
import { ErrorEnvelope } from "../../contract/schemas/common.ts";

it.each(Object.entries(errors))("gives %s a message that says what to do", (_, { message }) => {
  expect(message).toMatch(/^[A-Z`].+\.$/);
});

it("builds the envelope", () => {
  const body = errorBody("not_found", "No session ses_A1.", "req_1");
  expect(ErrorEnvelope.parse(body)).toEqual({
    error: { code: "not_found", message: "No session ses_A1.", request_id: "req_1" },
  });
});

it("uses the code's own message for an empty one", () => {
  expect(errorBody("rate_limited", "", "req_1").error.message).toBe(errors.rate_limited.message);
});

it.each(["", "toString", "__proto__", "NOT_FOUND"])("does not take %j for a code", (code) => {
  expect(isErrorCode(code)).toBe(false);
});
