import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import {
  type EmscriptenModuleLoaderOptions,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { limits } from "./limits.ts";

/** One QuickJS in a WebAssembly instance and memory of its own. It is dropped whole, never cleaned up. */
export type Interpreter = {
  readonly context: QuickJSContext;
  readonly runtime: QuickJSRuntime;
  /**
   * True once an allocation found the WebAssembly memory full. Nothing may run after that: the library does
   * not check what it allocates for text on its way in, and would write it to address 0.
   */
  exhausted(): boolean;
};

/** Node has it; the type libraries in use do not say so. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => Memory;
  instantiate(code: unknown, imports: unknown): Promise<{ readonly module: WebAssembly.Module }>;
};
type Memory = { grow(pages: number): number };

/** What the interpreter's C code prints goes nowhere. */
const silent: EmscriptenModuleLoaderOptions & { print(): void; printErr(): void } = {
  print() {},
  printErr() {},
};

/** Makes an interpreter with nothing of a script in it. `interrupted` is asked often; true ends what runs. */
export async function createInterpreter(interrupted: () => boolean): Promise<Interpreter> {
  let full = false;
  const memory = new WebAssembly.Memory({ initial: limits.memoryPages, maximum: limits.memoryPages });
  // Memory starts at its maximum, so growing it is asked for only when it is full, and always fails.
  memory.grow = () => {
    full = true;
    throw new RangeError("the memory is full");
  };
  const quickjs = await instantiate(memory);
  const runtime = quickjs.newRuntime();
  runtime.setMaxStackSize(limits.stackBytes);
  runtime.setInterruptHandler(() => full || interrupted());
  return { context: runtime.newContext(), runtime, exhausted: () => full };
}

let compiled: WebAssembly.Module | null = null;

/** The library compiles the code it carries for each instance. This keeps what it compiled for the first. */
async function instantiate(memory: Memory): Promise<QuickJSWASMModule> {
  const options = { wasmMemory: memory, emscriptenModule: silent };
  if (compiled !== null) {
    return newQuickJSWASMModuleFromVariant(newVariant(variant, { ...options, wasmModule: compiled }));
  }
  const { instantiate: original } = WebAssembly;
  WebAssembly.instantiate = async (code, imports) => {
    const result = await original(code, imports);
    compiled = result.module;
    return result;
  };
  try {
    return await newQuickJSWASMModuleFromVariant(newVariant(variant, options));
  } finally {
    WebAssembly.instantiate = original;
  }
}
