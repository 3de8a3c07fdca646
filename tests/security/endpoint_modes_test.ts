import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { createCertificate, createIdentity } from "../../src/test/mod.ts";

const TEXT = `
service Plain { entity Items { key ID: Integer; } @requires: 'Boss' entity Safes { key ID: Integer; }
  @requires: 'Boss' action rule(); }
@requires: 'any' service Open { @requires: 'any' entity Free { key ID: Integer; } entity Bare { key ID: Integer; }
  @requires: 'Boss' entity Named { key ID: Integer; } action ping(); @requires: 'any' function pong() returns String; }
@requires: 'Boss' service Closed { entity Things { key ID: Integer; } }
@requires: 'authenticated-user' service Members { entity Notes { key ID: Integer; } }
@protocol: ['odata', 'rest'] service Vague { @restrict: [{ grant: 'READ' }] entity Read { key ID: Integer; }
  @restrict: [{ grant: '*' }] entity All { key ID: Integer; } actions { action touch(); };
  @restrict: [{ where: (ID > 0) }] entity Some { key ID: Integer; }
  @restrict: [{ grant: '*' }] action act(); @restrict: [{ grant: '*', to: 'any' }] function any() returns String; }
@restrict: [{ grant: '*' }] service Whole { entity Rows { key ID: Integer; } }`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

type Headers = Readonly<Record<string, string>>;

/** A strategy in a profile, and who may log in. */
interface World {
  readonly name: string;
  readonly profiles: readonly string[];
  readonly auth: object;
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Credentials of a user with roles. */
  login(roles: readonly string[]): Headers | Promise<Headers>;
  /** Credentials of the strategy that it refuses. */
  readonly wrong: readonly Headers[];
  /** Credentials of another scheme. */
  readonly foreign: Headers;
  /** Of a 401 without credentials. */
  readonly challenge: string;
}

const basic = (text: string): Headers => ({ authorization: `Basic ${btoa(text)}` });
const USERS = { boss: { password: "b", roles: ["Boss"] }, nils: { password: "n" }, "*": false };

function ofBasic(kind: string, profile: string): World {
  return {
    name: `${kind} in ${profile}`,
    profiles: [profile],
    auth: { kind, users: USERS },
    login: (roles) => basic(roles.includes("Boss") ? "boss:b" : "nils:n"),
    wrong: [basic("boss:x"), basic("nobody:"), { authorization: "Basic ???" }],
    foreign: { authorization: "Bearer abc" },
    challenge: 'Basic realm="Users", charset="UTF-8"',
  };
}

const CLIENT = await createCertificate({ subject: "CN=client" });
const PROXY = "10.0.0.1";

