import assert from "node:assert/strict";
import { describeProject } from "../../src/deno/describe_project.ts";
import { User } from "../../src/context/user.ts";
import { loadProject } from "../../src/deno/mod.ts";
import { type Answer, send, type SendOptions } from "../http/fixture.ts";
import { SMALL, withProject } from "./project.ts";

const TELLING = {
  ...SMALL,
  "srv/cat_service.cds":
    "using { shop } from '../db/schema';\n@requires: 'authenticated-user' service CatService {\n  function hello() returns String;\n  @requires: 'admin' function admin() returns String;\n}\n",
  "srv/cat_service.ts": `import fw from "@fw/runtime";
export class CatService extends fw.ApplicationService {
  override init() {
    this.on(["hello", "admin"], (req) => \`\${req.user.id} \${req.tenant} \${req.user.attr.country} \${req.user.features.has('isbn')}\`);
    return super.init();
  }
}
`,
};

/** Answers of a project with a configuration to requests for `hello()`, or to other paths. */
async function answers(
  project: {
    readonly files?: Record<string, string>;
    readonly fw?: unknown;
    readonly variables?: Record<string, string>;
    readonly env?: Record<string, unknown>;
  },
  requests: readonly (SendOptions & { readonly path?: string })[],
): Promise<readonly Answer[]> {
  const found: Answer[] = [];
  const files = { ...TELLING, ...project.files, ".fwrc.json": JSON.stringify(project.fw ?? {}) };
  await withProject(files, async (folder) => {
    const { runtime } = await loadProject(folder, {
      variables: project.variables ?? {},
      env: project.env ?? { log: { levels: { default: "silent" } } },
    });
    for (const { path = "hello()", ...options } of requests) {
      found.push(await send(runtime, `/odata/v4/cat/${path}`, options));
    }
    await runtime.close();
  });
  return found;
}

const custom = (source: string) => ({
  files: { "srv/auth.ts": source },
  fw: { requires: { auth: { kind: "custom", impl: "srv/auth.ts" }, multitenancy: true } },
});

Deno.test("fw.requires.auth.impl names a middleware relative to the root of the project [5.5.1a] [5.1.custom]", async () => {
  const [good, bad] = await answers(
    custom(`export default function check(req, res, next) {
      if (req.get("x-key") !== "1") return res.status(401).send("no key");
      req.user = "keyed";
      req.tenant = "t1";
      next();
    }`),
    [{ headers: { "x-key": "1" } }, {}],
  );
  assert.match(good.body.value, /^keyed /);
  assert.deepEqual([bad.status, bad.body], [401, "no key"]);
});

Deno.test("a custom middleware sets fw.context.user and fw.context.tenant [5.5.1c]", async () => {
  const [answer, ofAdmin] = await answers(
    custom(`import fw from "@fw/runtime";
    export default function check(req, res, next) {
      fw.context.user = new fw.User({ id: "zoe", roles: ["admin"], attr: { country: "DE" } });
      fw.context.tenant = "t7";
      next();
    }`),
    [{}, { path: "admin()" }],
  );
  assert.equal(answer.body.value, "zoe t7 DE false");
  assert.equal(ofAdmin.status, 200);
});

Deno.test("a custom middleware that fails stops the request and shows nothing of its error", async () => {
  const [answer] = await answers(
    custom(`export default function check(req, res, next) { throw new Error("secret") }`),
    [{}],
  );
  assert.equal(answer.status, 401);
  assert.deepEqual(answer.body, { error: { code: "401", message: "Unauthorized" } });
});

Deno.test("mocked users log in by HTTP basic where nothing else is configured, outside production [5.1.mocked]", async () => {
  const [none, known, admin, noAdmin] = await answers({}, [
    {},
    { user: "bob" },
    { user: "alice", path: "admin()" },
    { user: "bob", path: "admin()" },
  ]);
  assert.deepEqual([none.status, known.status, admin.status, noAdmin.status], [401, 200, 200, 403]);
  assert.match(none.headers.get("www-authenticate") ?? "", /^Basic /);
  const production = answers({ variables: { FW_ENV: "production" } }, [{ user: "alice" }]);
  await assert.rejects(production, /"fw\.requires\.auth\.kind" is missing/);
  const vcap = { xsuaa: [{ name: "auth", credentials: {} }] };
  // an identity binding takes the place of the mock users
  const bound = answers({ variables: { VCAP_SERVICES: JSON.stringify(vcap) } }, [{ user: "alice" }]);
  assert.notEqual((await bound.catch(() => [{ status: 401 }]))[0].status, 200);
});

