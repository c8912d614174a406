import { Writable } from "node:stream";
import * as z from "zod";

const Prelude = z.object({
  statusCode: z.int().default(200),
  headers: z.record(z.string(), z.string()).default({}),
});
export type Prelude = z.infer<typeof Prelude>;

/** What separates the JSON prelude from the body of a streamed response. */
const SEPARATOR = Buffer.alloc(8);

/**
 * Installs the global that Lambda's runtime gives to functions that stream. Must be there before the
 * functions are loaded.
 */
export function installAwslambda(): void {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: unknown) => handler,
      HttpResponseStream: {
        from: (output: Writable, prelude: unknown) => {
          output.write(JSON.stringify(prelude));
          output.write(SEPARATOR);
          return output;
        },
      },
    },
  });
}

/** A stream for a function to write to: parses the prelude as API Gateway does, then passes the body on. */
export function responseStream(
  head: (prelude: Prelude) => void,
  body: { write(chunk: Buffer): boolean; once(event: "drain", resume: () => void): unknown; end(): void },
): Writable {
  let gathered: Buffer | null = Buffer.alloc(0);
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      let rest = chunk;
      if (gathered !== null) {
        gathered = Buffer.concat([gathered, chunk]);
        const at = gathered.indexOf(SEPARATOR);
        if (at < 0) return done();
        head(Prelude.parse(JSON.parse(gathered.subarray(0, at).toString("utf8"))));
        rest = gathered.subarray(at + SEPARATOR.length);
        gathered = null;
      }
      if (rest.length === 0 || body.write(rest)) return done();
      body.once("drain", () => done());
    },
    final(done) {
      body.end();
      done();
    },
  });
}
