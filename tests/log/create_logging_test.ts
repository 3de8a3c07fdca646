import assert from "node:assert/strict";
import { createLogging, type LoggingOptions } from "../../src/log/create_logging.ts";

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

Deno.test("createLogging() writes code or status of an error without message, before the stack", () => {
  const { lines, log } = collect({});
  log("x").error("failed:", Object.assign(new Error(), { code: "MULTIPLE_ERRORS", status: 400 }));
  log("x").error("failed:", Object.assign(new Error(), { status: 503 }));
  assert.match(lines[0], /failed: Error: MULTIPLE_ERRORS\n\s+at /);
  assert.match(lines[1], /failed: Error: 503\n\s+at /);
});

Deno.test("createLogging() gives one logger per component", () => {
  const { log } = collect({});
  assert.equal(log("a"), log("a"));
});