function ofTokens(kind: "oauth2" | "oidc"): World {
  const identity = createIdentity({ kind });
  const certificate = { "x-forwarded-client-cert": CLIENT.header };
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}`, ...certificate });
  return {
    name: `${kind} in production`,
    profiles: ["production"],
    auth: { kind, credentials: identity.credentials },
    fetch: (request) => identity.fetch(request),
    login: async (roles) => {
      // the OIDC service gives roles to technical users only
      const of = kind === "oauth2" ? { user: "u", roles } : roles.length > 0 ? { roles } : { user: "u" };
      return bearer(await identity.token({ ...of, certificate: CLIENT }));
    },
    wrong: [bearer("a.b.c"), bearer("abc"), { authorization: "Bearer" }],
    foreign: basic("boss:b"),
    challenge: "Bearer",
  };
}

const DEVELOPMENT = [
  ofBasic("mocked", "development"),
  ofBasic("basic", "development"),
  ofBasic("mocked", "test"),
];
const PRODUCTION = [ofBasic("basic", "production"), ofTokens("oauth2"), ofTokens("oidc")];

interface Setting {
  readonly auth?: object;
  readonly security?: object;
  readonly server?: object;
  readonly fetch?: World["fetch"];
}

/** Answers of the application in a world. */
type Ask = (call: string, headers?: Headers) => Promise<Response>;

async function within(world: World, setting: Setting, test: (ask: Ask) => Promise<void>): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    profiles: world.profiles,
    kinds: { fetch: setting.fetch ?? world.fetch },
    env: {
      log: { levels: { default: "silent" } },
      requires: { auth: { ...world.auth, ...setting.auth }, db: { kind: "memory" } },
      security: { ...setting.security },
      server: { trusted_proxies: [PROXY], ...setting.server },
    },
    handlers: {
      Plain: (srv) => srv.on("rule", () => {}),
      Open: (srv) => srv.on(["ping", "pong"], (req) => req.user.id),
      Vague: (srv) => srv.on("any", () => "any"),
    },
  });
  runtime.app.get("/own", (c) => c.text("own"));
  try {
    await test(async (call, headers = {}) => {
      const [method, path] = call.split(" ");
      const isWrite = method === "POST";
      const body = path.endsWith("$batch")
        ? '{"requests":[{"id":"1","method":"GET","url":"$metadata"}]}'
        : "{}";
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { ...headers, ...isWrite ? { "content-type": "application/json" } : {} },
        body: isWrite ? body : undefined,
      });
      return await runtime.fetch(request, { remoteAddr: { transport: "tcp", hostname: PROXY, port: 1 } });
    });
  } finally {
    await runtime.close();
  }
}

/** All calls are answered with a status; a 401 and a 403 completely. */
async function expectAll(
  ask: Ask,
  calls: readonly string[],
  expected: number,
  headers?: Headers,
): Promise<void> {
  for (const call of calls) {
    const response = await ask(call, headers);
    const text = await response.text();
    assert.equal(response.status, expected, `${call}: ${text}`);
    if (call.startsWith("HEAD") || (expected !== 401 && expected !== 403)) continue;
    const message = expected === 401 ? "Unauthorized" : "Forbidden";
    // where OData has the request already, it adds an annotation
    const { "@Common.numericSeverity": _severity, ...error } = JSON.parse(text).error;
    assert.deepEqual(error, { code: `${expected}`, message }, call);
    assert.match(response.headers.get("content-type")!, /^application\/json/);
  }
}

const at = (service: string, ...calls: string[]) =>
  calls.map((call) => {
    const [method, path = ""] = call.split(" ");
    return `${method} /odata/v4/${service}${path === "" ? "" : `/${path}`}`;
  });
const PLAIN = at("plain", "GET", "HEAD", "GET $metadata", "GET Items", "GET Items/$count", "POST $batch");
const PUBLIC = at("open", "GET", "GET $metadata", "GET Free", "GET Free/$count", "GET pong()");
const HIDDEN = at("open", "GET Bare", "GET Bare(1)", "GET Named", "POST ping", "POST Bare");
const CLOSED = at(
  "closed",
  "GET",
  "HEAD",
  "OPTIONS",
  "FOO",
  "GET $metadata",
  "GET Things",
  "POST Things",
  "POST $batch",
  "GET Nope?$filter=((",
);
const VAGUE_READS = at("vague", "GET Read", "GET Read/$count", "GET All", "GET Some", "GET Read?$top=1");
const VAGUE = [
  ...VAGUE_READS,
  ...at("vague", "POST Read", "POST All", "PATCH All(1)", "DELETE All(1)", "POST All(1)/touch", "POST act"),
  ...at("vague", "GET $metadata", "POST $batch", "GET Read(1)", "HEAD All"),
  ...["GET /rest/vague/Read", "POST /rest/vague/All", "DELETE /rest/vague/All/1", "POST /rest/vague/act"],
];
const WHOLE = at("whole", "GET", "GET $metadata", "GET Rows", "POST $batch");
const SAFES = at("plain", "GET Safes", "POST rule");

for (const world of [...DEVELOPMENT, ...PRODUCTION]) {
  const isProduction = PRODUCTION.includes(world);
  const relaxed = isProduction ? 401 : 200;

  Deno.test(`without credentials, services without restriction are ${isProduction ? "closed" : "open"}, unless the configuration says otherwise: ${world.name} [5.2.1] [5.2.6] [5.2.10]`, async () => {
    await within(world, {}, (ask) => expectAll(ask, PLAIN, relaxed));
    await within(world, {}, (ask) => expectAll(ask, SAFES, 401));
    await within(world, { auth: { restrict_all_services: true } }, (ask) => expectAll(ask, PLAIN, 401));
    await within(world, { auth: { restrict_all_services: false } }, async (ask) => {
      await expectAll(ask, PLAIN, 200);
      await expectAll(ask, [...SAFES, ...CLOSED, "GET /own"], 401);
    });
  });

  Deno.test(`a restriction that names nobody asks for a login wherever endpoints do: ${world.name} [5.2.7a] [5.2.7b]`, async () => {
    const restricted = { auth: { restrict_all_services: true } };
    const user = await world.login([]);
    await within(world, restricted, async (ask) => {
      await expectAll(ask, [...VAGUE, ...WHOLE], 401);
      await expectAll(ask, at("vague", "GET any()"), 200);
      await expectAll(ask, VAGUE_READS, 200, user);
      await expectAll(ask, at("vague", "POST Read"), 403, user);
    });
    await within(world, { auth: { restrict_all_services: false } }, async (ask) => {
      await expectAll(ask, VAGUE_READS, 200);
      await expectAll(ask, WHOLE, 401);
      await expectAll(ask, WHOLE, 200, user);
      await expectAll(ask, at("vague", "POST Read"), 401);
    });
  });

  Deno.test(`without credentials, any opens what carries it and nothing else: ${world.name} [5.2.7a] [5.2.7b]`, () =>
    within(world, {}, async (ask) => {
      await expectAll(ask, PUBLIC, 200);
      await expectAll(ask, HIDDEN, 401);
    }));

  Deno.test(`without credentials, restricted services and own routes are closed to every method: ${world.name} [5.2.2]`, async () => {
    await within(world, {}, async (ask) => {
      await expectAll(ask, [...CLOSED, ...at("members", "GET", "GET Notes"), "GET /own"], 401);
      const response = await ask("GET /odata/v4/closed");
      await response.body?.cancel();
      assert.equal(response.headers.get("www-authenticate"), world.challenge);
      await expectAll(ask, ["GET /", "GET /index.html"], isProduction ? 404 : 200);
    });
    await within(world, { server: { index: true } }, async (ask) => {
      await expectAll(ask, ["GET /", "GET /index.html"], isProduction ? 401 : 200);
      if (isProduction) await expectAll(ask, ["GET /"], 200, await world.login([]));
    });
  });

  Deno.test(`wrong credentials are refused at public endpoints too: ${world.name} [7.1.401]`, () =>
    within(world, {}, async (ask) => {
      for (const wrong of world.wrong) {
        await expectAll(ask, [...PUBLIC, ...PLAIN, ...HIDDEN, "GET /own"], 401, wrong);
      }
    }));

  Deno.test(`credentials of another scheme ${isProduction ? "are refused" : "count as none"}: ${world.name}`, () =>
    within(world, {}, async (ask) => {
      await expectAll(ask, [...PUBLIC, ...PLAIN], relaxed, world.foreign);
      await expectAll(ask, [...CLOSED, ...HIDDEN, "GET /own"], 401, world.foreign);
    }));

  Deno.test(`a user without the role gets 403 on each level, one with it passes: ${world.name} [5.2.4] [7.1.403]`, () =>
    within(world, {}, async (ask) => {
      const missing = [
        ...at("closed", "GET", "GET $metadata", "GET Things"),
        ...SAFES,
        ...at("open", "GET Named"),
      ];
      await expectAll(ask, missing, 403, await world.login([]));
      await expectAll(
        ask,
        missing.filter((call) => !call.startsWith("POST")),
        200,
        await world.login(["Boss"]),
      );
      await expectAll(ask, at("plain", "POST rule"), 204, await world.login(["Boss"]));
      await expectAll(ask, [...PLAIN, ...at("members", "GET Notes"), "GET /own"], 200, await world.login([]));
    }));

  Deno.test(`/health is the same for everybody: ${world.name}`, () =>
    within(world, {}, async (ask) => {
      for (const headers of [undefined, world.foreign, ...world.wrong]) {
        const response = await ask("GET /health", headers);
        assert.deepEqual([response.status, await response.text()], [200, '{"status":"UP"}']);
      }
    }));

  Deno.test(`mode standard closes everything but any, model-relaxed opens what has no restriction: ${world.name} [5.2.9]`, async () => {
    const mode = (mode: string) => ({ security: { authentication: { mode } } });
    await within(world, mode("standard"), async (ask) => {
      await expectAll(ask, [...PLAIN, ...CLOSED, ...HIDDEN, "GET /own"], 401);
      await expectAll(ask, PUBLIC, 200);
    });
    await within(world, mode("model-relaxed"), async (ask) => {
      await expectAll(ask, [...PLAIN, ...PUBLIC], 200);
      await expectAll(ask, [...CLOSED, ...HIDDEN, ...SAFES, "GET /own"], 401);
    });
  });

  Deno.test(`mode never refuses nobody for a missing login, and reads forwarded credentials: ${world.name} [5.2.9]`, () =>
    within(world, { security: { authentication: { mode: "never" } } }, async (ask) => {
      const open = [...PLAIN, ...PUBLIC, ...at("members", "GET $metadata"), "GET /own"];
      for (const headers of [undefined, ...world.wrong, world.foreign]) {
        const calls = open.filter((call) => !call.includes("members"));
        await expectAll(ask, calls, 200, headers);
        // a role is missing, not a login
        await expectAll(ask, at("closed", "GET", "GET Things"), 403, headers);
      }
      await expectAll(ask, at("closed", "GET", "GET Things"), 200, await world.login(["Boss"]));
      const named = await ask("GET /odata/v4/open/pong()", await world.login([]));
      assert.notEqual((await named.json()).value, "anonymous");
    }));

  Deno.test(`authenticateMetadataEndpoints: false opens $metadata alone: ${world.name} [5.2.8]`, async () => {
    const metadata = ["plain", "open", "closed", "members"].flatMap((service) =>
      at(service, "GET $metadata")
    );
    await within(world, {}, (ask) => expectAll(ask, [metadata[2], metadata[3]], 401));
    const security = { authentication: { authenticateMetadataEndpoints: false } };
    await within(world, { security }, async (ask) => {
      await expectAll(ask, metadata, 200);
      await expectAll(ask, CLOSED.filter((call) => !call.endsWith("$metadata")), 401);
      // the batch is no way around it, and no way into it
      await expectAll(ask, at("members", "POST $batch", "GET"), 401);
    });
  });

  Deno.test(`public paths need neither login nor a check of the site: ${world.name} [5.5.2]`, () =>
    within(world, { auth: { public: ["/own"] } }, async (ask) => {
      await expectAll(ask, ["GET /own"], 200);
      await expectAll(ask, ["GET /own/x", "GET /owner"], 404);
      await expectAll(ask, CLOSED, 401);
    }));

  Deno.test(`a mode that contradicts restrict_all_services stops the start: ${world.name}`, async () => {
    for (
      const [mode, restrict_all_services] of [["standard", false], ["model-relaxed", true], [
        "never",
        true,
      ]] as const
    ) {
      const setting = { auth: { restrict_all_services }, security: { authentication: { mode } } };
      await assert.rejects(
        within(world, setting, async (ask) => void (await ask("GET /health"))),
        /contradicts "fw\.requires\.auth\.restrict_all_services"/,
      );
    }
  });
}

for (const world of PRODUCTION.filter(({ fetch }) => fetch)) {
  Deno.test(`without the keys of the identity service the answer is 503: ${world.name}`, () =>
    within(
      world,
      { fetch: () => Promise.reject(new TypeError("connect to 10.1.2.3 refused")) },
      async (ask) => {
        const response = await ask("GET /odata/v4/members/Notes", await world.login([]));
        assert.equal(response.status, 503);
        assert.ok(Number(response.headers.get("retry-after")) > 0);
        assert.deepEqual(await response.json(), { error: { code: "503", message: "Service Unavailable" } });
        await expectAll(ask, PUBLIC, 200);
      },
    ));
}
