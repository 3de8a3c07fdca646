import assert from "node:assert/strict";
import type { SecurityDescriptor } from "../../src/service/security_descriptor.ts";
import { bindingsToSource } from "../../src/config/environment_variables.ts";
import { loadProject } from "../../src/deno/load_project.ts";
import { readConfiguration } from "../../src/deno/read_configuration.ts";
import type { Runtime } from "../../src/fw/runtime.ts";
import { createCertificate, createIdentity, type Identity } from "../../src/test/mod.ts";
import { REPOSITORY } from "../deno/project.ts";
import { startCli } from "../deno/project_processes.ts";
import { matches, PROXY_ADDRESS, type ProxyConfiguration, throughProxy } from "./ingress_proxy.ts";

const BOOKSHOP = `${REPOSITORY}examples/bookshop`;
const DEPLOY = `${BOOKSHOP}/deploy`;

const readText = (file: string) => Deno.readTextFile(`${DEPLOY}/${file}`);

/** The guide without its line breaks. */
const readGuide = async () => (await readText("README.md")).replace(/\s+/g, " ");

async function readJson<T>(file: string): Promise<T> {
  return JSON.parse(await readText(file));
}

interface OidcInstance {
  readonly name: string;
  readonly "display-name": string;
  readonly "multi-tenant": boolean;
  readonly "oauth2-configuration": {
    readonly "redirect-uris": readonly string[];
    readonly "post-logout-redirect-uris": readonly string[];
  };
}

interface OAuth2Instance {
  readonly "service-plan": string;
  readonly path: string;
  readonly appname: string;
  readonly "tenant-mode": string;
  readonly "role-collections": readonly {
    readonly name: string;
    readonly description: string;
    readonly "role-template-references": readonly string[];
  }[];
  readonly "oauth2-configuration": { readonly "redirect-uris": readonly string[] };
}

/** Runs a test with the bookshop in production, bound to an identity service. */
async function inProduction(
  identity: Identity,
  test: (runtime: Runtime) => Promise<void>,
): Promise<void> {
  const label = identity.kind === "oidc" ? "identity" : "xsuaa";
  const { runtime } = await loadProject(BOOKSHOP, {
    variables: {
      FW_ENV: "production",
      VCAP_SERVICES: JSON.stringify({ [label]: [{ name: "auth", credentials: identity.credentials }] }),
    },
    env: {
      requires: { messaging: false, db: { kind: "sqlite", credentials: { url: ":memory:" } } },
      server: { trusted_proxies: [PROXY_ADDRESS] },
      log: { levels: { default: "silent" } },
    },
    fetch: identity.fetch,
  });
  await runtime.start();
  try {
    await test(runtime);
  } finally {
    await runtime.close();
  }
}

