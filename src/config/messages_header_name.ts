/**
 * The header that carries messages of handlers.
 *
 * @module
 */

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
