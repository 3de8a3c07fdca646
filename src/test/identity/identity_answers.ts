/**
 * What an identity service of a test answers.
 *
 * @module
 */

import type { SigningKeys } from "./signing_keys.ts";
import type { ClientKeyPair } from "../../auth/token_client/token_credentials.ts";
import { sha256 } from "@oslojs/crypto/sha2";
import { decodeBase64, encodeBase64urlNoPadding } from "@oslojs/encoding";
import type { Issuer, TokenOptions } from "./token_claims.ts";

/** What a token request depends on. */
export interface TokenEndpoint {
  readonly issuer: Issuer;
  /** Issues a token. */
  readonly token: (options: TokenOptions) => Promise<string>;
}

const EXPIRES_IN_SECONDS = 3600;
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * Answers a token request: client credentials give a technical user, a name with any password or the token of a user a
 * named one. Tokens of the OIDC service are bound to the certificate of the connection, which has to show one.
 *
 * @param request the request
 * @param keyPair what the connection shows
 * @param endpoint the service
 */
async function answerTokenRequest(
  request: Request,
  keyPair: ClientKeyPair | undefined,
  { issuer, token }: TokenEndpoint,
): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  if (form.get("client_id") !== issuer.clientId || !(keyPair || form.has("client_secret"))) {
    return refuse(401, "invalid_client");
  }
  if (issuer.kind === "oidc" && !keyPair) return refuse(401, "invalid_client");
  const subject = subjectOf(form);
  if (!subject) return refuse(400, form.has("grant_type") ? "invalid_grant" : "invalid_request");
  const certificate = keyPair && { thumbprint: thumbprintOf(keyPair.certificate) };
  const access_token = await token({ ...subject, certificate, expiresInSeconds: EXPIRES_IN_SECONDS });
  return Response.json({ access_token, token_type: "Bearer", expires_in: EXPIRES_IN_SECONDS });
}

/** Who the token is for; undefined when the grant is unknown or incomplete. */
function subjectOf(form: URLSearchParams): Pick<TokenOptions, "user" | "tenant"> | undefined {
  switch (form.get("grant_type")) {
    case "client_credentials":
      return {};
    case "password":
      return form.get("username") && form.has("password") ? { user: form.get("username")! } : undefined;
    case JWT_BEARER:
      return subjectOfToken(form.get("assertion") ?? "");
    default:
      return undefined;
  }
}

function subjectOfToken(assertion: string): Pick<TokenOptions, "user" | "tenant"> | undefined {
  try {
    const payload = (assertion.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(atob(payload), (c) => c.charCodeAt(0))),
    );
    const user = claims.user_name ?? claims.sub;
    return typeof user === "string" ? { user, tenant: claims.app_tid ?? claims.zid } : undefined;
  } catch {
    return undefined;
  }
}

function thumbprintOf(pem: string): string {
  const body = pem.replace(/-----[A-Z ]+-----|\s/g, "");
  return encodeBase64urlNoPadding(sha256(decodeBase64(body)));
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}

/**
 * How an identity service answers: `error` with 500, `unreachable` not at all, `hang` not before the request is
 * aborted, `huge` without end, `wrong-issuer` in the name of another one, `not-json` by a page, `redirect` by another URL.
 */
export type IdentityBehaviour =
  | "normal"
  | "error"
  | "unreachable"
  | "hang"
  | "huge"
  | "wrong-issuer"
  | "not-json"
  | "redirect";

/** What an answer depends on. */
export interface IdentityRequest extends TokenEndpoint {
  readonly request: Request;
  /** What the connection shows. */
  readonly keyPair: ClientKeyPair | undefined;
  readonly keys: SigningKeys;
}

const CHUNK = new Uint8Array(64 * 1024).fill(0x20);

/**
 * Answers a request to an identity service.
 *
 * @param behaviour how
 * @param asked the request and whose it is
 * @throws TypeError when the service is unreachable, the reason of the abort when it hangs
 */
export function answerAs(behaviour: IdentityBehaviour, asked: IdentityRequest): Promise<Response> | Response {
  switch (behaviour) {
    case "normal":
      return answer(asked, issuerOf(asked));
    case "wrong-issuer":
      return answer(asked, "https://elsewhere.test");
    case "error":
      return new Response("Internal Server Error", { status: 500 });
    case "unreachable":
      throw new TypeError("Connection refused");
    case "not-json":
      return new Response("<html></html>", { headers: { "content-type": "text/html" } });
    case "redirect":
      return new Response(null, { status: 302, headers: { location: "https://elsewhere.test/keys" } });
    case "huge":
      return new Response(endless(), { headers: { "content-type": "application/json" } });
    case "hang":
      return untilAborted(asked.request.signal);
    default:
      throw new TypeError(`Unknown behaviour "${behaviour satisfies never}"`);
  }
}

/** The OIDC service has an issuer for each of its hosts. */
function issuerOf({ request, issuer: { kind, url } }: IdentityRequest): string {
  return kind === "openid" ? url : new URL(request.url).origin;
}

async function answer(asked: IdentityRequest, issuer: string): Promise<Response> {
  const { request, keyPair, keys, issuer: { kind } } = asked;
  const { pathname, origin } = new URL(request.url);
  const base = kind === "openid" ? asked.issuer.url.replace(/\/$/, "") : origin;
  const address = `${origin}${pathname}`;
  if (kind !== "oauth2" && address === `${base}/.well-known/openid-configuration`) {
    return Response.json({
      issuer,
      jwks_uri: `${base}/oauth2/certs`,
      token_endpoint: `${base}/oauth2/token`,
      authorization_endpoint: `${base}/oauth2/authorize`,
    });
  }
  if (address === base + (kind === "oauth2" ? "/token_keys" : "/oauth2/certs")) {
    return Response.json(await keys.keySet());
  }
  const tokenPath = kind === "oauth2" ? "/oauth/token" : "/oauth2/token";
  if (request.method === "POST" && address === base + tokenPath) {
    return await answerTokenRequest(request, keyPair, asked);
  }
  return new Response("Not Found", { status: 404 });
}

/** Blanks, which JSON allows, until nobody reads them any more. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(CHUNK) });
}

function untilAborted(signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
