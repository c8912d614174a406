import { describe, it } from "vitest";
import {
  call,
  empty,
  missing,
  pattern,
  type Refusal,
  refuses,
  result,
  said,
  tooLong,
} from "./openai-items.ts";

describe("OpenAI's wire refuses of a call", () => {
  it.each<Refusal>([
    [
      "a name with other characters",
      [said, call({ name: "<|channel|>" }), result()],
      `Invalid 'input[1].name': ${pattern}`,
      "input[1].name",
      "invalid_value",
    ],
    [
      "a name that is too long",
      [said, call({ name: "n".repeat(457) }), result()],
      ...tooLong("input[1].name", 64, 457),
    ],
    ["an empty name", [said, call({ name: "" }), result()], ...empty("input[1].name")],
    ["an empty call_id", [call({ call_id: "" }), result()], ...empty("input[0].call_id")],
    [
      "a call_id that is too long",
      [call({ call_id: "c".repeat(65) })],
      ...tooLong("input[0].call_id", 64, 65),
    ],
    ["no call_id", [call({ call_id: undefined })], ...missing("input[0].call_id")],
    [
      "arguments that are too long",
      [call({ arguments: JSON.stringify("a".repeat(1_048_575)) }), result()],
      ...tooLong("input[0].arguments", 1_048_576, 1_048_577),
    ],
    [
      "arguments that break off",
      [call({ arguments: '{"source":"ret' }), result()],
      "Invalid 'input[0].arguments': string is not valid JSON.",
      "input[0].arguments",
      "invalid_value",
    ],
    [
      "arguments that are no string",
      [call({ arguments: {} }), result()],
      "Invalid type for 'input[0].arguments': expected a string, but got an object instead.",
      "input[0].arguments",
      "invalid_type",
    ],
    ["its missing output", [call()], "No tool output found for function call c.", "input", null],
    ["a second one of the same call_id", [call(), call(), result()], "Duplicate call_id c.", "input", null],
  ])("%s", async (...row) => refuses(row));
});

describe("OpenAI's wire refuses of an output", () => {
  it.each<Refusal>([
    [
      "more than the API takes",
      [call(), result({ output: "a".repeat(10_485_761) })],
      ...tooLong("input[1].output", 10_485_760, 10_485_761),
    ],
    [
      "null",
      [call(), result({ output: null })],
      "Invalid type for 'input[1].output': expected one of an array of objects or string, but got null instead.",
      "input[1].output",
      "invalid_type",
    ],
    [
      "one without its call",
      [result()],
      "No tool call found for function call output with call_id c.",
      "input",
      null,
    ],
    [
      "one before its call",
      [result(), call()],
      "No tool call found for function call output with call_id c.",
      "input",
      null,
    ],
    ["a second one", [call(), result(), result()], "Duplicate output for call_id c.", "input", null],
  ])("%s", async (...row) => refuses(row));
});
