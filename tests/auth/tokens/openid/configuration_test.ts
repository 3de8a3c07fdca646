/** The configuration of OpenID providers: what stops the start, and what it says. */

import assert from "node:assert/strict";
import { createStrategy } from "../../../../src/auth/create_strategy.ts";
import { createEnvironment } from "../../../../src/config/environment.ts";
import { ConfigurationError } from "../../../../src/errors/configuration_error.ts";

const ISSUER = "https://login.example.com/realms/shop";

/** Starts authentication with a configuration file; gives the warnings. */
async function start(auth: object, multitenancy = false): Promise<readonly string[]> {
  const value = { requires: { auth, multitenancy } };
  const env = createEnvironment([{ name: "deno.json", value }], ["production"]);
  const warnings: string[] = [];
  await createStrategy({ env, production: true, warn: (text) => void warnings.push(text) });
  return warnings;
}

const openid = (members: object) => ({ kind: "openid", issuer: ISSUER, audience: "shop", ...members });

Deno.test("one issuer, several ones, and those of a binding start", async () => {
  for (
    const auth of [
      openid({}),
      openid({ audience: ["a", "b"], jwks_uri: `${ISSUER}/keys`, algorithms: ["PS256", "EdDSA"] }),
      openid({ claims: { user: "email", roles: ["a.b", "https://x.example/y"], attributes: ["a.b"] } }),
      openid({ claims: { roles: "scope", tenant: "tid", attributes: { area: "['a.b'].c" } } }),
      openid({ issuer: "http://localhost:8080/realms/x" }),
      openid({ issuers: ["https://tenant.eu.auth0.example/"] }),
      { kind: "openid", issuers: [{ issuer: ISSUER, audience: "x" }] },
      { kind: "openid", audience: "x", issuers: [ISSUER] },
      { kind: "openid", credentials: { issuer: ISSUER, audience: "shop", clientsecret: "not of interest" } },
    ]
  ) assert.ok((await start(auth)).length <= 1, JSON.stringify(auth));
});

/** What is wrong, and what the message says. */
const WRONG: readonly (readonly [auth: object, message: RegExp])[] = [
  [{ kind: "openid" }, /"fw\.requires\.auth\.issuer" is missing: kind "openid" needs the issuer/],
  [{ kind: "openid", issuers: [] }, /"fw\.requires\.auth\.issuer" is missing/],
  [{ kind: "openid", issuer: ISSUER }, /"fw\.requires\.auth\.audience" is missing for https:\/\/login/],
  [openid({ audience: [] }), /"fw\.requires\.auth\.audience" is missing/],
  [openid({ audience: " " }), /fw\.requires\.auth\.audience.* must be a text that is not empty/],
  [openid({ issuer: "http://login.example.com" }), /fw\.requires\.auth\.issuer.* must be an https URL/],
  [openid({ issuer: "login.example.com" }), /must be an https URL/],
  [openid({ issuer: `${ISSUER}?x=1` }), /must be an https URL/],
  [openid({ issuer: `${ISSUER}#` }), /must be an https URL/],
  // without the password
  [openid({ issuer: "https://u:pass@login.example.com" }), /must be an https URL(?!.*pass)/s],
  [
    openid({ jwks_uri: "http://login.example.com/keys" }),
    /fw\.requires\.auth\.jwks_uri.* must be an https URL/,
  ],
  [
    openid({ algorithms: ["HS256"] }),
    /fw\.requires\.auth\.algorithms.* each entry of which must be one of RS256/,
  ],
  [openid({ algorithms: ["none"] }), /must be one of RS256/],
  [openid({ algorithms: ["rs256"] }), /did you mean "RS256"\?/],
  [openid({ algorithms: [] }), /"fw\.requires\.auth\.algorithms" is empty/],
  [
    openid({ claims: { role: "x" } }),
    /fw\.requires\.auth\.claims\.role.* is unknown; did you mean "roles"\?/,
  ],
  [openid({ claims: { roles: "a..b" } }), /claims\.roles.* must be a path to a claim/],
  [openid({ claims: { roles: ["a", ""] } }), /claims\.roles.* each entry of which must be a path/],
  [openid({ claims: { attributes: { area: "a b" } } }), /claims\.attributes\.area.* must be a path/],
  [
    openid({ issuers: [{ issuer: `${ISSUER}/`, audiance: "x" }] }),
    /issuers\.0\.audiance.* did you mean "audience"\?/,
  ],
  [openid({ issuers: [{ audience: "x" }] }), /"fw\.requires\.auth\.issuers" has an entry without "issuer"/],
  [openid({ issuers: [ISSUER] }), /has https:\/\/login\.example\.com\/realms\/shop twice/],
  [openid({ issuers: [{ issuer: `${ISSUER}/`, tenant: "../x" }] }), /no id of a tenant/],
  [
    { kind: "openid", audience: "x", issuers: [ISSUER], jwks_uri: `${ISSUER}/keys` },
    /"fw\.requires\.auth\.jwks_uri" belongs to one issuer/,
  ],
  [{ kind: "openid", credentials: { issuer: "x", audience: "y" } }, /issuer" must be an https URL/],
  [{ kind: "oidc", issuer: ISSUER, audience: "x" }, /issuer" has no effect with kind "oidc".*kind "openid"/],
  [{ kind: "jwt", issuer: ISSUER, audience: "x" }, /has no effect with kind "oauth2".*kind "openid"/],
  [{ kind: "oauth2", claims: { roles: "x" } }, /claims\.roles" has no effect with kind "oauth2"/],
  [{ kind: "oidc", claims: { user: "email" } }, /claims\.user" has no effect with kind "oidc"/],
  [{ kind: "openidc", issuer: ISSUER }, /did you mean "openid"\?/],
];

for (const [auth, message] of WRONG) {
  Deno.test(`the start ends for ${JSON.stringify(auth)}`, async () => {
    await assert.rejects(start(auth), (error) => {
      assert.ok(error instanceof ConfigurationError, String(error));
      assert.match(error.message, message);
      return true;
    });
  });
}

Deno.test("multitenant operation without a claim for the tenant is warned about", async () => {
  assert.match(
    (await start(openid({}), true)).join(),
    /have no tenant: "fw\.requires\.auth\.claims\.tenant"/,
  );
  assert.deepEqual(await start(openid({ claims: { tenant: "tid" } }), true), []);
  assert.deepEqual(await start(openid({})), []);
});
