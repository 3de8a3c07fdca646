/**
 * Service keys for tests; nothing in them is real.
 *
 * @module
 */

/** A certificate as it stands in a service key: one line with literal `\n`. */
export const CERTIFICATE = String.raw`-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n`;
/** A private key in the same form. */
export const KEY = String
  .raw`-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0LWtleQ==\n-----END RSA PRIVATE KEY-----\n`;

/** A key of the OIDC service. */
export const OIDC = {
  "clientid": "oidc-client",
  "credential-type": "X509_GENERATED",
  "certificate": CERTIFICATE,
  "key": KEY,
  "url": "https://tenant.accounts.test",
};

/** A key of the OAuth 2.0 service. */
export const OAUTH2 = {
  clientid: "sb-bookshop!t1",
  clientsecret: "hush & co = 1",
  url: "https://tenant.auth.test",
};

/** An answer with a token. */
export const ANSWER = { access_token: "aaa.bbb.ccc", token_type: "bearer", expires_in: 3600 };
