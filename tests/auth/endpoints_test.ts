import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { RuntimeOptions } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";

const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? TEXT() : undefined,
  isFile: (path) => path === "m.cds",
});

function TEXT(): string {
  return `
service Plain { entity Items { key ID: Integer; name: String; } @requires: 'Boss' entity Safes { key ID: Integer; }
  action ping() returns String; function pong() returns String; }
@requires: 'any' service Open { @requires: 'any' entity Free { key ID: Integer; } entity Bare { key ID: Integer; }
  @requires: 'Boss' entity Named { key ID: Integer; } action ping() returns String; @requires: 'any' function pong() returns String; }
@requires: 'Boss' @protocol: ['odata', 'rest'] service Closed { entity Things { key ID: Integer; } }
@requires: 'authenticated-user' service Members { entity Notes { key ID: Integer; } }
service Mixed { @requires: 'any' entity Free { key ID: Integer; } entity Bare { key ID: Integer; } }
@protocol: 'none' service Inner { entity Secrets { key ID: Integer; } }
`;
}

interface App {
  /** Status of an answer. */
  status(call: string, credentials?: string): Promise<number>;
  fetch(call: string, init?: RequestInit): Promise<Response>;
}

type Setting = Pick<RuntimeOptions, "profiles"> & {
  /** A custom implementation. */
  readonly impl?: unknown;
  readonly auth?: object;
  readonly security?: object;
  readonly requires?: object;
  readonly server?: object;
};

const USERS = { ann: { password: "x", roles: ["Boss"] }, ned: { password: "" } };

async function withApp(setting: Setting, run: (app: App) => Promise<void>): Promise<void> {
  const { impl, security, profiles, requires, server } = setting;
  const auth = impl === undefined ? setting.auth : { kind: undefined, impl: "./auth.ts" };
  const runtime = createRuntime({
    model: MODEL,
    profiles,
    kinds: { importModule: () => Promise.resolve({ default: impl }) },
    env: {
      log: { levels: { default: "silent" } },
      security,
      ...server ? { server } : {},
      requires: { auth: { kind: "mocked", users: USERS, ...auth }, db: { kind: "memory" }, ...requires },
    },
    handlers: {
      Plain: (srv) => void srv.on(["ping", "pong"], () => "done"),
      Open: (srv) => void srv.on(["ping", "pong"], (req) => `${req.user.id} ${req.tenant}`),
    },
  });
  runtime.app.get("/own", (c) => c.text("own"));
  runtime.app.post("/own", (c) => c.text("own"));
  runtime.app.get("/pub/page", (c) => c.text("page"));
  const fetch = (call: string, init: RequestInit = {}) => {
    const [method, path] = call.split(" ");
    return runtime.fetch(new Request(`http://localhost${path}`, { method, ...init }));
  };
  const status = async (call: string, credentials?: string) => {
    const headers: Record<string, string> = credentials
      ? { authorization: `Basic ${btoa(credentials)}` }
      : {};
    const init: RequestInit = { headers };
    if (call.startsWith("POST /odata")) {
      headers["content-type"] = "application/json";
      init.body = call.endsWith("$batch")
        ? '{"requests":[{"id":"1","method":"GET","url":"$metadata"}]}'
        : "{}";
    }
    const response = await fetch(call, init);
    await response.body?.cancel();
    return response.status;
  };
  try {
    await run({ status, fetch });
  } finally {
    await runtime.close();
  }
}

const production = ["production"];

