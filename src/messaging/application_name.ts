/**
 * The name of the application: its consumer group, and the source of its events (`messaging` 3, 5).
 *
 * @module
 */

const DEFAULT_NAME = "app";

/**
 * The name of an application.
 *
 * @param host the runtime: its own name comes before that of the configuration
 */
export function applicationName(
  { name, env }: { readonly name?: string | undefined; readonly env: Readonly<Record<string, unknown>> },
): string {
  return name ?? (typeof env.name === "string" ? env.name : DEFAULT_NAME);
}
