import { tmpdir } from "node:os";
import { join } from "node:path";

/** For processes that tests start: half of a start is compiling, of what is the same every time. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), "stepyard-compile-cache") } as const;
