import assert from "node:assert/strict";
import { createLogging, LOG_LEVELS, type LoggingOptions } from "../../src/log/create_logging.ts";
import type { LogLevel } from "../../src/log/logger.ts";

function collect(options: LoggingOptions): { lines: string[]; log: ReturnType<typeof createLogging> } {
  const lines: string[] = [];
  return { lines, log: createLogging({ ...options, write: (_level, line) => lines.push(line) }) };
}

Deno.test("createLogging() writes only what the level of the component lets through", () => {
  const { lines, log } = collect({ levels: { default: "warn", odata: "debug" } });
  log("db").info("hidden");
  log("odata").debug("shown", { a: 1 });
  assert.deepEqual(lines, ['[odata] - shown {"a":1}']);
  assert.equal(log("db")._info, false);
});

Deno.test("a component has its first name, and the level of the first of its names that has one", () => {
  const levels = { default: "warn", odata: "debug", sql: "error" } as const;
  const { log } = collect({ levels });
  for (
    const [names, id, level] of [
      ["odata", "odata", "debug"],
      ["db", "db", "warn"],
      ["pg|sql", "pg", "error"],
      ["remote|odata|sql", "remote", "debug"],
      ["x|y", "x", "warn"],
      ["|sql", "", "error"],
    ] as const
  ) {
    const logger = log(names);
    assert.deepEqual([logger.id, logger.level], [id, level], names);
    assert.equal(log(id), logger);
  }
});

/** What passes at each level, in the order of their numbers. */
const LEVELS = { silent: 0, error: 1, warn: 2, info: 3, debug: 4, trace: 5 } as const;
const METHODS = ["error", "warn", "info", "debug", "trace"] as const;

Deno.test("createLogging() takes levels by name in any case and by number, each with all that is more severe", () => {
  for (const [name, number] of Object.entries(LEVELS)) {
    for (const level of [name, name.toUpperCase(), number] as (LogLevel | number)[]) {
      const { lines, log } = collect({});
      const logger = log("x", level);
      for (const method of METHODS) logger[method](method);
      const passing = METHODS.slice(0, number);
      assert.deepEqual(lines.map((line) => line.split(" ").at(-1)), passing, String(level));
      assert.deepEqual(METHODS.filter((method) => logger[`_${method}`]), passing);
      assert.equal(logger.level, name);
    }
  }
  for (const [name, number] of Object.entries(LOG_LEVELS)) {
    const more = { SILLY: "trace", VERBOSE: "trace" }[name];
    assert.equal(collect({}).log("x", number as unknown as LogLevel).level, more ?? name.toLowerCase());
  }
  for (const level of ["loud", "constructor", 6, -1] as (LogLevel | number)[]) {
    assert.throws(() => collect({}).log("x", level), /Expected one of trace, .* as level of a log, found/);
  }
});

Deno.test("createLogging() adds correlation id and tenant to JSON lines", () => {
  const { lines, log } = collect({ format: "json", context: () => ({ id: "c-1", tenant: "t1" }) });
  log("http").info("hello");
  const { timestamp, ...line } = JSON.parse(lines[0]);
  assert.ok(!Number.isNaN(Date.parse(timestamp)));
  assert.deepEqual(line, {
    level: "info",
    logger: "http",
    correlation_id: "c-1",
    tenant: "t1",
    msg: "hello",
  });
});

Deno.test("createLogging() adds the correlation id to plain warnings", () => {
  const { lines, log } = collect({ context: () => ({ id: "c-1" }) });
  log("http").warn("careful");
  assert.deepEqual(lines, ["[http] - WARN careful (c-1)"]);
});

Deno.test("createLogging() masks secrets at any depth", () => {
  const { lines, log } = collect({});
  log("auth").info({
    user: "u",
    credentials: { clientsecret: "s", key: "k" },
    headers: new Headers({ Cookie: "c" }),
  });
  assert.deepEqual(lines, [
    '[auth] - {"user":"u","credentials":{"clientsecret":"***","key":"***"},"headers":{"cookie":"***"}}',
  ]);
});

Deno.test("createLogging() writes errors with stack, members and cause", () => {
  const { lines, log } = collect({});
  log("x").error(Object.assign(new Error("top", { cause: new Error("inner") }), { code: "C" }));
  assert.match(lines[0], /Error: top[\s\S]*"code":"C"[\s\S]*caused by: Error: inner/);
});

