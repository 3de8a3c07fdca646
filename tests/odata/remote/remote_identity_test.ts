import assert from "node:assert/strict";
import fw, { type User } from "../../../mod.ts";
import type { ClientKeyPair } from "../../../src/auth/token_client/token_credentials.ts";
import { createCertificate, createIdentity, type Identity } from "../../../src/test/mod.ts";
import { type RemoteShop, withRemoteShop } from "./remote_shop.ts";

const PROXY = "10.0.0.1";
const RESTRICTED = { profiles: ["production"] } as const;

/** Runs a test with two applications in production that share an identity service. */
async function withIdentity(
  identity: Identity,
  authentication: string,
  test: (shop: RemoteShop, users: User[]) => Promise<void>,
): Promise<void> {
  const requires = { auth: { kind: identity.kind, credentials: identity.credentials } };
  const users: User[] = [];
  await withRemoteShop({
    requires,
    entry: { credentials: { url: "http://shop.test/odata/v4/catalog", authentication } },
    server: {
      ...RESTRICTED,
      env: {
        log: { levels: { default: "silent" } },
        requires: { ...requires, db: { kind: "memory" } },
        server: { trusted_proxies: [PROXY] },
      },
      kinds: { fetch: identity.fetch },
      handlers: {
        "shop.CatalogService": (srv) => void srv.before("READ", (req) => void users.push(req.user)),
      },
    },
    fetch: async (request, server, keyPair) => {
      if (identity.serves(request.url)) return await identity.fetch(request, keyPair);
      return await server.fetch(withCertificate(request, keyPair), { remoteAddr: { hostname: PROXY } });
    },
  }, async (shop) => {
    shop.client.app.get("/via", async () => Response.json(await shop.remote.read("Books")));
    await test(shop, users);
  });
}

/** What the proxy before an application makes of a connection with a certificate. */
function withCertificate(request: Request, keyPair: ClientKeyPair | undefined): Request {
  const headers = new Headers(request.headers);
  if (keyPair) headers.set("x-forwarded-client-cert", keyPair.certificate.replaceAll("\n", "\\n"));
  return new Request(request, { headers });
}

Deno.test("an application in production accepts the token that another one fetched for itself [4.2.sem]", async () => {
  const certificate = await createCertificate();
  for (
    const identity of [createIdentity({ kind: "oauth2" }), createIdentity({ kind: "oidc", certificate })]
  ) {
    await withIdentity(identity, "client_credentials", async ({ remote }, users) => {
      const rows = await fw.tx(() => remote.read("Books").columns("ID")) as unknown[];
      assert.equal(rows.length, 3);
      assert.equal(users[0].id, "system", identity.kind);
      assert.equal(users[0].is("system-user"), true);
    });
  }
});

Deno.test("an application in production refuses calls without token", async () => {
  const identity = createIdentity({ kind: "oauth2" });
  await withIdentity(identity, "none", async ({ remote }, users) => {
    await assert.rejects(fw.tx(() => remote.read("Books")), (error: Error) => {
      assert.equal((error.cause as { status?: number }).status, 401);
      return true;
    });
    assert.deepEqual(users, []);
  });
});

Deno.test("the user of a request stays the user in the application that is called", async () => {
  for (const authentication of ["forward", "jwt-bearer"]) {
    const identity = createIdentity({ kind: "oauth2" });
    await withIdentity(identity, authentication, async ({ client }, users) => {
      const headers = { authorization: `Bearer ${await identity.token({ user: "zoe" })}` };
      const response = await client.fetch(new Request("http://localhost/via", { headers }));
      assert.equal((await response.json()).length, 3);
      assert.deepEqual(users.map(({ id }) => id), ["zoe"], authentication);
      assert.equal(users[0].is("system-user"), false);
    });
  }
});
