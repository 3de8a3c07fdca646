/**
 * From flat annotations of the model to annotations of metadata (csn-cqn 12; OData CSDL 4.01 clause 14).
 *
 * @module
 */

import { isOperation } from "../../cqn/is_query.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";
import type { CsdlAnnotation, CsdlValue } from "./csdl.ts";
import { enumType, isPropertyPath, recordType, vocabulary } from "./vocabularies.ts";
import { fromExpression } from "../../algebra/from_cqn.ts";
import type { Case, Expr, TreeStep } from "../../algebra/tree.ts";
import type { Expression } from "../../cqn/cqn.ts";

const OPERATORS: Readonly<Record<string, string | undefined>> = {
  ...{ or: "$Or", and: "$And", not: "$Not" },
  ...{ "=": "$Eq", "==": "$Eq", is: "$Eq", "!=": "$Ne", "<>": "$Ne", "is not": "$Ne" },
  ...{ "<": "$Lt", "<=": "$Le", ">": "$Gt", ">=": "$Ge" },
  ...{ "+": "$Add", "-": "$Sub", "*": "$Mul", "/": "$DivBy" },
};

/** Marks what has no counterpart in metadata. */
const UNKNOWN = Symbol("unknown expression");

/**
 * Translates an expression.
 *
 * @param expression an expression object with `xpr`, `func`, `ref` or `val`
 * @returns its JSON form, or undefined if it has none
 */
function expressionJson(expression: unknown): unknown {
  if (!isPlainObject(expression)) return undefined;
  const tree = treeOf(expression as unknown as Expression);
  const json = tree && operand(tree);
  return containsUnknown(json) ? undefined : json;
}