Deno.test("createLogging() writes the members of an error once that its first line does not say", () => {
  const { lines, log } = collect({});
  const said = { name: "Refused", message: "no", text: "no", stack: "Refused: no" };
  log("x").error(
    Object.assign(new Error(), said, { args: [], target: undefined, details: [1], size: 2n ** 64n }),
  );
  log("x").error(Object.assign(new Error(), said));
  assert.deepEqual(lines, [
    '[x] - ERROR Refused: no {"details":[1],"size":"18446744073709551616"}',
    "[x] - ERROR Refused: no",
  ]);
});

Deno.test("createLogging() writes values of all kinds, and errors without a stack", () => {
  const { lines, log } = collect({});
  const error = Object.assign(new TypeError("no"), { stack: undefined });
  log("x").info("all:", 1, 2n, true, null, undefined, error);
  assert.deepEqual(lines, ["[x] - all: 1 2 true null undefined TypeError: no"]);
});

Deno.test("createLogging() writes code or status of an error without message, before the stack", () => {
  const { lines, log } = collect({});
  log("x").error("failed:", Object.assign(new Error(), { code: "MULTIPLE_ERRORS", status: 400 }));
  log("x").error("failed:", Object.assign(new Error(), { status: 503 }));
  assert.match(lines[0], /failed: Error: MULTIPLE_ERRORS\n\s+at /);
  assert.match(lines[1], /failed: Error: 503\n\s+at /);
});

Deno.test("createLogging() writes what an error says of itself behind its frames, in front of its cause", () => {
  const { lines, log } = collect({});
  const error = Object.assign(new Error("top", { cause: "inner" }), { code: "C" });
  error.stack = "Error: top\n    at a (file:///a.ts:1:1)\n    at b (file:///b.ts:1:1)";
  log("x").error(error);
  assert.equal(lines[0], `[x] - ERROR ${error.stack} {"code":"C"}\n  caused by: inner`);
});

Deno.test("createLogging() gives one logger per component", () => {
  const { log } = collect({});
  assert.equal(log("a"), log("a"));
});

/** C0, DEL, C1 with NEL, separators of lines and paragraphs, bidirectional controls. */
const CONTROLS = [
  ...[0x00, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9b, 0x9f, 0x061c, 0x200e, 0x200f],
  ...[0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
].map((code) => String.fromCharCode(code));

Deno.test("createLogging() escapes control and bidirectional characters in every format, wherever they stand", () => {
  for (const format of ["plain", "json"] as const) {
    for (const char of CONTROLS) {
      const text = `a${char}b`;
      const { lines, log } = collect({ format, context: () => ({ id: text, tenant: text }) });
      const error = Object.assign(new Error(text, { cause: text }), { [text]: text, target: text });
      error.stack = `Error: ${text}`;
      log(text).warn(text, { [text]: [text] }, error);
      const [line] = lines;
      const allowed = format === "plain" && char === "\n" ? /\n {2}caused by: /g : /$^/g;
      assert.ok(!line.replace(allowed, "").includes(char), `${format} ${char.charCodeAt(0).toString(16)}`);
      if (format === "json") assert.equal(JSON.parse(line).correlation_id, text);
    }
  }
});

Deno.test("createLogging() lets no message of an error look like further lines or frames", () => {
  const { lines, log } = collect({});
  const message = "bad\n    at forged (file:///x.ts:1:1)\n[auth] - WARN forged";
  log("x").error(new Error(message));
  const [first, ...frames] = lines[0].split("\n");
  assert.ok(first.includes("forged"));
  assert.ok(frames.length > 0);
  assert.ok(frames.every((line) => /^\s+at /.test(line) && !line.includes("forged")), lines[0]);
});

Deno.test("createLogging() masks secrets in texts: JSON whole, cut and nested, headers, parameters, URLs", () => {
  const payload = { user: "u", password: 's"1', list: [{ clientSecret: { a: "s2" } }], token: 7733 };
  const nested = JSON.stringify({ body: JSON.stringify({ inner: JSON.stringify(payload), apiKey: "s4" }) });
  const texts = [
    JSON.stringify(payload),
    `received topic ${JSON.stringify(payload)} done`,
    JSON.stringify({ password: "s5 and more" }).slice(0, 20),
    nested,
    "postgres://me:s6@host/db",
    "postgres://me:s/7@x#s8?@host:5432/db",
    "connect to postgres://host/db?user=me&password=s9&sslmode=require",
    "Authorization: Basic czExOnMxMg==",
    "sent Bearer s13s13s13.s13s13",
  ];
  for (const text of texts) {
    for (const format of ["plain", "json"] as const) {
      const { lines, log } = collect({ format });
      log("x").info(text, { text, list: [text] }, new Error(text, { cause: new Error(text) }));
      const shown = lines[0].replace(/\(ext:[^)]*\)/g, "");
      assert.doesNotMatch(shown, /s\/?\d|7733|czEx/, `${text}\n${shown}`);
    }
  }
  const { lines, log } = collect({});
  log("x").info(texts[1]);
  assert.equal(
    lines[0],
    '[x] - received topic {"user":"u","password":"***","list":[{"clientSecret":"***"}],"token":"***"} done',
  );
});

