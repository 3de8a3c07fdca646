import assert from "node:assert/strict";
import { createEnvironment } from "../../src/config/environment.ts";
import {
  bindingsToSource,
  parseDotenv,
  parseVcapServices,
  profilesOf,
  variablesToSources,
} from "../../src/config/environment_variables.ts";

function fromFile(value: Record<string, unknown>) {
  return { name: "deno.json", value, text: JSON.stringify({ fw: value }, null, 2) };
}

Deno.test("createEnvironment() gives mocked authentication and a database outside production only [2.5.r4]", () => {
  const development = createEnvironment([]);
  assert.equal(development.requires.auth?.kind, "mocked");
  assert.ok(development.requires.db);
  const production = createEnvironment([], ["production"]);
  assert.equal(production.requires.auth, undefined);
  assert.equal(production.requires.db, undefined);
  assert.equal(production.production, true);
});

Deno.test("createEnvironment() lets later sources win member by member", () => {
  const env = createEnvironment([
    { name: "a", value: { requires: { db: { kind: "sqlite", credentials: { url: "x" } } } } },
    { name: "b", value: { requires: { db: { credentials: { url: "y" } } } } },
  ]);
  assert.deepEqual(env.requires.db, { kind: "sqlite", credentials: { url: "y" } });
});

Deno.test("createEnvironment() applies the members of the profiles in effect [2.7.profile]", () => {
  const value = {
    requires: { messaging: { kind: "local-messaging", "[test]": { kind: "file-based-messaging" } } },
  };
  assert.equal(createEnvironment([fromFile(value)]).requires.messaging?.kind, "local-messaging");
  assert.equal(
    createEnvironment([fromFile(value)], ["test"]).requires.messaging?.kind,
    "file-based-messaging",
  );
});

Deno.test("createEnvironment() inherits along kinds", () => {
  const env = createEnvironment([fromFile({
    requires: { kinds: { box: { kind: "file-based-messaging", file: "/tmp/box" } }, messaging: "box" },
  })]);
  assert.deepEqual(env.requires.messaging, { kind: "file-based-messaging", file: "/tmp/box" });
});

Deno.test("createEnvironment() inherits from kinds that name none, and ends where kinds name each other", () => {
  const kinds = { plain: { file: "a" }, one: { kind: "two", file: "b" }, two: { kind: "one", group: "g" } };
  const { requires } = createEnvironment([fromFile({ requires: { kinds, a: "plain", b: "one" } })]);
  assert.deepEqual([requires.a, requires.b], [
    { kind: "plain", file: "a" },
    { kind: "one", file: "b", group: "g" },
  ]);
});

Deno.test("createEnvironment() refuses an unknown key with file, line and nearest name", () => {
  assert.throws(() => createEnvironment([fromFile({ requires: { auth: { knd: "basic" } } })]), {
    name: "ConfigurationError",
    message: 'deno.json:5: "fw.requires.auth.knd" is unknown; did you mean "kind"?',
  });
});

