/** Scripts that attack the box, and how each may end. */
type End =
  | "finished"
  | "blocked"
  | "script_error"
  | "script_syntax_error"
  | "script_cpu_limit"
  | "script_memory_limit"
  | "script_stalled";
type Hostile = { readonly title: string; readonly source: string; readonly ends: readonly End[] };

const limit: readonly End[] = ["script_cpu_limit", "script_memory_limit"];
const overflow: readonly End[] = ["script_error", ...limit];
const harmless: readonly End[] = ["finished"];

const attack = (title: string, source: string, ends: readonly End[]): Hostile => ({ title, source, ends });

const endless = [
  attack("loops", "while (true);", ["script_cpu_limit"]),
  attack("loops in a microtask", "Promise.resolve().then(() => { while (true); }); await tools.x()", [
    "script_cpu_limit",
  ]),
  attack("awaits for ever", "while (true) await undefined", ["script_cpu_limit"]),
  attack(
    "breeds promises",
    "const f = () => { for (let n = 0; n < 9; n++) Promise.resolve().then(f) }; f(); await tools.x()",
    limit,
  ),
  attack("yields for ever", "function* g() { while (true) yield* [1] } for (const x of g()); ", [
    "script_cpu_limit",
  ]),
  attack("delegates generators for ever", "function* g() { yield* g() } for (const x of g());", overflow),
  attack("awaits a thenable that never ends", "const t = { then(r) { r(t) } }; await t", [
    "script_cpu_limit",
    "script_error",
  ]),
  attack(
    "iterates an async generator for ever",
    "async function* g() { while (true) yield 1 } for await (const x of g());",
    ["script_cpu_limit"],
  ),
  attack(
    "loops while an error is described",
    "throw { get name() { while (true); }, toJSON() { while (true); } }",
    ["script_cpu_limit"],
  ),
  attack(
    "loops in the getter of an error",
    "const e = new Error(); Object.defineProperty(e, 'stack', { get() { while (true); } }); throw e",
    ["script_cpu_limit"],
  ),
  attack("loops in what it returns", "return { toJSON() { while (true); } }", ["script_cpu_limit"]),
  attack("loops in its arguments", "await tools.x({ get a() { while (true); } })", ["script_cpu_limit"]),
  attack("loops in what it prints", "print({ get a() { while (true); } })", ["script_cpu_limit"]),
  attack(
    "catches its interruption",
    "const f = async () => { try { while (true); } finally { await f() } }; await f()",
    ["script_cpu_limit"],
  ),
];

const native = [
  attack("backtracks a regular expression", "/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60))", [
    "script_cpu_limit",
  ]),
  attack("backtracks with lookbehind", "/(?<=(a+)+)b$/.test('a'.repeat(4000) + 'c')", [
    "script_cpu_limit",
    "finished",
    "script_error",
  ]),
  attack("joins holes", "const a = Array(5e7); a[0] = 1; return a.join('xxxxxxxxxx').length", overflow),
  attack("sorts with a comparator that loops", "[3, 2, 1].sort(() => { while (true); })", [
    "script_cpu_limit",
  ]),
  attack(
    "sorts with a comparator that changes the array",
    "const a = Array.from({ length: 999 }, (_, n) => n); a.sort(() => { a.length = 0; return Math.random() - 0.5 }); return a.length",
    harmless,
  ),
  attack(
    "fills holes far away",
    "const a = []; a[4294967294] = 1; a.reverse(); return a.indexOf(7)",
    overflow,
  ),
  attack("copies a huge array-like", "return Array.from({ length: 2 ** 53 - 1 }).length", overflow),
  attack("repeats a string", "return 'x'.repeat(2 ** 30).length", overflow),
  attack("doubles a string", "let s = 'x'; while (true) s += s", overflow),
  attack(
    "replaces every character",
    "let s = 'x'.repeat(1e6); while (true) s = s.replaceAll('x', 'xx')",
    overflow,
  ),
  attack("raises a BigInt", "let n = 3n; while (true) n **= 3n", overflow),
  attack("parses deep JSON", "return JSON.parse('['.repeat(1e6))", overflow),
  attack("parses a deep program", "return eval('('.repeat(1e5) + '1' + ')'.repeat(1e5))", overflow),
  attack(
    "compiles a huge regular expression",
    "return RegExp('(?:a{0,999}){0,999}'.repeat(999)).test('a'.repeat(999))",
    [...overflow, "finished"],
  ),
];