Deno.test("createLogging() leaves frames, paths with @ and texts without secrets as they are", () => {
  const { lines, log } = collect({});
  const text = 'at file:///npm/pg@8.1.0/lib.js and http://host/a@b, me@host: {"monkey":"m","title":"key"}';
  log("x").info(text);
  assert.equal(lines[0], `[x] - ${text}`);
});

Deno.test("createLogging() writes what cannot be shown, and errors that are their own cause", () => {
  const { lines, log } = collect({});
  const error = new Error("loop");
  error.cause = error;
  log("x").error(error);
  assert.equal(lines[0].split("caused by: Error: loop").length, 9, "causes are bounded");
  log("x").error(
    new Proxy({}, {
      ownKeys() {
        throw new Error("no");
      },
    }),
  );
  assert.match(lines[1], /cannot be shown/);
});

Deno.test("createLogging() shows the frames of the application only, unless all are asked for; JSON has all", () => {
  const error = new Error("sold out");
  const own = "    at order (file:///shop/srv/shop.ts:7:3)";
  const ours = `    at run (${import.meta.resolve("../../src/service/service.ts")}:1:1)`;
  const platform = "    at ext:core/mod.js:1:1";
  error.stack = ["Error: sold out", ours, own, platform].join("\n");
  const lines = (options: LoggingOptions) => {
    const { lines, log } = collect(options);
    log("x").error(error);
    return lines[0];
  };
  const note = "    ... and 2 of the framework and the platform: FW_STACK=full shows them";
  const short = lines({ shortStacks: true });
  assert.equal(short, ["[x] - ERROR Error: sold out", own, note].join("\n"));
  assert.equal(
    lines({}),
    ["[x] - ERROR Error: sold out", own, ours, platform].join("\n"),
    "the user's file first",
  );
  assert.ok(lines({ shortStacks: true, format: "json" }).includes("ext:core/mod.js"));
  error.stack = ["Error: sold out", ours, platform].join("\n");
  assert.equal(lines({ shortStacks: true }), ["[x] - ERROR Error: sold out", ours, platform].join("\n"));
});

Deno.test("createLogging() colours marks where it is told to, and never what others wrote", () => {
  const { lines, log } = collect({ colours: true });
  log("x").warn("low \x1b[31mstock");
  log("x").error("none");
  log("x").info("fine");
  assert.deepEqual(lines, [
    "[x] - \x1b[33mWARN\x1b[0m low \\u001b[31mstock",
    "[x] - \x1b[31mERROR\x1b[0m none",
    "[x] - fine",
  ]);
});

/** Runs with a console that keeps what it is given, by method. */
function withConsole(run: (written: unknown[][]) => void): void {
  const written: unknown[][] = [];
  const names = ["trace", "debug", "log", "info", "warn", "error"] as const;
  const kept = Object.fromEntries(names.map((name) => [name, console[name]]));
  for (const name of names) console[name] = (...values: unknown[]) => void written.push([name, ...values]);
  try {
    run(written);
  } finally {
    Object.assign(console, kept);
  }
}

