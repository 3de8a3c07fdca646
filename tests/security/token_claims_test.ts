import assert from "node:assert/strict";
import { withClock } from "./clock.ts";
import { withOidc } from "./oidc_app.ts";
import { withTokens } from "./token_app.ts";
import { assertRefused } from "./token_parts.ts";

const now = () => Math.floor(Date.now() / 1000);

/** Claims that are refused. */
const REFUSED: readonly [id: string, what: string, claims: () => Record<string, unknown>][] = [
  ["jwt-claims-001", "that expired 60 s ago", () => ({ exp: now() - 60 })],
  ["jwt-claims-003", "without expiry", () => ({ exp: undefined })],
  ["jwt-claims-004", "whose expiry is a text", () => ({ exp: String(now() + 3600) })],
  ["jwt-claims-004", "whose expiry is null", () => ({ exp: null })],
  ["jwt-claims-006", "that begins in 61 s", () => ({ nbf: now() + 61 })],
  ["jwt-claims-006", "whose begin is a text", () => ({ nbf: String(now()) })],
  ["jwt-claims-008", "that is issued in an hour", () => ({ nbf: undefined, iat: now() + 3600 })],
  ["jwt-claims-009", "for another application", () => ({ aud: "other!t1", azp: "sb-other!t1" })],
  ["jwt-claims-009", "for an audience that only begins like ours", () => ({ aud: "bookshop!t11", azp: "x" })],
  ["jwt-claims-011", "for no audience", () => ({ aud: [], azp: "x", scope: [] })],
  ["jwt-claims-013", "for a nested list of audiences", () => ({ aud: [["bookshop!t1"]] })],
  ["jwt-claims-013", "for an audience that is an object", () => ({ aud: { "bookshop!t1": true } })],
  ["jwt-claims-016", "without subject", () => ({ sub: undefined, user_name: undefined })],
  ["jwt-claims-018", "whose subject is empty", () => ({ sub: "" })],
  ["jwt-claims-018", "whose user name is empty", () => ({ user_name: "" })],
  ["jwt-claims-023", "for another client", () => ({ aud: "sb-other!t1", azp: "sb-other!t1" })],
  ["jwt-claims-026", "whose scope is an object", () => ({ scope: { admin: true } })],
  ["jwt-claims-026", "whose scope is a number", () => ({ scope: 1 })],
  ["jwt-claims-026", "whose scopes are no texts", () => ({ scope: [1, null] })],
];

for (const [id, what, claims] of REFUSED) {
  Deno.test(`a token ${what} is refused (${id})`, () =>
    withClock(() =>
      withTokens({}, async (app) => {
        await assertRefused(app, await app.identity.token({ user: "alice", claims: claims() }));
        // all but the audience is checked before keys are asked for
        const isAudience = ["jwt-claims-009", "jwt-claims-011", "jwt-claims-023"].includes(id);
        assert.equal(app.identity.requests.length, isAudience ? 1 : 0);
      })
    ));
}

Deno.test("clocks may differ by less than 60 s", () =>
  withClock(() =>
    withTokens({}, async ({ identity, status }) => {
      const within: Record<string, unknown>[] = [
        { exp: now() - 59 },
        { nbf: now() + 59 },
        { nbf: undefined, iat: now() + 59 },
        { nbf: now(), iat: now() + 3600 },
      ];
      for (const claims of within) {
        assert.equal(await status(await identity.token({ user: "a", claims })), 200);
      }
    })
  ));

Deno.test("one of several audiences is enough (jwt-claims-014)", () =>
  withTokens({}, async ({ identity, status }) => {
    for (const aud of [["other!t1", "bookshop!t1"], ["bookshop!t1.role", "x"], "sb-bookshop!t1"]) {
      assert.equal(await status(await identity.token({ user: "alice", claims: { aud, azp: "x" } })), 200);
    }
  }));

Deno.test("without audience the client and the prefixes of scopes count", () =>
  withTokens({}, async ({ identity, status }) => {
    const claims = { aud: undefined, azp: "x", scope: ["openid", "bookshop!t1.admin"] };
    assert.equal(await status(await identity.token({ user: "alice", claims })), 200);
    const other = { ...claims, aud: ["other"] };
    assert.equal(await status(await identity.token({ user: "alice", claims: other })), 401);
    const own = { aud: ["other"], azp: "sb-bookshop!t1" };
    assert.equal(await status(await identity.token({ user: "alice", claims: own })), 200);
  }));

Deno.test("a token that does not say which client it is from is refused", () =>
  withTokens({}, async (app) => {
    const claims = { aud: ["bookshop!t1", "sb-bookshop!t1"], azp: undefined };
    await assertRefused(app, await app.identity.token({ user: "alice", claims }));
    const single = await app.identity.token({ claims: { aud: ["sb-bookshop!t1"], azp: undefined } });
    assert.equal(await app.status(single, "internals"), 200);
    await assertRefused(
      app,
      await app.identity.token({ user: "alice", claims: { aud: "sb-bookshop!t1", azp: 1 } }),
    );
  }));

Deno.test("no pseudo-role follows from the name of a user (jwt-claims-019)", () =>
  withTokens({}, async ({ identity, status, user }) => {
    for (const name of ["anonymous", "system", "privileged"]) {
      const token = await identity.token({ user: name });
      assert.equal((await user(token)).id, name);
      for (const service of ["admins", "systems", "internals"]) {
        assert.equal(await status(token, service), 403);
      }
    }
  }));

Deno.test("tokens of another kind are refused (jwt-claims-024)", () =>
  withTokens({}, async (app) => {
    for (const typ of ["logout+jwt", "refresh+jwt", "application/secevent+jwt", "", 1, null]) {
      await assertRefused(app, await app.identity.token({ user: "alice", header: { typ } }));
    }
    for (const typ of ["at+jwt", "application/at+jwt", "jwt", undefined]) {
      assert.equal(await app.status(await app.identity.token({ user: "alice", header: { typ } })), 200);
    }
  }));

Deno.test("the issuer is compared as it is, before anything is asked of it (jwt-claims-021)", () =>
  withOidc({}, async ({ identity, status }) => {
    const { url } = identity;
    assert.equal(await status({ token: { claims: { iss: url } } }), 200);
    const sent = identity.requests.length;
    for (
      const iss of [`${url}/`, url.toUpperCase(), url.replace("accounts", "Accounts"), `HTTPS${url.slice(5)}`]
    ) {
      assert.equal(await status({ token: { claims: { iss } } }), 401, iss);
    }
    assert.equal(identity.requests.length, sent);
  }));
