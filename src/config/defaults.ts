/**
 * Configuration in effect without any source.
 *
 * @module
 */

/**
 * The defaults of a set of profiles: mocked authentication and an embedded database outside production; there no service
 * is implicit (design 12), and the log is for machines.
 */
export function defaultsFor(profiles: readonly string[]): Record<string, unknown> {
  const production = profiles.includes("production");
  const common = {
    server: { port: 4004, host: "127.0.0.1", messages_header: "fw-messages" },
    query: { limit: { max: 1000 } },
    folders: { db: "db/", srv: "srv/", app: "app/", fts: "fts/" },
    i18n: { default_language: "en" },
    odata: { put_as_upsert: true },
    fiori: { move_media_data_in_db: true },
  };
  if (production) {
    return {
      ...common,
      requires: {},
      server: { ...common.server, host: "0.0.0.0", index: false },
      log: { format: "json" },
    };
  }
  return {
    ...common,
    server: { ...common.server, index: true },
    requires: { auth: { kind: "mocked" }, db: {} },
  };
}
