/** The configurations that `src/auth/README.md` documents, with tokens as the providers document them. */

import assert from "node:assert/strict";
import { createIdentity, createSigningKeys } from "../../../../src/test/mod.ts";
import { assertRefused } from "../../../security/token_parts.ts";
import { withTokens } from "../../../security/token_app.ts";

const KEYS = await createSigningKeys("RS256");
const TEXT = await Deno.readTextFile(new URL("../../../../src/auth/README.md", import.meta.url));

/** The configuration below a heading. */
function documented(provider: string): { readonly issuer: string; readonly audience?: string } {
  const json = TEXT.split(`\n### ${provider}\n`)[1]?.match(/```json\n([\s\S]*?)\n```/)?.[1];
  assert.ok(json, provider);
  return JSON.parse(json);
}

/** Claims of a token, and what the application is told about its user. */
interface Sample {
  readonly header?: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr?: Record<string, unknown>;
}

const OID = "3a4b9e55-1f9c-4f0c-9c7e-2f0d9d7a1b22";
const TENANT = "7f0c3c52-0b4f-4b7c-8f4e-7e0a4b8a3f11";
/** Claims of our own test tokens that providers do not write. */
const NONE = { given_name: undefined, family_name: undefined, email: undefined, azp: undefined };

const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  Keycloak: [
    {
      claims: {
        ...{ sub: "f:1:ann", typ: "Bearer", azp: "web", sid: "s", acr: "1", aud: ["account", "shop"] },
        "allowed-origins": ["https://web.example.com"],
        realm_access: { roles: ["offline_access", "default-roles-shop", "clerk"] },
        resource_access: { shop: { roles: ["admin"] }, account: { roles: ["manage-account"] } },
        ...{ scope: "openid email profile", preferred_username: "ann", email_verified: true },
      },
      id: "ann",
      roles: ["offline_access", "default-roles-shop", "clerk", "admin"],
    },
    {
      claims: {
        ...{ sub: "0b0c", typ: "Bearer", azp: "job", client_id: "job", clientHost: "10.0.0.1" },
        ...{ realm_access: { roles: ["reader"] }, preferred_username: "service-account-job" },
      },
      id: "service-account-job",
      roles: ["reader"],
    },
  ],
  Auth0: [
    {
      header: { typ: "at+jwt" },
      claims: {
        ...{ sub: "auth0|5f7c8ec7c33c6c004bbafe82", azp: "web", scope: "openid profile read:books" },
        aud: ["https://shop.example.com/api", "https://tenant.eu.auth0.com/userinfo"],
        permissions: ["read:books", "write:books"],
        "https://shop.example.com/roles": ["admin"],
      },
      id: "auth0|5f7c8ec7c33c6c004bbafe82",
      roles: ["read:books", "write:books", "admin"],
    },
    {
      claims: {
        ...{ sub: "job@clients", azp: "job", gty: "client-credentials", scope: "read:books" },
        permissions: ["read:books"],
      },
      id: "system",
      roles: ["read:books", "system-user"],
    },
  ],
  "Entra ID": [
    {
      claims: {
        ...{ ver: "2.0", tid: TENANT, oid: OID, sub: "pairwise", azp: "web", azpacr: "1", uti: "u", rh: "r" },
        ...{ name: "Ann", preferred_username: "ann@example.com", scp: "Books.Read user_impersonation" },
        roles: ["admin"],
      },
      id: OID,
      roles: ["admin", "Books.Read", "user_impersonation"],
      attr: { name: "Ann", preferred_username: "ann@example.com" },
    },
    {
      claims: { ver: "2.0", tid: TENANT, oid: OID, sub: OID, azp: "job", idtyp: "app", roles: ["Jobs.Run"] },
      id: "system",
      roles: ["Jobs.Run", "system-user"],
      attr: {},
    },
  ],
  Okta: [
    {
      header: { typ: undefined },
      claims: {
        ...{ ver: 1, cid: "0oa1web", uid: "00u1ann", sub: "ann@example.com", auth_time: 1 },
        ...{ scp: ["openid", "books.read"], groups: ["Everyone", "admin"] },
      },
      id: "ann@example.com",
      roles: ["Everyone", "admin", "openid", "books.read"],
    },
    {
      header: { typ: undefined },
      claims: { ver: 1, cid: "0oa1job", sub: "0oa1job", scp: ["books.read"] },
      id: "system",
      roles: ["books.read", "system-user"],
    },
  ],
  Cognito: [
    {
      header: { typ: undefined },
      claims: {
        ...{ sub: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", token_use: "access", aud: undefined },
        ...{
          client_id: "7lhlkkfbfb4q5kpp90urffao",
          username: "ann",
          version: 2,
          event_id: "e",
          auth_time: 1,
        },
        ...{ scope: "openid books/read", "cognito:groups": ["admin"], origin_jti: "o" },
      },
      id: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      roles: ["admin", "openid", "books/read"],
    },
    {
      header: { typ: undefined },
      claims: {
        ...{ sub: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", token_use: "id", "cognito:username": "ann" },
        ...{ "cognito:groups": ["admin"], email_verified: true },
      },
      id: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
      roles: ["admin"],
    },
    {
      header: { typ: undefined },
      claims: {
        ...{ sub: "7lhlkkfbfb4q5kpp90urffao", client_id: "7lhlkkfbfb4q5kpp90urffao", token_use: "access" },
        ...{ scope: "books/read", version: 2, aud: undefined },
      },
      id: "system",
      roles: ["books/read", "system-user"],
    },
  ],
  Zitadel: [{
    header: { typ: "at+jwt" },
    claims: {
      ...{ sub: "163840776835432345", client_id: "123456789@shop", amr: ["pwd"] },
      aud: ["123456789@shop", "69234237810729019"],
      "urn:zitadel:iam:org:project:roles": {
        admin: { "69234237810729234": "example.zitadel.cloud" },
        clerk: { "69234237810729234": "example.zitadel.cloud" },
      },
      "urn:zitadel:iam:user:resourceowner:id": "69234237810729234",
    },
    id: "163840776835432345",
    roles: ["admin", "clerk"],
  }],
  Dex: [{
    header: { typ: undefined },
    claims: {
      ...{ sub: "CgYxMjM0NTYSBWxvY2Fs", at_hash: "x", c_hash: "y", email: "ann@example.com" },
      ...{ email_verified: true, groups: ["org:admins", "admin"], name: "Ann" },
    },
    id: "CgYxMjM0NTYSBWxvY2Fs",
    roles: ["org:admins", "admin"],
    attr: { email: "ann@example.com" },
  }],
  Google: [{
    claims: {
      ...{ sub: "110169484474386276334", azp: "1234567890-abc.apps.googleusercontent.com", at_hash: "x" },
      ...{ hd: "example.com", email: "ann@example.com", email_verified: true, picture: "https://x.example" },
    },
    id: "110169484474386276334",
    roles: [],
    attr: { email: "ann@example.com", hd: "example.com" },
  }],
};

for (const [provider, samples] of Object.entries(SAMPLES)) {
  Deno.test(`the configuration documented for ${provider} accepts its tokens, and no others`, async () => {
    const auth = { credentials: undefined, ...documented(provider) };
    const identity = createIdentity({
      kind: "openid",
      url: auth.issuer,
      audience: auth.audience,
      keys: KEYS,
      claims: {},
    });
    await withTokens({ identity, auth }, async (app) => {
      for (const { header, claims, id, roles, attr } of samples) {
        const token = (others: object = {}) =>
          identity.token({ header, claims: { ...NONE, ...claims, ...others }, user: "ann" });
        const user = await app.user(await token());
        assert.deepEqual([user.id, user.roles], [id, roles]);
        if (attr) assert.deepEqual({ ...user.attr }, attr);
        const { issuer } = auth;
        const other = issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
        for (
          const wrong of [{ aud: "other" }, { aud: undefined, azp: "other" }, { aud: [] }, { iss: other }, {
            exp: 1,
          }, { sub: "" }]
        ) {
          await assertRefused(app, await token(wrong));
        }
        await assertRefused(app, (await token()).replace(/[^.]*$/, ""));
      }
    });
  });
}

Deno.test("the documentation has a tested configuration of each provider that it names", () => {
  const section = TEXT.split("\n## OpenID providers\n")[1]!.split("\n## ")[0]!;
  const headings = [...section.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings, Object.keys(SAMPLES));
});
