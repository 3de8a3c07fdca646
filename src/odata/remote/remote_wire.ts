import type { LinkedElement, LinkedElements, LinkedEntity, ResolvedType } from "../../model/linked.ts";
import type { ODataRelativeUri } from "../url/ast.ts";
import { printUrl } from "../url/print_url.ts";
import { fromV2Body, fromV2Value, toV2Body } from "./v2/v2_values.ts";
import { printV2Url } from "./v2/v2_url.ts";
import type { Row } from "../../cqn/cqn.ts";
import { stringify, writePrimitive } from "../payload/write_value.ts";
import { elementAt } from "./remote_expression.ts";
import type { RemoteShape } from "./remote_read.ts";
import { isRow } from "../../cqn/entries_of.ts";

const PLAIN: RemoteShape = { aliases: [], paths: [], expands: new Map(), along: new Map() };

/**
 * A row of an answer: without control information, structures flattened, numbers as numbers where they are exact.
 *
 * @param given the object that came
 * @param shape what was asked for
 */
export function readRemoteRow(given: unknown, shape: RemoteShape = PLAIN): Row {
  const row: Row = {};
  for (const [name, value] of Object.entries(isRow(given) ? given : {})) {
    if (name.includes("@")) continue;
    const expand = shape.expands.get(name);
    if (expand) row[name] = nested(value, expand);
    else if (!shape.along.has(name) && (!shape.members || shape.members.has(name))) {
      readMember(row, { name, value }, elementAt(shape.entity, [name]));
    }
  }
  for (const { ref: [name, ...rest], as } of shape.paths) {
    const through = nested(isRow(given) && given[name!], shape.along.get(name!)!);
    row[as] = isRow(through) ? through[rest.join("_")] ?? null : null;
  }
  const named = shape.aliases.filter(({ from }) => Object.hasOwn(row, from))
    .map(({ from, as }): [string, unknown] => [as, row[from]]);
  for (const { from } of shape.aliases) delete row[from];
  return Object.assign(row, Object.fromEntries(named));
}

function nested(value: unknown, shape: RemoteShape): unknown {
  if (Array.isArray(value)) return value.map((one) => readRemoteRow(one, shape));
  return isRow(value) ? readRemoteRow(value, shape) : null;
}

function readMember(
  row: Row,
  { name, value }: { readonly name: string; readonly value: unknown },
  element: LinkedElement | undefined,
): void {
  const target = element?.$target;
  if (target) row[name] = nested(value, { ...PLAIN, entity: target });
  else if (element?.$type.elements && isRow(value)) {
    flatten(row, { prefix: name, value }, element.$type.elements);
  } else row[name] = readRemoteValue(value, element?.$type);
}

function flatten(
  row: Row,
  { prefix, value }: { readonly prefix: string; readonly value: Row },
  elements: LinkedElements,
): void {
  for (const [name, member] of Object.entries(value)) {
    if (name.includes("@")) continue;
    const element = Object.hasOwn(elements, name) ? elements[name] : undefined;
    readMember(row, { name: `${prefix}_${name}`, value: member }, element);
  }
}

/** A structure that is no part of a row keeps its form. */
function readStructure(given: Row, elements: LinkedElements | undefined): Row {
  if (!elements) return readRemoteRow(given);
  const members = Object.entries(given).filter(([name]) => !name.includes("@")).map(([name, value]) => {
    const { $target: entity, $type } = Object.hasOwn(elements, name) ? elements[name]! : {};
    return [name, entity ? nested(value, { ...PLAIN, entity }) : readRemoteValue(value, $type)] as const;
  });
  return Object.fromEntries(members);
}

const EXACT: ReadonlySet<string> = new Set(["cds.Int64", "cds.Integer64", "cds.Decimal", "cds.DecimalFloat"]);

/**
 * A value of an answer. Int64 and Decimal come as text, and stay text where a number is not exact.
 *
 * @param given a value of parsed JSON
 * @param type its type, if it is known
 */
export function readRemoteValue(given: unknown, type: ResolvedType | undefined): unknown {
  if (Array.isArray(given)) return given.map((one) => readRemoteValue(one, type?.items?.$type));
  if (isRow(given)) return isMap(type) ? given : readStructure(given, type?.elements);
  const value = fromV2Value(given, type);
  if (typeof value !== "string") return value;
  const { builtin = "" } = type ?? {};
  if (EXACT.has(builtin) && /^-?\d+(\.\d+)?$/.test(value)) {
    const digits = value.replace(/^-?0*|\./g, "").length;
    return digits <= 15 ? Number(value) : value;
  }
  if (builtin === "cds.Binary" || builtin === "cds.LargeBinary") {
    return value.replaceAll("-", "+").replaceAll("_", "/");
  }
  return value;
}

function isMap(type: ResolvedType | undefined): boolean {
  return type?.builtin === "cds.Map";
}

/**
 * Data as JSON text of a body. A to-one association given by its key is sent as foreign key.
 *
 * @param data rows, one row, or parameters of an operation
 * @param entity definition of the rows, if it is known
 */
export function writeRemoteBody(data: unknown, entity?: LinkedEntity): string {
  if (Array.isArray(data)) return `[${data.map((one) => writeRemoteBody(one, entity)).join(",")}]`;
  if (!isRow(data) || data instanceof Uint8Array || data instanceof Date) return stringify(data);
  const members = Object.entries(data).filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => writeMember(name, value, elementAt(entity, [name])));
  return `{${members.join(",")}}`;
}

function writeMember(name: string, value: unknown, element: LinkedElement | undefined): readonly string[] {
  const key = JSON.stringify(name);
  if (element?.isAssociation) {
    const foreign = element.isComposition || !isRow(value) ? undefined : element.$foreignKeys;
    if (!foreign) return [`${key}:${writeRemoteBody(value, element.$target)}`];
    const row = value as Row;
    return foreign.filter((one) => Object.hasOwn(row, one.target)).map((one) =>
      `${JSON.stringify(one.name)}:${writePrimitive(row[one.target], one.element.element.$type, FORMAT)}`
    );
  }
  const { $type: type } = element ?? {};
  const isPrimitive = type?.builtin !== undefined && !isMap(type);
  return [`${key}:${isPrimitive ? writePrimitive(value, type, FORMAT) : stringify(value)}`];
}

const FORMAT = { ieee754: false };

/** What is written and read. */
export interface RemoteWire {
  /** Text of a URL below the root of the service. */
  readonly print: (url: ODataRelativeUri) => string;
  /** JSON text of rows, of one row, or of parameters. */
  readonly write: (data: unknown, entity?: LinkedEntity) => string;
  /** The body of an answer as OData 4 has it; `operation` is the name of what was called. */
  readonly read: (body: unknown, operation?: string) => unknown;
  /** The method that changes some members of a row. */
  readonly change: string;
  /** Whether parameters of all operations stand in the URL. */
  readonly callsByUrl: boolean;
}

const V4: RemoteWire = {
  print: printUrl,
  write: writeRemoteBody,
  read: (body) => body,
  change: "PATCH",
  callsByUrl: false,
};

const V2: RemoteWire = {
  print: printV2Url,
  write: toV2Body,
  read: fromV2Body,
  change: "MERGE",
  callsByUrl: true,
};

/** What is written for a kind of service. */
export function wireOf(kind: unknown): RemoteWire {
  return kind === "odata-v2" ? V2 : V4;
}