/** Everything that is served: services with all resources and methods, and own routes. */
const ENDPOINTS: readonly string[] = [
  ...["plain", "closed", "members", "mixed"].flatMap((service) => {
    const root = `/odata/v4/${service}`;
    return [
      ...["GET", "HEAD", "OPTIONS", "PUT"].map((method) => `${method} ${root}`),
      `GET ${root}/`,
      `GET ${root}/$metadata`,
      `POST ${root}/$batch`,
      `GET ${root}/Nope`,
      `GET ${root}/Nope?$filter=(((`,
      `GET ${root}//$metadata`,
      `GET ${root}/%24metadata`,
    ];
  }),
  ...["GET Items", "GET Items(1)", "GET Items/$count", "GET Items(1)/name", "POST Items", "PATCH Items(1)"]
    .map((call) => call.replace(" ", " /odata/v4/plain/")),
  ...["PUT Items(1)", "DELETE Items(1)", "GET Safes", "POST ping", "GET pong()", "OPTIONS Items"]
    .map((call) => call.replace(" ", " /odata/v4/plain/")),
  "GET /odata/v4/closed/Things",
  "GET /rest/closed/Things",
  "POST /rest/closed/Things",
  "GET /odata/v4/members/Notes",
  "GET /odata/v4/mixed/Bare",
  "GET /odata/v4/open/Bare",
  "GET /odata/v4/open/Named",
  "POST /odata/v4/open/ping",
  "GET /own",
  "POST /own",
  "HEAD /own",
  "GET /pub/page",
  "GET /index.html",
  "GET /",
];

Deno.test("production rejects unauthenticated requests to all endpoints [5.5.4] [5.2.1] [5.5.3]", () =>
  withApp({ profiles: production, auth: { kind: "basic" }, server: { index: true } }, async ({ status }) => {
    for (const endpoint of ENDPOINTS) assert.equal(await status(endpoint), 401, endpoint);
    for (const unknown of ["GET /odata/v4/inner/Secrets", "GET /odata/v4/none", "GET /nothing"]) {
      assert.ok([401, 404].includes(await status(unknown)), unknown);
    }
    assert.equal(await status("GET /health"), 200);
    assert.equal(await status("GET /own", "ann:x"), 200);
    assert.equal(await status("GET /odata/v4/plain/Items", "ann:x"), 200);
  }));

Deno.test("production has no page at / unless it is switched on, development shows it to everybody [4.1.index]", async () => {
  await withApp({ profiles: production, auth: { kind: "basic" } }, async ({ status }) => {
    for (const page of ["GET /", "GET /index.html"]) {
      assert.equal(await status(page), 404);
      assert.equal(await status(page, "ann:x"), 404);
    }
  });
  const server = { index: true };
  await withApp({ profiles: production, auth: { kind: "basic" }, server }, async ({ status }) => {
    assert.equal(await status("GET /index.html"), 401);
    assert.equal(await status("GET /index.html", "ann:x"), 200);
  });
  await withApp({}, async ({ status }) => assert.equal(await status("GET /"), 200));
});

Deno.test("an anonymous request to an authenticated endpoint gets 401 with a challenge, whatever the strategy [5.2.2] [7.1.401]", () =>
  withApp({}, async ({ fetch }) => {
    for (const path of ["/odata/v4/closed/Things", "/odata/v4/members", "/own"]) {
      const response = await fetch(`GET ${path}`);
      assert.equal(response.status, 401);
      assert.equal(response.headers.get("www-authenticate"), 'Basic realm="Users", charset="UTF-8"');
      const { error } = await response.json();
      assert.deepEqual([error.code, error.message], ["401", "Unauthorized"]);
    }
  }));

Deno.test("valid credentials of a mock user give 200 by HTTP Basic, wrong ones 401 everywhere [5.2.3]", () =>
  withApp({}, async ({ status }) => {
    assert.equal(await status("GET /odata/v4/members/Notes", "ned:"), 200);
    for (const path of ["members/Notes", "open/Free", "plain/Items"]) {
      assert.equal(await status(`GET /odata/v4/${path}`, "ned:wrong"), 401, path);
    }
  }));

Deno.test("a user without the required role gets 403 with an error body [5.2.4] [7.1.403]", () =>
  withApp({}, async ({ fetch }) => {
    for (const path of ["/odata/v4/closed/Things", "/odata/v4/open/Named", "/rest/closed/Things"]) {
      const response = await fetch(`GET ${path}`, { headers: { authorization: `Basic ${btoa("ned:")}` } });
      assert.equal(response.status, 403, path);
      const { error } = await response.json();
      assert.deepEqual([error.code, error.message], ["403", "Forbidden"]);
    }
  }));

