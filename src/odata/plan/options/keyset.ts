/**
 * Pages that go on behind the last row of the page before (OData Protocol 11.2.6.7): the token of a next link holds the
 * values that this row has for the terms of the order, the keys among them. Rows that come or go in front of it change
 * nothing for what follows.
 *
 * @module
 */

import { decodeBase64urlIgnorePadding, encodeBase64urlNoPadding } from "@oslojs/encoding";
import { compare, join, NEVER, NULL, parameter } from "../../../algebra/build.ts";
import type { Expr } from "../../../algebra/tree.ts";
import type { LiteralType, PrimitiveLiteral, QueryOptions } from "../../url/ast.ts";
import type { Binding, Bindings } from "../shapes/bindings.ts";
import { convertLiteral, type LiteralScalar, type ValueType } from "../expressions/literal_values.ts";
import type { KeysetTerm } from "../plan.ts";
import { badRequest } from "../plan_error.ts";
import { groupOf, type Typed } from "../scope.ts";

/** What a token says. */
export interface PageToken {
  /** Rows of former pages. */
  readonly former: number;
  /** The number of rows of all pages, where the client asked for it. */
  readonly total: number | undefined;
  /** The values of the last row of the page before, in the order of the terms. */
  readonly values: readonly (string | null)[];
}

/** A planned page behind a row. */
export interface KeysetPage {
  /** Only rows behind that row meet it. */
  readonly where: Expr;
  readonly former: Binding;
  readonly total?: Binding;
}

/** Which values are null, then the content: the first part decides about the plan. */
export const PAGE_TOKEN = /^([nv]+)\.[A-Za-z0-9_-]+$/;

/** Longer tokens would make URLs too long. */
const LONGEST_TOKEN = 1000;

/** Types whose values rows hold as they are compared, with those of their literals. */
const INSTANTS: ReadonlyMap<string, LiteralType> = new Map([
  ["cds.Date", "Edm.Date"],
  ["cds.Time", "Edm.TimeOfDay"],
  ["cds.DateTime", "Edm.DateTimeOffset"],
  ["cds.Timestamp", "Edm.DateTimeOffset"],
]);

/**
 * The terms of an order that tells rows apart.
 *
 * @param values the planned values of the order, keys included
 * @param descending which of them descend
 * @returns undefined where values are computed or of a type that tokens do not hold
 */
export function keysetTerms(
  values: readonly Typed[],
  descending: readonly boolean[],
): readonly KeysetTerm[] | undefined {
  const terms: KeysetTerm[] = [];
  for (const [index, { expr, type, nullable }] of values.entries()) {
    if (type === undefined || expr.kind !== "reference" || !isKept(type)) return undefined;
    const [step, ...others] = expr.ref;
    const name = others.length === 0 && typeof step === "string" ? { name: step } : {};
    terms.push({ type, desc: descending[index]!, nullable, ...name });
  }
  return terms;
}

function isKept({ builtin, extended, element }: ValueType): boolean {
  if (extended !== undefined || element?.$type.extended !== undefined) return false;
  const group = groupOf({ builtin });
  return group === "text" || group === "number" || group === "boolean" || INSTANTS.has(builtin);
}

/**
 * The token of a page.
 *
 * @param token what it says
 * @returns undefined where it would be too long
 */
export function writePageToken({ former, total, values }: PageToken): string | undefined {
  const content = new TextEncoder().encode(JSON.stringify([former, total ?? null, ...values]));
  const token = `${nullsOf(values)}.${encodeBase64urlNoPadding(content)}`;
  return token.length > LONGEST_TOKEN ? undefined : token;
}

/** One letter for each value: `n` null, `v` any other. */
export function nullsOf(values: readonly unknown[]): string {
  return values.map((value) => value === null ? "n" : "v").join("");
}

