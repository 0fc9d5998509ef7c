// Makes the world of one program, before the program is there: what it may not reach is removed, what it may reach is
// made of values that are captured here, so that nothing the program changes later reaches the bridge.
//
// A function of the host's functions and of the names on `tools`; gives what the host needs from the language.
(function (host, names) {
  "use strict";

  const { defineProperty, freeze, create, getPrototypeOf } = Object;
  const { apply, ownKeys } = Reflect;
  const { captureStackTrace } = Error;
  const NativePromise = Promise;
  const NativeDate = Date;
  const NativeMap = Map;
  const NativeSet = Set;
  const NativeRegExp = RegExp;
  const NativeError = Error;
  const NativeString = String;
  const typedArray = getPrototypeOf(Uint8Array);
  const NativeArrayBuffer = ArrayBuffer;
  const toISOString = Date.prototype.toISOString;
  const getTime = Date.prototype.getTime;
  const toWellFormed = String.prototype.toWellFormed;
  const regExpText = RegExp.prototype.toString;
  const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, "size").get;
  const setSize = Object.getOwnPropertyDescriptor(Set.prototype, "size").get;
  const nativeMicrotask = globalThis.queueMicrotask;
  const { call, touch, print, timer, clear, uncaught } = host;

  const value = (value) => ({ __proto__: null, value, writable: false, enumerable: false, configurable: false });
  const open = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });

  // No text becomes code.
  const refused = {
    __proto__: null,
    get() {
      throw new TypeError("code cannot be made of text here");
    },
    set: undefined,
    enumerable: false,
    configurable: false,
  };
  for (const kind of [function () {}, async function () {}, function* () {}, async function* () {}]) {
    defineProperty(getPrototypeOf(kind), "constructor", refused);
  }

  // What a program has of the language. Anything else that an engine defines is removed.
  const kept = new Set([
    "AggregateError", "Array", "ArrayBuffer", "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "DataView",
    "Date", "Error", "EvalError", "Float16Array", "Float32Array", "Float64Array", "Infinity", "Int16Array",
    "Int32Array", "Int8Array", "InternalError", "Iterator", "JSON", "Map", "Math", "NaN", "Number", "Object",
    "Promise", "Proxy", "RangeError", "ReferenceError", "Reflect", "RegExp", "Set", "String", "SuppressedError",
    "Symbol", "SyntaxError", "TypeError", "URIError", "Uint16Array", "Uint32Array", "Uint8Array",
    "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet", "AsyncDisposableStack", "DisposableStack", "atob", "btoa",
    "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "globalThis", "isFinite",
    "isNaN", "parseFloat", "parseInt", "undefined", "unescape",
  ]);
  for (const name of ownKeys(globalThis)) {
    if (typeof name === "string" && !kept.has(name)) delete globalThis[name];
  }
  // A program's own ways to format stacks would run inside of the bridge.
  delete Error.prepareStackTrace;
  delete Error.stackTraceLimit;

  let explain;
  let callOf;
  class ToolCallError extends Error {
    #call = 0;
    constructor(toolName, message) {
      super(message);
      defineProperty(this, "toolName", open(toolName));
    }
    static {
      explain = (trace, call, message) => {
        const error = new ToolCallError(trace.name, message);
        error.#call = call;
        defineProperty(error, "stack", open(trace.stack));
        return error;
      };
      callOf = (error) => (typeof error === "object" && error !== null && #call in error ? error.#call : 0);
    }
  }
  defineProperty(ToolCallError.prototype, "name", open("ToolCallError"));
  freeze(ToolCallError.prototype);
  freeze(ToolCallError);

  // Whoever awaits a promise asks for its constructor first; so a call that nobody awaits is known.
  const watch = { __proto__: null, get: undefined, set: undefined, enumerable: false, configurable: true };
  const watched = (number, promise) => {
    watch.get = () => {
      touch(number);
      return NativePromise;
    };
    return defineProperty(promise, "constructor", watch);
  };

  const tools = create(null);
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    if (name in tools) continue;
    const tool = (argument) => {
      // Most calls succeed, and a trace is cheaper than an error.
      const trace = { __proto__: null, name };
      captureStackTrace(trace, tool);
      return call(name, argument, trace, watched);
    };
    defineProperty(tool, "name", value(name));
    defineProperty(tools, name, { __proto__: null, value: freeze(tool), enumerable: true });
  }
  freeze(tools);

  const console = create(Object.prototype);
  for (const level of ["log", "info", "warn", "error", "debug"]) defineProperty(console, level, open(print));

  const setTimeout = (callback, delay, ...rest) => {
    if (typeof callback !== "function") throw new TypeError("setTimeout takes a function");
    return timer(callback, +delay, rest);
  };
  const clearTimeout = (id) => clear(+id);
  const queueMicrotask = (callback) => {
    if (typeof callback !== "function") throw new TypeError("queueMicrotask takes a function");
    nativeMicrotask(() => {
      try {
        callback();
      } catch (error) {
        uncaught(error);
      }
    });
  };

  defineProperty(globalThis, "tools", value(tools));
  defineProperty(globalThis, "ToolCallError", value(ToolCallError));
  defineProperty(globalThis, "console", open(console));
  defineProperty(globalThis, "setTimeout", open(setTimeout));
  defineProperty(globalThis, "clearTimeout", open(clearTimeout));
  defineProperty(globalThis, "queueMicrotask", open(queueMicrotask));

  const is = (value, kind) => {
    try {
      return value instanceof kind;
    } catch {
      return false;
    }
  };

  // What an object is called when it is not JSON.
  const label = (value) => {
    if (typeof value === "function") return "a function";
    if (typeof value === "symbol") return "a symbol";
    if (is(value, NativePromise)) return "a Promise (is an `await` missing?)";
    if (is(value, NativeDate)) return "a Date (use its ISO text)";
    if (is(value, NativeMap)) return "a Map (use Object.fromEntries)";
    if (is(value, NativeSet)) return "a Set (use an array)";
    if (is(value, NativeRegExp)) return "a RegExp";
    if (is(value, NativeError)) return "an Error (use its message)";
    if (is(value, typedArray) || is(value, NativeArrayBuffer)) return "binary data (use an array)";
    return "an object of a class (use a plain object)";
  };

  // How an object that is not JSON is printed.
  const show = (value) => {
    try {
      if (typeof value === "function") return "[function]";
      if (typeof value === "symbol") return NativeString(value);
      if (is(value, NativeDate)) {
        return getTimeIsNaN(value) ? "Invalid Date" : apply(toISOString, value, []);
      }
      if (is(value, NativeMap)) return "[Map of " + apply(mapSize, value, []) + "]";
      if (is(value, NativeSet)) return "[Set of " + apply(setSize, value, []) + "]";
      if (is(value, NativeRegExp)) return apply(regExpText, value, []);
      if (is(value, NativePromise)) return "[Promise]";
      if (is(value, NativeError)) {
        const name = value.name;
        const message = value.message;
        return (typeof name === "string" ? name : "Error") + (typeof message === "string" ? ": " + message : "");
      }
    } catch {}
    return undefined;
  };
  const getTimeIsNaN = (date) => {
    const time = apply(getTime, date, []);
    return time !== time;
  };

  return {
    __proto__: null,
    plain: Object.prototype,
    label,
    show,
    explain,
    callOf,
    fits: (integer) => integer >= -9223372036854775808n && integer <= 18446744073709551615n,
    wellFormed: (text) => apply(toWellFormed, text, []),
  };
});
