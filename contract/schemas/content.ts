/** What messages and inputs are made of. */
import * as z from "zod";
import { FileId } from "./common.ts";

export const TextContent = z
  .strictObject({ type: z.literal("text"), text: z.string().min(1) })
  .describe("Text.");
export type TextContent = z.infer<typeof TextContent>;

export const FileContent = z
  .strictObject({ type: z.literal("file"), file_id: FileId })
  .describe("A file of this project, put into the session's sandbox for tools to read.");
export type FileContent = z.infer<typeof FileContent>;

export const ImageContent = z
  .strictObject({ type: z.literal("image"), file_id: FileId })
  .describe("A PNG, JPEG or WebP of this project, without animation, shown to a model that reads images.");
export type ImageContent = z.infer<typeof ImageContent>;

export const Content = z
  .discriminatedUnion("type", [TextContent, FileContent, ImageContent])
  .describe("A block of text, a file or an image.");
export type Content = z.infer<typeof Content>;
