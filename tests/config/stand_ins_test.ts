/**
 * What development stands in for: engines, channels and identity services that nothing is bound of.
 */

import assert from "node:assert/strict";
import { createEnvironment } from "../../src/config/environment.ts";

type Requires = Record<string, unknown>;

function envOf(requires: Requires, profiles?: readonly string[], server: Requires = {}) {
  return createEnvironment([{ name: "deno.json", value: { requires, server } }], profiles);
}

Deno.test("a database that nothing is bound of is stood in for in development, with the other options of its entry", () => {
  const env = envOf({ db: { kind: "postgres", timeoutMs: 5 } });
  assert.deepEqual(env.requires.db, { timeoutMs: 5 });
  assert.deepEqual(env.remarks.take(), [
    '"requires.db.kind" is "postgres", but nothing is bound of it: the default database of development stands in for it',
  ]);
  const bound = [
    { kind: "postgres", credentials: { host: "h" } },
    { kind: "postgres", tenants: { t1: { credentials: { host: "h" } } } },
    { kind: "sqlite" },
    { kind: "hanami" },
  ];
  for (const db of bound) {
    const { requires, remarks } = envOf({ db });
    assert.deepEqual(requires.db, db);
    assert.deepEqual(remarks.take(), []);
  }
  assert.deepEqual(envOf({ db: { kind: "postgres" } }, ["production"]).requires.db, { kind: "postgres" });
  assert.equal(envOf({ db: false }).requires.db as unknown, false);
});

Deno.test("a database that is not available, or made for others by its kind, is stood in for in development", () => {
  const own = { impl: "their-own-engine", kind: "x" };
  const cases: readonly (readonly [db: Requires, others: Requires, isStoodIn: boolean])[] = [
    [{ kind: "hana", timeoutMs: 5 }, {}, true],
    [{ kind: "hana-cloud" }, {}, true],
    [{ kind: "hanami" }, {}, false],
    [{ kind: "own" }, { own }, true],
    [{ kind: "own" }, { own: { kind: "x" } }, false],
    [{ kind: "own" }, { own: false }, false],
    [{ kind: "own" }, {}, false],
    [{ kind: "toString" }, {}, false],
    [{ timeoutMs: 1 }, { undefined: own }, false],
  ];
  for (const [db, others, isStoodIn] of cases) {
    const { requires, remarks } = envOf({ db, ...others });
    const { kind, ...options } = db;
    const said =
      `"requires.db.kind" is "${kind}", which is not available: the default database of development stands in for it`;
    assert.deepEqual(
      [requires.db, remarks.take()],
      isStoodIn ? [options, [said]] : [db, []],
      JSON.stringify([db, others]),
    );
  }
});

Deno.test('the kind "sql" is the default database of development, with or without credentials, and of production as it is', () => {
  assert.deepEqual(envOf({ db: { kind: "sql", timeoutMs: 5 } }).requires.db, { timeoutMs: 5 });
  const credentials = { url: "x" };
  assert.deepEqual(envOf({ db: { kind: "sql", credentials } }).requires.db, { credentials });
  assert.deepEqual(envOf({ db: { kind: "sql" } }, ["production"]).requires.db, { kind: "sql" });
});

Deno.test("a channel of a broker that nothing is bound of stays in the process in development, which is said", () => {
  const entry = { kind: "enterprise-messaging", publishPrefix: "p/" };
  const env = envOf({ messaging: entry, other: { ...entry, credentials: {} }, off: false });
  assert.deepEqual([env.requires.messaging, env.requires.other, env.requires.off as unknown], [
    { ...entry, kind: "local-messaging" },
    { ...entry, credentials: {} },
    false,
  ]);
  assert.deepEqual(env.remarks.take(), [
    '"requires.messaging.kind" is "enterprise-messaging", but nothing is bound of it: messages stay in this process',
  ]);
  assert.deepEqual(envOf({ messaging: entry }, ["production"]).requires.messaging, entry);
});

Deno.test("mock users stand in for an identity service for requests of this machine only, which is said", () => {
  for (const host of ["127.0.0.1", "::1", "localhost"]) {
    for (const kind of ["xsuaa", "ias", "jwt"]) {
      const env = envOf({ auth: { kind } }, undefined, { host });
      assert.equal(env.requires.auth?.kind, "mocked");
      assert.deepEqual(env.remarks.take(), [
        `"requires.auth.kind" is "${kind}", but no service of that kind is bound: the mock users of development stand in ` +
        "for it, for requests of this machine only",
      ]);
    }
  }
  assert.equal(envOf({ auth: { kind: "jwt" } }, undefined, { host: "0.0.0.0" }).requires.auth?.kind, "jwt");
  for (
    const auth of [{ kind: "jwt", credentials: {} }, { kind: "jwt", impl: "./auth.ts" }, { kind: "basic" }]
  ) {
    const env = envOf({ auth });
    assert.deepEqual(env.requires.auth, auth);
    assert.deepEqual(env.remarks.take(), []);
  }
});

Deno.test("mock users stand in requires.auth.users for the kind mocked outside production only", () => {
  const users = { amy: { roles: ["x"] } };
  const env = envOf({ auth: { kind: "mocked", users, restrict_all_services: false } });
  const { auth } = env.requires;
  assert.deepEqual(Object.keys(auth ?? {}), ["kind", "users", "restrict_all_services"]);
  assert.deepEqual((auth?.users as Requires).amy, { roles: ["x"] });
  assert.deepEqual((auth?.users as Requires).alice, { tenant: "t1", roles: ["admin"] });
  assert.ok(Object.isFrozen(auth) && !Object.isFrozen(auth?.users));
  assert.deepEqual(envOf({ auth: { kind: "mocked", users } }, ["production"]).requires.auth?.users, users);
  assert.deepEqual(envOf({ auth: { kind: "basic", users } }).requires.auth?.users, users);
});