Deno.test("a technical user passes endpoints without required role and fails those with one [5.2.5]", () =>
  withApp({}, async ({ status }) => {
    assert.equal(await status("GET /odata/v4/members/Notes", "system:"), 200);
    assert.equal(await status("GET /odata/v4/plain/Items", "system:"), 200);
    assert.equal(await status("GET /odata/v4/closed/Things", "system:"), 403);
    assert.equal(await status("GET /odata/v4/plain/Safes", "system:"), 403);
  }));

Deno.test("services without restriction are open outside production only [5.2.6]", async () => {
  await withApp({}, async ({ status }) => {
    assert.equal(await status("GET /odata/v4/plain"), 200);
    assert.equal(await status("GET /odata/v4/plain/Items"), 200);
    assert.equal(await status("POST /odata/v4/plain/ping"), 200);
    assert.equal(await status("GET /odata/v4/plain/Safes"), 401);
    assert.equal(await status("GET /odata/v4/closed"), 401);
  });
  await withApp({ profiles: production, auth: { kind: "basic" } }, async ({ status }) => {
    assert.equal(await status("GET /odata/v4/plain/Items"), 401);
    assert.equal(await status("GET /odata/v4/plain/Items", "ned:"), 200);
  });
});

Deno.test("any opens the root, $metadata and what carries it itself, nothing else of the service [5.2.7a] [5.2.7b]", async () => {
  for (const profiles of [["development"], production]) {
    await withApp({ profiles, auth: { kind: "basic" } }, async ({ status }) => {
      for (const path of ["", "/$metadata", "/Free", "/Free/$count", "/pong()"]) {
        assert.equal(await status(`GET /odata/v4/open${path}`), 200, path);
      }
      for (const path of ["/Bare", "/Bare(1)", "/Named"]) {
        assert.equal(await status(`GET /odata/v4/open${path}`), 401, path);
      }
      assert.equal(await status("POST /odata/v4/open/ping"), 401);
      assert.equal(await status("GET /odata/v4/mixed/Free"), 200);
    });
  }
});

Deno.test("an anonymous request to a public endpoint carries no tenant [5.2.7c]", () =>
  withApp({ requires: { multitenancy: true } }, async ({ fetch }) => {
    const anonymous = await (await fetch("GET /odata/v4/open/pong()")).json();
    assert.equal(anonymous.value, "anonymous undefined");
    const headers = { authorization: `Basic ${btoa("alice:")}` };
    const alice = await (await fetch("GET /odata/v4/open/pong()", { headers })).json();
    assert.equal(alice.value, "mock/alice t1");
  }));

Deno.test("$metadata is authenticated exactly when its service is, unless switched off [5.2.8] [4.1.meta]", async () => {
  const metadata = (service: string) => `GET /odata/v4/${service}/$metadata`;
  await withApp({ profiles: production, auth: { kind: "basic" } }, async ({ status }) => {
    for (const service of ["closed", "members", "plain"]) assert.equal(await status(metadata(service)), 401);
    assert.equal(await status(metadata("open")), 200);
    assert.equal(await status(metadata("closed"), "ned:"), 403);
  });
  const security = { authentication: { authenticateMetadataEndpoints: false } };
  await withApp({ profiles: production, auth: { kind: "basic" }, security }, async ({ status }) => {
    for (const service of ["closed", "members", "plain"]) {
      assert.equal(await status(metadata(service)), 200);
      assert.equal(await status(`GET /odata/v4/${service}`), 401);
    }
  });
});

