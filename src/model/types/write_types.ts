/**
 * A model as TypeScript module: rows, payloads and parameters as types, and names that carry them, so that queries and
 * handlers are typed without casts.
 *
 * @module
 */

import type {
  LinkedBase,
  LinkedDefinition,
  LinkedElement,
  LinkedEntity,
  LinkedModel,
  ResolvedType,
} from "../linked.ts";
import { INTERNAL } from "../exposure.ts";
import { annotationText } from "../schema/json_schema.ts";

const RESERVED: ReadonlySet<string> = new Set(
  ("any as asserts bigint boolean break case catch class const continue debugger declare default delete do else enum " +
    "export extends false finally for function if implements import in instanceof interface let module namespace " +
    "never new null number object package private protected public return static string super switch symbol this " +
    "throw true try type typeof undefined unique unknown var void while with yield")
    .split(" "),
);

/**
 * One segment of a name as identifier.
 *
 * @param segment any text: delimited names may hold anything
 * @returns an identifier; words that TypeScript keeps for itself end with `_`
 */
function identifier(segment: string): string {
  const text = segment.replace(/[^\p{ID_Continue}$]/gu, "_").replace(/^(?=[^\p{ID_Start}_$])/u, "_");
  return RESERVED.has(text) || text === "" ? `${text}_` : text;
}

/**
 * How types refer to a definition.
 *
 * @param name its full name: `sap.common.Currencies`
 */
function typeReference(name: string): string {
  return name.split(".").map(identifier).join(".");
}

/** Values as rows and payloads hold them in JavaScript. */
const PRIMITIVES: Readonly<Record<string, string>> = {
  "cds.Boolean": "boolean",
  "cds.UInt8": "number",
  "cds.Int16": "number",
  "cds.Int32": "number",
  "cds.Integer": "number",
  "cds.Int64": "number | string",
  "cds.Integer64": "number | string",
  "cds.Decimal": "number | string",
  "cds.DecimalFloat": "number | string",
  "cds.Double": "number",
  "cds.Map": "Record<string, unknown>",
  "cds.Vector": "readonly number[]",
};

/**
 * The type of the values of an element, without regard to null.
 *
 * @param element an element, parameter, result or item
 * @param model finds named types
 * @returns TypeScript text that can stand in a union
 */
function elementType(element: LinkedElement, model: LinkedModel): string {
  if (element.isAssociation) {
    const target = element.$target ? typeReference(element.$target.name) : "Record<string, unknown>";
    return element.is2many ? `${target}[]` : target;
  }
  const entity = typeof element.type === "string" ? model.entity(element.type) : undefined;
  if (entity) return typeReference(entity.name);
  const { typeName } = element.$type;
  if (typeName !== undefined && Object.hasOwn(model.definitions, typeName)) return typeReference(typeName);
  return resolvedType(element.$type, model);
}

/**
 * The text of a type that has no name.
 *
 * @param type the type
 * @param model finds named types
 */
function resolvedType(type: ResolvedType, model: LinkedModel): string {
  if (type.items) return `${grouped(elementType(type.items, model))}[]`;
  if (type.elements) return `{ ${membersOf(type.elements, model).join(" ")} }`;
  const symbols = Object.entries(type.enum ?? {});
  if (symbols.length > 0) return symbols.map(([name, { val }]) => JSON.stringify(val ?? name)).join(" | ");
  return PRIMITIVES[type.builtin ?? ""] ?? "string";
}

/**
 * The members of a structure as lines of an interface. What input must have (`@mandatory`) is there when handlers see it.
 *
 * @param elements the elements
 * @param model finds named types
 */
function membersOf(elements: Iterable<LinkedElement>, model: LinkedModel): string[] {
  return [...elements].map((element) => {
    const isNeeded = element.key === true || element.notNull === true || element["@mandatory"] === true;
    const type = elementType(element, model);
    return `${memberName(element.name)}${isNeeded ? "" : "?"}: ${isNeeded ? type : `${type} | null`};`;
  });
}

/**
 * The name of a member, quoted where it is no identifier.
 *
 * @param name any name
 */
function memberName(name: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name);
}

