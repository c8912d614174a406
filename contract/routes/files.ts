/** Uploads, saved outputs and their bytes. */
import * as z from "zod";
import { IdempotencyHeaders, PageQuery } from "../parameters.ts";
import { FileId, SessionId } from "../schemas/common.ts";
import { File, OutputFileList, UploadedFileMetadata, UploadFile } from "../schemas/files.ts";
import { idempotent, one, page, type Route, usual } from "./route.ts";

const file = z.object({ file_id: FileId });

export const fileRoutes = {
  post_files: {
    operationId: "post_files",
    method: "POST",
    path: "/files",
    tag: "Files",
    auth: "project",
    summary: "Upload a file",
    description: "Stores one file of at most 16 MiB. Its bytes are taken as they are.",
    headers: IdempotencyHeaders,
    body: UploadFile,
    bodyType: "multipart",
    success: [{ status: 201, description: "The stored file.", schema: UploadedFileMetadata }],
    errors: [...idempotent, "invalid_upload", "not_found", "file_too_large", ...usual],
  },
  get_sessions_session_id_files: {
    operationId: "get_sessions_session_id_files",
    method: "GET",
    path: "/sessions/{session_id}/files",
    tag: "Files",
    auth: "project",
    summary: "List saved outputs",
    description: "The files that the session's runs saved, oldest first.",
    params: z.object({ session_id: SessionId }),
    query: PageQuery,
    bodyType: "none",
    success: [{ status: 200, description: "A page of saved files.", schema: OutputFileList }],
    errors: [...page, "not_found", ...usual],
  },
  get_files_file_id: {
    operationId: "get_files_file_id",
    method: "GET",
    path: "/files/{file_id}",
    tag: "Files",
    auth: "project",
    summary: "Read a file's metadata",
    params: file,
    bodyType: "none",
    success: [{ status: 200, description: "What is known of the file.", schema: File }],
    errors: [...one, ...usual],
  },
  delete_files_file_id: {
    operationId: "delete_files_file_id",
    method: "DELETE",
    path: "/files/{file_id}",
    tag: "Files",
    auth: "project",
    summary: "Delete a file",
    description: "Inputs that were accepted with it keep their copy.",
    params: file,
    bodyType: "none",
    success: [{ status: 204, description: "The file is gone.", schema: null }],
    errors: [...one, ...usual],
  },
  get_files_file_id_content: {
    operationId: "get_files_file_id_content",
    method: "GET",
    path: "/files/{file_id}/content",
    tag: "Files",
    auth: "project",
    summary: "Download a file",
    params: file,
    bodyType: "none",
    success: [
      {
        status: 200,
        description: "The bytes.",
        schema: z.file(),
        contentType: "application/octet-stream",
        headers: { "Content-Disposition": "attachment" },
      },
    ],
    errors: [...one, ...usual],
  },
} as const satisfies Record<string, Route>;
