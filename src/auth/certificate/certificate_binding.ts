/**
 * Tokens that are bound to the certificate of their client (RFC 8705, 3; spec 5.2.12).
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import { type Claims, TokenRefused } from "../tokens/token.ts";
import type { TokenRequest } from "../tokens/token_kind.ts";
import { assertValidNow, type ClientCertificate } from "./client_certificate.ts";

/**
 * Where tokens must be bound: at every request, at requests on the route for client certificates (`….cert.<domain>`,
 * spec 4.1), or nowhere.
 */
export type BindingMode = "always" | "certificate-route" | "never";

/** How bindings are checked. */
export interface BindingOptions {
  /** Where they are. */
  readonly mode: BindingMode;
  /** Whether the certificate must be within its validity. */
  readonly checkValidity: boolean;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** SHA-256 as base64url without padding. */
const THUMBPRINT = /^[\w-]{43}$/;
const CERTIFICATE_ROUTE = /[^.]\.cert\.[^.]/i;

/**
 * Checks that the client of a request has shown the certificate its token is bound to.
 *
 * @param claims claims of the token
 * @param request certificate and host
 * @param options where tokens must be bound
 * @returns the certificate, undefined where no binding is asked for: then nothing looks at the certificate
 * @throws TokenRefused for a token without binding, a request without certificate, or another certificate
 */
export function boundCertificate(
  { cnf }: Claims,
  request: TokenRequest,
  { mode, checkValidity, clock }: BindingOptions,
): ClientCertificate | undefined {
  const isRequired = mode === "always" ||
    (mode === "certificate-route" && CERTIFICATE_ROUTE.test(request.host ?? ""));
  if (!isRequired) return undefined;
  const thumbprint = isPlainObject(cnf) ? cnf["x5t#S256"] : undefined;
  if (typeof thumbprint !== "string" || !THUMBPRINT.test(thumbprint)) {
    throw new TokenRefused("the token is not bound to a certificate");
  }
  const { certificate } = request;
  if (!certificate) throw new TokenRefused("the client has shown no certificate");
  // no secret is compared: the client knows both
  if (certificate.thumbprint !== thumbprint) {
    throw new TokenRefused("the token is bound to another certificate");
  }
  if (checkValidity) assertValidNow(certificate, clock());
  return certificate;
}