const memory = [
  attack("keeps arrays", "const all = []; while (true) all.push([1, 2, 3])", limit),
  attack("keeps buffers", "const all = []; while (true) all.push(new ArrayBuffer(2 ** 20))", limit),
  attack(
    "catches that memory is out",
    "const all = []; while (true) try { while (true) all.push({ all }) } catch { all.push(1) }",
    limit,
  ),
  attack("prints for ever", "while (true) print('x'.repeat(1000))", ["script_cpu_limit"]),
  attack("prints one huge line", "print('x'.repeat(8e6)); return 'x'.repeat(4e6)", [
    ...harmless,
    ...overflow,
  ]),
  attack("calls for ever", "while (true) tools.x({ text: 'x'.repeat(1e5) })", limit),
  attack("calls with huge names", "for (let n = 0; n < 5; n++) tools['x'.repeat(1e5)](); return 1", harmless),
  attack(
    "stores for ever",
    "while (true) try { store('k' + Math.random(), 'x'.repeat(2e5)) } catch {}",
    limit,
  ),
  attack("asks for a giant buffer", "return new ArrayBuffer(2 ** 31).byteLength", overflow),
  attack("asks for a giant typed array", "return new Float64Array(2 ** 28).length", overflow),
  attack("fills the longest array", "return new Array(2 ** 32 - 1).fill().length", overflow),
  attack("pads to a giant string", "return 'x'.padStart(2 ** 29).length", overflow),
  attack("matches into a giant array", "return 'x'.repeat(5e6).match(/x/g).length", overflow),
  attack("makes giant JSON", "return JSON.stringify(Array(1e7).fill(1)).length", overflow),
  attack("stores a giant value", "store('k', 'x'.repeat(1.3e7))", overflow),
  attack(
    "stores giant values for ever",
    "const s = 'x'.repeat(1.2e7); for (;;) try { store('k', s) } catch {}",
    limit,
  ),
  attack(
    "stores under giant keys for ever",
    "const s = 'x'.repeat(1.2e7); for (;;) try { store(s, 1) } catch {}",
    limit,
  ),
  attack(
    "loads giant keys for ever",
    "const s = '\\u4e2d'.repeat(4e6); for (;;) try { load(s) } catch {}",
    limit,
  ),
  attack("passes a giant string", "await tools.x('x'.repeat(1.3e7))", overflow),
  attack(
    "passes giant strings for ever",
    "const s = 'x'.repeat(1.2e7); for (;;) tools.x(s).catch(() => {})",
    limit,
  ),
  attack(
    "passes millions of arrays that are one",
    "const a = Array(1000).fill([]); await tools.x(Array(2600).fill(a))",
    overflow,
  ),
  attack("returns a giant string", "return 'x'.repeat(1.3e7)", overflow),
  attack("throws a giant string", "throw 'x'.repeat(1.3e7)", overflow),
  attack("throws a huge error", "throw new Error('x'.repeat(5e6))", overflow),
];

const stack = [
  attack("recurses", "const f = () => f() + 1; f()", ["script_error"]),
  attack("recurses and catches", "const f = () => { try { f() } catch { f() } }; f()", overflow),
  attack("recurses through the border", "const f = { get x() { print(f); return f.x } }; f.x", overflow),
  attack("recurses through toJSON", "const f = { toJSON() { return JSON.stringify(f) } }; await tools.x(f)", [
    "script_error",
  ]),
  attack(
    "recurses through a Proxy",
    "const h = {}; const p = new Proxy({}, h); Object.setPrototypeOf(h, p); p.x",
    ["script_error"],
  ),
  attack("nests what it returns", "let o = 1; for (let n = 0; n < 1e5; n++) o = [o]; return o", overflow),
  attack("nests what it passes", "let o = 1; for (let n = 0; n < 900; n++) o = [o]; await tools.x(o)", [
    "script_error",
  ]),
  attack("frees what it nested", "let o = 1; for (let n = 0; n < 2e5; n++) o = [o]; o = null; return 1", [
    ...harmless,
    ...limit,
  ]),
  attack(
    "binds a function many times",
    "let f = () => 1; for (let n = 0; n < 1e5; n++) f = f.bind(null); return f()",
    overflow,
  ),
];