function readPageToken(text: string): PageToken | undefined {
  const [nulls, content] = text.split(".") as [string, string];
  try {
    const bytes = decodeBase64urlIgnorePadding(content);
    const parts: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (!Array.isArray(parts)) return undefined;
    const [former, total, ...values] = parts;
    const isSound = isNumber(former) && (total === null || isNumber(total)) && nullsOf(values) === nulls &&
      values.every((value) => value === null || typeof value === "string");
    return isSound ? { former, total: total ?? undefined, values } : undefined;
  } catch {
    return undefined;
  }
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * A value of a row as tokens hold it.
 *
 * @param value the value
 */
export function tokenValue(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

/**
 * The value that a condition compares a term with.
 *
 * @param text the value in a token
 * @param type the type of the term
 * @throws {ServiceError} 400 if it is none of the type
 */
export function comparedValue(text: string, type: ValueType): LiteralScalar {
  if (groupOf(type) === "text") return text;
  const literal: PrimitiveLiteral = {
    kind: "primitiveLiteral",
    offset: 0,
    type: INSTANTS.get(type.builtin) ?? "Edm.String",
    value: text,
    text,
  };
  const value = convertLiteral(literal, type);
  return INSTANTS.has(type.builtin) ? text : value;
}

/** A term of an order, and the expression that stands for it. */
export interface OrderedTerm {
  readonly term: KeysetTerm;
  readonly expr: Expr;
}

/**
 * Plans the page that a token asks for.
 *
 * @param terms the terms of the order, and the expressions that stand for them
 * @param options hold the token
 * @param bindings takes the values
 * @throws {ServiceError} 400 if the token was not made for this order
 */
export function planPageToken(
  terms: readonly OrderedTerm[],
  options: QueryOptions,
  bindings: Bindings,
): KeysetPage {
  const token = options.skiptoken!; // asked for with one only
  const offset = options.valueOffsets?.skiptoken ?? -1;
  const literal: PrimitiveLiteral = {
    kind: "primitiveLiteral",
    offset,
    type: "Edm.String",
    value: token,
    text: token,
  };
  const nulls = PAGE_TOKEN.exec(token)![1]!;
  if (nulls.length !== terms.length) throw invalidToken(literal);
  const read = (given: PrimitiveLiteral) => readPageToken(given.text) ?? fail(given);
  const isNull = (index: number) => nulls[index] === "n";
  if (terms.some(({ term }, index) => isNull(index) && !term.nullable)) throw invalidToken(literal);
  const operands = terms.map(({ term }, index) => {
    if (isNull(index)) return undefined;
    const convert = (given: PrimitiveLiteral) => valueAt(read(given), { index, term, given });
    const binding = bindings.bindWith(literal, convert);
    binding.convert(literal);
    return parameter(binding.name);
  });
  const counted = options.count === true;
  const former = bindings.bindApart(literal, (given) => read(given).former);
  const total = counted
    ? bindings.bindApart(literal, (given) => read(given).total ?? fail(given))
    : undefined;
  for (const binding of [former, ...(total ? [total] : [])]) binding.convert(literal);
  return { where: behindRow(terms, operands), former, total };
}

interface ValuePlace {
  readonly index: number;
  readonly term: KeysetTerm;
  readonly given: PrimitiveLiteral;
}

function valueAt({ values }: PageToken, { index, term, given }: ValuePlace): LiteralScalar {
  try {
    return comparedValue(values[index]!, term.type);
  } catch (cause) {
    throw Object.assign(invalidToken(given), { cause });
  }
}

function fail(literal: PrimitiveLiteral): never {
  throw invalidToken(literal);
}

function invalidToken({ text, offset }: PrimitiveLiteral) {
  return badRequest(`"${text}" is no valid $skiptoken`, offset);
}

/**
 * The condition that a row lies behind another one: behind it by one term, and beside it by those before.
 *
 * @param terms the terms of the order, and the expressions that stand for them
 * @param operands the values of the other row; undefined for null, which comes first ascending and last descending
 */
export function behindRow(
  terms: readonly OrderedTerm[],
  operands: readonly (Expr | undefined)[],
): Expr {
  let condition: Expr | undefined;
  for (const [index, ordered] of [...terms.entries()].reverse()) {
    const operand = operands[index];
    const beside = operand ? compare(ordered.expr, "=", operand) : compare(ordered.expr, "==", NULL);
    const tied = condition && join("and", [beside, condition]);
    const either = [behindByTerm(ordered, operand), tied].filter((one) => one !== undefined);
    condition = either.length > 0 ? join("or", either) : undefined;
  }
  // Nothing lies behind null at the end.
  return condition ? withBound(terms, operands, condition) : NEVER;
}

function behindByTerm(
  { term: { desc, nullable }, expr }: OrderedTerm,
  operand: Expr | undefined,
): Expr | undefined {
  if (operand === undefined) return desc ? undefined : compare(expr, "!=", NULL);
  const further = compare(expr, desc ? "<" : ">", operand);
  return desc && nullable ? join("or", [further, compare(expr, "==", NULL)]) : further;
}

/** A bound that an index on the first term can use. */
function withBound(
  [first]: readonly OrderedTerm[],
  [operand]: readonly (Expr | undefined)[],
  condition: Expr,
): Expr {
  const isSingle = condition.kind === "comparison";
  if (isSingle || operand === undefined || (first!.term.desc && first!.term.nullable)) return condition;
  return join("and", [compare(first!.expr, first!.term.desc ? "<=" : ">=", operand), condition]);
}
