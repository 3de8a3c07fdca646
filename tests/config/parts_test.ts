/**
 * Small parts of the configuration: defaults, names of headers, mock users, remarks, profiles, bounds in effect.
 */

import assert from "node:assert/strict";
import { databaseScheme, defaultsFor, entryOfText, withKindOfUrl } from "../../src/config/defaults.ts";
import { certificateHeader, messagesHeaderName } from "../../src/config/header_names.ts";
import { DEFAULT_LIMITS, limitsOf } from "../../src/config/limits.ts";
import { configuredUsers, mergeUsers } from "../../src/config/predefined_users.ts";
import { Remarks } from "../../src/config/remarks.ts";
import { misspeltProfiles, unknownProfiles } from "../../src/config/unknown_profiles.ts";

Deno.test("defaultsFor() gives a server of this machine in development, one for all hosts in production [2.5.r4]", () => {
  const common = {
    query: { limit: { max: 1000 } },
    folders: { db: "db/", srv: "srv/", app: "app/", fts: "fts/" },
    i18n: { default_language: "en" },
    odata: { put_as_upsert: true },
    fiori: { move_media_data_in_db: true },
  };
  assert.deepEqual(defaultsFor(["development"]), {
    ...common,
    server: { port: 4004, host: "127.0.0.1", messages_header: "fw-messages", index: true },
    requires: { auth: { kind: "mocked" }, db: {} },
  });
  assert.deepEqual(defaultsFor(["test", "production"]), {
    ...common,
    server: { port: 4004, host: "0.0.0.0", messages_header: "fw-messages", index: false },
    requires: {},
    log: { format: "json" },
  });
});

Deno.test("databaseScheme() is the scheme of a URL in small letters, of texts only", () => {
  const cases: readonly [unknown, string | undefined][] = [
    [{ url: "Postgres://h/d" }, "postgres"],
    [{ uri: "postgresql://h/d" }, "postgresql"],
    [{ url: "file:x.sqlite", uri: "postgres://h" }, undefined],
    [{ url: "db/shop.sqlite" }, undefined],
    [{ url: 7 }, undefined],
    [{ url: `a${"b".repeat(30)}://h` }, `a${"b".repeat(30)}`],
    [{ url: `a${"b".repeat(31)}://h` }, undefined],
    [undefined, undefined],
    ["postgres://h/d", undefined],
  ];
  for (const [credentials, scheme] of cases) assert.equal(databaseScheme({ credentials }), scheme);
});

Deno.test("withKindOfUrl() adds the kind of a URL of PostgreSQL where neither kind nor implementation is named", () => {
  const credentials = { url: "postgres://h/d" };
  assert.deepEqual(withKindOfUrl({ credentials }), { kind: "postgres", credentials });
  assert.deepEqual(withKindOfUrl({ credentials, impl: "./db.ts" }), { credentials, impl: "./db.ts" });
  assert.deepEqual(withKindOfUrl({ credentials, kind: "sqlite" }), { credentials, kind: "sqlite" });
  assert.deepEqual(withKindOfUrl({ credentials: { url: "https://h" } }), {
    credentials: { url: "https://h" },
  });
});

Deno.test("entryOfText() takes a text for a kind, and a URL of PostgreSQL for its credentials", () => {
  assert.deepEqual(entryOfText("sqlite"), { kind: "sqlite" });
  assert.deepEqual(entryOfText("postgresql://h"), {
    kind: "postgres",
    credentials: { url: "postgresql://h" },
  });
  assert.deepEqual(entryOfText("redis://h"), { kind: "redis://h" });
});

Deno.test("names of headers are those of the configuration, else the defaults [4.1]", () => {
  assert.equal(certificateHeader({}), "x-forwarded-client-cert");
  assert.equal(certificateHeader({ security: {} }), "x-forwarded-client-cert");
  const authentication = { clientCertificateHeader: "X-Cert" };
  assert.equal(certificateHeader({ security: { authentication } }), "x-cert");
  assert.equal(messagesHeaderName({}), "fw-messages");
  assert.equal(messagesHeaderName({ server: { messages_header: "sap-messages" } }), "sap-messages");
});

Deno.test("limitsOf() takes the size of a page from query.limit.max, unless limits names it", () => {
  assert.deepEqual(limitsOf({}), DEFAULT_LIMITS);
  assert.equal(limitsOf({ query: { limit: { max: 7 } } }).pageSize, 7);
  assert.equal(limitsOf({ query: { limit: { max: 0 } } }).pageSize, 1000);
  assert.equal(limitsOf({ query: {} }).pageSize, 1000);
  const both = limitsOf({ query: { limit: { max: 7 } }, limits: { pageSize: 5, inList: 2 } });
  assert.deepEqual(both, { ...DEFAULT_LIMITS, pageSize: 5, inList: 2 });
});

