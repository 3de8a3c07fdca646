import assert from "node:assert/strict";
import { withOidc } from "./oidc_app.ts";

/** Values of `iss` that name a trusted issuer. */
const TRUSTED: readonly [id: string, what: string, iss: string][] = [
  ["oidc-issuer-002", "one label below a trusted domain", "https://tenant-1.accounts.example.com"],
  ["oidc-issuer-003", "without scheme", "tenant.accounts.example.com"],
];

for (const [id, what, iss] of TRUSTED) {
  Deno.test(`a token of an issuer ${what} is accepted (${id})`, () =>
    withOidc({}, async ({ identity, status }) => {
      assert.equal(await status({ token: { claims: { iss } } }), 200);
      const host = iss.replace("https://", "");
      assert.deepEqual(identity.requests.map(({ url }) => url), [
        `https://${host}/.well-known/openid-configuration`,
        `https://${host}/oauth2/certs`,
      ]);
    }));
}

/** Values of `iss` that are refused. */
const REFUSED: readonly [id: string, what: string, iss: unknown][] = [
  ["oidc-issuer-005", "two labels below a trusted domain", "https://a.b.accounts.example.com"],
  ["oidc-issuer-007", "without a dot before the domain", "https://myaccounts.example.com"],
  ["oidc-issuer-008", "with a fragment", "https://evil.org#.accounts.example.com"],
  ["oidc-issuer-010", "with the domain in its path", "https://evil.org/.accounts.example.com"],
  ["oidc-issuer-012", "with a path", "https://accounts.example.com/path"],
  ["oidc-issuer-013", "with a port", "https://accounts.example.com:8443"],
  ["oidc-issuer-015", "with an escaped dot", "https://accounts%2eexample.com"],
  ["oidc-issuer-017", "with a tab", "https://accou\tnts.example.com"],
  ["oidc-issuer-018", "with a line break", "https://accounts.exam\nple.com"],
  ["oidc-issuer-020", "with another character in place of a dot", "https://accountsXexample.com"],
];

for (const [id, what, iss] of REFUSED) {
  Deno.test(`a token of an issuer ${what} is refused before any request (${id})`, () =>
    withOidc({}, async ({ identity, status }) => {
      assert.equal(await status({ token: { claims: { iss } } }), 401);
      assert.equal(await status({ token: { claims: { ias_iss: iss } } }), 401);
      assert.deepEqual(identity.requests, []);
    }));
}

Deno.test("an issuer in any other form is refused before any request", () =>
  withOidc({}, async ({ identity, status }) => {
    const forms = [
      ...[
        "http://",
        "https:/",
        "ftp://",
        "//",
        "https://user@",
        "https://user:pw@",
        " ",
        "https://.",
        "https://é.",
      ]
        .map((before) => `${before}accounts.example.com`),
      ...["?", "#", "/", ".", ":", "\0", "\n", " ", ".evil.org", "%00"].map((after) =>
        `https://accounts.example.com${after}`
      ),
      `https://${"a".repeat(64)}.accounts.example.com`,
      `https://x_y.accounts.example.com`,
      "",
      "https://",
      "example.com",
      null,
      1,
      ["https://accounts.example.com"],
      {},
    ];
    for (const iss of forms) {
      assert.equal(await status({ token: { claims: { iss } } }), 401, JSON.stringify(iss));
    }
    assert.equal(await status({ token: { claims: { iss: undefined } } }), 401);
    assert.deepEqual(identity.requests, []);
  }));

Deno.test("without trusted domains every issuer is refused, and the start says so", () =>
  withOidc(
    { auth: { credentials: { clientid: "app-client", url: "https://tenant.accounts.example.com" } } },
    async (app) => {
      assert.equal(await app.status(), 401);
      assert.deepEqual(app.identity.requests, []);
      // the log is JSON, in which quotes are escaped
      assert.ok(app.lines.some((line) => line.includes('credentials.domains\\" is empty')));
    },
  ));

Deno.test("ias_iss decides, iss is informative (oidc-issuer-022)", () =>
  withOidc({}, async ({ status }) => {
    const claims = { ias_iss: "https://tenant.accounts.example.com", iss: "https://login.customer.example" };
    assert.equal(await status({ token: { claims } }), 200);
  }));

Deno.test("an ias_iss that is not trusted is refused, whatever iss says (oidc-issuer-023)", () =>
  withOidc({}, async ({ identity, status }) => {
    for (const ias_iss of ["https://login.customer.example", "", null, false]) {
      const claims = { ias_iss, iss: "https://tenant.accounts.example.com" };
      assert.equal(await status({ token: { claims } }), 401);
    }
    assert.deepEqual(identity.requests, []);
  }));

Deno.test("a configuration in the name of another issuer is refused (oidc-issuer-025)", () =>
  withOidc({}, async ({ identity, status }) => {
    identity.behaviour = "wrong-issuer";
    assert.equal(await status(), 401);
    assert.equal(await status(), 401);
    assert.deepEqual(identity.requests.map(({ url }) => new URL(url).pathname), [
      "/.well-known/openid-configuration",
    ]);
  }));

Deno.test("tokens that name other issuers or tenants push out nothing that is known of those whose tokens were accepted", async () => {
  const attacks: readonly ((n: number) => Record<string, unknown>)[] = [
    (n) => ({ iss: `https://tenant-${n}.accounts.example.com` }),
    (n) => ({ app_tid: `tenant-${n}` }),
  ];
  for (const attack of attacks) {
    await withOidc({ limits: { keySets: 2 } }, async ({ status }) => {
      assert.equal(await status(), 200);
      for (let n = 1; n <= 4; n++) {
        const refused = await status({ token: { claims: attack(n), signature: "AAAA" } });
        assert.ok(refused === 401 || refused === 503, String(refused));
      }
      assert.equal(await status({ token: { claims: { jti: "another token" } } }), 200);
    });
  }
});
