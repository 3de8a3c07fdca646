/** Tokens of a real OIDC service exchanged for those of a real OAuth 2.0 service (spec 5.1: cross-consumption). */

import assert from "node:assert/strict";
import { createCertificate } from "../../src/test/mod.ts";
import { OAUTH2_HOST, OTHER_CLIENT } from "./identity_server.ts";
import { withWorld, type World } from "./world.ts";

const FORCE = { authentication: { tokenExchange: "force" } };

/** Token requests so far, without those made since by the test itself. */
const tokenRequests = ({ identity }: World) =>
  identity.seen.filter(({ method }) => method === "POST").map(({ host, path }) => `${host}${path}`);

Deno.test("a user of the OIDC service gets the roles of the OAuth 2.0 service when tokens are exchanged [5.1.oidc]", async () => {
  await withWorld("both", async (world) => {
    const { certificate, oidcToken, call, identity } = world;
    const [alice, bob] = [await oidcToken({ user: "alice" }), await oidcToken({ user: "bob" })];
    identity.seen.length = 0;
    const passed = await call("Admins", { token: alice.access_token, certificate });
    assert.deepEqual(passed.caller, { id: "alice", tenant: "t1" });
    assert.equal((await call("Admins", { token: alice.access_token, certificate })).status, 200);
    assert.deepEqual(tokenRequests(world), [`${OAUTH2_HOST}/oauth/token`], "the token is kept");
    assert.equal((await call("Admins", { token: bob.access_token, certificate })).status, 403);
    assert.equal((await call("Members", { token: alice.access_token })).status, 401, "binding comes first");
  }, FORCE);
});

Deno.test("the token of another client becomes one of the application first", async () => {
  await withWorld("both", async (world) => {
    const { authority, oidcToken, call, identity } = world;
    const certificate = await createCertificate({ subject: `CN=${OTHER_CLIENT}`, issuer: authority });
    const { access_token: token } = await oidcToken({
      user: "alice",
      client: { id: OTHER_CLIENT, certificate },
    });
    identity.seen.length = 0;
    const passed = await call("Admins", { token, certificate });
    assert.equal(passed.caller?.id, "alice", world.lines.join("\n"));
    assert.deepEqual(tokenRequests(world), [
      "tenant.accounts.test/oauth2/token",
      `${OAUTH2_HOST}/oauth/token`,
    ]);
    const [first] = identity.seen.filter(({ method }) => method === "POST");
    assert.ok(first.hasCertificate, "the application shows its own certificate");
  }, FORCE);
});

Deno.test("without exchange, or provided beside the own token, the user keeps the roles of the OIDC service", async () => {
  for (const [tokenExchange, requests] of [["disabled", 0], ["provide", 1]] as const) {
    await withWorld("both", async (world) => {
      const { certificate, oidcToken, call, identity } = world;
      const { access_token: token } = await oidcToken({ user: "alice" });
      identity.seen.length = 0;
      assert.equal((await call("Members", { token, certificate })).status, 200);
      assert.equal((await call("Admins", { token, certificate })).status, 403);
      assert.equal(tokenRequests(world).length, requests);
    }, { authentication: { tokenExchange } });
  }
});

Deno.test("an exchange that changes the tenant is refused, one that fails is tried again later", async () => {
  await withWorld("both", async ({ certificate, oidcToken, call, identity, pass }) => {
    const other = await oidcToken({ user: "alice", host: "other.accounts.test" });
    assert.equal((await call("Members", { token: other.access_token, certificate })).status, 401);
    const { access_token: token } = await oidcToken({ user: "alice" });
    identity.fault = "error";
    identity.faultyHosts = /authentication/;
    const failed = await call("Members", { token, certificate });
    assert.equal(failed.status, 503);
    assert.equal(failed.headers.get("retry-after"), "1");
    identity.fault = "none";
    pass(1000);
    assert.equal((await call("Admins", { token, certificate })).status, 200);
  }, FORCE);
});
