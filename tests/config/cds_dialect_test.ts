/**
 * Configuration of existing projects: everything below `cds` is accepted, and what has no effect is said.
 */

import assert from "node:assert/strict";
import { fromCds } from "../../src/config/cds_dialect.ts";
import { createEnvironment } from "../../src/config/environment.ts";
import { variablesToSources } from "../../src/config/environment_variables.ts";

type Members = Record<string, unknown>;

function envOf(value: Members, profiles?: readonly string[]) {
  const text = JSON.stringify({ cds: value }, null, 2);
  return createEnvironment([{ name: "package.json", value, text, dialect: "cds" }], profiles);
}

/** What a configuration says in our words, of which everything has an effect. */
function dialect(value: Members): Members {
  return fromCds(value, (path, message) => assert.fail(`${path.join(".")} ${message}`));
}

Deno.test("any key below cds is accepted and readable, and said once", () => {
  const env = envOf({
    build: { target: "." },
    fiori: { bypass_draft: true },
    hana: { "deploy-format": "x" },
  });
  assert.deepEqual(env.build, { target: "." });
  assert.deepEqual((env.fiori as Members).bypass_draft, true);
  assert.deepEqual(env.remarks.take(), [
    'package.json: "cds.build", "cds.hana" have no effect here; "cds.env" gives the values',
  ]);
  assert.deepEqual(env.remarks.take(), []);
  for (const text of ["more", "more"]) env.remarks.add(text);
  assert.deepEqual(env.remarks.take(), ["more"]);
  env.remarks.add("more");
  assert.deepEqual(env.remarks.take(), []);
});

Deno.test("an unknown key below cds that is like a known one is said with file, line and that name", () => {
  const env = envOf({ requires: { db: { credentialz: {} } } });
  assert.deepEqual(env.remarks.take(), [
    'package.json:5: "cds.requires.db.credentialz" is unknown; did you mean "credentials"?',
  ]);
});

Deno.test("fw.strict refuses unknown keys below cds, and cds.strict does, too", () => {
  const cds = { name: "package.json", value: { build: {} }, dialect: "cds" } as const;
  assert.throws(() => createEnvironment([cds, { name: ".fwrc.json", value: { strict: true } }]), {
    name: "ConfigurationError",
    message: /^package\.json: "cds\.build" has no effect here/,
  });
  assert.throws(() => envOf({ strict: true, build: {} }), { name: "ConfigurationError" });
});

Deno.test("ill-typed values of known keys below cds stop the start with the key as the file names it", () => {
  assert.throws(() => envOf({ requires: { auth: { kind: 7 } } }), {
    message: 'package.json:5: "cds.requires.auth.kind" must be a string or an array, but is a number',
  });
});

Deno.test("kinds of authentication are known by the names of existing projects", () => {
  const kinds: readonly [unknown, string][] = [
    ["mocked-auth", "mocked"],
    [{ kind: "basic-auth" }, "basic"],
    ["dummy", "dummy"],
    [{ kind: "jwt-auth" }, "jwt"],
    ["xsuaa-auth", "xsuaa"],
    [{ strategy: "ias" }, "ias"],
  ];
  for (const [auth, kind] of kinds) {
    assert.equal(envOf({ requires: { auth }, server: { host: "0.0.0.0" } }).requires.auth?.kind, kind);
  }
});

Deno.test("mock users stand in for an identity service that is not bound outside production only", () => {
  const value = { requires: { auth: "xsuaa" }, server: { host: "localhost" } };
  assert.equal(envOf(value).requires.auth?.kind, "mocked");
  assert.equal(envOf(value, ["production"]).requires.auth?.kind, "xsuaa");
});

Deno.test("engines that do not exist here are stood in for outside production, which is said", () => {
  for (const db of ["hana", { kind: "hana-cloud", impl: "@cap-js/hana" }, { impl: "@cap-js/hana" }]) {
    const env = envOf({ requires: { db } });
    assert.deepEqual(env.requires.db, {});
    assert.match(env.remarks.take()[0], /"requires\.db\.kind" is "hana.*", which is not available/);
    assert.match(String(envOf({ requires: { db } }, ["production"]).requires.db?.kind), /^hana/);
    assert.throws(() => envOf({ strict: true, requires: { db } }), { name: "ConfigurationError" });
  }
});

Deno.test("an engine that an implementation of somebody else stands behind is stood in for, no other of the same name is", () => {
  const db = { kind: "sqlite", credentials: { url: "x.sqlite" } };
  const own = envOf({ requires: { db, sqlite: { note: "theirs" } } });
  assert.deepEqual(own.requires.db, db);
  assert.ok(own.remarks.take().every((remark) => !remark.includes("not available")));
  const made = envOf({ requires: { db, sqlite: { impl: "@acme/sqlite" } } });
  assert.equal(made.requires.db?.kind, undefined);
});

Deno.test('the kind "sql" is the default database of development', () => {
  const env = envOf({ requires: { db: { kind: "sql", credentials: { url: "db.sqlite" } } } });
  assert.deepEqual(env.requires.db, { credentials: { url: "db.sqlite" } });
  assert.deepEqual(env.remarks.take(), []);
});

