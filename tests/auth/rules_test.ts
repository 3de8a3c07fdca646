import assert from "node:assert/strict";
import { createStrategy } from "../../src/auth/create_strategy.ts";
import fw from "../../mod.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { RuntimeOptions } from "../../src/fw/runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { serveProject } from "../../src/deno/mod.ts";
import type { User } from "../../src/context/user.ts";
import { withProject } from "../deno/project.ts";

const TEXT = `
@requires: 'authenticated-user' service S {
  @restrict: [{ to: 'Clerk', where: 'area = $user.area' }, { to: 'Boss' }]
  entity Things { key ID: Integer; area: String; }
  function who() returns String;
}
@requires: 'any' service P { @requires: 'any' function who() returns String; }`;
const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? TEXT : undefined,
  isFile: (path) => path === "m.cds",
});

interface App {
  get(path: string, as?: string): Promise<{ status: number; body: { value?: unknown } }>;
  /** Users that handlers saw. */
  readonly users: User[];
}

/** An application with an authentication. */
async function withApp(
  auth: object,
  run: (app: App) => Promise<void>,
  options: Partial<RuntimeOptions> & { readonly requires?: object; readonly log?: object } = {},
): Promise<void> {
  const users: User[] = [];
  const who = (req: { user: User; tenant?: string }) => {
    users.push(req.user);
    return `${req.user.id} ${req.tenant} ${fw.context!.user.id} ${fw.context!.tenant}`;
  };
  const { requires, log, ...others } = options;
  const runtime = createRuntime({
    model: MODEL,
    env: {
      log: log ?? { levels: { default: "silent" } },
      requires: { auth, db: { kind: "memory" }, ...requires },
    },
    handlers: { S: (srv) => void srv.on("who", who), P: (srv) => void srv.on("who", who) },
    data: new Map([["S.Things", [{ ID: 1, area: "A" }, { ID: 2, area: "B" }]]]),
    ...others,
  });
  const get = async (path: string, as?: string) => {
    const headers: Record<string, string> = as === undefined ? {} : { authorization: `Basic ${btoa(as)}` };
    const response = await runtime.fetch(new Request(`http://localhost/odata/v4/${path}`, { headers }));
    return { status: response.status, body: await response.json() };
  };
  try {
    await run({ get, users });
  } finally {
    await runtime.close();
  }
}

const USERS = {
  ann: { tenant: "t7", roles: ["Clerk"], attr: { area: ["A"] }, features: ["isbn"] },
  bea: { tenant: "t7", roles: ["Boss"] },
};

Deno.test("each request is resolved to a user with id, roles, attributes, tenant and features [1.2a] [5.2.11] [5.4.2]", () =>
  withApp({ kind: "mocked", users: USERS }, async ({ get, users }) => {
    assert.equal((await get("s/who()", "ann:")).body.value, "mock/ann t7 mock/ann t7");
    assert.equal((await get("p/who()")).body.value, "anonymous undefined anonymous undefined");
    const [ann, anonymous] = users;
    assert.ok(ann instanceof fw.User && anonymous instanceof fw.User);
    assert.deepEqual([ann.id, ann.roles, ann.tenant, [...ann.features]], ["mock/ann", ["Clerk"], "t7", [
      "isbn",
    ]]);
    assert.deepEqual({ ...ann.attr }, { area: ["A"], tenant: "t7" });
    assert.equal(anonymous.is("authenticated-user"), false);
  }, { requires: { multitenancy: true } }));

Deno.test("what a user may see is decided by their claims, after the login [1.2b] [5.4.2]", () =>
  withApp({ kind: "mocked", users: USERS }, async ({ get }) => {
    const ids = async (as: string) =>
      ((await get("s/Things", as)).body.value as { ID: number }[]).map(({ ID }) => ID);
    assert.deepEqual(await ids("ann:"), [1]);
    assert.deepEqual(await ids("bea:"), [1, 2]);
    assert.equal((await get("s/Things", "other:")).status, 403);
  }));

Deno.test("mocked is the strategy outside production, without any configuration [5.1.mocked]", async () => {
  const plain = { model: MODEL, env: { log: { levels: { default: "silent" } } } } as const;
  const development = createRuntime(plain);
  try {
    const headers = { authorization: `Basic ${btoa("alice:")}` };
    const request = new Request("http://localhost/odata/v4/s/who()", { headers });
    assert.notEqual((await development.fetch(request)).status, 401);
    const anonymous = await development.fetch(new Request("http://localhost/odata/v4/s/who()"));
    assert.equal(anonymous.status, 401);
    assert.match(anonymous.headers.get("www-authenticate")!, /^Basic/);
  } finally {
    await development.close();
  }
});

