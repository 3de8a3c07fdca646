/**
 * What an identity service of a test answers.
 *
 * @module
 */

import type { SigningKeys } from "./signing_keys.ts";
import type { ClientKeyPair } from "../../auth/token_client/client_key_pair.ts";
import { answerTokenRequest, type TokenEndpoint } from "./token_endpoint.ts";

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