Deno.test("requires.auth.users holds the mock users in effect, which programs may change", () => {
  const env = envOf({
    requires: {
      auth: { kind: "mocked", users: { amy: { roles: ["x"] }, bob: false, alice: { tenant: "t9" } } },
    },
  });
  const users = env.requires.auth!.users as Record<string, { roles?: string[]; tenant?: string }>;
  assert.deepEqual(users.alice, { tenant: "t9", roles: ["admin"] });
  assert.deepEqual(users.amy.roles, ["x"]);
  assert.equal(users.bob as unknown, false);
  users.alice.roles = ["support"];
  assert.deepEqual(users.alice.roles, ["support"]);
  assert.equal(envOf({ requires: { auth: "mocked" } }, ["production"]).requires.auth?.users, undefined);
});

Deno.test("runtime.patch_as_upsert and the like stand below odata", () => {
  const env = envOf({ runtime: { patch_as_upsert: true, other: 1 } });
  assert.deepEqual(env.odata, { put_as_upsert: true, patch_as_upsert: true });
  assert.deepEqual(env.runtime, { other: 1 });
});

Deno.test("levels of loggers, outboxes and queues are read in the words of existing projects", () => {
  const env = envOf({
    log: { levels: { a: "DEBUG", b: "silly", c: "warning" } },
    requires: {
      queue: { maxAttempts: 3, chunkSize: 9 },
      messaging: { kind: "enterprise-messaging-shared", credentials: {}, outbox: true, queue: { name: "q" } },
    },
  });
  assert.deepEqual(env.log, { levels: { a: "debug", b: "trace", c: "warn" } });
  assert.deepEqual(env.outbox, { maxAttempts: 3 });
  assert.deepEqual(env.requires, {
    ...env.requires,
    messaging: { kind: "enterprise-messaging", credentials: {}, outboxed: true, queue: "q" },
  });
  assert.deepEqual(env.remarks.take(), ['package.json:13: "cds.requires.queue.chunkSize" has no effect']);
  assert.equal(envOf({ requires: { outbox: { kind: "in-memory-outbox" } } }).outbox, false);
});

Deno.test("cors: true admits no other origin, and says so", () => {
  const env = envOf({ server: { cors: true, port: "4005" } });
  assert.deepEqual((env.server as Members).cors, undefined);
  assert.equal((env.server as Members).port, 4005);
  assert.match(env.remarks.take()[0], /"cds\.server\.cors" admits nobody: "server\.cors\.origins"/);
});

Deno.test("CDS_ variables may name any key, in capitals, small letters and with dots", () => {
  const env = createEnvironment(variablesToSources({
    CDS_FIORI_PREVIEW: "true",
    cds_requires_db_kind: "memory",
    "cds.requires.auth": '{"kind":"basic"}',
  }, "CDS"));
  assert.deepEqual(env.fiori, { move_media_data_in_db: true, preview: true });
  assert.equal(env.requires.db?.kind, "memory");
  assert.equal(env.requires.auth?.kind, "basic");
});

Deno.test("sections that are no objects switch what does not exist here, and have no effect", () => {
  for (const name of ["odata", "query", "i18n", "log", "features", "model", "limits", "services"]) {
    const remarks: unknown[] = [];
    assert.deepEqual(fromCds({ [name]: true, folders: {} }, (...remark) => remarks.push(remark)), {
      folders: {},
    });
    assert.deepEqual(remarks, [[[name], "is no object and has no effect"]]);
  }
  assert.deepEqual(dialect({ odata: {}, log: undefined, console: false }), {
    odata: {},
    log: undefined,
    console: false,
  });
});

Deno.test("kinds of services are known by the names of existing projects", () => {
  const kinds: Readonly<Record<string, string>> = {
    "mock": "mocked",
    "mocked-auth": "mocked",
    "basic-auth": "basic",
    "dummy-auth": "dummy",
    "jwt-auth": "jwt",
    "xsuaa-auth": "xsuaa",
    "ias-auth": "ias",
    "better-sqlite": "sqlite",
    "legacy-sqlite": "sqlite",
    "new-sqlite": "sqlite",
    "legacy-postgres": "postgres",
    "pg": "postgres",
    "enterprise-messaging-shared": "enterprise-messaging",
    "enterprise-messaging-amqp": "enterprise-messaging",
    "enterprise-messaging-http": "enterprise-messaging",
    "other": "other",
    "toString": "toString",
  };
  for (const [theirs, kind] of Object.entries(kinds)) {
    assert.deepEqual(dialect({ requires: { x: theirs, y: { kind: theirs }, kinds: { z: theirs } } }), {
      requires: { x: kind, y: { kind }, kinds: { z: theirs } },
    });
  }
});

