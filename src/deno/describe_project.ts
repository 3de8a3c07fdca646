/**
 * What a person at the terminal wants to know about a started project.
 *
 * @module
 */

import { redact } from "../log/redact.ts";
import { shownUsers } from "../auth/mock_users.ts";
import { entityOfFile } from "../db/initial_data.ts";
import type { Project } from "./load_project.ts";

/** Lines that list model files, configuration, data, authentication, services with paths and implementations. */
export function describeProject(project: Project): readonly string[] {
  const { runtime } = project;
  const short = (file: string) =>
    file.startsWith(project.folder) ? file.slice(project.folder.length + 1) : file;
  const auth = runtime.env.requires.auth;
  const database = runtime.env.requires.db;
  return [
    `${runtime.name} ${runtime.version ?? ""}`.trim() + ` (profile ${runtime.env.profiles.join(", ")})`,
    "",
    ...(project.modelFiles.length > 0 ? [list("model", project.modelFiles.map(short))] : []),
    ...[...project.toggleFiles].map(([toggle, files]) => list(`feature toggle ${toggle}`, files.map(short))),
    ...(project.configurationFiles.length > 0 ? [list("configuration", project.configurationFiles)] : []),
    database
      ? `database: ${database.kind ?? runtime.kinds.defaultDatabase ?? "memory"} ${urlOf(database)}`
      : 'database: none: "fw.requires.db" names one, "fw add sqlite" or "fw add postgres" configures it',
    ...usedData(project).map((file) => `  > init from ${short(file)}`),
    `authentication: ${describeAuth(auth)}`,
    "",
    ...runtime.endpoints.map(({ service, protocol, path }) => {
      const implementation = project.implementations.find((found) => found.service.name === service.name);
      const impl = implementation ? short(implementation.file) : "generic handlers";
      const verb = runtime.mocked.has(service.name) ? "mocking" : "serving";
      return `${verb} ${service.name} { at: ${path}, protocol: ${protocol}, impl: ${impl} }`;
    }),
    ...describeUsers(project),
  ];
}

/**
 * The files whose rows are in the database because of this start: those of entities of other systems have no tables here,
 * and tables that have rows keep them. Tenants get them with their databases, later.
 */
function usedData({ dataFiles, runtime }: Project): readonly string[] {
  return dataFiles.filter((file) => {
    const entity = entityOfFile(runtime.deployedModel, file);
    return entity !== undefined && runtime.filled.includes(entity.name);
  });
}

function list(title: string, items: readonly string[]): string {
  return [`${title}:`, ...items.map((item) => `  ${item}`)].join("\n");
}

function urlOf(database: Readonly<Record<string, unknown>>): string {
  const { url, uri, host, hostname, port, database: name } = (database.credentials ?? {}) as Record<
    string,
    unknown
  >;
  const server = host ?? hostname;
  const at = server === undefined ? name ?? ":memory:" : `${server}${port ? `:${port}` : ""}/${name ?? ""}`;
  return `{ url: ${redact(url ?? uri ?? at)} }`;
}

function describeAuth(auth: Readonly<Record<string, unknown>> | undefined): string {
  if (!auth) return "none";
  if (auth.impl) return `custom { impl: ${auth.impl} }`;
  const issuers = [auth.issuer ?? [], auth.issuers ?? []].flat()
    .map((one) => typeof one === "string" ? one : (one as { readonly issuer?: string }).issuer);
  const kind = [auth.kind].flat().join(" and ");
  return [auth.kind].flat().includes("openid") && issuers.length > 0
    ? `${kind} { issuer: ${issuers.join(", ")} }`
    : kind;
}

function describeUsers({ runtime }: Project): readonly string[] {
  if (runtime.env.requires.auth?.kind !== "mocked") return [];
  const lines = [false, true].flatMap((hasPassword) => {
    const users = shownUsers(runtime.env).filter((user) => user.hasPassword === hasPassword)
      .map(({ name, roles }) => roles.length > 0 ? `${name} (${roles.join(", ")})` : name);
    const title = `mock users, ${hasPassword ? "their" : "any"} password`;
    return users.length > 0 ? [`${title}: ${users.join(", ")}`] : [];
  });
  return lines.length > 0 ? ["", ...lines] : [];
}