/** Annotations may hold what is no expression, as calls of methods. */
function treeOf(expression: Expression): Expr | undefined {
  try {
    return fromExpression(expression);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function containsUnknown(json: unknown): boolean {
  if (json === UNKNOWN) return true;
  return typeof json === "object" && json !== null && Object.values(json).some(containsUnknown);
}

function operand(given: Expr): unknown {
  switch (given.kind) {
    case "literal":
      return given.val;
    case "reference":
      return path(given.ref);
    case "call": {
      const args = given.names ? [] : (given.args ?? []).map((arg) => arg === "*" ? UNKNOWN : operand(arg));
      return { $Apply: args, $Function: `odata.${given.func.toLowerCase()}` };
    }
    case "joined":
      return given.args.map(operand).reduce((left, right) => operation(given.op, [left, right]));
    case "comparison":
    case "arithmetic":
      return operation(given.op, [operand(given.left), operand(given.right)]);
    case "unary":
      return given.op === "not" ? { $Not: operand(given.arg) } : UNKNOWN;
    case "case":
      return given.subject ? UNKNOWN : conditional(given);
  }
  return UNKNOWN;
}

function operation(op: string, operands: readonly unknown[]): unknown {
  const operator = OPERATORS[op];
  return operator === undefined ? UNKNOWN : { [operator]: operands };
}

function path(ref: readonly TreeStep[]): unknown {
  if (ref.some((step) => typeof step !== "string")) return UNKNOWN;
  const steps = ref[0] === "$self" ? ref.slice(1) : ref;
  return String(steps[0]).startsWith("$") ? UNKNOWN : { $Path: steps.join("/") };
}

/** `case when a then b else c end`: each further `when` nests in the else part. */
function conditional({ branches, otherwise }: Case): unknown {
  return branches.toReversed().reduce<unknown>(
    (rest, { when, then }) => ({ $If: [operand(when), operand(then), rest] }),
    otherwise ? operand(otherwise) : null,
  );
}

/** Annotations by key without `@`: `Common.Label`, `UI.FieldGroup#Main.Data`. */
export type FlatAnnotations = ReadonlyMap<string, unknown>;

interface Gathered {
  readonly term: string;
  readonly qualifier?: string;
  /** Set when a key without suffix gives the whole value. */
  value?: unknown;
  readonly members: Map<string, unknown>;
  readonly nested: Map<string, unknown>;
}

const KEY = /^([A-Za-z]\w*)\.([A-Za-z]\w*)(?:#([^.@]+))?(?:\.(.+))?$/;

/**
 * Gathers keys of the same term and qualifier into one annotation each; keys of unknown vocabularies are left out.
 *
 * @param flat annotations by key without `@`
 */
export function toAnnotations(flat: FlatAnnotations): CsdlAnnotation[] {
  const gathered = new Map<string, Gathered>();
  for (const [key, value] of flat) {
    const match = KEY.exec(key);
    if (!match || !vocabulary(match[1])) continue;
    const [, alias, name, qualifier, rest] = match;
    const id = `${alias}.${name}#${qualifier ?? ""}`;
    let entry = gathered.get(id);
    if (!entry) {
      entry = { term: `${alias}.${name}`, qualifier, members: new Map(), nested: new Map() };
      gathered.set(id, entry);
    }
    if (rest === undefined) entry.value = value;
    else if (rest.startsWith("@")) entry.nested.set(rest.slice(1), value);
    else entry.members.set(rest, value);
  }
  return [...gathered.values()].filter(hasValue).map(toAnnotation);
}

/** A plain null only stops inheritance (convention); expressions that metadata cannot express are left out. */
function hasValue(entry: Gathered): boolean {
  const { value, members } = entry;
  if (isPlainObject(value) && isOperation(value)) return expressionJson(value) !== undefined;
  return members.size > 0 || (value !== undefined && value !== null);
}

function toAnnotation(entry: Gathered): CsdlAnnotation {
  const { term, qualifier, members, nested } = entry;
  const context = { name: term, alias: term.slice(0, term.indexOf(".")) };
  const value = members.size > 0 && !isPlainValue(entry.value)
    ? toValue(unflatten(members), context)
    : toValue(entry.value, context);
  return { term, ...(qualifier && { qualifier }), value, annotations: toAnnotations(nested) };
}

function isPlainValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== true;
}

/** `{"a.b": 1}` -> `{a: {b: 1}}` */
function unflatten(members: ReadonlyMap<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of members) {
    const nestedAt = key.indexOf(".@");
    const path = (nestedAt === -1 ? key : key.slice(0, nestedAt)).split(".");
    const last = nestedAt === -1 ? path.pop()! : key.slice(nestedAt + 1);
    let level = result;
    for (const step of path) {
      const inner = level[step];
      level = isPlainObject(inner) ? inner : (level[step] = {});
    }
    level[last] = value;
  }
  return result;
}

interface Context {
  /** The term, or the property inside a record. */
  readonly name: string;
  readonly alias: string;
}

function toValue(value: unknown, context: Context): CsdlValue {
  switch (typeof value) {
    case "boolean":
      return { kind: "bool", value };
    case "number":
      return { kind: Number.isInteger(value) ? "int" : "decimal", value };
    case "string":
      return textValue(value, context);
    default:
  }
  if (Array.isArray(value)) return { kind: "collection", items: value.map((item) => toValue(item, context)) };
  return isPlainObject(value) ? objectValue(value, context) : { kind: "null" };
}

function textValue(value: string, { name }: Context): CsdlValue {
  if (name === "Target" && value.includes("@")) return { kind: "annotationPath", value };
  if (name !== "LocalDataProperty" && name !== "LocalProperty") return { kind: "string", value };
  return { kind: "propertyPath", value };
}

function objectValue(value: Readonly<Record<string, unknown>>, context: Context): CsdlValue {
  if ("#" in value) {
    const type = enumType(context.name, context.alias);
    return {
      kind: "enum",
      value: String(value["#"]).split(" ").map((member) => `${type}/${member}`).join(" "),
    };
  }
  if ("$edmJson" in value) return { kind: "expression", json: value.$edmJson };
  if (Array.isArray(value.ref)) return pathValue(value.ref.map(stepName).join("."), context);
  if (isOperation(value)) {
    const json = expressionJson(value);
    return json === undefined ? { kind: "null" } : { kind: "expression", json };
  }
  if ("val" in value) return toValue(value.val, context);
  if (typeof value["="] === "string") return pathValue(value["="], context);
  return record(value, context);
}

function stepName(step: unknown): string {
  return isPlainObject(step) ? String(step.id) : String(step);
}

/** Members whose paths lead to entities: those of `Common.SideEffects` and `Aggregation.RecursiveHierarchy`. */
const NAVIGATION_PATHS: ReadonlySet<string> = new Set([
  "SourceEntities",
  "TargetEntities",
  "ParentNavigationProperty",
]);

function pathValue(path: string, context: Context): CsdlValue {
  const value = path.replaceAll(".", "/");
  if (context.name === "Target" && value.includes("@")) return { kind: "annotationPath", value: path };
  if (NAVIGATION_PATHS.has(context.name)) return { kind: "navigationPropertyPath", value };
  return { kind: isPropertyPath(context.name) ? "propertyPath" : "path", value };
}

function record(value: Readonly<Record<string, unknown>>, context: Context): CsdlValue {
  const given = typeof value.$Type === "string" ? value.$Type : recordType(context.name);
  const type = given?.replace(/^com\.sap\.vocabularies\.(\w+)\.v1\./, "$1.").replace(
    /^Org\.OData\.(\w+)\.V1\./,
    "$1.",
  );
  const properties: [string, CsdlValue][] = [];
  const nested = new Map<string, unknown>();
  for (const [key, member] of Object.entries(value)) {
    if (key === "$Type") continue;
    if (key.startsWith("@")) nested.set(key.slice(1), member);
    else properties.push([key, toValue(member, { name: key, alias: context.alias })]);
  }
  return { kind: "record", ...(type && { type }), properties, annotations: toAnnotations(nested) };
}