Deno.test("engines are known by the packages that connect them, where no kind is named, and authentication by its strategy", () => {
  const requirement = (name: string, entry: unknown) =>
    (dialect({ requires: { [name]: entry } }).requires as Members)[name];
  for (const kind of ["sqlite", "postgres", "hana"]) {
    assert.deepEqual(requirement("db", { impl: `@cap-js/${kind}`, file: "x" }), { kind, file: "x" });
    assert.deepEqual(requirement("db", { impl: `@cap-js/${kind}`, kind: "memory" }), { kind: "memory" });
    assert.deepEqual(requirement("other", { impl: `@cap-js/${kind}` }), { impl: `@cap-js/${kind}` });
  }
  assert.deepEqual(requirement("db", { impl: "./mine" }), {});
  assert.deepEqual(requirement("auth", { strategy: "mock" }), { kind: "mocked" });
  assert.deepEqual(requirement("auth", { strategy: "mock", kind: "basic" }), { kind: "basic" });
  assert.deepEqual(requirement("other", { strategy: "mock" }), {});
  for (const entry of [true, false, null]) assert.equal(requirement("db", entry), entry);
});

Deno.test("outbox of a service switches it, and its queue is the name of a queue", () => {
  const requirement = (entry: Members) => (dialect({ requires: { m: entry } }).requires as Members).m;
  assert.deepEqual(requirement({ outbox: true }), { outboxed: true });
  assert.deepEqual(requirement({ outbox: { kind: "x" } }), { outboxed: true });
  assert.deepEqual(requirement({ outbox: false }), { outboxed: false });
  assert.deepEqual(requirement({ outbox: "x" }), { outboxed: false });
  assert.deepEqual(requirement({ outbox: false, outboxed: true }), { outboxed: true });
  assert.deepEqual(requirement({ queue: { name: "q" } }), { queue: "q" });
  assert.deepEqual(requirement({ queue: { max: 1 } }), {});
  assert.deepEqual(requirement({ queue: "q" }), { queue: "q" });
});

Deno.test("the outbox of an application is that of requires.queue, else of requires.outbox", () => {
  const cases: readonly [Members, unknown][] = [
    [{ queue: false, outbox: true }, false],
    [{ outbox: false }, false],
    [{ queue: true, outbox: false }, undefined],
    [{ queue: null }, undefined],
    [{}, undefined],
    [{ outbox: "in-memory-outbox" }, false],
    [{ outbox: { kind: "in-memory-outbox", maxAttempts: 3 } }, false],
    [{ outbox: "persistent-outbox" }, undefined],
    [{ outbox: { kind: "persistent-outbox" } }, undefined],
    [{ queue: { maxAttempts: 3 } }, { maxAttempts: 3 }],
    [{ queue: { maxAttempts: "3" } }, undefined],
  ];
  for (const [requires, outbox] of cases) {
    const expected = outbox === undefined ? { requires: {} } : { requires: {}, outbox };
    assert.deepEqual(dialect({ requires }), expected, JSON.stringify(requires));
  }
  const remarks: unknown[] = [];
  fromCds(
    { requires: { outbox: { kind: "x", maxAttempts: 1, a: 1, b: 2 } } },
    (...remark) => remarks.push(remark),
  );
  assert.deepEqual(remarks, [
    [["requires", "outbox", "a"], "has no effect"],
    [["requires", "outbox", "b"], "has no effect"],
  ]);
  assert.deepEqual(dialect({ requires: true }), { requires: true });
});

Deno.test("levels of loggers are known by the names of existing projects, in any case", () => {
  const levels = {
    a: "Verbose",
    b: "silly",
    c: "LOG",
    d: "warning",
    e: "none",
    f: "Error",
    g: 7,
    h: "toString",
  };
  assert.deepEqual(dialect({ log: { levels, format: "json" } }), {
    log: {
      levels: { a: "debug", b: "trace", c: "info", d: "warn", e: "silent", f: "error", g: 7, h: "tostring" },
      format: "json",
    },
  });
  assert.deepEqual(dialect({ log: { levels: true } }), { log: { levels: true } });
});

Deno.test("a port may be a text of digits, and cors an object or false", () => {
  const server = (given: Members) => dialect({ server: given }).server;
  assert.deepEqual(server({ port: "4005", host: "h" }), { port: 4005, host: "h" });
  assert.deepEqual(server({ port: 80 }), { port: 80 });
  assert.deepEqual(server({ port: "80a" }), { port: "80a" });
  assert.deepEqual(server({ cors: { origins: ["x"] } }), { cors: { origins: ["x"] } });
  assert.deepEqual(server({ cors: false }), {});
  const remarks: unknown[] = [];
  fromCds({ server: { cors: true } }, (...remark) => remarks.push(remark));
  assert.deepEqual(remarks, [
    [["server", "cors"], 'admits nobody: "server.cors.origins" lists who may call'],
  ]);
});

Deno.test("switches below runtime stand below odata, unless odata has them, and others stay", () => {
  const runtime = { put_as_upsert: false, put_as_replace: true, patch_as_upsert: "x" };
  assert.deepEqual(dialect({ runtime, odata: { put_as_upsert: true, structs: true } }), {
    odata: { put_as_upsert: true, put_as_replace: true, structs: true },
    runtime: { patch_as_upsert: "x" },
  });
  assert.deepEqual(dialect({ runtime: { put_as_replace: true } }), { odata: { put_as_replace: true } });
  assert.deepEqual(dialect({ runtime: 7 }), { runtime: 7 });
});
