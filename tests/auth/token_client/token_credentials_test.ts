import assert from "node:assert/strict";
import {
  boundIdentity,
  readTokenCredentials,
  sendByFetch,
  toPem,
} from "../../../src/auth/token_client/token_credentials.ts";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { CERTIFICATE, KEY, OAUTH2, OIDC } from "./service_keys.ts";

const KEY_PAIR = {
  certificate: "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n",
  key: "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0LWtleQ==\n-----END RSA PRIVATE KEY-----\n",
};

Deno.test("certificate and key on one line with literal \\n become PEM of several lines [5.3.3]", () => {
  assert.equal(toPem(CERTIFICATE, "certificate"), KEY_PAIR.certificate);
  assert.equal(toPem(KEY, "key"), KEY_PAIR.key);
  assert.equal(toPem(KEY_PAIR.key, "key"), KEY_PAIR.key);
  assert.equal(toPem(KEY_PAIR.key.trim().replaceAll("\n", "\r\n"), "key"), KEY_PAIR.key);
  const chain = `${CERTIFICATE}${CERTIFICATE}`;
  assert.equal(toPem(chain, "certificate"), KEY_PAIR.certificate.repeat(2));
});

Deno.test("what is no PEM is refused without showing it", () => {
  for (
    const [text, kind] of [
      ["c2VjcmV0", "key"],
      [CERTIFICATE, "key"],
      [KEY, "certificate"],
      [KEY.replaceAll("RSA", "ENCRYPTED"), "key"],
      [KEY.replace("-----END", "END"), "key"],
      ["", "certificate"],
    ] as const
  ) {
    assert.throws(() => toPem(text, kind), (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, new RegExp(`^"${kind}" of the credentials must be`));
      assert.doesNotMatch(error.message, /c2Vjcm|QUJD/);
      return true;
    });
  }
});

Deno.test("a key of the OIDC service gives client id, certificate, key and token endpoint [2.6.o.creds]", () => {
  const expected = {
    kind: "oidc",
    clientId: "oidc-client",
    keyPair: KEY_PAIR,
    tokenUrl: "https://tenant.accounts.test/oauth2/token",
  };
  assert.deepEqual(readTokenCredentials(OIDC), expected);
  assert.deepEqual(readTokenCredentials({ credentials: OIDC }), expected);
  for (const kind of ["oidc", undefined] as const) {
    assert.deepEqual(readTokenCredentials({ ...OIDC, clientsecret: "unused" }, kind), expected);
  }
  assert.deepEqual(readTokenCredentials({ ...OIDC, certurl: "https://unused.test" }, "oidc"), expected);
  for (const member of ["clientid", "certificate", "key", "url"]) {
    assert.throws(() => readTokenCredentials({ ...OIDC, [member]: undefined }, "oidc"), {
      message: `The credentials lack "${member}"`,
    });
  }
});

Deno.test("a key of the OAuth 2.0 service gives client id, secret and token endpoint [2.6.a.creds] [5.3.2]", () => {
  const { clientid: clientId, clientsecret: clientSecret } = OAUTH2;
  assert.deepEqual(readTokenCredentials(OAUTH2), {
    kind: "oauth2",
    clientId,
    clientSecret,
    tokenUrl: "https://tenant.auth.test/oauth/token",
  });
  for (const member of ["clientid", "url"]) {
    assert.throws(() => readTokenCredentials({ ...OAUTH2, [member]: undefined }), {
      message: `The credentials lack "${member}"`,
    });
  }
  assert.throws(() => readTokenCredentials({ ...OAUTH2, clientsecret: undefined }, "oauth2"), {
    message: `The credentials lack "clientsecret", or "certificate" and "key"`,
  });
});

Deno.test("a key with a secret and no certificate is one of the OAuth 2.0 service", () => {
  const { clientid, clientsecret, url } = OAUTH2;
  assert.equal(readTokenCredentials({ clientid, clientsecret, url }).kind, "oauth2");
  assert.throws(() => readTokenCredentials({ clientid, url }), {
    message: 'The credentials lack "certificate"',
  });
});

Deno.test("fetch of the platform sends what needs no certificate", async () => {
  const url = "data:text/plain,sent";
  assert.equal(await (await sendByFetch(new Request(url))).text(), "sent");
  assert.equal(await (await sendByFetch(new Request(url), KEY_PAIR)).text(), "sent");
  await assert.rejects(sendByFetch(new Request("https://tenant.auth.test"), KEY_PAIR), {
    name: "TypeError",
    message: /a client certificate need a function `fetch`/,
  });
});

Deno.test("a certificate of the OAuth 2.0 service goes to its own host", () => {
  const { clientsecret: _, ...rest } = OAUTH2;
  const key = { ...rest, certificate: CERTIFICATE, key: KEY, certurl: "https://tenant.cert.auth.test/" };
  assert.deepEqual(readTokenCredentials(key), {
    kind: "oauth2",
    clientId: OAUTH2.clientid,
    keyPair: KEY_PAIR,
    tokenUrl: "https://tenant.cert.auth.test/oauth/token",
  });
  assert.equal(
    readTokenCredentials({ ...key, certurl: undefined }, "oauth2").tokenUrl,
    `${OAUTH2.url}/oauth/token`,
  );
});

Deno.test("secrets go to https only, or to this machine", () => {
  const read = (url: unknown) => readTokenCredentials({ ...OAUTH2, url }).tokenUrl;
  assert.equal(read("http://127.0.0.1:81/uaa/"), "http://127.0.0.1:81/uaa/oauth/token");
  assert.equal(read("http://localhost:81"), "http://localhost:81/oauth/token");
  for (
    const url of [
      "http://tenant.auth.test",
      "http://127.evil.test",
      "https://me:secret@tenant.auth.test",
      "https://tenant.auth.test?x=1",
      "https://tenant.auth.test#x",
      "ftp://127.0.0.1",
      "tenant.auth.test",
    ]
  ) {
    assert.throws(() => read(url), {
      name: "ConfigurationError",
      message: `"url" of the credentials must be an https URL without user, query and fragment`,
    });
  }
  assert.throws(() => read(7), { message: `"url" of the credentials must be a text` });
  assert.throws(() => readTokenCredentials("x"), { message: "The credentials must be an object" });
});

Deno.test("an application asks the identity service that it is bound to, of two the one that is chosen", () => {
  assert.equal(boundIdentity({ kind: "oidc", credentials: OIDC }).kind, "oidc");
  assert.equal(boundIdentity({ kind: ["openid", "oidc"], credentials: OIDC }, "oidc").kind, "oidc");
  const both = { kind: ["oidc", "oauth2"], credentials: { oidc: OIDC, oauth2: OAUTH2 } };
  assert.equal(boundIdentity(both, "oidc").clientId, "oidc-client");
  assert.equal(boundIdentity(both, "oauth2").kind, "oauth2");
  assert.throws(() => boundIdentity(both), /bound to two identity services: choose oidc or oauth2/);
});

Deno.test("an application that is bound to no identity service, or to another one, asks none", () => {
  for (const auth of [undefined, { kind: "oidc" }, { credentials: OIDC }]) {
    assert.throws(() => boundIdentity(auth), /"fw\.requires\.auth" has no credentials of one/);
  }
  for (const kind of ["openid", "mocked", "toString"]) {
    assert.throws(() => boundIdentity({ kind, credentials: OIDC }), /bound to no identity service:/);
  }
  const auth = { kind: "oidc", credentials: OIDC };
  assert.throws(() => boundIdentity(auth, "oauth2"), /bound to no identity service of kind oauth2/);
});