Deno.test("createLogging() writes lines to the console: failures and warnings apart from all others", () => {
  withConsole((written) => {
    const logger = createLogging()("x", "trace");
    for (const method of [...METHODS, "log"] as const) logger[method](method);
    assert.deepEqual(written, [
      ["error", "[x] - ERROR error"],
      ["warn", "[x] - WARN warn"],
      ["log", "[x] - info"],
      ["log", "[x] - debug"],
      ["log", "[x] - trace"],
      ["log", "[x] - log"],
    ]);
  });
});

Deno.test("createLogging() finds the level by the first name that has one, then by default, and takes the first name as id", () => {
  const levels = { a: "warn", b: "debug", cds: "error" } as const;
  for (
    const [names, id, level, withDefault] of [
      ["a", "a", "warn", "warn"],
      ["c", "c", "info", "trace"],
      ["c|b", "c", "debug", "debug"],
      ["c|a|b", "c", "warn", "warn"],
      ["b|a", "b", "debug", "debug"],
      ["c|d", "c", "info", "trace"],
      [undefined, "cds", "error", "error"],
    ] as const
  ) {
    const logger = collect({ levels }).log(names);
    assert.deepEqual([logger.id, logger.label, logger.level], [id, id, level], names);
    assert.equal(collect({ levels: { ...levels, default: "trace" } }).log(names).level, withDefault, names);
  }
  const { log } = collect({ levels });
  assert.equal(log("c|b"), log("c"));
  assert.equal(log("c|a").level, "debug", "a logger that is there keeps its level");
});

Deno.test("createLogging() sets level and label of a logger anew, each apart, for whoever holds it already", () => {
  const { lines, log } = collect({ levels: { x: "warn" } });
  const logger = log("x");
  for (
    const [given, level, label] of [
      [undefined, "warn", "x"],
      [{ label: "y" }, "warn", "y"],
      ["debug", "debug", "y"],
      [{ level: 3 }, "info", "y"],
      [{}, "info", "y"],
      [{ level: "silent", label: "z" }, "silent", "z"],
      [{ level: "info" }, "info", "z"],
    ] as const
  ) {
    assert.equal(log("x", given as LogLevel), logger);
    assert.deepEqual([logger.id, logger.level, logger.label], ["x", level, label], JSON.stringify(given));
  }
  logger.debug("hidden");
  (logger as unknown as (...values: unknown[]) => void)("called", 1);
  logger.log("logged");
  assert.deepEqual(lines, ["[z] - called 1", "[z] - logged"]);
  const made = log("w", { label: "v", level: "error" });
  assert.deepEqual([made.id, made.label, made.level], ["w", "v", "error"]);
});

Deno.test("createLogging() hands values to a format of one logger, else to that of all, else writes lines", () => {
  withConsole((written) => {
    const { lines, log } = collect({ levels: { default: "trace" } });
    const [one, other] = [log("one", { label: "l" }), log("other")];
    assert.equal(one.setFormat((label, level, ...values) => ["own", label, level, ...values]), one);
    const secret = { password: "p" };
    one.warn("a", secret);
    other.info("b");
    assert.deepEqual([written.splice(0), lines.splice(0)], [[["warn", "own", "l", 2, "a", secret]], [
      "[other] - b",
    ]]);
    log.shared.format = (label, level, ...values) => ["all", label, level, ...values];
    for (const method of METHODS) other[method](method);
    one.error("c");
    assert.deepEqual([written, lines], [
      [...METHODS.map((name, n) => [name, "all", "other", n + 1, name]), ["error", "own", "l", 1, "c"]],
      [],
    ]);
  });
});

Deno.test("createLogging() hands lines that pass to the loggers that a program makes, with the level of the component", () => {
  const { lines, log } = collect({ levels: { default: "info" } });
  const got: unknown[][] = [];
  log.shared.Logger = (label, level) => {
    const method = (name: string) => (...values: readonly unknown[]) =>
      void got.push([label, level, name, ...values]);
    return Object.fromEntries(
      ["trace", "debug", "log", "info", "warn", "error"].map((n) => [n, method(n)]),
    ) as
      & ReturnType<NonNullable<typeof log.shared.Logger>>
      & object;
  };
  log.shared.format = () => ["not asked"];
  log("x").debug("hidden");
  log("x").info("a", 1);
  log("x").log("b");
  log("y", { level: "error", label: "l" }).error("c");
  assert.deepEqual([got, lines], [
    [["x", 3, "info", "a", 1], ["x", 3, "info", "b"], ["l", 1, "error", "c"]],
    [],
  ]);
});