Deno.test("configuredUsers() gives the predefined mock users with tenants, roles and features [2.5]", () => {
  const all = ["admin", "cds.ExtensionDeveloper", "cds.UIFlexDeveloper"];
  assert.deepEqual(configuredUsers({}), {
    alice: { tenant: "t1", roles: ["admin"] },
    bob: { tenant: "t1", roles: ["cds.ExtensionDeveloper"] },
    carol: { tenant: "t1", roles: all },
    dave: { tenant: "t1", roles: ["admin"], features: [] },
    erin: { tenant: "t2", roles: all },
    fred: { tenant: "t2", features: ["isbn"] },
    me: { tenant: "t1", features: ["*"] },
    yves: { roles: ["internal-user"] },
    authenticated: {},
    system: { roles: ["system-user"] },
    privileged: { privileged: true },
  });
});

Deno.test("configuredUsers() lets requires.auth.users win over security.mock.users, and those over predefined ones", () => {
  const security = { mock: { users: { amy: { id: "mock", roles: ["a"] }, zoe: true } } };
  const users = configuredUsers({
    security,
    requires: { auth: { users: { amy: { id: "auth" }, bob: false } } },
  });
  assert.deepEqual([users.amy, users.zoe, users.bob], [{ id: "auth", roles: ["a"] }, {}, false]);
  assert.deepEqual(users.alice, { tenant: "t1", roles: ["admin"] });
  const own = { mock: { ...security.mock, defaultUsers: false } };
  assert.deepEqual(configuredUsers({ security: own }), { amy: { id: "mock", roles: ["a"] }, zoe: {} });
  assert.equal(Object.keys(configuredUsers({ security: { mock: { defaultUsers: true } } })).length, 11);
});

Deno.test("mergeUsers() takes true for a user that stays as it was, and lets later layers bring removed ones back", () => {
  const removed = { amy: false };
  const amy = { amy: { id: "a" } };
  assert.deepEqual(mergeUsers([amy, { amy: true }]), amy);
  assert.deepEqual(mergeUsers([amy, removed]), removed);
  assert.deepEqual(mergeUsers([amy, removed, { amy: true }]), { amy: {} });
  assert.deepEqual(mergeUsers([amy, removed, { amy: { tenant: "t" } }]), { amy: { tenant: "t" } });
  assert.deepEqual(mergeUsers([amy, { amy: undefined }]), amy);
});

Deno.test("Remarks say each text once, with its place, and stop the start where everything is strict", () => {
  const remarks = new Remarks();
  const said: string[] = [];
  const log = { warn: (text: string) => void said.push(text) };
  remarks.add("a");
  remarks.add("a", { file: "x.json", line: 3 });
  remarks.say(log);
  remarks.add("a");
  remarks.add("b");
  remarks.say(log);
  assert.deepEqual(said, ["a", "x.json:3: a", "b"]);
  assert.throws(() => new Remarks(true).add("a", { file: "x.json" }), {
    name: "ConfigurationError",
    message: "x.json: a",
  });
});

Deno.test("unknownProfiles() tells of profiles that no source mentions, with the nearest name", () => {
  const sources = [{
    name: "a",
    value: { requires: { db: { "[cloud]": {} } }, "[staging]": {}, "x[y]": {} },
  }];
  assert.deepEqual(
    unknownProfiles(["development", "production", "test", "hybrid", "cloud", "staging"], sources),
    [],
  );
  assert.deepEqual(unknownProfiles(["prodution", "zzzzz", "y"], sources), [
    'The profile "prodution" is not known; did you mean "production"?',
    'The profile "zzzzz" is not known, only development, production, test, hybrid, cloud, staging',
    'The profile "y" is not known, only development, production, test, hybrid, cloud, staging',
  ]);
});

Deno.test("misspeltProfiles() tells of blocks whose names are up to two letters from a usual profile", () => {
  const sources = [
    { name: "a.json", value: { "[Prodction]": {}, "[production]": {}, requires: { "[tset]": {} } } },
    { name: "b.json", value: { "[hybr]": {}, "[hyb]": {}, "[cloud]": {} } },
  ];
  assert.deepEqual(misspeltProfiles(["development"], sources), [
    '"[Prodction]" in a.json has no effect; did you mean "[production]"?',
    '"[tset]" in a.json has no effect; did you mean "[test]"?',
    '"[hybr]" in b.json has no effect; did you mean "[hybrid]"?',
  ]);
  assert.deepEqual(misspeltProfiles(["tset", "hybr", "Prodction"], sources), []);
});
