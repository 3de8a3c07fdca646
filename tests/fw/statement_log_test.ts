import assert from "node:assert/strict";
import fw from "../../mod.ts";
import { createHttpContext } from "../../src/context/http_context.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { RequestTimes } from "../../src/fw/request_times.ts";
import { statementWatch } from "../../src/fw/statement_log.ts";
import type { StatementEnd } from "../../src/service/database.ts";

interface Levels {
  readonly debug?: boolean;
  readonly warn?: boolean;
}

/** A watch with its lines, whose times stand as T. */
function watchOf(log: object | undefined, levels: Levels, times?: RequestTimes) {
  const lines: string[] = [];
  const add = (level: string) => (text: string) =>
    lines.push(`${level} ${text.replace(/\d+\.\d ms/, "T ms")}`);
  const { debug: _debug = false, warn: _warn = true } = levels;
  const logger = { _debug, _warn, debug: add("debug"), warn: add("warn") };
  type Given = Parameters<typeof statementWatch>[0];
  const components: string[] = [];
  const runtime = {
    env: { log },
    log: (name: string) => (components.push(name), logger),
  } as unknown as Given;
  return { watch: statementWatch(runtime, times), lines, components };
}

const CONTEXT = new EventContext();

function logged(log: object, sql: string, values: readonly unknown[], end: StatementEnd = {}): string {
  const { watch, lines, components } = watchOf(log, { debug: true });
  watch!(sql, values, CONTEXT)(end);
  assert.deepEqual(components, ["sql"]);
  assert.equal(lines.length, 1);
  return lines[0]!.replace(/ \(\/.*statement_log_test\.ts:\d+\)$/, " (here)");
}

Deno.test("statements are watched where a log or a header shows them only", () => {
  assert.equal(watchOf(undefined, {}).watch, undefined);
  assert.equal(watchOf({ slow_sql_ms: 5 }, { warn: false }).watch, undefined);
  assert.ok(watchOf({ slow_sql_ms: 5 }, {}).watch);
  assert.ok(watchOf(undefined, { debug: true, warn: false }).watch);
  assert.ok(watchOf(undefined, { warn: false }, new RequestTimes(undefined)).watch);
});

Deno.test("the log of a statement tells its outcome, how many values it has, and who asked", () => {
  assert.equal(logged({}, "SELECT 1", []), "debug T ms, done: SELECT 1 (here)");
  assert.equal(logged({}, "SELECT 1", [1], { rows: 1 }), "debug T ms, 1 row: SELECT 1 [1 value] (here)");
  assert.equal(
    logged({}, "SELECT 1", [1, "a"], { rows: 0 }),
    "debug T ms, 0 rows: SELECT 1 [2 values] (here)",
  );
  const failed = logged({}, "SELECT 1", [], { error: Object.assign(new Error("no"), { code: "23505" }) });
  assert.equal(failed, "debug T ms, failed with 23505: SELECT 1 (here)");
});

Deno.test("the log of a statement shows values where the configuration says so (fw.log.sanitize_values)", () => {
  const shown = (...values: readonly unknown[]) =>
    logged({ sanitize_values: false }, "S", values).replace(/^debug T ms, done: S /, "").replace(
      / \(here\)$/,
      "",
    );
  assert.equal(shown(1, 'a"b', null, true, new Uint8Array(3)), '[1, "a\\"b", null, true, <3 bytes>]');
  assert.equal(shown("x".repeat(98)), `["${"x".repeat(98)}"]`);
  assert.equal(shown("x".repeat(99)), `["${"x".repeat(99)}…]`);
  assert.equal(shown(...Array(50).fill(1)), `[${Array(50).fill(1).join(", ")}]`);
  assert.equal(shown(...Array(52).fill(1)), `[${Array(50).fill(1).join(", ")}, … 2 more]`);
});

Deno.test("the log of a statement has ten thousand characters of it", () => {
  const line = (length: number) => logged({}, "x".repeat(length), []).length;
  assert.equal(line(10_000), "debug T ms, done:  (here)".length + 10_000);
  assert.equal(line(10_001), "debug T ms, done:  (here)".length + 10_001);
  assert.equal(line(20_000), line(10_001));
});

Deno.test("slow statements are warned of, others not, and their times are added up (fw.log.slow_sql_ms)", () => {
  const times = new RequestTimes(undefined);
  times.begin(CONTEXT);
  const run = (slow: number) => {
    const { watch, lines } = watchOf({ slow_sql_ms: slow }, {}, times);
    watch!("SELECT 1", [], CONTEXT)({ rows: 2 });
    return lines;
  };
  assert.deepEqual(run(-1), ["warn slow statement: T ms, 2 rows: SELECT 1"]);
  assert.deepEqual(run(60_000), []);
  assert.match(times.headerOf(CONTEXT, 0)!, /desc="2 statements"$/);
});

Deno.test("the log of a statement names the event that is handled, else the request without the keys in its path", () => {
  const shown = (context: EventContext) => {
    const { watch, lines } = watchOf({ slow_sql_ms: -1 }, {});
    watch!("S", [], context)({});
    return /S(?: \((.*)\))?$/.exec(lines[0]!)![1];
  };
  const below = (parent: EventContext) => Object.assign(new EventContext(), { parent });
  const read = new fw.Request({ event: "READ", target: { name: "shop.Books" } as never });
  const http = createHttpContext(
    new Request("http://a/odata/v4/catalog/Books(7)/author(1)?x", { method: "PATCH" }),
  );
  assert.equal(shown(read), "READ shop.Books");
  assert.equal(shown(below(below(read))), "READ shop.Books");
  assert.equal(shown(new fw.Request({ event: "hello" })), "hello");
  assert.equal(shown(new fw.Event({ event: "told" })), "told");
  assert.equal(shown(new EventContext({ http } as never)), "PATCH /odata/v4/catalog/Books");
  assert.equal(shown(new EventContext()), undefined);
});
