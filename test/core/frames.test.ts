import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageDelta } from "../../contract/schemas/stream.ts";
import { deltaFrame } from "../../core/api/sse.ts";

const delta = (text: string): MessageDelta => ({
  type: "message.delta",
  session_id: "ses_1",
  run_id: "run_1",
  message_id: "msg_1",
  index: 0,
  content_index: 0,
  text,
});

/** Every end of a line that Unicode knows: what Python's `splitlines` splits at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: some of them end lines
const anyLineEnd = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;

const dataOf = (frame: string): unknown => {
  const lines = frame.split(anyLineEnd);
  expect(lines).toHaveLength(4);
  return JSON.parse(String(lines[1]).slice("data: ".length));
};

describe("a frame of the stream", () => {
  it("has its data in one line, whatever a reader takes for a line's end", () => {
    const text = "a\u0085b\u2028c\u2029d\r\ne\vf\fg\u001ch";
    expect(deltaFrame(delta(text))).toContain("a\\u0085b\\u2028c\\u2029d");
    expect(dataOf(deltaFrame(delta(text)))).toEqual(delta(text));
  });

  it("gives every text back character for character", () => {
    const unit = fc.oneof(fc.constantFrom("\u0085", "\u2028", "\u2029", "\\", "\n", '"'), fc.string());
    fc.assert(
      fc.property(fc.array(unit), (parts) => {
        const sent = delta(parts.join(""));
        expect(dataOf(deltaFrame(sent))).toEqual(sent);
      }),
    );
  });
});