Deno.test("mock users have the configured tenant, roles, attributes and features [5.2.11]", async () => {
  const users = {
    zoe: { tenant: "t8", roles: ["admin"], attr: { country: "FR" }, features: ["isbn"], password: "" },
  };
  const [answer, admin] = await answers(
    { fw: { requires: { auth: { users }, multitenancy: true } } },
    [{ user: "zoe" }, { user: "zoe", path: "admin()" }],
  );
  assert.equal(answer.body.value, "mock/zoe t8 FR true");
  assert.equal(admin.status, 200);
});

Deno.test("mock users are those of development, each with a name [2.5.0]", async () => {
  const users = { zoe: { roles: ["admin"], password: "1" } };
  const basic = (login: string) => ({ headers: { authorization: `Basic ${btoa(login)}` } });
  const fw = { requires: { auth: { users, "[production]": { kind: "basic" } } } };
  const requests = [basic("alice:"), basic("somebody:"), basic("zoe:1"), basic(":1"), basic(":")];
  const statuses = async (variables: Record<string, string>) =>
    (await answers({ fw, variables }, requests)).map(({ status }) => status);
  assert.deepEqual(await statuses({}), [200, 200, 200, 401, 401]);
  assert.deepEqual(await statuses({ FW_ENV: "production" }), [401, 401, 200, 401, 401]);
});

Deno.test("with tracing on, the resolved user is logged, without password [2.5.r3b]", async () => {
  const lines: string[] = [];
  const original = console.log;
  console.log = (line: string) => void lines.push(line);
  try {
    const fw = {
      requires: {
        auth: { users: { zoe: { roles: ["admin"], attr: { country: ["FR"] }, password: "pw-1" } } },
      },
    };
    const login = { headers: { authorization: `Basic ${btoa("zoe:pw-1")}` } };
    await answers({ fw, env: { log: { levels: { default: "silent", auth: "trace" } } } }, [login]);
  } finally {
    console.log = original;
  }
  const traced = lines.filter((line) => line.startsWith("[auth]"));
  assert.equal(traced.length, 1);
  assert.match(traced[0], /"id":"mock\/zoe","name":"zoe","roles":\["admin"\],"attr":\{"country":\["FR"\]\}/);
  assert.doesNotMatch(lines.join("\n"), /pw-1/);
});

Deno.test("the start names the issuers whose tokens are accepted", () => {
  const issuers = ["https://a.example.com/realms/x", { issuer: "https://b.example.com/", id_prefix: "b/" }];
  const fw = { requires: { auth: { kind: "openid", audience: "shop", issuers } } };
  return withProject({ ...SMALL, "deno.json": JSON.stringify({ fw }) }, async (folder) => {
    const project = await loadProject(folder);
    try {
      assert.ok(
        describeProject(project).includes(
          "authentication: openid { issuer: https://a.example.com/realms/x, https://b.example.com/ }",
        ),
      );
    } finally {
      await project.runtime.close();
    }
  });
});

Deno.test("loadProject() takes what finds out who is calling", () =>
  withProject(TELLING, async (folder) => {
    const strategy = {
      kind: "own",
      challenge: "Own",
      authenticate: () => ({ user: new User({ id: "carol" }) }),
    };
    const { runtime } = await loadProject(folder, {
      variables: {},
      env: { log: { levels: { default: "silent" } } },
      strategy,
    });
    const response = await runtime.fetch(new Request("http://localhost/odata/v4/cat/hello()"));
    assert.match((await response.json()).value, /^carol /);
    await runtime.close();
  }));
