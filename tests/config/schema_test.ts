import assert from "node:assert/strict";
import { SCHEMA } from "../../src/config/schema.ts";
import { validate } from "../../src/config/validate.ts";

const PAGE = new URL("../../docs/reference/configuration.md", import.meta.url);

/** One value of each type a key may have. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  string: "x",
  number: 20,
  boolean: true,
  object: {},
  list: [],
  "`null`": null,
};

/** Values for keys that take no text of any other form. */
const FORMED: readonly [RegExp, string][] = [
  [/: an https URL/, "https://id.example/realm"],
  [/: the name of a header/, "X-Client-Cert"],
];

interface Row {
  readonly path: readonly string[];
  readonly told: string;
}

function rows(): readonly Row[] {
  const found = Deno.readTextFileSync(PAGE).matchAll(/^\| `fw\.([^`]+)` +\| (.+?) +\|/gm);
  return [...found].map(([, key, told]) => ({
    path: key!.replaceAll("<name>", "given").split("."),
    told: told!,
  }));
}

/** What a configuration with one key is found to be. */
function problemOf(path: readonly string[], value: unknown): string | undefined {
  const nested = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const problem = validate(nested, SCHEMA);
  return problem && `${problem.path.join(".")} ${problem.message}`;
}

Deno.test("keys of the configuration take values of the types that their page tells, and no others", () => {
  assert.ok(rows().length > 200);
  for (const { path, told } of rows()) {
    if (path[0] === "destinations" && path[1] === "given") continue; // beside `impl`, whose row is read
    if (told.startsWith('`"')) continue;
    const [types, ...form] = told.split(":");
    const names = types!.replace(/ from .*/, "").split(", ");
    for (const [type, sample] of Object.entries(SAMPLES)) {
      const formed = FORMED.find(([pattern]) => pattern.test(`:${form.join(":")}`))?.[1];
      const value = type === "string" ? formed ?? sample : sample;
      const problem = problemOf(path, value);
      const key = `${path.join(".")} as ${type}`;
      if (names.includes(type)) assert.equal(problem, undefined, key);
      else assert.match(problem ?? "", /^\S+ must be an? .+, but is /, key);
    }
  }
});

Deno.test("keys of the configuration with listed values take these only", () => {
  const listed = rows().filter(({ told }) => told.startsWith('`"'));
  assert.ok(listed.length >= 8);
  for (const { path, told } of listed) {
    const values = [...told.matchAll(/"([^"]+)"/g)].map(([, value]) => value!);
    for (const value of values) assert.equal(problemOf(path, value), undefined, path.join("."));
    assert.equal(problemOf(path, "?"), `${path.join(".")} must be one of ${values.join(", ")}`);
  }
});

