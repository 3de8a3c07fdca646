/** Where an identity service of a test answers, and what a token request needs (RFC 6749, 4.3, 4.4 and 5.2). */

import assert from "node:assert/strict";
import { createIdentity, createSigningKeys } from "../../../src/test/mod.ts";

const keys = await createSigningKeys("RS256");

Deno.test("each identity service answers at the paths of its kind, and token requests by POST only", async () => {
  const METADATA = "/.well-known/openid-configuration";
  const cases = {
    oidc: { keys: "/oauth2/certs", token: "/oauth2/token", others: ["/token_keys", "/oauth/token"] },
    oauth2: {
      keys: "/token_keys",
      token: "/oauth/token",
      others: [METADATA, "/oauth2/certs", "/oauth2/token"],
    },
    openid: { keys: "/oauth2/certs", token: "/oauth2/token", others: ["/token_keys", "/oauth/token"] },
  };
  for (const [kind, { keys: keySet, token, others }] of Object.entries(cases)) {
    const identity = createIdentity({ kind: kind as keyof typeof cases, keys });
    const statusOf = async (method: string, path: string) => {
      const response = await identity.fetch(new Request(identity.url + path, { method }));
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await statusOf("GET", keySet), 200, kind);
    if (kind !== "oauth2") assert.equal(await statusOf("GET", METADATA), 200, kind);
    assert.equal(await statusOf("POST", token), 401, kind);
    for (const path of ["/", "", `${token}/more`, `/more${token}`, ...others]) {
      for (const method of ["GET", "POST"]) {
        assert.equal(await statusOf(method, path), 404, `${kind} ${path}`);
      }
    }
    for (const method of ["GET", "PUT"]) {
      assert.equal(await statusOf(method, token), 404, `${kind} ${method}`);
    }
  }
});

Deno.test("a token request names its client, proves it, and has a grant with all that belongs to it", async () => {
  const identity = createIdentity({ kind: "oauth2", keys });
  const client = { client_id: identity.clientId, client_secret: "any" };
  const cases: readonly [Readonly<Record<string, string>>, number, string | undefined][] = [
    [{}, 401, "invalid_client"],
    [{ client_id: identity.clientId, grant_type: "client_credentials" }, 401, "invalid_client"],
    [{ ...client, client_id: "other", grant_type: "client_credentials" }, 401, "invalid_client"],
    [client, 400, "invalid_request"],
    [{ ...client, grant_type: "other" }, 400, "invalid_grant"],
    [{ ...client, grant_type: "client_credentials" }, 200, undefined],
    [{ ...client, grant_type: "password", username: "ann", password: "" }, 200, undefined],
    [{ ...client, grant_type: "password", username: "ann" }, 400, "invalid_grant"],
    [{ ...client, grant_type: "password", username: "", password: "x" }, 400, "invalid_grant"],
    [{ ...client, grant_type: "password", password: "x" }, 400, "invalid_grant"],
  ];
  for (const [form, status, error] of cases) {
    const body = new URLSearchParams(form);
    const response = await identity.fetch(
      new Request(`${identity.url}/oauth/token`, { method: "POST", body }),
    );
    const answer = await response.json();
    assert.deepEqual([response.status, answer.error], [status, error], body.toString());
    if (status === 200) assert.deepEqual([answer.token_type, answer.expires_in], ["Bearer", 3600]);
  }
});