Deno.test("authentication.mode: standard needs login everywhere but any, model-relaxed as in development, never refuses nobody [5.2.9]", async () => {
  const mode = (mode: string, profiles?: readonly string[]) => ({
    profiles,
    auth: { kind: "basic" },
    security: { authentication: { mode } },
  });
  await withApp(mode("standard"), async ({ status }) => {
    assert.equal(await status("GET /odata/v4/plain/Items"), 401);
    assert.equal(await status("GET /odata/v4/open"), 200);
  });
  await withApp(mode("model-relaxed", production), async ({ status }) => {
    assert.equal(await status("GET /odata/v4/plain/Items"), 200);
    assert.equal(await status("GET /odata/v4/members/Notes"), 401);
  });
  await withApp(mode("never", production), async ({ status, fetch }) => {
    for (const path of ["/odata/v4/plain/Items", "/odata/v4/open/Bare", "/own"]) {
      assert.equal(await status(`GET ${path}`), 200, path);
    }
    assert.equal(await status("GET /odata/v4/closed/Things"), 403);
    const headers = { authorization: `Basic ${btoa("ann:x")}` };
    assert.equal((await fetch("GET /odata/v4/closed/Things", { headers })).status, 200);
  });
});

Deno.test("a mode that contradicts restrict_all_services stops the start", async () => {
  const setting = {
    auth: { restrict_all_services: true },
    security: { authentication: { mode: "model-relaxed" } },
  };
  await assert.rejects(withApp(setting, async ({ status }) => void await status("GET /health")), {
    name: "ConfigurationError",
  });
});

Deno.test("restrict_all_services: false, and explicit mocked authentication in production, open services without restriction [5.2.10]", async () => {
  const settings: readonly Setting[] = [
    { profiles: production, auth: { kind: "basic", restrict_all_services: false } },
    { profiles: production, auth: { kind: "mocked" } },
  ];
  for (const setting of settings) {
    await withApp(setting, async ({ status }) => {
      assert.equal(await status("GET /odata/v4/plain/Items"), 200);
      assert.equal(await status("GET /odata/v4/members/Notes"), 401);
      assert.equal(await status("GET /odata/v4/open/Bare"), 401);
    });
  }
  await withApp({ auth: { restrict_all_services: true } }, async ({ status }) => {
    assert.equal(await status("GET /odata/v4/plain/Items"), 401);
  });
});

Deno.test("an empty custom implementation switches authentication off for services and own routes [5.5.1d]", async () => {
  const impl = (_req: unknown, _res: unknown, next: () => void) => next();
  await withApp({ profiles: production, impl }, async ({ status }) => {
    for (const path of ["/odata/v4/plain/Items", "/odata/v4/members", "/odata/v4/open/Bare", "/own"]) {
      assert.ok([200, 403].includes(await status(`GET ${path}`)), path);
    }
    assert.equal(await status("GET /odata/v4/plain/Items"), 200);
    assert.equal(await status("GET /own"), 200);
    // nobody is refused for missing login, but roles are still needed
    assert.equal(await status("GET /odata/v4/closed/Things"), 403);
  });
});

Deno.test("a custom implementation that sets no user leaves requests anonymous", async () => {
  const impl = (request: Request, _context: unknown) => void request.headers.get("x");
  await withApp({ profiles: production, impl }, async ({ status }) => {
    for (const endpoint of ENDPOINTS.filter((one) => !/ \/(?:index.html)?$/.test(one))) {
      assert.equal(await status(endpoint), 401, endpoint);
    }
  });
});

Deno.test("fw.requires.auth.public opens the paths it names and no other [5.5.2]", () =>
  withApp({ profiles: production, auth: { kind: "basic", public: ["/pub/**"] } }, async ({ status }) => {
    assert.equal(await status("GET /pub/page"), 200);
    for (const path of ["/own", "/pub/../own", "/pub%2f..%2fown", "/odata/v4/plain/Items"]) {
      assert.notEqual(await status(`GET ${path}`), 200, path);
    }
  }));

Deno.test("own routes need a login unless the path is opened [5.2.1]", () =>
  withApp({}, async ({ status }) => {
    assert.equal(await status("GET /own"), 401);
    assert.equal(await status("GET /own", "ned:"), 200);
  }));
