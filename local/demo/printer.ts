import { styleText } from "node:util";
import type { Event } from "../../contract/schemas/events.ts";
import type { DemoEvent } from "./client.ts";

const TYPE_WIDTH = 18;

/** Prints the event stream for people, or as JSON lines. */
export function createPrinter(json: boolean) {
  let previewing = false;
  const line = (text: string) => {
    if (previewing) process.stdout.write("\n");
    previewing = false;
    console.log(text);
  };
  const say = (text: string) => {
    if (!json) line(text);
  };
  return {
    note: (text: string) => say(styleText("dim", text)),
    application: (text: string) =>
      say(`${" ".repeat(6)}${styleText("yellow", "application".padEnd(TYPE_WIDTH))} ${text}`),
    event: (event: DemoEvent) => {
      if (json) return line(JSON.stringify(event));
      if (event.type !== "message.delta") return line(describe(event));
      if (!previewing)
        process.stdout.write(`${" ".repeat(6)}${styleText("dim", "preview".padEnd(TYPE_WIDTH))} `);
      process.stdout.write(styleText("dim", event.text.replaceAll("\n", " ")));
      previewing = true;
    },
  };
}

export type Printer = ReturnType<typeof createPrinter>;

function describe(event: Event): string {
  const sequence = String(event.sequence).padStart(4);
  return `${styleText("dim", sequence)}  ${styleText("cyan", event.type.padEnd(TYPE_WIDTH))} ${detail(event)}`.trimEnd();
}

function detail(event: Event): string {
  switch (event.type) {
    case "input.accepted":
      return `"${textOf(event.data.input.content)}"`;
    case "message.completed":
      return textOf(event.data.message.content);
    case "tool.requested":
      return `${event.data.call.tool}(${JSON.stringify(event.data.call.arguments)}) until ${event.data.call.deadline_at}`;
    case "tool.completed":
    case "tool.failed":
      return `${event.data.call.tool} → ${JSON.stringify(event.data.call.result ?? event.data.call.error)}`;
    case "session.updated":
      return [event.data.session.status, event.data.session.active_run_status]
        .filter((part) => part !== null)
        .join(", ");
    case "run.failed":
      return `${event.data.run.error?.code}: ${event.data.run.error?.message}`;
    default:
      return "";
  }
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map((block) => block.text ?? `[${block.type}]`).join("");
}
