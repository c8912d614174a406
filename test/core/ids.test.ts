import { describe, expect, test } from "vitest";
import { messageId, parseMessageId } from "../../core/session/ids.ts";

const SESSION = "ses_spec";
const RUN = "run_spec0000000003";

describe("the id of a message", () => {
  test("is known before the message is, from its run, answer and attempt", () => {
    expect(messageId(SESSION, RUN, 12, 3)).toBe("msg_spec000000000300001203");
    expect(parseMessageId("msg_spec000000000300001203", SESSION)).toEqual({
      run: 3,
      number: 1203,
      answer: 12,
    });
  });

  test("sorts by run, answer and attempt", () => {
    const ids = [
      messageId(SESSION, RUN, 0, 0),
      messageId(SESSION, RUN, 0, 1),
      messageId(SESSION, RUN, 1, 0),
      messageId(SESSION, RUN, 10, 0),
      messageId(SESSION, "run_spec0000000020", 0, 0),
    ];
    expect([...ids].reverse().sort()).toEqual(ids);
  });

  test("is refused for a run of another session", () => {
    expect(() => messageId(SESSION, "run_other0000000003", 0, 0)).toThrow(RangeError);
  });

  test.each([
    "msg_other000000000300001203",
    "inp_spec000000000300001203",
    "msg_spec0000000003",
    "msg_spec00000000030000120x",
    "msg_00000003",
    "",
  ])("is not %j", (id) => {
    expect(parseMessageId(id, SESSION)).toBeNull();
  });
});
