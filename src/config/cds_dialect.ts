/**
 * Configuration of existing projects (`cds` in `package.json`, `.cdsrc.json`, `CDS_…`) in the words of ours.
 *
 * @module
 */

import { isPlainObject } from "../util/is_plain_object.ts";

type Members = Readonly<Record<string, unknown>>;

/** Takes what has no effect. */
export type Remark = (path: readonly string[], message: string) => void;

/** Kinds of services by the names that differ from ours. */
const KINDS: Readonly<Record<string, string>> = {
  "mock": "mocked",
  "mocked-auth": "mocked",
  "basic-auth": "basic",
  "dummy-auth": "dummy",
  "jwt-auth": "jwt",
  "xsuaa-auth": "xsuaa",
  "ias-auth": "ias",
  "better-sqlite": "sqlite",
  "legacy-sqlite": "sqlite",
  "new-sqlite": "sqlite",
  "legacy-postgres": "postgres",
  "pg": "postgres",
  "enterprise-messaging-shared": "enterprise-messaging",
  "enterprise-messaging-amqp": "enterprise-messaging",
  "enterprise-messaging-http": "enterprise-messaging",
};

/** Engines by the packages that connect them. */
const ENGINES: Readonly<Record<string, string>> = {
  "@cap-js/sqlite": "sqlite",
  "@cap-js/postgres": "postgres",
  "@cap-js/hana": "hana",
};

/** Levels of loggers by the names that differ from ours. */
const LEVELS: Readonly<Record<string, string>> = {
  verbose: "debug",
  silly: "trace",
  log: "info",
  warning: "warn",
  none: "silent",
};

/** Keys below `runtime` that stand below `odata` in ours. */
const MOVED: readonly string[] = ["patch_as_upsert", "put_as_upsert", "put_as_replace"];

/** Keys whose values count where they are objects; other values of them switch what does not exist here. */
const OBJECTS: readonly string[] = [
  "odata",
  "query",
  "i18n",
  "log",
  "features",
  "model",
  "limits",
  "services",
];

/** Keys that name profiles, which are in effect before other keys are read; production never is because of them. */
const PROFILES: readonly string[] = ["profile", "profiles"];

/**
 * The configuration of an existing project as ours.
 *
 * @param value what stands below `cds`, with the members of the profiles in effect
 * @param remark takes what has no effect
 */
export function fromCds(value: Members, remark: Remark): Record<string, unknown> {
  const result: Record<string, unknown> = { ...value };
  for (const name of PROFILES) {
    if (![result[name]].flat().includes("production")) delete result[name];
  }
  for (const name of OBJECTS) {
    if (result[name] === undefined || isPlainObject(result[name])) continue;
    remark([name], "is no object and has no effect");
    delete result[name];
  }
  if (isPlainObject(value.requires)) result.requires = requirements(value.requires);
  if (isPlainObject(result.log)) result.log = withLevels(result.log);
  if (isPlainObject(result.server)) result.server = server(result.server, remark);
  const outbox = outboxOf(value.requires, remark);
  if (outbox !== undefined) result.outbox = outbox;
  return moved(result);
}

function requirements(requires: Members): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(requires)) {
    if (name === "queue" || name === "outbox") continue;
    if (name === "kinds" || !(typeof entry === "string" || isPlainObject(entry))) result[name] = entry;
    else if (typeof entry === "string") result[name] = ownKind(entry);
    else result[name] = requirement(name, entry);
  }
  return result;
}

function requirement(name: string, entry: Members): Record<string, unknown> {
  const { outbox, strategy, ...given } = entry;
  const result: Record<string, unknown> = { ...given };
  if (name === "auth" && given.kind === undefined && strategy !== undefined) result.kind = strategy;
  if (name === "db" && given.kind === undefined && Object.hasOwn(ENGINES, String(given.impl))) {
    result.kind = ENGINES[String(given.impl)];
  }
  if (name === "db") delete result.impl;
  if (typeof result.kind === "string") result.kind = ownKind(result.kind);
  if (outbox !== undefined) result.outboxed ??= isPlainObject(outbox) || outbox === true;
  if (isPlainObject(given.queue)) {
    if (typeof given.queue.name === "string") result.queue = given.queue.name;
    else delete result.queue;
  }
  return result;
}

function ownKind(kind: string): string {
  return Object.hasOwn(KINDS, kind) ? KINDS[kind] : kind;
}

/** The outbox of an application; `in-memory-outbox` keeps nothing, which is what ours does where it is off. */
function outboxOf(requires: unknown, remark: Remark): unknown {
  if (!isPlainObject(requires)) return undefined;
  const name = requires.queue === undefined ? "outbox" : "queue";
  const given = requires[name];
  if (given === false) return false;
  const kind = isPlainObject(given) ? given.kind : given;
  if (String(kind).startsWith("in-memory")) return false;
  if (!isPlainObject(given)) return undefined;
  for (const key of Object.keys(given)) {
    if (key !== "kind" && key !== "maxAttempts") remark(["requires", name, key], "has no effect");
  }
  return typeof given.maxAttempts === "number" ? { maxAttempts: given.maxAttempts } : undefined;
}

function withLevels(log: Members): Members {
  if (!isPlainObject(log.levels)) return log;
  const levels = Object.entries(log.levels).map(([id, level]) => {
    const name = String(level).toLowerCase();
    return [id, Object.hasOwn(LEVELS, name) ? LEVELS[name] : typeof level === "string" ? name : level];
  });
  return { ...log, levels: Object.fromEntries(levels) };
}

/** Other origins are never admitted by a switch: ours wants their names. */
function server(given: Members, remark: Remark): Members {
  const { cors, port, ...rest } = given;
  const result: Record<string, unknown> = { ...rest };
  if (isPlainObject(cors)) result.cors = cors;
  else if (cors === true) {
    remark(["server", "cors"], 'admits nobody: "server.cors.origins" lists who may call');
  }
  if (port !== undefined) result.port = /^\d+$/.test(String(port)) ? Number(port) : port;
  return result;
}

function moved(value: Record<string, unknown>): Record<string, unknown> {
  const { runtime, ...others } = value;
  if (!isPlainObject(runtime)) return value;
  const entries = Object.entries(runtime);
  const isMoved = ([name, member]: [string, unknown]) => MOVED.includes(name) && typeof member === "boolean";
  const rest = entries.filter((entry) => !isMoved(entry));
  const odata = { ...Object.fromEntries(entries.filter(isMoved)), ...others.odata as Members | undefined };
  return { ...others, odata, ...(rest.length > 0 ? { runtime: Object.fromEntries(rest) } : {}) };
}
