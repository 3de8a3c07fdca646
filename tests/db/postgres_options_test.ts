import assert from "node:assert/strict";
import { connectionOptions } from "../../src/db/postgres/connection_options.ts";
import { parserOf } from "../../src/db/postgres/statement_query.ts";
import { createPostgresDatabase } from "../../src/db/postgres/postgres_database.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { credentials, server } from "./postgres.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";

function options(credentials: Record<string, unknown>) {
  return connectionOptions({ credentials, pool: {}, statementMs: 0, schema: 'my "own" schema' });
}

Deno.test("credentials.url of PostgreSQL: percent-encoded parts, addresses in brackets, sockets, what stands beside it wins", () => {
  const server = (credentials: Record<string, unknown>) => {
    const { host, port, user, password, database } = options(credentials).config;
    return { host, port, user, password, database };
  };
  assert.deepEqual(server({ url: "postgres://me%40home:p%3Aw@db.example:6432/my%20data" }), {
    host: "db.example",
    port: 6432,
    user: "me@home",
    password: "p:w",
    database: "my data",
  });
  assert.equal(server({ url: "postgresql://[::1]/x" }).host, "::1");
  assert.equal(server({ uri: "postgres:///x?host=/run/postgresql" }).host, "/run/postgresql");
  const beside = server({ url: "postgres://a:b@one/x", hostname: "two", username: "c", dbname: "y" });
  assert.deepEqual(beside, { host: "two", port: undefined, user: "c", password: "b", database: "y" });
});

Deno.test("credentials of PostgreSQL: a wrong URL is refused without its password, and one has to say where", () => {
  for (const url of ["postgres://me:secret@host:port/x", "mysql://me:secret@host/x", "secret"]) {
    assert.throws(
      () => options({ url }),
      (error) => error instanceof ConfigurationError && !error.message.includes("secret"),
    );
  }
  assert.throws(() => options({ user: "me" }), /needs "url", or "host"/);
});

Deno.test("credentials.sslmode of PostgreSQL: certificates are checked unless the mode says otherwise", () => {
  const ssl = (more: Record<string, unknown>) => options({ host: "h", ...more }).config.ssl;
  const unchecked = { rejectUnauthorized: false };
  assert.equal(ssl({}), false);
  assert.equal(ssl({ sslmode: "disable" }), false);
  assert.equal(ssl({ ssl: false }), false);
  assert.equal(ssl({ ssl: true }), true);
  assert.equal(ssl({ ssl: true, sslmode: "require" }), true);
  assert.equal(ssl({ sslmode: "verify-full" }), true);
  assert.equal(ssl({ sslmode: "verify-ca" }), true);
  assert.deepEqual(ssl({ sslmode: "require" }), unchecked);
  assert.deepEqual(ssl({ ssl: { ca: "pem" } }), { ca: "pem" });
  assert.deepEqual(ssl({ sslrootcert: "pem", sslmode: "require" }), { ca: "pem", rejectUnauthorized: true });
  assert.deepEqual(options({ url: "postgres://h/x?sslmode=prefer" }).config.ssl, unchecked);
  assert.equal(options({ url: "postgres://h/x?sslmode=prefer" }).mayBePlain, true);
  assert.equal(options({ url: "postgres://h/x?sslmode=require" }).mayBePlain, false);
});

Deno.test("settings of a session are escaped as the server reads them", () => {
  assert.equal(
    options({ host: "h" }).config.options,
    String.raw`-c TimeZone=UTC -c DateStyle=ISO -c client_encoding=UTF8 -c search_path="my\ ""own""\ schema"`,
  );
});

Deno.test("values of PostgreSQL: numbers keep their digits, instants are in UTC, arrays are lists", () => {
  const parsed = (type: number, text: string) => parserOf(type)(text);
  assert.equal(parsed(1700, "12.50"), 12.5);
  assert.equal(parsed(1700, "0.1234567890123456789"), "0.1234567890123456789");
  assert.equal(parsed(1700, "-123456789012.345"), -123456789012.345);
  assert.equal(parsed(1700, "1234567890123456.5"), "1234567890123456.5");
  assert.equal(parsed(1700, "123456789012345.0001"), "123456789012345.0001");
  assert.equal(parsed(1700, "123456789012345.0000"), 123456789012345);
  assert.equal(parsed(1700, "9007199254740992.0000"), "9007199254740992.0000");
  assert.equal(parsed(20, "9007199254740993"), "9007199254740993");
  assert.equal(parsed(20, "9007199254740991"), 9007199254740991);
  assert.equal(parsed(701, "Infinity"), Infinity);
  assert.equal(parsed(1184, "2024-01-02 03:04:05.6+00"), "2024-01-02T03:04:05.600Z");
  assert.equal(parsed(16, "t"), true);
  assert.deepEqual(parsed(17, "\\x00ff"), new Uint8Array([0, 255]));
  assert.deepEqual(parsed(1007, "{1,2,NULL}"), [1, 2, null]);
  assert.equal(parsed(1186, "1 day"), "1 day");
});

Deno.test("names that PostgreSQL would cut stop the start: those of entities, and of schemas", () => {
  const opened = (name: string, schema = "public") =>
    createPostgresDatabase({
      model: linkModel(parseCdl(`entity ${name} { key ID : Integer; }`)),
      options: { credentials: { host: "127.0.0.1", schema } },
    });
  const message = /is longer than the 63 bytes that PostgreSQL allows/;
  assert.throws(() => opened("E".repeat(64)), { name: "ConfigurationError", message });
  assert.throws(() => opened("E", "s".repeat(64)), { name: "ConfigurationError", message });
});

Deno.test({
  name: "who watches statements of PostgreSQL learns why one failed",
  ignore: !server.isThere,
  fn: async () => {
    const ends: unknown[] = [];
    const watch = () => ({ error }: { error?: unknown }) =>
      void ends.push((error as Error | undefined)?.message);
    const options = { credentials: credentials("public") };
    const db = createPostgresDatabase({ model: linkModel({ definitions: {} }), options, watch });
    try {
      const tx = db.begin(new EventContext());
      await assert.rejects(async () => await tx.sql!("SELECT 1/0"));
      assert.equal(
        ends.filter((message) => message === "DIVISION_BY_ZERO").length,
        1,
        String(ends),
      );
      await tx.rollback();
    } finally {
      await db.close();
    }
  },
});
