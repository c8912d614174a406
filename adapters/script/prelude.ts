import { limits } from "./limits.ts";

/**
 * What every script finds in its box, in the box's own JavaScript. It evaluates to a function that takes
 * the host's functions and gives back what the host calls. Only strings, numbers and booleans go through.
 *
 * A script may change every built-in afterwards. So this code keeps the built-ins it needs in constants,
 * uses objects without a prototype, and calls no method that a prototype lends it.
 */
export const prelude = `(function (hostCall, hostPrint, hostStore, hostLoad) {
  "use strict";
  const { create, defineProperty, freeze } = Object;
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { isError } = Error;
  const NativeError = Error, NativeMap = Map, NativePromise = Promise, NativeProxy = Proxy;
  const NativeRangeError = RangeError, NativeReferenceError = ReferenceError, NativeSet = Set;
  const NativeTypeError = TypeError;
  const listOf = Array.from, isFinite = Number.isFinite;
  const isArray = Array.isArray;
  const { includes, isWellFormed, slice } = String.prototype;
  const symbolText = Symbol.prototype.toString;

  for (const name of ["Atomics", "FinalizationRegistry", "SharedArrayBuffer", "WeakRef", "performance"]) {
    delete globalThis[name];
  }
  const provide = (name, value, fixed) =>
    defineProperty(globalThis, name, { __proto__: null, value, writable: !fixed, configurable: !fixed });
  const refuse = (name, message) =>
    provide(name, () => { throw new NativeReferenceError(name + ": " + message); }, false);
  for (const name of ["setTimeout", "setInterval", "setImmediate"]) {
    refuse(name, "timers are not available: await a tool instead");
  }
  refuse("fetch", "the network is not available: await a tool instead");
  refuse("require", "modules are not available: everything a script has is global");

  // ---- Showing values -------------------------------------------------------------------------

  const cut = (text, length) => apply(slice, text, [0, length]);
  const errorText = (error) => {
    const name = error.name, message = error.message;
    const head = typeof name === "string" ? name : "Error";
    return typeof message === "string" && message !== "" ? head + ": " + message : head;
  };
  const show = (value) => {
    const path = create(null);
    let depth = 0;
    return stringify(value, function (key, item) {
      if (typeof item === "bigint") return item + "n";
      if (typeof item === "number") return isFinite(item) ? item : "" + item;
      if (typeof item === "symbol") return apply(symbolText, item, []);
      if (typeof item === "function") return "[function]";
      if (item === undefined) return isArray(this) ? "undefined" : undefined;
      if (typeof item !== "object" || item === null) return item;
      if (isError(item)) return errorText(item);
      while (depth > 0 && path[depth - 1] !== this) depth -= 1;
      for (let level = 0; level < depth; level += 1) if (path[level] === item) return "[circular]";
      const shown = item instanceof NativeMap || item instanceof NativeSet ? listOf(item) : item;
      path[depth] = shown;
      depth += 1;
      return shown;
    });
  };
  const text = (value) => {
    if (typeof value === "string") return value;
    if (typeof value === "bigint") return value + "n";
    if (typeof value === "symbol") return apply(symbolText, value, []);
    if (typeof value === "function") return "[function]";
    if (typeof value !== "object" || value === null) return "" + value;
    try {
      return isError(value) ? errorText(value) : show(value) ?? "undefined";
    } catch {
      return "[a value that cannot be shown]";
    }
  };

  // ---- Values that leave the box --------------------------------------------------------------

  // What JSON would change or leave out in silence is refused; a property that is undefined is one that is not there.
  const problemOf = (item, inArray) => {
    if (typeof item === "number" && !isFinite(item)) return "is " + item + ": use null, a finite number or text";
    if (typeof item === "bigint") return "is a BigInt: use text or a number";
    if (typeof item === "function") return "is a function: leave it out";
    if (typeof item === "symbol") return "is a symbol: use text";
    if (item === undefined && inArray) return "is undefined: use null";
    if (typeof item === "string") return textProblem(item);
    return "";
  };
  const textProblem = (item) => {
    if (!apply(isWellFormed, item, [])) return "has half of a surrogate pair: use text.toWellFormed()";
    return apply(includes, item, ["\\0"]) ? "has the character NUL: take it out" : "";
  };
  const keyProblem = (key) =>
    key === "__proto__" ? "is a reserved name: choose another" : textProblem(key);
  const jsonText = (what, value) =>
    stringify(value, function (key, item) {
      let problem = problemOf(item, isArray(this));
      if (problem === "" && item !== undefined) problem = keyProblem(key);
      if (problem === "") return item;
      throw new NativeTypeError(what + (key === "" ? " " : ": " + cut(stringify(key), 100) + " ") + problem);
    });

  // ---- Output and memory ----------------------------------------------------------------------

  let room = ${limits.outputChars};
  const print = (...values) => {
    if (room < -1) return; // The host has seen that there is more than fits.
    let line = "";
    for (let index = 0; index < values.length; index += 1) line += (index > 0 ? " " : "") + text(values[index]);
    hostPrint(stringify(cut(line, room + 2)));
    room -= line.length + 1;
  };
  const checkKey = (key) => {
    if (typeof key !== "string") throw new NativeTypeError("a key of store and load is a string");
  };
  const store = (key, value) => {
    checkKey(key);
    const problem = textProblem(key);
    if (problem !== "") throw new NativeTypeError("store(key, value): the key " + problem);
    const json = value === undefined ? undefined : jsonText("store(key, value): the value", value);
    if (value !== undefined && json === undefined) throw new NativeTypeError("store(key, value): the value is not JSON");
    const refusal = hostStore(stringify(key), json);
    if (refusal !== undefined) throw new NativeRangeError(refusal);
  };
  const load = (key) => {
    checkKey(key);
    const json = hostLoad(stringify(key));
    return json === undefined ? undefined : parse(json);
  };

  // ---- Calls ----------------------------------------------------------------------------------

  const waiting = create(null);
  const argumentText = (tool, value) => {
    if (value === undefined) return "{}";
    let json, reason = "";
    try { json = jsonText("the value", value); } catch (error) { reason = " (" + cut(text(error), 200) + ")"; }
    if (json !== undefined) return json;
    throw new NativeTypeError("tools." + tool + ": the arguments are not a JSON value" + reason);
  };
  const call = (tool, value) => new NativePromise((resolve, reject) => {
    // Made now, thrown if the call fails: its stack names the line of the call.
    const failure = new NativeError("");
    const name = cut(tool, ${limits.toolNameChars + 1});
    const ordinal = hostCall(stringify(name), argumentText(name, value));
    if (typeof ordinal === "string") throw new NativeTypeError(ordinal);
    waiting[ordinal] = { __proto__: null, resolve, reject, failure };
  });
  // "then" and "toJSON" are asked for by await and JSON.stringify, not by the script.
  const tools = new NativeProxy(freeze(create(null)), {
    __proto__: null,
    get: (target, name) =>
      typeof name !== "string" || name === "then" || name === "toJSON" ? undefined : (value) => call(name, value),
  });
  const settle = (ordinal, ok, json) => {
    const { resolve, reject, failure } = waiting[ordinal];
    delete waiting[ordinal];
    let value;
    try { value = parse(json); } catch (error) { reject(error); return; }
    if (ok) { resolve(value); return; }
    const property = (name, item) =>
      defineProperty(failure, name, { __proto__: null, value: item, writable: true, configurable: true });
    property("name", "ToolError");
    property("message", value.message);
    property("code", value.code);
    reject(failure);
  };

  // ---- Ends -----------------------------------------------------------------------------------

  const finish = (value) => {
    const json = show(value);
    return json === undefined ? undefined : stringify(cut(json, ${limits.outputChars + 1}));
  };
  const field = (value, name) => {
    try {
      const item = value[name];
      return typeof item === "string" ? cut(item, ${limits.messageChars}) : "";
    } catch {
      return "";
    }
  };
  // Text is put together by hand: a script can break how objects become JSON, not how strings do.
  const describe = (value) => {
    const error = typeof value === "object" && value !== null && isError(value);
    const part = (name) => ', "' + name + '": ' + stringify(error ? field(value, name) : "");
    const message = error ? field(value, "message") : cut(text(value), ${limits.messageChars});
    return '{ "error": ' + error + ', "message": ' + stringify(message) + part("name") + part("code") + part("stack") + " }";
  };

  // sfc32, two outputs a number: 53 bits.
  const begin = (a, b, c, d) => {
    const next = () => {
      const sum = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (((c << 21) | (c >>> 11)) + sum) | 0;
      return sum >>> 0;
    };
    const random = () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
    defineProperty(Math, "random", { __proto__: null, value: random, writable: true, configurable: true });
  };

  provide("tools", tools, true);
  provide("print", print, true);
  provide("store", store, true);
  provide("load", load, true);
  provide("console", freeze({ __proto__: null, log: print, info: print, warn: print, error: print, debug: print }), true);
  return { begin, describe, finish, settle };
})`;