Deno.test("production has no mock users and no strategy unless one is configured [2.5.0] [2.5.r4] [5.1.mocked]", async () => {
  const plain = {
    model: MODEL,
    env: { log: { levels: { default: "silent" } } },
    profiles: ["production"],
  } as const;
  const runtime = createRuntime(plain);
  await assert.rejects(runtime.start(), { name: "ConfigurationError" });
  await runtime.close();
  await withApp({ kind: "basic", users: { ann: { password: "x" } } }, async ({ get }) => {
    assert.equal((await get("s/who()", "alice:")).status, 401);
    assert.equal((await get("s/who()", "ann:x")).status, 200);
  }, { profiles: ["production"] });
});

Deno.test("a start in production with mock users warns, any other does not [2.5.r4]", async () => {
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  for (const [kind, production] of [["mocked", true], ["mocked", false], ["basic", true]] as const) {
    await createStrategy({ env: { requires: { auth: { kind } } }, production, warn });
  }
  assert.equal(warnings.length, 1);
  assert.match(warnings[0]!, /^Mock users log in in production/);
});

Deno.test("a mock user without name is nobody [2.5.0]", () =>
  withApp({ kind: "mocked", users: { "": { roles: ["Boss"] } } }, async ({ get }) => {
    assert.equal((await get("s/who()", ":")).status, 401);
  }));

Deno.test("strategies are pluggable: by kind of the application, by implementation, or built in [1.3] [5.1.custom]", async () => {
  const user = new fw.User({ id: "plugged", roles: ["Boss"] });
  const kinds = {
    strategies: {
      gate: () => ({ kind: "gate", challenge: "Gate", authenticate: () => Promise.resolve({ user }) }),
    },
    importModule: () =>
      Promise.resolve({ default: (_request: Request, _context: unknown) => void (fw.context!.user = user) }),
  };
  for (const auth of [{ kind: "gate" }, { impl: "./auth.ts" }]) {
    await withApp(auth, async ({ get }) => {
      assert.equal((await get("s/who()")).body.value, "plugged undefined plugged undefined");
      assert.equal((await get("s/Things")).status, 200);
    }, { kinds });
  }
  await withApp({ kind: "mocked" }, async ({ get }) => {
    assert.equal((await get("s/who()")).status, 401);
    assert.equal((await get("s/who()", "alice:")).status, 200);
  });
});

Deno.test("a custom strategy sets user and tenant of fw.context, for everything that follows [5.5.1c]", async () => {
  const forms: readonly unknown[] = [
    (_req: unknown, _res: unknown, next: () => void) => {
      fw.context!.user = new fw.User({ id: "own", roles: ["Boss"] });
      fw.context!.tenant = "t9";
      next();
    },
    (_request: Request, _context: unknown) => {
      fw.context = { user: "own", tenant: "t9" } as never;
    },
  ];
  for (const form of forms) {
    const kinds = { importModule: () => Promise.resolve({ default: form }) };
    await withApp({ impl: "./auth.ts" }, async ({ get }) => {
      assert.equal((await get("s/who()")).body.value, "own t9 own t9");
    }, { kinds, requires: { multitenancy: true } });
  }
});

Deno.test("the implementation of a custom strategy is found from the root of the project [5.5.1a]", () =>
  withProject({
    "srv/s.cds": "@requires: 'authenticated-user' service S { function who() returns String; }",
    "srv/s.ts": `import fw from "@fw/runtime";
export class S extends fw.ApplicationService {
  override init() { this.on("who", (req) => req.user.id); return super.init(); }
}`,
    "srv/own/auth.ts":
      `export default (_request: Request, context: { user: unknown }) => { context.user = "from-file"; };`,
    ".fwrc.json": '{"requires":{"auth":{"impl":"./srv/own/auth.ts"}}}',
  }, async (folder) => {
    assert.notEqual(folder, Deno.cwd());
    const server = await serveProject(folder, { port: 0, print: () => {}, variables: {} });
    try {
      const response = await fetch(`${server.url}/odata/v4/s/who()`);
      assert.equal((await response.json()).value, "from-file");
    } finally {
      await server.stop();
      await server.finished;
    }
  }));

Deno.test("user tracing logs the resolved user [2.5.r3b]", async () => {
  const lines: string[] = [];
  const original = { debug: console.debug, log: console.log, trace: console.trace };
  const capture = (...values: unknown[]) => void lines.push(values.join(" "));
  Object.assign(console, { debug: capture, log: capture, trace: capture });
  try {
    for (const level of ["trace", "info"]) {
      const log = { levels: { default: "silent", auth: level } };
      await withApp({ kind: "mocked", users: USERS }, async ({ get }) => void await get("s/who()", "ann:"), {
        log,
      });
      const traced = lines.splice(0).filter((line) => line.includes("mock/ann"));
      assert.equal(traced.length, level === "trace" ? 1 : 0);
      if (level === "trace") {
        for (const part of ["ann", "Clerk", "area", "isbn"]) assert.ok(traced[0]!.includes(part));
      }
    }
  } finally {
    Object.assign(console, original);
  }
});
