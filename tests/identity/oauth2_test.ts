/** The OAuth 2.0 service end to end: real tokens, an application in production (spec 5). */

import assert from "node:assert/strict";
import { OAUTH2_HOST, OTHER_OAUTH2_CLIENT } from "./identity_server.ts";
import { LIFETIME_S } from "./providers.ts";
import { withWorld } from "./world.ts";

const KEYS_HOST = "authentication.test";

Deno.test("a named user passes with the role in its scopes, and gets 403 without it [5.2.4] [5.3.5] [5.4.1]", async () => {
  await withWorld("oauth2", async ({ identity, oauth2Token, call }) => {
    for (const algorithm of ["RS256", "ES256"] as const) {
      identity.algorithm = algorithm;
      const alice = (await oauth2Token({ user: "alice" })).access_token;
      assert.deepEqual((await call("Admins", { token: alice })).caller, { id: "alice", tenant: "t1" });
      assert.equal((await call("Persons", { token: alice })).status, 200);
      assert.equal((await call("Systems", { token: alice })).status, 403);
      const bob = (await oauth2Token({ user: "bob" })).access_token;
      assert.equal((await call("Members", { token: bob })).status, 200);
      const refused = await call("Admins", { token: bob });
      assert.equal(refused.status, 403);
      assert.deepEqual(JSON.parse(refused.text), { error: { code: "403", message: "Forbidden" } });
    }
    assert.equal(identity.keyRequests(KEYS_HOST).length, 1);
  });
});

Deno.test("a technical user passes where no role is asked for, and fails where one is [5.2.5]", async () => {
  await withWorld("oauth2", async ({ oauth2Token, call }) => {
    const token = (await oauth2Token()).access_token;
    assert.deepEqual((await call("Members", { token })).caller, { id: "system", tenant: "t1" });
    assert.equal((await call("Systems", { token })).status, 200);
    assert.equal((await call("Internals", { token })).status, 200);
    assert.equal((await call("Admins", { token })).status, 403);
    assert.equal((await call("Persons", { token })).status, 403);
  });
});

Deno.test("requests without a token, and with one that is forged or expired, get 401 [5.2.2]", async () => {
  await withWorld("oauth2", async ({ oauth2Token, call, pass }) => {
    const none = await call("Members");
    assert.equal(none.status, 401);
    assert.equal(none.headers.get("www-authenticate"), "Bearer");
    assert.deepEqual(JSON.parse(none.text), { error: { code: "401", message: "Unauthorized" } });
    assert.equal((await call("Public")).status, 200);
    const token = (await oauth2Token({ user: "bob" })).access_token;
    const forged = token.replace(/\.[^.]*\./, `.${encode({ ...decode(token), user_name: "alice" })}.`);
    const refused = await call("Members", { token: forged });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
    assert.equal((await call("Public", { token: forged })).status, 401);
    assert.equal((await call("Members", { token })).status, 200);
    pass((LIFETIME_S + 61) * 1000);
    assert.equal((await call("Members", { token })).status, 401);
  });
});

Deno.test("a token for another application gets 401, although service and user are known", async () => {
  await withWorld("oauth2", async ({ oauth2Token, call }) => {
    const foreign = await oauth2Token({ user: "alice", client: { id: OTHER_OAUTH2_CLIENT } });
    assert.equal((await call("Members", { token: foreign.access_token })).status, 401);
    assert.equal((await call("Public", { token: foreign.access_token })).status, 401);
  });
});

Deno.test("after a rotation new tokens pass, and those of former keys do not", async () => {
  await withWorld("oauth2", async ({ identity, oauth2Token, call, pass }) => {
    const before = (await oauth2Token({ user: "bob" })).access_token;
    assert.equal((await call("Members", { token: before })).status, 200);
    identity.rotateKeys(OAUTH2_HOST);
    pass(31_000);
    const after = (await oauth2Token({ user: "bob" })).access_token;
    assert.equal((await call("Members", { token: after })).status, 200);
    assert.equal((await call("Members", { token: before })).status, 401);
    assert.equal(identity.keyRequests(KEYS_HOST).length, 2);
  });
});

Deno.test("while the identity service fails, clients get 503 with Retry-After, and are served after it", async () => {
  for (const fault of ["cut", "error", "hang", "huge"] as const) {
    await withWorld("oauth2", async ({ identity, oauth2Token, call, pass, lines }) => {
      const token = (await oauth2Token({ user: "alice" })).access_token;
      identity.fault = fault;
      const failed = await call("Admins", { token });
      assert.equal(failed.status, 503, fault);
      assert.equal(failed.headers.get("retry-after"), "1");
      assert.ok(!failed.text.includes("authentication.test"), failed.text);
      assert.equal((await call("Public")).status, 200);
      identity.fault = "none";
      pass(1000);
      assert.equal((await call("Admins", { token })).status, 200, fault);
      assert.ok(lines.some((line) => line.includes("/token_keys")), "the failure is logged");
      assert.ok(!lines.some((line) => line.includes(token)), "the token is not");
    }, fault === "hang" ? { keySetMs: 3000 } : {});
  }
});

Deno.test("known keys bridge a failure of the identity service", async () => {
  await withWorld("oauth2", async ({ identity, oauth2Token, call, pass }) => {
    const [alice, bob] = [await oauth2Token({ user: "alice" }), await oauth2Token({ user: "bob" })];
    assert.equal((await call("Members", { token: alice.access_token })).status, 200);
    identity.fault = "cut";
    assert.equal((await call("Members", { token: bob.access_token })).status, 200);
    pass((LIFETIME_S - 1) * 1000);
    assert.equal((await call("Members", { token: alice.access_token })).status, 200);
  });
});

Deno.test("many first requests at once wait for one answer of a slow service", async () => {
  await withWorld("oauth2", async ({ identity, oauth2Token, call }) => {
    const tokens = await Promise.all(Array.from({ length: 8 }, () => oauth2Token({ user: "alice" })));
    identity.fault = "slow";
    const answers = await Promise.all(
      tokens.map(({ access_token }) => call("Admins", { token: access_token })),
    );
    assert.deepEqual(answers.map(({ status }) => status), answers.map(() => 200));
    assert.equal(identity.keyRequests(KEYS_HOST).length, 1);
  });
});

function decode(token: string): object {
  return JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
}

function encode(claims: object): string {
  return btoa(JSON.stringify(claims)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
