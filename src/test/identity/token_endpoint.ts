/**
 * The token endpoint of an identity service of a test (spec 4.2).
 *
 * @module
 */

import { sha256 } from "@oslojs/crypto/sha2";
import { decodeBase64, encodeBase64urlNoPadding } from "@oslojs/encoding";
import type { ClientKeyPair } from "../../auth/token_client/client_key_pair.ts";
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
export async function answerTokenRequest(
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