function grouped(type: string): string {
  return type.includes("|") ? `(${type})` : type;
}

/** What the module is about. */
export interface TypesOptions {
  /** What `EntityName` and `EventName` are imported from; default `@fw/runtime`. */
  readonly from?: string;
}

/** Definitions along the dots of their names. */
interface Space {
  definition?: LinkedDefinition;
  readonly inner: Map<string, Space>;
}

/**
 * Writes the module.
 *
 * @param model the linked model
 * @param options where names come from
 * @returns TypeScript text: for each namespace or service a namespace of types and a constant of names
 */
export function writeTypes(model: LinkedModel, { from = "@fw/runtime" }: TypesOptions = {}): string {
  const root = spaceOf(model);
  const blocks = [...root.inner].flatMap(([name, space]) => [
    ...typeLines(name, space, model),
    ...valueLines(name, space, model),
    "",
  ]);
  return [
    "// deno-fmt-ignore-file",
    "// deno-lint-ignore-file",
    "// Written by `fw compile --to types`; changes get lost.",
    `import type { EntityName, EventName } from ${JSON.stringify(from)};`,
    "",
    ...blocks,
  ].join("\n").trimEnd();
}

const TYPED = new Set(["entity", "type", "aspect", "event", "action", "function", "service"]);

function spaceOf(model: LinkedModel): Space {
  const root: Space = { inner: new Map() };
  for (const definition of Object.values(model.definitions)) {
    if (!TYPED.has(definition.kind) || definition.name.startsWith("localized.")) continue;
    let space = root;
    for (const segment of definition.name.split(".")) {
      let next = space.inner.get(segment);
      if (!next) space.inner.set(segment, next = { inner: new Map() });
      space = next;
    }
    space.definition = definition;
  }
  return root;
}

function typeLines(name: string, space: Space, model: LinkedModel): string[] {
  const { definition, inner } = space;
  const own = definition ? definitionType(identifier(name), definition, model) : [];
  const nested = [...inner].flatMap(([local, one]) => typeLines(local, one, model));
  if (nested.length === 0) return own;
  return [...own, `export namespace ${identifier(name)} {`, ...indented(nested), "}"];
}

function definitionType(name: string, definition: LinkedDefinition, model: LinkedModel): string[] {
  const doc = docLines(definition);
  switch (definition.kind) {
    case "entity":
      return [
        ...doc,
        `export interface ${name} {`,
        ...indented(rowMembers(definition as LinkedEntity, model)),
        "}",
      ];
    case "type":
    case "aspect":
    case "event": {
      const elements = [...definition.elements];
      if (elements.length > 0 || definition.kind !== "type") {
        return [...doc, `export interface ${name} {`, ...indented(membersOf(elements, model)), "}"];
      }
      const { target } = definition;
      const type = typeof target === "string" ? typeReference(target) : resolvedType(definition.$type, model);
      return [...doc, `export type ${name} = ${type};`];
    }
    default:
      return [];
  }
}

/** A row: what has a column is there or null (never where input must have it); what must be asked for may be missing. */
function rowMembers(entity: LinkedEntity, model: LinkedModel): string[] {
  const flats = [...entity.$flat.values()].filter(({ element }) => element[INTERNAL] !== true);
  const columns = flats.map((flat) => {
    const { name, key, notNull, virtual, element, annotated } = flat;
    const type = elementType(element, model);
    const isLazy = virtual || element.$type.builtin === "cds.LargeBinary";
    const isThere = key || notNull || annotated["@mandatory"] === true;
    const value = isThere ? type : `${type} | null`;
    return [...docLines(annotated), `${memberName(name)}${isLazy ? "?" : ""}: ${value};`];
  });
  const shown = [...entity.associations].filter((association) => association[INTERNAL] !== true);
  const associations = shown.map((association) => {
    const type = elementType(association, model);
    return [
      ...docLines(association),
      `${memberName(association.name)}?: ${association.is2many ? type : `${type} | null`};`,
    ];
  });
  return [...columns, ...associations].flat();
}

