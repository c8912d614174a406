/** Header of a request whose answer is to be streamed: the address that the function writes to. */
export const streamTo = "x-stream-to";
/** Header of what the function writes: status and headers of the answer, as JSON. */
export const preludeHeader = "x-stream-prelude";