const escapes = [
  attack(
    "asks constructors for the host",
    "return this.constructor.constructor('return typeof process + typeof require')()",
    harmless,
  ),
  attack(
    "asks functions of the box for the host",
    "return [print, tools.x, load].map((f) => f.constructor('return typeof process')())",
    harmless,
  ),
  attack("imports", "await import('node:fs')", ["script_error"]),
  attack("imports in an evaluated module", "await (0, eval)(\"import('node:child_process')\")", [
    "script_error",
  ]),
  attack(
    "closes its wrapper",
    "}); globalThis.escaped = 1; (async function () { return typeof process",
    harmless,
  ),
  attack("closes its wrapper and gives no promise", "}); (function () { return { then() {} }", [
    ...harmless,
    "script_error",
  ]),
  attack("looks for callers", "const f = function () { return f.caller }; return f() ?? null", [
    ...harmless,
    "script_error",
  ]),
  attack(
    "pollutes prototypes",
    "Object.prototype.toJSON = () => 'x'; Array.prototype.toJSON = () => 'y'; Object.prototype.then = 1; await tools.x({ a: 1 }); return []",
    harmless,
  ),
  attack(
    "sends __proto__",
    'await tools.x(JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\')); return 1',
    ["script_error"],
  ),
  attack(
    "stores __proto__",
    "try { store('__proto__', { polluted: 1 }) } catch {} store('constructor', 1); store('toString', 2)",
    harmless,
  ),
];

const confuse = [
  attack(
    "replaces what the prelude uses",
    `for (const c of [Object, JSON, Reflect, Promise, Error, String, Symbol, Number, Array, Proxy, Map, Set])
    for (const o of [c, c.prototype ?? {}])
      for (const k of Reflect.ownKeys(o)) try { o[k] = () => { throw 'mine' } } catch {}
    return await tools.x({ a: 1 })`,
    ["finished", "script_error", "script_stalled"],
  ),
  attack(
    "deletes what it was given",
    "delete globalThis.tools; delete globalThis.print; globalThis.tools = 1; print = 2; print('here'); return await tools.x()",
    harmless,
  ),
  attack(
    "deletes every global",
    "const all = globalThis; for (const k of Reflect.ownKeys(all)) delete all[k]; await tools.x(); print(1); return 1",
    harmless,
  ),
  attack(
    "overrides then",
    "Promise.prototype.then = function () { while (true); }; await tools.x(); return Promise.resolve(1)",
    ["script_cpu_limit"],
  ),
  attack(
    "overrides Promise",
    "globalThis.Promise = class { constructor() { throw 1 } }; return await tools.x()",
    harmless,
  ),
  attack(
    "sets indexes on prototypes",
    "Object.defineProperty(Array.prototype, 0, { set() { throw 1 }, get() { while (true); } }); print(1, [2]); return await tools.x([3])",
    ["script_error"],
  ),
  attack(
    "sets traps on prototypes",
    "for (const t of ['get', 'has', 'set', 'apply', 'ownKeys']) Object.prototype[t] = () => { throw 1 }; return await tools.x()",
    harmless,
  ),
  attack(
    "passes proxies",
    "await tools.x(new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 40 : 1 }))",
    overflow,
  ),
  attack(
    "passes a toJSON with effects",
    "const o = { toJSON() { tools.y(); store('k', 1); print('p'); throw o } }; try { await tools.x(o) } catch (e) { return e.message }",
    harmless,
  ),
  attack("gives thenables back", "return { then(resolve, reject) { reject({ then(r) { r(1) } }) } }", [
    "script_error",
  ]),
  attack(
    "fakes its limits",
    "throw Object.assign(new InternalError('interrupted'), { name: 'InternalError' })",
    ["script_error"],
  ),
  attack(
    "throws a revoked Proxy",
    "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy",
    ["script_error"],
  ),
  attack(
    "throws in jobs",
    "for (let n = 0; n < 1000; n++) Promise.reject(n); await tools.x(); return 1",
    harmless,
  ),
  attack(
    "awaits a tool inside an arguments getter",
    "const o = { get a() { tools.x(o); return 1 } }; await tools.x(o)",
    ["finished", "script_cpu_limit"],
  ),
  attack("is not JavaScript", "\0\ud800 ]]>", ["script_syntax_error"]),
];

export const hostile: readonly Hostile[] = [
  ...endless,
  ...native,
  ...memory,
  ...stack,
  ...escapes,
  ...confuse,
];
