/**
 * Names of headers that the configuration may change.
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

/** The configuration that matters here. */
interface MessagesEnvironment {
  readonly server?: { readonly messages_header?: string };
}

/**
 * Name of the header for `req.notify`, `info` and `warn` (spec 4.1): `fw-messages` unless configured.
 *
 * @param env effective configuration
 */
export function messagesHeaderName(env: Readonly<Record<string, unknown>>): string {
  return (env as MessagesEnvironment).server?.messages_header ?? "fw-messages";
}
