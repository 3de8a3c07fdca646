/** Both identity services at once, as during a migration from one to the other (spec 5.1). */

import assert from "node:assert/strict";
import { OIDC_CLIENT } from "./identity_server.ts";
import { withWorld } from "./world.ts";

Deno.test("tokens of both services pass, each under the rules of its own service [5.1.hybrid] [5.1.oauth2]", async () => {
  await withWorld("both", async ({ certificate, oidcToken, oauth2Token, call }) => {
    const [bound, scoped] = await Promise.all([oidcToken({ user: "alice" }), oauth2Token({ user: "alice" })]);
    const oidc = { token: bound.access_token, certificate };
    const oauth2 = { token: scoped.access_token };
    const answers = await Promise.all([
      call("Members", oidc),
      call("Members", oauth2),
      call("Admins", oidc),
      call("Admins", oauth2),
      call("Members", { token: bound.access_token }),
      call("Members", { ...oauth2, certificate }),
      call("Members"),
    ]);
    assert.deepEqual(answers.map(({ status }) => status), [200, 200, 403, 200, 401, 200, 401]);
    assert.deepEqual(answers[0].caller, { id: "alice", tenant: "t1" });
  });
});

Deno.test("technical users of both services are the same kind of user", async () => {
  await withWorld("both", async ({ certificate, oidcToken, oauth2Token, call }) => {
    for (
      const request of [{ token: (await oidcToken()).access_token, certificate }, {
        token: (await oauth2Token()).access_token,
      }]
    ) {
      assert.deepEqual((await call("Systems", request)).caller, { id: "system", tenant: "t1" });
      assert.equal((await call("Internals", request)).status, 200);
      assert.equal((await call("Persons", request)).status, 403);
    }
  });
});

Deno.test("a failure of one service does not touch the users of the other", async () => {
  await withWorld("both", async ({ identity, certificate, oidcToken, oauth2Token, call }) => {
    const oidc = { token: (await oidcToken({ user: "alice" })).access_token, certificate };
    const oauth2 = { token: (await oauth2Token({ user: "alice" })).access_token };
    identity.fault = "error";
    identity.faultyHosts = /accounts/;
    assert.equal((await call("Members", oidc)).status, 503);
    assert.equal((await call("Members", oauth2)).status, 200);
    assert.equal(identity.keyRequests("tenant.accounts.test").length, 0);
  });
});

Deno.test("a token cannot choose the service whose rules suit it", async () => {
  await withWorld("both", async ({ certificate, oidcToken, oauth2Token, call }) => {
    const { access_token: bound } = await oidcToken({ user: "alice" });
    const [header, payload, signature] = bound.split(".");
    const claims = { ...JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/"))), zid: "uaa" };
    const moved = btoa(JSON.stringify(claims)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    assert.equal((await call("Members", { token: `${header}.${moved}.${signature}` })).status, 401);
    assert.equal(claims.azp, OIDC_CLIENT);
    const { access_token: scoped } = await oauth2Token({ user: "alice" });
    const swapped = [header, scoped.split(".")[1], scoped.split(".")[2]].join(".");
    assert.equal((await call("Members", { token: swapped, certificate })).status, 401);
  });
});