Deno.test("createEnvironment() refuses settings of a pool that are none, as nobody would get a connection", () => {
  const start = (pool: unknown) =>
    createEnvironment([fromFile({ requires: { db: { kind: "postgres", pool } } })]);
  assert.throws(() => start({ maxx: 3 }), /"fw\.requires\.db\.pool\.maxx" is unknown; did you mean "max"\?/);
  assert.throws(
    () => start({ max: 0 }),
    /"fw\.requires\.db\.pool\.max" must be a whole number of at least 1/,
  );
  assert.throws(() => start({ maxOfTenants: "all" }), /maxOfTenants" must be a number/);
  assert.deepEqual(start({ max: 1 }).requires.db?.pool, { max: 1 });
});

Deno.test("createEnvironment() refuses keys that would have no effect", () => {
  const value = { requires: { db: { schema_evolution: "auto" } } };
  assert.throws(() => createEnvironment([fromFile(value)]), /schema_evolution" is unknown/);
});

Deno.test("createEnvironment() says where a key belongs that stands in the wrong place", () => {
  const inPlace: readonly [Record<string, unknown>, string][] = [
    [{ fw: {} }, ": all of the file stands below it already, so leave it out"],
    [{ cds: {} }, ": all of the file stands below it already, so leave it out"],
    [{ production: {} }, '; names of profiles stand in brackets: "[production]"'],
    [{ requires: { db: { password: "x" } } }, '; it belongs into "credentials"'],
    [{ requires: { db: { pool: { password: "x" } } } }, ""],
    [{ server: { production: {} } }, ""],
  ];
  for (const [value, place] of inPlace) {
    const unknown = (error: Error) => error.message.endsWith(`is unknown${place}`);
    assert.throws(() => createEnvironment([fromFile(value)]), unknown, JSON.stringify(value));
  }
});

Deno.test("createEnvironment() refuses an ill-typed value", () => {
  assert.throws(() => createEnvironment([fromFile({ server: { port: "4004" } })]), {
    message: 'deno.json:4: "fw.server.port" must be a number, but is a string',
  });
});

Deno.test("variablesToSources() maps names with underscores to keys", () => {
  const sources = variablesToSources({
    FW_REQUIRES_AUTH_RESTRICT_ALL_SERVICES: "false",
    FW_QUERY_LIMIT_MAX: "20",
    FW_CONFIG: '{"server":{"index":false}}',
    HOME: "/x",
  });
  const env = createEnvironment(sources);
  assert.equal(env.requires.auth?.restrict_all_services, false);
  assert.deepEqual(env.query, { limit: { max: 20 } });
  assert.equal((env.server as { index: boolean }).index, false);
});

Deno.test("variablesToSources() leaves numbers texts where a key takes texts", () => {
  const [host, port] = variablesToSources({ FW_SERVER_HOST: "1", FW_SERVER_PORT: "1" });
  assert.deepEqual([host.value, port.value], [{ server: { host: "1" } }, { server: { port: 1 } }]);
});

Deno.test("environment variables mean the names that the configuration has, whatever their case (README, production)", () => {
  const file = { ReviewsService: { kind: "odata", credentials: { url: "http://a", clientId: "x" } } };
  const variables = {
    FW_REQUIRES_REVIEWSSERVICE_CREDENTIALS_URL: "http://b",
    FW_REQUIRES_REVIEWSSERVICE_CREDENTIALS_CLIENTID: "y",
    FW_REQUIRES_ReviewsService_timeoutMs: "700",
    FW_REQUIRES_OTHER_KIND: "rest",
  };
  const { requires } = createEnvironment([fromFile({ requires: file }), ...variablesToSources(variables)]);
  assert.deepEqual(requires.ReviewsService, {
    kind: "odata",
    credentials: { url: "http://b", clientId: "y" },
    timeoutMs: 700,
  });
  assert.deepEqual(requires.other, { kind: "rest" });
  assert.equal(Object.hasOwn(requires, "reviewsservice"), false);
});

Deno.test("variablesToSources() passes over variables of the command line", () => {
  assert.deepEqual(variablesToSources({ FW_TOKEN_PASSWORD: "secret", FW_ENV: "test" }), []);
});

Deno.test("variablesToSources() refuses a variable that names no key", () => {
  assert.throws(() => variablesToSources({ FW_SERVR_PORT: "1" }), /FW_SERVR_PORT names no key/);
});

Deno.test("profilesOf() prefers FW_ENV to NODE_ENV", () => {
  assert.deepEqual(profilesOf({ FW_ENV: "production,x", NODE_ENV: "test" }), ["production", "x"]);
  assert.deepEqual(profilesOf({ NODE_ENV: "test" }), ["test"]);
  assert.deepEqual(profilesOf({}), ["development"]);
});

Deno.test("parseDotenv() reads names, quotes and comments", () => {
  assert.deepEqual(parseDotenv("# c\nA=1\nexport B = 'x y' \nC=z # no\n"), { A: "1", B: "x y", C: "z" });
});

Deno.test("bindingsToSource() selects the kind of the bound identity service", () => {
  const bindings = parseVcapServices('{"identity":[{"name":"i","credentials":{"clientid":"c"}}]}');
  assert.deepEqual(bindingsToSource(bindings)?.value, {
    requires: { auth: { kind: "oidc", credentials: { clientid: "c" } } },
  });
});

Deno.test("bindingsToSource() refuses two bindings of one identity service [8.1]", () => {
  const bindings = parseVcapServices('{"xsuaa":[{"name":"a"},{"name":"b"}]}');
  assert.throws(() => bindingsToSource(bindings), /at most one binding of service "xsuaa", but found a, b/);
});

Deno.test("bindingsToSource() takes the pinned one of two bindings of the OAuth 2.0 service [8.1]", () => {
  const two = '[{"name":"a","credentials":{"clientid":"1"}},{"name":"b","credentials":{"clientid":"2"}}]';
  const xsuaa = parseVcapServices(`{"xsuaa":${two}}`);
  assert.deepEqual(bindingsToSource(xsuaa, "b")?.value, {
    requires: { auth: { kind: "oauth2", credentials: { clientid: "2" } } },
  });
  assert.throws(
    () => bindingsToSource(xsuaa, "c"),
    /names "c", but the bindings of service "xsuaa" are a, b/,
  );
  const one = parseVcapServices('{"xsuaa":[{"name":"a","credentials":{}}]}');
  assert.throws(() => bindingsToSource(one, "c"), /names "c", but the bindings of service "xsuaa" are a/);
  const identity = parseVcapServices(`{"identity":${two}}`);
  assert.throws(() => bindingsToSource(identity, "b"), /at most one binding of service "identity"/);
});

Deno.test("parseDotenv() takes quoted values with a comment behind them", () => {
  assert.deepEqual(parseDotenv("A=\"x # y\" # z\nexport B='1'\nC=2 # two\n# D=3\nnothing"), {
    A: "x # y",
    B: "1",
    C: "2",
  });
});

Deno.test("createEnvironment() takes a URL of PostgreSQL without a kind for PostgreSQL", () => {
  for (const url of ["postgres://me:pw@host/shop", "PostgreSQL://me:pw@host/shop"]) {
    for (const db of [{ credentials: { url } }, { credentials: { uri: url } }, url]) {
      const env = createEnvironment([{ name: "a", value: { requires: { db, archive: db } } }]);
      assert.equal(env.requires.db?.kind, "postgres");
      assert.equal(env.requires.archive?.kind, "postgres");
    }
    const named = { kind: "memory", credentials: { url } };
    assert.equal(
      createEnvironment([{ name: "a", value: { requires: { db: named } } }]).requires.db?.kind,
      "memory",
    );
  }
});

Deno.test("variablesToSources() takes two underscores for one that belongs to a key", () => {
  const sources = variablesToSources(
    { cds_odata_put__as__replace: "true", CDS_FEATURES_SOME__FLAG: "1" },
    "CDS",
  );
  assert.deepEqual(sources.map(({ value }) => value), [
    { odata: { put_as_replace: true } },
    { features: { some_flag: 1 } },
  ]);
});