Deno.test("numbers of the configuration are whole ones within their bounds", () => {
  const bounds: readonly [string, number, number | undefined][] = [
    ["server.port", 0, 65_535],
    ["server.metrics.port", 0, 65_535],
    ["requires.db.maxLagMs", 20, 3_600_000],
    ["requires.db.tenants.t1.maxLagMs", 20, 3_600_000],
    ["requires.db.pool.max", 1, undefined],
    ["requires.db.pool.maxOfTenants", 1, undefined],
    ["requires.db.pool.idleTimeoutMs", 0, undefined],
    ["requires.db.pool.connectTimeoutMs", 0, undefined],
    ["requires.db.pool.acquireTimeoutMs", 0, undefined],
    ["requires.db.timeoutMs", 0, undefined],
    ["requires.messaging.ackWaitMs", 0, undefined],
    ["requires.messaging.maxAttempts", 0, undefined],
    ["requires.messaging.maxMessageBytes", 0, undefined],
    ["requires.messaging.concurrency", 0, undefined],
    ["requires.messaging.segmentBytes", 0, undefined],
    ["requires.messaging.retentionMs", 0, undefined],
    ["requires.messaging.outboxed.maxAttempts", 0, undefined],
    ["requires.messaging.outboxed.maxAgeMs", 0, undefined],
    ["outbox.maxAttempts", 0, undefined],
    ["outbox.maxAgeMs", 0, undefined],
    ["outbox.leaseMs", 0, undefined],
    ["query.limit.default", 0, undefined],
    ["query.limit.max", 0, undefined],
    ["tenants.concurrency", 1, undefined],
    ["server.shutdownMs", 0, undefined],
    ["server.drainMs", 0, undefined],
    ["server.rate_limits.per_address", 1, undefined],
    ["server.rate_limits.delay_ms", 1, undefined],
    ["server.rate_limits.window_ms", 1, undefined],
    ["server.ready.outbox_age_ms", 0, undefined],
    ["log.slow_sql_ms", 1, undefined],
    ["model.default_string_length", 0, undefined],
    ["limits.bodyBytes", 0, undefined],
  ];
  for (const [key, low, high] of bounds) {
    const path = key.split(".");
    const told = high === undefined ? `of at least ${low}` : `from ${low} to ${high}`;
    const most = high ?? Number.MAX_SAFE_INTEGER;
    for (const value of [low, low + 1, most]) assert.equal(problemOf(path, value), undefined, key);
    for (const value of [low - 1, low + 0.5, most + 1]) {
      assert.equal(problemOf(path, value), `${key} must be a whole number ${told}, but is ${value}`);
    }
  }
});

Deno.test("texts of the configuration with a form are refused with the form in words", () => {
  const header = ["security", "authentication", "clientCertificateHeader"];
  for (const name of ["X-Cert", "a!#$%&'*+.^`|~_-9"]) assert.equal(problemOf(header, name), undefined);
  for (const name of ["", "X Cert", "X:Cert", "é"]) {
    assert.equal(
      problemOf(header, name),
      `${header.join(".")} must be the name of a header, but is "${name}"`,
    );
  }
  const policy = ["server", "content_security_policy", "/"];
  assert.equal(problemOf(policy, "default-src 'self' ~"), undefined);
  for (const text of ["", "default-src\n'self'", "default-src é"]) {
    assert.equal(
      problemOf(policy, text),
      `server.content_security_policy./ must be a policy in one line, but is "${text}"`,
    );
  }
  const proxies = ["server", "trusted_proxies"];
  assert.equal(problemOf(proxies, ["10.0.0.0/8", "::1"]), undefined);
  const range = 'an address or a range like "10.0.0.0/8" without bits behind it';
  const list = "server.trusted_proxies must be a list, each entry of which";
  assert.equal(problemOf(proxies, ["10.0.0.1/8"]), `${list} must be ${range}, but is "10.0.0.1/8"`);
  assert.equal(problemOf(proxies, [7]), `${list} must be a string, but is a number`);
});

Deno.test("parts of the configuration that programs name themselves take any name", () => {
  const free: readonly [string, unknown][] = [
    ["requires.auth.users.amy", { id: "a", roles: ["x"], attr: { any: [1] }, features: "f" }],
    ["requires.auth.users.amy", false],
    ["requires.auth.tenants.t1", { any: 1 }],
    ["requires.auth.credentials.any", null],
    ["requires.kinds.box", { any: true }],
    ["requires.Reviews.credentials", { url: "u", any: {} }],
    ["requires.messaging.routes.a/b", ["x"]],
    ["destinations.there", { url: "u" }],
    ["services.Shop", { path: "/shop" }],
    ["folders.more", ["a", "b"]],
    ["log.levels.sql", "debug"],
    ["plugins.@scope/name", false],
    ["server.rate_limits.redis.tls.ca", "x"],
  ];
  for (const [key, value] of free) assert.equal(problemOf(key.split("."), value), undefined, key);
  assert.equal(
    problemOf(["services", "Shop", "pth"], "x"),
    'services.Shop.pth is unknown; did you mean "path"?',
  );
  assert.equal(problemOf(["limits", "bodyByte"], 1), 'limits.bodyByte is unknown; did you mean "bodyBytes"?');
});
