import assert from "node:assert/strict";
import { createCertificate } from "../../src/test/mod.ts";
import { CLIENT, type Sent, withOidc } from "./oidc_app.ts";

const OTHER = await createCertificate({ subject: "CN=other" });
const EXPIRED = await createCertificate({ subject: "CN=late", days: -1 });

Deno.test("a token with the certificate it is bound to is accepted (certificate-binding-001) [5.1.oidc] [4.1.h.xfcc]", () =>
  withOidc({}, async ({ status }) => {
    assert.equal(await status(), 200);
    assert.equal(await status({ certificate: null }), 401);
  }));

Deno.test("the certificate may be PEM with written line breaks, or stand in a list (certificate-binding-002)", () =>
  withOidc({}, async ({ status }) => {
    assert.equal(await status({ certificate: CLIENT.pem.replaceAll("\n", "\\n") }), 200);
    assert.equal(await status({ certificate: `Hash=1;Cert="${encodeURIComponent(CLIENT.pem)}";URI=` }), 200);
  }));

/** Requests that are refused. */
const REFUSED: readonly [id: string, what: string, sent: readonly Sent[]][] = [
  ["certificate-binding-004", "a token with another certificate", [{ certificate: OTHER.header }]],
  ["certificate-binding-006", "a token without binding", [
    { token: { certificate: undefined } },
    { token: { claims: { cnf: {} } } },
    { token: { claims: { cnf: null } } },
    { token: { claims: { cnf: CLIENT.thumbprint } } },
  ]],
  [
    "certificate-binding-007",
    "a binding that is no thumbprint",
    [
      1,
      "",
      null,
      true,
      [CLIENT.thumbprint],
      CLIENT.thumbprint.slice(1),
      `${CLIENT.thumbprint}=`,
      `${CLIENT.thumbprint}A`,
    ]
      .map((thumbprint) => ({ token: { claims: { cnf: { "x5t#S256": thumbprint } } } })),
  ],
  ["certificate-binding-009", "two certificates in one header", [
    { certificate: `${CLIENT.header}, ${OTHER.header}` },
    { certificate: `${OTHER.header},${CLIENT.header}` },
    { certificate: CLIENT.pem.replaceAll("\n", "\\n").repeat(2) },
  ]],
  ["certificate-binding-011", "a certificate from anybody but a trusted proxy", [
    { peer: "10.0.0.2" },
    { peer: "203.0.113.7", headers: { "x-forwarded-for": "10.0.0.1" } },
  ]],
  ["certificate-binding-014", "a certificate that has expired", [
    { token: { certificate: EXPIRED }, certificate: EXPIRED.header },
  ]],
  ["certificate-binding-016", "a thumbprint of SHA-1", [
    { token: { claims: { cnf: { x5t: "GxqM9hSJgdTKmRMeQLmHKTMq4xE" } } } },
    { token: { claims: { cnf: undefined, x5t: "GxqM9hSJgdTKmRMeQLmHKTMq4xE" } } },
  ]],
];

for (const [id, what, requests] of REFUSED) {
  Deno.test(`${what} is refused (${id})`, () =>
    withOidc({}, async ({ identity, send, status }) => {
      for (const sent of requests) {
        const response = await send(sent);
        assert.equal(response.status, 401, JSON.stringify(sent));
        assert.equal(response.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
        assert.deepEqual(await response.json(), { error: { code: "401", message: "Unauthorized" } });
      }
      // not even the keys are asked for
      assert.deepEqual(identity.requests, []);
      assert.equal(await status(), 200);
    }));
}

Deno.test("a header without certificate is refused, and its text not logged (certificate-binding-012)", () =>
  withOidc({}, async ({ status, lines }) => {
    const secret = OTHER.key.replaceAll("\n", "\\n");
    const headers = [
      "garbage-4711",
      CLIENT.pem.replaceAll("\n", "\\n").slice(0, 200),
      secret,
      "Cert=garbage-4711",
      "x".repeat(17_000),
    ];
    for (const certificate of headers) {
      assert.equal(await status({ certificate }), 401, certificate.slice(0, 30));
    }
    const log = lines.join("\n");
    for (const text of ["4711", "BEGIN", secret.slice(40, 60), CLIENT.header.slice(0, 40)]) {
      assert.ok(!log.includes(text), text);
    }
    assert.match(log, /refused: the (header of the )?client certificate/);
  }));

Deno.test("an expired certificate is accepted where validity is not checked (certificate-binding-014)", () =>
  withOidc({ authentication: { checkCertificateValidity: false } }, async ({ status }) => {
    assert.equal(await status({ token: { certificate: EXPIRED }, certificate: EXPIRED.header }), 200);
    assert.equal(await status({ certificate: EXPIRED.header }), 401);
  }));

Deno.test("without binding a certificate has no effect on the user (certificate-binding-017)", () =>
  withOidc({ authentication: { certificateBinding: "never" } }, async ({ user }) => {
    for (const certificate of [null, CLIENT.header, OTHER.header, EXPIRED.header, "garbage"]) {
      assert.equal((await user({ certificate })).user.id, "alice");
      assert.equal((await user({ certificate, token: { certificate: undefined } })).user.id, "alice");
    }
  }));

Deno.test("on the route for certificates alone binding can be asked for (certificate-binding-017) [4.1.cert]", () =>
  withOidc({ authentication: { certificateBinding: "certificate-route" } }, async ({ status }) => {
    const plain = { host: "app.example.com", certificate: "garbage", token: { certificate: undefined } };
    assert.equal(await status(plain), 200);
    const host = "app.cert.example.com";
    assert.equal(await status({ ...plain, host }), 401);
    assert.equal(await status({ host, certificate: null }), 401);
    assert.equal(await status({ host, certificate: OTHER.header }), 401);
    assert.equal(await status({ host }), 200);
    assert.equal(await status({ host: "cert.example.com", certificate: null }), 200);
  }));

Deno.test("the route is that of the request, whatever the configured base URL is [4.1.cert]", () =>
  withOidc({
    authentication: { certificateBinding: "certificate-route" },
    server: { base_url: "https://app.example.com" },
  }, async ({ status }) => {
    assert.equal(await status({ host: "app.cert.example.com", certificate: null }), 401);
    assert.equal(await status({ host: "app.example.com", certificate: null }), 200);
  }));

Deno.test("only the configured header is read (certificate-binding-019) [4.1.h.xfcc]", () =>
  withOidc({ authentication: { clientCertificateHeader: "X-Client-Cert" } }, async ({ status }) => {
    assert.equal(await status(), 401);
    assert.equal(await status({ certificate: null, headers: { "x-client-cert": CLIENT.header } }), 200);
  }));

Deno.test("the binding is checked at every request, also of a token that is known", () =>
  withOidc({}, async ({ identity, status }) => {
    const text = await identity.token({ user: "alice", certificate: CLIENT, algorithm: "ES256" });
    for (
      const [certificate, expected] of [[CLIENT.header, 200], [OTHER.header, 401], [null, 401], [
        CLIENT.header,
        200,
      ]] as const
    ) {
      assert.equal(await status({ text, certificate }), expected);
    }
  }));