Deno.test("createLogging() marks warnings and failures of a request by its id, and nothing else", () => {
  for (
    const [method, context, line] of [
      ["info", { id: "c" }, "[x] - m"],
      ["debug", { id: "c" }, "[x] - m"],
      ["warn", { id: "c" }, "[x] - WARN m (c)"],
      ["error", { id: "c" }, "[x] - ERROR m (c)"],
      ["warn", { tenant: "t" }, "[x] - WARN m"],
      ["warn", { id: "" }, "[x] - WARN m"],
      ["warn", undefined, "[x] - WARN m"],
    ] as const
  ) {
    const { lines, log } = collect({ context: () => context });
    log("x", "trace")[method]("m");
    assert.deepEqual(lines, [line]);
  }
});

Deno.test("createLogging() says the message of an error, else its code, else its status, else its name only", () => {
  for (
    const [message, members, line] of [
      ["m", { code: "C", status: 1 }, '[x] - TypeError: m {"code":"C","status":1}'],
      ["", { code: "C", status: 1 }, '[x] - TypeError: C {"code":"C","status":1}'],
      ["", { status: 400 }, '[x] - TypeError: 400 {"status":400}'],
      ["", { code: 0 }, '[x] - TypeError: 0 {"code":0}'],
      ["", {}, "[x] - TypeError: "],
      ["m", { args: ["a"] }, '[x] - TypeError: m {"args":["a"]}'],
      ["m", { args: 0, text: "t", target: null }, '[x] - TypeError: m {"args":0,"target":null}'],
      ["m", { cause: null }, '[x] - TypeError: m {"cause":null}\n  caused by: null'],
    ] as [string, object, string][]
  ) {
    const { lines, log } = collect({});
    log("x").info(Object.assign(new TypeError(message), { stack: undefined }, members));
    assert.deepEqual(lines, [line]);
  }
});

Deno.test("createLogging() shows no frames of causes but those of the application where stacks are short", () => {
  const ours = `    at run (${import.meta.resolve("../../src/service/service.ts")}:1:1)`;
  const cause = new Error("inner");
  cause.stack = `Error: inner\n${ours}`;
  const error = new Error("outer", { cause });
  error.stack = `Error: outer\n${ours}`;
  const note = "    ... and 1 of the framework and the platform: FW_STACK=full shows them";
  for (const [shortStacks, shown] of [[true, note], [false, ours]] as const) {
    const { lines, log } = collect({ shortStacks });
    log("x").error(error);
    assert.deepEqual(lines[0]!.split("\n"), [
      "[x] - ERROR Error: outer",
      ours,
      "  caused by: Error: inner",
      shown,
    ]);
  }
});

Deno.test("createLogging() writes objects without JSON as text, and escapes with four digits", () => {
  const { lines, log } = collect({});
  log("x").info({ toJSON: () => undefined }, [1n, new Date(0)], Symbol("s"), "\u0001\u2028\t\r");
  assert.deepEqual(lines, [
    '[x] - [object Object] ["1","1970-01-01T00:00:00.000Z"] Symbol(s) \\u0001\\u2028\\t\\r',
  ]);
});

Deno.test("createLogging() masks members wherever a cut text begins and ends, whatever stands for their value", () => {
  for (
    const [text, shown] of [
      ['"password":"s"', '"password":"***"'],
      ['"password":s}', '"password":"***"}'],
      ['"password":}', '"password":"***"}'],
      ['{"password":"s","a":1}', '{"password":"***","a":1}'],
      ['"password":"\\\\"', '"password":"***"'],
      ['"password":"\\""', '"password":"***"'],
      ['"password":"","a":"b"', '"password":"***","a":"b"'],
      ['"a":"b"', '"a":"b"'],
    ]
  ) {
    const { lines, log } = collect({});
    log("x").info(text);
    assert.deepEqual(lines, [`[x] - ${shown}`]);
  }
});
