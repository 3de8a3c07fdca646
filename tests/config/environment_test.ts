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

Deno.test("variablesToSources() reads …_CONFIG last, and refuses what is no JSON object", () => {
  const sources = variablesToSources({ FW_CONFIG: '{"name":"a"}', FW_NAME: "b", CDS_NAME: "c" });
  assert.deepEqual(
    sources.map(({ name, value, anyCase, text, dialect }) => [name, value, anyCase, text, dialect]),
    [
      ["environment variable FW_NAME", { name: "b" }, true, undefined, undefined],
      ["environment variable FW_CONFIG", { name: "a" }, undefined, '{"name":"a"}', undefined],
    ],
  );
  assert.deepEqual(variablesToSources({ FW_CONFIG: "" }), []);
  assert.deepEqual(variablesToSources({ CDS_CONFIG: '{"x":1}' }, "CDS").map(({ dialect }) => dialect), [
    "cds",
  ]);
  assert.throws(() => variablesToSources({ FW_CONFIG: "config.json" }), {
    name: "ConfigurationError",
    message:
      "Environment variable FW_CONFIG is not valid JSON: the configuration itself is expected, not the path of a file",
  });
  for (const json of ["[]", "1", "null"]) {
    assert.throws(() => variablesToSources({ CDS_CONFIG: json }, "CDS"), {
      message: "Environment variable CDS_CONFIG must hold a JSON object",
    });
  }
});

Deno.test("variablesToSources() passes over variables with the prefix that are no configuration, and those of others", () => {
  for (const name of ["ENV", "REQUIRE_SERVICES", "HOME", "STACK", "TOKEN_PASSWORD", "token_password"]) {
    assert.deepEqual(variablesToSources({ [`FW_${name}`]: "x" }), []);
  }
  assert.deepEqual(variablesToSources({ FWNAME: "x", fw_name: "x", cds_name: "x", NAME: "x" }), []);
  assert.deepEqual(variablesToSources({ FW_NAME: "x", cdsx: "x" }, "CDS"), []);
});

Deno.test("variablesToSources() prefers the longest name of a key, and gives objects and lists as JSON", () => {
  const valuesOf = (variables: Record<string, string>, prefix?: string) =>
    variablesToSources(variables, prefix).map(({ value }) => value);
  const cases: readonly [string, string, unknown][] = [
    ["FW_SERVER_RATE_LIMITS_CONCURRENT_PER_TENANT", "5", {
      server: { rate_limits: { concurrent_per_tenant: 5 } },
    }],
    ["FW_SERVER_RATE_LIMITS_CONCURRENT", "5", { server: { rate_limits: { concurrent: 5 } } }],
    ["FW_LIMITS_BODYBYTES", "5", { limits: { bodyBytes: 5 } }],
    ["FW_SERVER_TRUSTED_PROXIES", '["::1"]', { server: { trusted_proxies: ["::1"] } }],
    ["FW_REQUIRES_DB_MODEL", '["a","b"]', { requires: { db: { model: ["a", "b"] } } }],
    ["FW_REQUIRES_DB_MODEL", "[a", { requires: { db: { model: "[a" } } }],
    ["FW_REQUIRES_DB", '{"kind":"sqlite"}', { requires: { db: { kind: "sqlite" } } }],
    ["FW_REQUIRES_DB", "sqlite", { requires: { db: "sqlite" } }],
    ["FW_TELEMETRY", "no", { telemetry: "no" }],
    ["FW_REQUIRES_DB_CREDENTIALS_URL", "7", { requires: { db: { credentials: { url: "7" } } } }],
  ];
  for (const [name, text, value] of cases) assert.deepEqual(valuesOf({ [name]: text }), [value], name);
  for (const name of ["FW_", "FW_NAME_", "FW_NAME_X", "FW_SERVER__PORT"]) {
    assert.throws(() => variablesToSources({ [name]: "x" }), {
      message: `Environment variable ${name} names no key of the configuration`,
    });
  }
});

Deno.test("variables of existing projects keep their case where it tells something, and need no known key", () => {
  const valuesOf = (variables: Record<string, string>) =>
    variablesToSources(variables, "CDS").map(({ value, dialect }) => [value, dialect]);
  assert.deepEqual(valuesOf({ CDS_SOME_KEY: "1", cds_some_Key: "x", "cds.some.more__key": "{}" }), [
    [{ some: { key: 1 } }, "cds"],
    [{ some: { Key: "x" } }, "cds"],
    [{ some: { more__key: {} } }, "cds"],
  ]);
  assert.throws(() => variablesToSources({ CDS_SOME_: "x" }, "CDS"), /CDS_SOME_ names no key/);
});

Deno.test("profilesOf() takes names that are not empty, in the order of the variables", () => {
  assert.deepEqual(profilesOf({ FW_ENV: " a, ,b,", CDS_ENV: "c" }), ["a", "b"]);
  assert.deepEqual(profilesOf({ FW_ENV: "", CDS_ENV: "c", NODE_ENV: "d" }), ["c"]);
  assert.deepEqual(profilesOf({ CDS_ENV: "" }, ["test"]), ["test"]);
});

Deno.test("parseDotenv() tells the lines that are neither variables nor comments", () => {
  const lines: number[] = [];
  const text = "\ufeffA.b-c = 1 \r\n\r\n  # x\nnothing\n_D=\"#e'\"#\nF=a#b\n1G=h\nI=\nexportJ=k\nexport L='m";
  assert.deepEqual(parseDotenv(text, (line) => lines.push(line)), {
    "A.b-c": "1",
    _D: "#e'",
    F: "a#b",
    I: "",
    exportJ: "k",
    L: "'m",
  });
  assert.deepEqual(lines, [4, 7]);
});

Deno.test("parseVcapServices() names bindings after their label where they have no name, and takes objects only", () => {
  const json = '{"a":[{"name":7,"credentials":{"x":1}},{"credentials":[]},"no",null],"b":{}}';
  assert.deepEqual(parseVcapServices(json), [
    { name: "7", label: "a", credentials: { x: 1 } },
    { name: "a", label: "a", credentials: {} },
  ]);
  assert.throws(() => parseVcapServices("{"), { message: "VCAP_SERVICES is not valid JSON" });
  assert.throws(() => parseVcapServices("[]"), { message: "VCAP_SERVICES must hold a JSON object" });
});

Deno.test("bindingsToSource() takes both identity services, and gives all other bindings to services of their names", () => {
  const binding = (label: string, name: string) => ({ label, name, credentials: { of: name } });
  const both = [binding("xsuaa", "x"), binding("postgresql-db", "db"), binding("identity", "i")];
  assert.deepEqual(bindingsToSource(both, "x"), {
    name: "service bindings",
    value: {
      requires: {
        auth: { kind: ["oidc", "oauth2"], credentials: { oidc: { of: "i" }, oauth2: { of: "x" } } },
        db: { credentials: { of: "db" } },
      },
    },
  });
  assert.deepEqual(bindingsToSource([binding("xsuaa", "x")])?.value, {
    requires: { auth: { kind: "oauth2", credentials: { of: "x" } } },
  });
  assert.deepEqual(bindingsToSource([binding("redis", "r")], "x")?.value, {
    requires: { r: { credentials: { of: "r" } } },
  });
  assert.equal(bindingsToSource([]), undefined);
});
