/** What an event stream carries: committed events, and previews of text that is still being written. */
import * as z from "zod";
import { EventId, MessageId, RunId, SessionId } from "./common.ts";
import { eventTypes } from "./events.ts";

export const MessageDelta = z
  .strictObject({
    type: z.literal("message.delta"),
    session_id: SessionId,
    run_id: RunId,
    message_id: MessageId,
    index: z.int().min(0).describe("Counts the chunks of the message, over all its blocks."),
    content_index: z.int().min(0).describe("Which content block of the message the text belongs to."),
    text: z.string(),
  })
  .describe("A piece of a message to come. It is never stored, and the message itself may differ.");
export type MessageDelta = z.infer<typeof MessageDelta>;

/** JSON text of a component. */
function jsonText(component: string) {
  return z.string().meta({
    description: `${component} as JSON text.`,
    contentMediaType: "application/json",
    contentSchema: { $ref: `#/components/schemas/${component}` },
  });
}

export const SSECommittedEvent = z
  .strictObject({
    id: EventId.describe("Where to go on from after a reconnect."),
    event: z.enum(eventTypes),
    data: jsonText("Event"),
  })
  .describe("A frame with an event; its id and event repeat the event's id and type.");
export type SSECommittedEvent = z.infer<typeof SSECommittedEvent>;

export const SSEMessageDelta = z
  .strictObject({
    event: z.literal("message.delta"),
    data: jsonText("MessageDelta"),
  })
  .describe("A frame with a preview. Without an id, since a preview is no place to go on from.");
export type SSEMessageDelta = z.infer<typeof SSEMessageDelta>;

export const StreamItem = z.union([SSECommittedEvent, SSEMessageDelta]).describe("A frame of the stream.");
export type StreamItem = z.infer<typeof StreamItem>;
