import assert from "node:assert/strict";
import {
  type ClientKeyPair,
  readTokenCredentials,
} from "../../../src/auth/token_client/token_credentials.ts";
import { TokenCache, TokenRequestError } from "../../../src/auth/token_client/token_response.ts";
import { TokenClient, type TokenGrant } from "../../../src/auth/token_client/token_client.ts";
import { ANSWER, OAUTH2, OIDC } from "./service_keys.ts";

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly form: Record<string, string>;
  readonly keyPair: ClientKeyPair | undefined;
}

type Answering = (request: Request) => Response | Promise<Response>;

/** A client whose requests are collected and answered. */
function clientOf(key: object, answer: Answering = () => Response.json(ANSWER)) {
  const sent: Sent[] = [];
  const client = new TokenClient({
    credentials: readTokenCredentials(key),
    limits: { tokenAnswerBytes: 1000, tokenCache: 100, tokenRequestMs: 10_000 },
    fetch: async (request, keyPair) => {
      const { url, method, headers } = request;
      const form = Object.fromEntries(new URLSearchParams(await request.clone().text()));
      sent.push({ url, method, headers, form, keyPair });
      return await answer(request);
    },
  });
  return { client, sent };
}

/** A body whose connection ends in its midst. */
const brokenOff = () =>
  new ReadableStream({
    pull: (controller) => controller.error(new TypeError("reset")),
  });

const TECHNICAL: TokenGrant = { type: "client_credentials" };

Deno.test("the OIDC service is asked at /oauth2/token, with the certificate and without secret [4.2.oidc]", async () => {
  const { client, sent } = clientOf({ ...OIDC, clientsecret: undefined });
  await client.fetch(TECHNICAL);
  await client.fetch({ type: "password", username: "a&b@c.test", password: "ä=1 %" });
  assert.deepEqual(sent.map(({ url, method, form }) => ({ url, method, form })), [
    {
      url: "https://tenant.accounts.test/oauth2/token",
      method: "POST",
      form: { grant_type: "client_credentials", client_id: "oidc-client" },
    },
    {
      url: "https://tenant.accounts.test/oauth2/token",
      method: "POST",
      form: { grant_type: "password", username: "a&b@c.test", password: "ä=1 %", client_id: "oidc-client" },
    },
  ]);
  assert.equal(sent[0].headers.get("content-type"), "application/x-www-form-urlencoded");
  assert.match(sent[1].keyPair!.certificate, /^-----BEGIN CERTIFICATE-----\n/);
});

Deno.test("the OAuth 2.0 service is asked at /oauth/token, with id and secret in the form [4.2.oauth]", async () => {
  const { client, sent } = clientOf(OAUTH2);
  await client.fetch(TECHNICAL);
  await client.fetch({ type: "password", username: "u", password: "p" });
  const own = { client_id: "sb-bookshop!t1", client_secret: "hush & co = 1" };
  assert.deepEqual(sent.map(({ url, form }) => ({ url, form })), [
    { url: "https://tenant.auth.test/oauth/token", form: { grant_type: "client_credentials", ...own } },
    {
      url: "https://tenant.auth.test/oauth/token",
      form: { grant_type: "password", username: "u", password: "p", ...own },
    },
  ]);
  assert.equal(sent[0].keyPair, undefined);
  assert.equal(sent[0].headers.has("authorization"), false);
});

Deno.test("only the OAuth 2.0 service is told by a header whose token is asked for", async () => {
  const zones = await Promise.all([OAUTH2, OIDC].map(async (key) => {
    const { client, sent } = clientOf(key);
    await client.fetch({ ...TECHNICAL, tenant: "t1" });
    await client.fetch(TECHNICAL);
    return sent.map(({ headers }) => headers.get("x-zid"));
  }));
  assert.deepEqual(zones, [["t1", null], [null, null]]);
});

Deno.test("a token is exchanged by the JWT bearer grant; further parameters never replace those of the grant", async () => {
  const { client, sent } = clientOf(OIDC);
  const parameters = {
    token_format: "jwt",
    refresh_expiry: "0",
    grant_type: "x",
    client_id: "y",
    assertion: "z",
  };
  await client.fetch({ type: "jwt-bearer", assertion: "h.p.s", parameters });
  assert.deepEqual(sent[0].form, {
    token_format: "jwt",
    refresh_expiry: "0",
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: "h.p.s",
    client_id: "oidc-client",
  });
});

Deno.test("a token of a subscriber: tenant and URL of its identity service", async () => {
  const oidc = clientOf(OIDC);
  await oidc.client.fetch({ ...TECHNICAL, tenant: "t2", authUrl: "https://other.accounts.test" });
  assert.equal(oidc.sent[0].url, "https://other.accounts.test/oauth2/token");
  assert.equal(oidc.sent[0].form.app_tid, "t2");
  const oauth2 = clientOf(OAUTH2);
  await oauth2.client.fetch({ ...TECHNICAL, tenant: "t2" });
  assert.equal(oauth2.sent[0].headers.get("x-zid"), "t2");
  await assert.rejects(oauth2.client.fetch({ ...TECHNICAL, authUrl: "http://other.auth.test" }), {
    name: "ConfigurationError",
  });
});

