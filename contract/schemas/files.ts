/** Uploads and saved outputs. */
import * as z from "zod";
import { FileId, pageOf, RunId, SessionId, Timestamp } from "./common.ts";

/** Where a saved output was: a normalized absolute path below /workspace/outputs/. */
export const OutputPathPattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the characters it refuses
  /^\/workspace\/outputs\/(?!\.\.?(\/|$))[^/\u0000\r\n]+(?:\/(?!\.\.?(\/|$))[^/\u0000\r\n]+)*$/;

const OutputPath = z.string().regex(OutputPathPattern);

const common = {
  id: FileId,
  filename: z.string().min(1),
  media_type: z.string().min(1),
  size_bytes: z.int().min(0),
  created_at: Timestamp,
};

export const FileMetadata = z
  .strictObject({
    ...common,
    kind: z.enum(["upload", "output"]),
    path: OutputPath.nullable().describe(
      "Where the agent had written an output; not a place to read it from.",
    ),
    session_id: SessionId.nullable(),
    run_id: RunId.nullable(),
  })
  .describe("What is known of a file of either kind.");
export type FileMetadata = z.infer<typeof FileMetadata>;

export const UploadedFileMetadata = z
  .strictObject({
    ...common,
    kind: z.literal("upload"),
    path: z.null(),
    session_id: z.null(),
    run_id: z.null(),
  })
  .describe("A file that was uploaded.");
export type UploadedFileMetadata = z.infer<typeof UploadedFileMetadata>;

export const OutputFileMetadata = z
  .strictObject({
    ...common,
    kind: z.literal("output"),
    path: OutputPath,
    session_id: SessionId,
    run_id: RunId,
  })
  .describe("A file that a run saved when it completed.");
export type OutputFileMetadata = z.infer<typeof OutputFileMetadata>;

export const File = z
  .discriminatedUnion("kind", [UploadedFileMetadata, OutputFileMetadata])
  .describe("A stored file; its bytes never change.");
export type File = z.infer<typeof File>;

/** The form of an upload. It describes the multipart body; the bytes are counted and stored, not parsed. */
export const UploadFile = z.strictObject({ file: z.file() }).describe("One file, in the part named file.");
export type UploadFile = z.infer<typeof UploadFile>;

export const OutputFileList = pageOf(OutputFileMetadata).describe("A page of saved outputs.");
export type OutputFileList = z.infer<typeof OutputFileList>;