function valueLines(name: string, space: Space, model: LinkedModel): string[] {
  const names = namesOf(space, model);
  if (!names) return [];
  const own = space.definition ? docLines(space.definition) : [];
  return [...own, `export const ${identifier(name)} = ${names.lines.join("\n")};`];
}

/** The object that stands for a space, and its type where it differs from what it looks like. */
interface Names {
  readonly lines: readonly string[];
  readonly type: string | undefined;
}

function namesOf({ definition, inner }: Space, model: LinkedModel): Names | undefined {
  const name = definition && nameOf(definition);
  const members = new Map<string, { readonly names: Names; readonly doc: readonly string[] }>();
  for (const [local, space] of inner) {
    const names = namesOf(space, model);
    if (names) members.set(local, { names, doc: space.definition ? docLines(space.definition) : [] });
  }
  for (const operation of definition?.kind === "entity" ? definition.actions : []) {
    const type = eventType(operation, model);
    const lines = [`{ name: ${JSON.stringify(operation.name)} } as ${type}`];
    members.set(operation.name, { names: { lines, type }, doc: docLines(operation) });
  }
  members.delete("name"); // that of the definition itself
  if (name === undefined && members.size === 0) return undefined;
  const own = name === undefined ? [] : [`name: ${JSON.stringify(name)}`];
  const type = definition && typeOf(definition, model);
  const full = type && [type, ...typedMembers(members)].join(" & ");
  const cast = full === undefined ? "" : ` as ${full}`;
  if (members.size === 0) return { lines: [`{ ${own.join(", ")} }${cast}`], type: full };
  const inside = [...members].flatMap(([local, { names: { lines }, doc }]) =>
    [
      ...doc,
      `${memberName(local)}: ${lines[0]}`,
      ...lines.slice(1),
    ].map((line, at, all) => at === all.length - 1 ? `${line},` : line)
  );
  return { lines: ["{", ...indented([...own.map((one) => `${one},`), ...inside]), `}${cast}`], type: full };
}

function typedMembers(members: ReadonlyMap<string, { readonly names: Names }>): string[] {
  const typed = [...members].filter(([, { names }]) => names.type !== undefined);
  if (typed.length === 0) return [];
  return [
    `{ ${typed.map(([local, { names }]) => `readonly ${memberName(local)}: ${names.type};`).join(" ")} }`,
  ];
}

/** Only what code names at run time has one. */
function nameOf({ kind, name, $service }: LinkedDefinition): string | undefined {
  if (kind === "entity" || kind === "service" || (kind === "event" && !$service)) return name;
  return kind === "action" || kind === "function" || kind === "event"
    ? name.slice($service ? $service.name.length + 1 : 0)
    : undefined;
}

/** The type of the name of a definition. */
function typeOf(definition: LinkedDefinition, model: LinkedModel): string | undefined {
  switch (definition.kind) {
    case "entity":
      return `EntityName<${typeReference(definition.name)}, ${keysType(definition as LinkedEntity, model)}>`;
    case "event":
      return `EventName<${typeReference(definition.name)}>`;
    case "action":
    case "function":
      return eventType(definition, model);
    default:
      return undefined;
  }
}

/** The keys of an entity, as requests name its rows. */
function keysType(entity: LinkedEntity, model: LinkedModel): string {
  const keys = [...entity.$flat.values()].filter(({ key, element }) => key && element[INTERNAL] !== true);
  if (keys.length === 0) return "object";
  return `{ ${
    keys.map(({ name, element }) => `${memberName(name)}: ${elementType(element, model)};`).join(" ")
  } }`;
}

function eventType(
  { params, returns }: Pick<LinkedDefinition, "params" | "returns">,
  model: LinkedModel,
): string {
  const members = params ? membersOf(params, model) : [];
  const data = members.length > 0 ? `{ ${members.join(" ")} }` : "Record<never, never>";
  return returns ? `EventName<${data}, ${elementType(returns, model)}>` : `EventName<${data}>`;
}

function docLines(base: LinkedBase): string[] {
  const { title, description } = annotationText(base);
  const text = [title, description].filter((part) => part !== undefined).join(": ");
  return text === "" ? [] : [`/** ${text.replace(/\s+/g, " ").replaceAll("*/", "* /")} */`];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
