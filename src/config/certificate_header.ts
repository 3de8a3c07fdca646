/**
 * The header that carries client certificates.
 *
 * @module
 */

/** The configuration that matters here. */
interface SecurityEnvironment {
  readonly security?: { readonly authentication?: { readonly clientCertificateHeader?: string } };
}

/**
 * Name of the one header a trusted proxy sends the client certificate in (spec 4.1), in lower case.
 *
 * @param env effective configuration
 */
export function certificateHeader(env: Readonly<Record<string, unknown>>): string {
  const { security } = env as SecurityEnvironment;
  return (security?.authentication?.clientCertificateHeader ?? "x-forwarded-client-cert").toLowerCase();
}