async function statusOf(answer: Response | Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

Deno.test("the OIDC instance has name, display name, and one tenant like the application [2.6.o.name] [2.6.o.display] [2.6.o.mt]", async () => {
  const instance = await readJson<OidcInstance>("oidc/instance.json");
  const { name, env } = readConfiguration(BOOKSHOP, { variables: {} });
  assert.equal(instance.name, env.name ?? name);
  assert.equal(instance["display-name"], "Bookshop");
  assert.equal(instance["multi-tenant"], env.requires.multitenancy as unknown ?? false);
  assert.match(await readGuide(), /`name` is unique in the tenant/);
});

Deno.test("bindings and service keys of the OIDC service get a certificate with a stable subject [2.6.o.cred] [2.6.o.appid] [5.3.1]", async () => {
  assert.deepEqual(await readJson("oidc/binding.json"), {
    "credential-type": "X509_GENERATED",
    "app-identifier": "bookshop",
  });
  const readme = await readText("README.md");
  for (const command of ["bind-service bookshop", "create-service-key"]) {
    assert.match(readme, new RegExp(`^cf ${command} bookshop-identity.* -c oidc/binding\\.json$`, "m"));
  }
});

Deno.test("an instance of type identity with plan application is bound once [2.6.o.plan] [8.1]", async () => {
  const readme = await readText("README.md");
  assert.match(readme, /^cf create-service identity application bookshop-identity -c oidc\/instance\.json$/m);
  assert.equal(readme.match(/^cf bind-service \w+ bookshop-identity/gm)?.length, 1);
  const binding = (name: string) => ({ name, label: "identity", credentials: { clientid: name } });
  assert.deepEqual(bindingsToSource([binding("a")])?.value, {
    requires: { auth: { kind: "oidc", credentials: { clientid: "a" } } },
  });
  assert.throws(() => bindingsToSource([binding("a"), binding("b")]), { name: "ConfigurationError" });
  assert.match(await readGuide(), /Several applications may share an instance/);
});

Deno.test("the OAuth 2.0 instance has the plan for APIs, since it cannot be upgraded [2.6.a.plan] [8.2]", async () => {
  const instance = await readJson<OAuth2Instance>("oauth2/instance.json");
  assert.equal(instance["service-plan"], "broker");
  const readme = await readText("README.md");
  assert.match(readme, /^cf create-service xsuaa broker /m);
  assert.match(await readGuide(), /upgrading from `application` to `broker` is not supported/);
});

Deno.test("the OAuth 2.0 instance has name, tenant mode and a path to the descriptor [2.6.a.appname] [2.6.a.tmode] [2.6.a.path]", async () => {
  const instance = await readJson<OAuth2Instance>("oauth2/instance.json");
  const { name, env } = readConfiguration(BOOKSHOP, { variables: {} });
  assert.equal(instance.appname, env.name ?? name);
  assert.equal(instance["tenant-mode"], env.requires.multitenancy ? "shared" : "dedicated");
  const path = new URL(instance.path, `file://${DEPLOY}/oauth2/instance.json`).pathname;
  assert.equal(path, `${DEPLOY}/security-descriptor.json`);
  const { scopes } = await readJson<SecurityDescriptor>("security-descriptor.json");
  for (const scope of scopes) assert.match(scope.name, /^\$APPNAME\./);
});

Deno.test("role collections name role templates of the descriptor that reference no attributes [2.6.a.rc]", async () => {
  const { "role-collections": collections } = await readJson<OAuth2Instance>("oauth2/instance.json");
  const { "role-templates": templates } = await readJson<SecurityDescriptor>("security-descriptor.json");
  assert.equal(collections.length, 1);
  for (const { name, description, "role-template-references": references } of collections) {
    assert.ok(name && description && references.length > 0);
    for (const reference of references) {
      const template = templates.find((one) => `$APPNAME.${one.name}` === reference);
      assert.deepEqual(template?.["attribute-references"], [], reference);
    }
  }
});

Deno.test("the descriptor of the example is what its model gives [2.6.d.regen]", async () => {
  const { output, code } = await startCli("compile", BOOKSHOP, "--to", "security-descriptor").ended;
  assert.equal(code, 0);
  assert.equal(output, await readText("security-descriptor.json"));
});

Deno.test("a user has a role by a role collection whose template references its scope [5.3.6] [2.6.d.match]", async () => {
  const { "role-collections": [collection] } = await readJson<OAuth2Instance>("oauth2/instance.json");
  const { "role-templates": templates } = await readJson<SecurityDescriptor>("security-descriptor.json");
  const appName = "bookshop!t17";
  const scopes = templates
    .filter(({ name }) => collection["role-template-references"].includes(`$APPNAME.${name}`))
    .flatMap((template) => template["scope-references"])
    .map((scope) => scope.replace("$APPNAME", appName));
  const identity = createIdentity({ kind: "oauth2", appName });
  await inProduction(identity, async (runtime) => {
    const get = async (path: string, scope: readonly string[]) => {
      const token = await identity.token({ user: "zoe", claims: { scope } });
      const headers = { authorization: `Bearer ${token}` };
      return await statusOf(runtime.fetch(new Request(`http://localhost${path}`, { headers })));
    };
    const books = "/odata/v4/admin/Books";
    assert.equal(await get(books, ["openid", ...scopes]), 200);
    assert.equal(await get(books, ["openid"]), 403);
    assert.equal(await get(books, ["openid", "$APPNAME.admin"]), 403);
    assert.equal(await get(books, ["openid", ...scopes.map((scope) => scope.toUpperCase())]), 403);
    assert.equal(await get("/odata/v4/catalog/Books", ["openid"]), 200);
  });
});

Deno.test("the proxy's destination has name and URL, and hands on token and certificate [2.6.p.dest] [2.6.p.token] [2.6.p.cert]", async () => {
  const proxy = await readJson<ProxyConfiguration>("proxy/proxy.json");
  const [destination] = proxy.destinations;
  assert.match(new URL(destination.url).hostname, /\.cert\./);
  const identity = createIdentity({ kind: "oidc" });
  const certificate = await createCertificate({ subject: "CN=bookshop" });
  const session = { token: await identity.token({ user: "zoe", certificate }), certificate };
  await inProduction(identity, async (runtime) => {
    const get = (configuration: ProxyConfiguration) =>
      statusOf(throughProxy(
        "https://bookshop.apps.example.com/odata/v4/catalog/Books?$top=1",
        configuration,
        { session, backends: { [destination.url]: runtime } },
      ));
    const changed = (member: object) => ({ ...proxy, destinations: [{ ...destination, ...member }] });
    assert.equal(await get(proxy), 200);
    assert.equal(await get(changed({ forwardAuthToken: false })), 401);
    assert.equal(await get(changed({ forwardAuthCertificates: false })), 401);
    assert.equal(await get(changed({ name: "other" })), 404);
    assert.equal(await get(changed({ url: "https://other.cert.apps.example.com" })), 404);
  });
});

Deno.test("login callback and logout page are the proxy's, and where the identity services send browsers [4.2.cb] [2.6.p.redir]", async () => {
  const proxy = await readJson<ProxyConfiguration>("proxy/proxy.json");
  assert.deepEqual([proxy.loginCallback, proxy.logoutPage], ["/login/callback", "/*/logout.html"]);
  const oidc = (await readJson<OidcInstance>("oidc/instance.json"))["oauth2-configuration"];
  const oauth2 = (await readJson<OAuth2Instance>("oauth2/instance.json"))["oauth2-configuration"];
  const host = "https://bookshop.apps.example.com";
  const has = (patterns: readonly string[], url: string) => patterns.some((pattern) => matches(pattern, url));
  assert.ok(has(oidc["redirect-uris"], `${host}/login/callback`));
  assert.ok(has(oidc["post-logout-redirect-uris"], `${host}/shop/logout.html`));
  assert.ok(has(oauth2["redirect-uris"], `${host}/login/callback`));
  assert.ok(!has(oauth2["redirect-uris"], "https://evil.example.org/login/callback"));
  const identity = createIdentity({ kind: "oauth2" });
  const token = await identity.token({ user: "zoe" });
  await inProduction(identity, async (runtime) => {
    for (const path of ["/login/callback?code=1", "/shop/logout.html"]) {
      const parts = { session: { token }, backends: { [proxy.destinations[0].url]: runtime } };
      assert.equal(await statusOf(throughProxy(`${host}${path}`, proxy, parts)), 200);
      const headers = { authorization: `Bearer ${token}` };
      assert.equal(await statusOf(runtime.fetch(new Request(`${host}${path}`, { headers }))), 404, path);
    }
  });
});

Deno.test("the backend refuses whoever passes the proxy by [5.2.14]", async () => {
  for (const kind of ["oidc", "oauth2"] as const) {
    await inProduction(createIdentity({ kind }), async (runtime) => {
      const get = (path: string) => {
        const headers = { "x-forwarded-user": "admin", "x-forwarded-for": PROXY_ADDRESS };
        const url = `https://bookshop-backend.cert.apps.example.com${path}`;
        const info = { remoteAddr: { hostname: "203.0.113.7" } };
        return statusOf(runtime.fetch(new Request(url, { headers }), info));
      };
      assert.ok(runtime.endpoints.length > 1);
      for (const { path } of runtime.endpoints) {
        for (const below of ["", "/", "/$metadata", "/Books", "/$batch"]) {
          assert.equal(await get(`${path}${below}`), 401, `${path}${below}`);
        }
      }
    });
  }
  assert.match(await readGuide(), /\*\*The proxy does not protect the backend\*\*/);
});

Deno.test("the guide tells to share no keys and to delete those of tests [5.2.13]", async () => {
  const readme = await readText("README.md");
  const created = [...readme.matchAll(/^cf create-service-key (\S+ \S+)/gm)].map(([, key]) => key);
  assert.deepEqual(created, ["bookshop-identity my-test"]);
  for (const key of created) assert.ok(readme.includes(`cf delete-service-key -f ${key}`));
  assert.match(await readGuide(), /Service keys and tokens are never shared/);
});
