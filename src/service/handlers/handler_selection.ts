/**
 * What the arguments of `before`, `on` and `after` select.
 *
 * @module
 */

/** Something with a name that says nothing of the data of an event: what does has overloads of its own. */
export interface UntypedName {
  /** The name. */
  readonly name: string;
  /** Only names of events written by `fw compile --to types` stand for data. */
  readonly $data?: never;
}

/** An entity as handlers name it: local or full name, path `Entity/navigation`, definition, class, or several. */
export type HandlerArgument = string | UntypedName | readonly (string | { readonly name: string })[];

/** Names of events that concern rows: `"READ"`, `["CREATE", "UPDATE"]`. */
export type EventNames = string | readonly string[];

/** What a handler is for. */
export interface Selection {
  /** Names of events, or all. */
  readonly events: ReadonlySet<string> | "*";
  /** Canonical paths, or all. */
  readonly paths: ReadonlySet<string> | "*";
  /** Call the handler once per row. */
  readonly each: boolean;
}

/** Where names of entities and operations are resolved. */
export interface SelectionScope {
  /** The full name of an entity that is named locally. */
  qualify(name: string): string;
  /** The local name of an event or operation that is given by its full name. */
  localEvent(name: string): string;
}

/** Names that stand for other events. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  SAVE: ["CREATE", "UPDATE"],
  SELECT: ["READ"],
  INSERT: ["CREATE"],
  GET: ["READ"],
  POST: ["CREATE"],
  PUT: ["UPDATE"],
  PATCH: ["UPDATE"],
  each: ["READ"],
  DISCARD: ["CANCEL"],
};

/**
 * The events and entities that the arguments of a registration select.
 *
 * @param events a name, `"*"`, a definition, or several
 * @param entity the entity argument, if there is one
 * @param scope where names are resolved
 */
export function selectHandler(
  events: HandlerArgument,
  entity: HandlerArgument | undefined,
  scope: SelectionScope,
): Selection {
  const names = listOf(events).map((event) => scope.localEvent(nameOf(event)));
  const given = entity === undefined ? ["*"] : listOf(entity).map(nameOf);
  const paths = given.map((path) => pathOf(path, names));
  return {
    events: names.includes("*") ? "*" : new Set(names.flatMap((name) => ALIASES[name] ?? [name])),
    paths: paths.includes("*") ? "*" : new Set(paths.map((path) => qualifyPath(path, scope))),
    each: names.includes("each"),
  };
}

/** What saves a draft is the write of its active instance; what is activated is the draft. */
function pathOf(path: string, events: readonly string[]): string {
  const isDraft = path.endsWith(".drafts");
  if (isDraft && events.includes("SAVE")) return path.slice(0, -".drafts".length);
  return isDraft || path === "*" || !events.includes("ACTIVATE") ? path : `${path}.drafts`;
}

/** Whether the first parameter of a function is literally named `each` (`api` 11.2). */
export function takesEach(handler: (...args: never[]) => unknown): boolean {
  return /^(async\s+)?(function\s*\w*\s*)?\(?\s*(each)\s*[,)=]/.test(
    Function.prototype.toString.call(handler),
  );
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : [value as T];
}

function nameOf(value: string | { readonly name: string }): string {
  if (typeof value === "string") return value;
  if (typeof value?.name === "string") return value.name;
  throw new TypeError(`A name or definition is expected, not ${String(value)}`);
}

function qualifyPath(path: string, scope: SelectionScope): string {
  const slash = path.indexOf("/");
  if (slash < 0) return scope.qualify(path);
  return scope.qualify(path.slice(0, slash)) + path.slice(slash);
}
