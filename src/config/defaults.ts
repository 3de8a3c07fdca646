import { isPlainObject } from "../util/is_plain_object.ts";

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

/**
 * The scheme of the URL of a database; undefined for names of files.
 *
 * @param entry `fw.requires.db`
 */
export function databaseScheme({ credentials }: Readonly<Record<string, unknown>>): string | undefined {
  const { url, uri } = isPlainObject(credentials) ? credentials : {};
  return schemeOf(url ?? uri);
}

/**
 * A required service with the kind that its URL tells, where none is named.
 *
 * @param entry an entry of `fw.requires`
 */
export function withKindOfUrl(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isOpen = entry.kind === undefined && entry.impl === undefined;
  const isPostgres = isOpen && isPostgresScheme(databaseScheme(entry));
  return isPostgres ? { kind: "postgres", ...entry } : { ...entry };
}

/**
 * A text that stands for a whole entry of `fw.requires`: a kind, or the URL of a PostgreSQL database.
 *
 * @param text what the configuration has
 */
export function entryOfText(text: string): Record<string, unknown> {
  return isPostgresScheme(schemeOf(text)) ? { kind: "postgres", credentials: { url: text } } : { kind: text };
}

function schemeOf(url: unknown): string | undefined {
  return typeof url === "string" ? /^([a-z][\w+.-]{0,30}):\/\//i.exec(url)?.[1].toLowerCase() : undefined;
}

function isPostgresScheme(scheme: string | undefined): boolean {
  return scheme === "postgres" || scheme === "postgresql";
}