Deno.test("the answer gives token, type and lifetime, checked by type [2.8] [5.3.4]", async () => {
  for (const token_type of ["bearer", "Bearer"]) {
    const answer = { ...ANSWER, token_type };
    const { client } = clientOf(OAUTH2, () => Response.json({ ...answer, refresh_token: "r", scope: "s" }));
    assert.deepEqual(await client.fetch(TECHNICAL), answer);
  }
  const expired = { ...ANSWER, expires_in: 0 };
  assert.deepEqual(await clientOf(OAUTH2, () => Response.json(expired)).client.fetch(TECHNICAL), expired);
  const refusals: [unknown, string][] = [
    [{ ...ANSWER, access_token: undefined }, `has no "access_token" that can be sent`],
    [{ ...ANSWER, access_token: "" }, `has no "access_token" that can be sent`],
    [{ ...ANSWER, access_token: "a\r\nb" }, `has no "access_token" that can be sent`],
    [{ ...ANSWER, access_token: { a: 1 } }, `has no "access_token" that can be sent`],
    [{ ...ANSWER, token_type: undefined }, `has no "token_type" Bearer`],
    [{ ...ANSWER, token_type: "mac" }, `has no "token_type" Bearer`],
    [{ ...ANSWER, expires_in: "3600" }, `has no "expires_in" in whole seconds`],
    [{ ...ANSWER, expires_in: 1.5 }, `has no "expires_in" in whole seconds`],
    [{ ...ANSWER, expires_in: -1 }, `has no "expires_in" in whole seconds`],
    [{ ...ANSWER, expires_in: undefined }, `has no "expires_in" in whole seconds`],
    [[ANSWER], "is no JSON object"],
    [null, "is no JSON object"],
  ];
  for (const [answer, what] of refusals) {
    const { client } = clientOf(OAUTH2, () => Response.json(answer));
    await assert.rejects(client.fetch(TECHNICAL), {
      name: "TokenRequestError",
      message: `The answer of the token endpoint https://tenant.auth.test/oauth/token ${what}`,
    });
  }
});

Deno.test("a failure names endpoint, status and error code, no secret and nothing else of the answer", async () => {
  const body = { error: "invalid_client", error_description: "secret hush & co = 1 is wrong" };
  const cases: [Answering, string, boolean][] = [
    [() => Response.json(body, { status: 401 }), "answered 401 (invalid_client)", false],
    [() => Response.json({ error: "<b>hush</b>" }, { status: 400 }), "answered 400", false],
    [() => new Response("<html>hush", { status: 503 }), "answered 503", true],
    [
      () => new Response(null, { status: 302, headers: { location: "https://evil.test" } }),
      "answered 302",
      true,
    ],
    [() => new Response("x".repeat(1001)), "answered more than 1000 bytes", true],
    [() => Promise.reject(new TypeError("refused")), "could not be reached", true],
    [() => new Response(brokenOff()), "could not be reached", true],
    [() => Promise.reject(new DOMException("gone", "AbortError")), "could not be reached", true],
    [() => Promise.reject(new DOMException("late", "TimeoutError")), "did not answer within 10000 ms", true],
  ];
  for (const [answer, what, isOutage] of cases) {
    const { client, sent } = clientOf(OAUTH2, answer);
    await assert.rejects(client.fetch(TECHNICAL), (error: TokenRequestError) => {
      assert.ok(error instanceof TokenRequestError);
      assert.equal(error.message, `The token endpoint https://tenant.auth.test/oauth/token ${what}`);
      assert.equal(error.isOutage, isOutage, what);
      assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /hush/);
      return true;
    });
    assert.equal(sent.length, 1);
  }
});

Deno.test("an answer as long as allowed is read; an endpoint that does not answer is left", async () => {
  const padded = JSON.stringify({ ...ANSWER, x: "" });
  const text = padded.replace(`"x":""`, `"x":"${"y".repeat(1000 - padded.length)}"`);
  assert.equal(text.length, 1000);
  assert.equal((await clientOf(OAUTH2, () => new Response(text)).client.fetch(TECHNICAL)).expires_in, 3600);
  const client = new TokenClient({
    credentials: readTokenCredentials(OAUTH2),
    limits: { tokenAnswerBytes: 1000, tokenCache: 100, tokenRequestMs: 1 },
    fetch: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  await assert.rejects(client.fetch(TECHNICAL), /did not answer within 1 ms$/);
});

Deno.test("tokens are kept per grant, user, tenant and client", async () => {
  const { client, sent } = clientOf(OAUTH2);
  const grants: TokenGrant[] = [
    TECHNICAL,
    { ...TECHNICAL, tenant: "t2" },
    { ...TECHNICAL, tenant: "t3" },
    { ...TECHNICAL, parameters: { scope: "x" } },
    { type: "password", username: "u", password: "p" },
    { type: "password", username: "u", password: "q" },
    { type: "jwt-bearer", assertion: "a" },
  ];
  for (const grant of [...grants, ...grants]) await client.token(grant);
  assert.equal(sent.length, grants.length);
  const cache = new TokenCache(10);
  const RENEWED = { ...OIDC, certificate: OIDC.certificate.replace("QUJD", "REVG") };
  let asked = 0;
  const fetch = () => Promise.resolve(Response.json({ ...ANSWER, access_token: `t${++asked}` }));
  const tokens = await Promise.all(
    [OAUTH2, { ...OAUTH2, clientid: "c2" }, OAUTH2, OIDC, RENEWED].map((key) =>
      new TokenClient({ credentials: readTokenCredentials(key), cache, fetch }).token(TECHNICAL)
    ),
  );
  assert.deepEqual(tokens.map((token) => token.access_token), ["t1", "t2", "t1", "t3", "t4"]);
});

Deno.test("the fetch of the platform refuses to call without the certificate that is needed", async () => {
  const client = new TokenClient({ credentials: readTokenCredentials(OIDC) });
  await assert.rejects(client.fetch(TECHNICAL), (error: Error) => {
    assert.match(String(error.cause), /need a function `fetch` in the table of kinds/);
    return true;
  });
});
