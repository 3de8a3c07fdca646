/**
 * What expressions of one place of a URL refer to.
 *
 * @module
 */

import type { Expression } from "../../cqn/cqn.ts";
import { NUMBER_TYPES } from "../../model/builtin_types.ts";
import type { FlatElement, LinkedEntity } from "../../model/linked.ts";
import type { AliasAndValue, CommonExpr } from "../url/ast.ts";
import type { Bindings } from "./bindings.ts";
import type { ValueType } from "./literal_values.ts";

/** A planned value: its expression, its type as far as known, and whether it may be null. */
export interface Typed {
  readonly expr: Expression;
  readonly type?: ValueType;
  readonly nullable: boolean;
}

/** The place of an expression. */
export interface Scope {
  readonly entity: LinkedEntity;
  readonly bindings: Bindings;
  /** Values of `@name`. */
  readonly aliases: ReadonlyMap<string, CommonExpr>;
  /** Names that `$compute` or `$apply` made. */
  readonly computed: ReadonlyMap<string, Typed>;
  /** After `$apply`: names other than the computed ones do not exist any more. */
  readonly closed?: boolean;
  /** The lambda variable that stands for the entity. */
  readonly variable?: string;
  /** The value that the lambda variable stands for, inside of a collection of values. */
  readonly item?: Typed;
  /** The entity outside of the lambda expression. */
  readonly outer?: LinkedEntity;
  /** Inside `$expand`, where `$it` is another instance. */
  readonly nested?: boolean;
}

/**
 * The aliases of a URL as a map.
 *
 * @param aliases `@name=value` in source order; inner ones come last and win
 * @returns values by name
 */
export function aliasMap(aliases: readonly AliasAndValue[] | undefined): ReadonlyMap<string, CommonExpr> {
  return new Map(aliases?.map(({ name, value }) => [name, value]));
}

/**
 * The type of the values of a flat element.
 *
 * @param flat the element
 * @returns its type, or undefined for collections and maps
 */
export function typeOf(flat: Pick<FlatElement, "element">): ValueType | undefined {
  const { builtin, items } = flat.element.$type;
  return builtin === undefined || items !== undefined || builtin === "cds.Map"
    ? undefined
    : { builtin, element: flat.element };
}

/** Kinds of types whose values can be compared with each other. */
export type TypeGroup = "text" | "number" | "boolean" | "instant" | "time" | "binary";

const GROUPS: Readonly<Record<string, TypeGroup>> = {
  "cds.String": "text",
  "cds.LargeString": "text",
  "cds.UUID": "text",
  "cds.Boolean": "boolean",
  "cds.Date": "instant",
  "cds.DateTime": "instant",
  "cds.Timestamp": "instant",
  "cds.Time": "time",
  "cds.Binary": "binary",
  "cds.LargeBinary": "binary",
};

/**
 * The group of a type.
 *
 * @param type the type
 * @returns its group, or undefined if nothing is known
 */
export function groupOf(type: ValueType | undefined): TypeGroup | undefined {
  if (type === undefined) return undefined;
  return NUMBER_TYPES.has(type.builtin) ? "number" : GROUPS[type.builtin];
}

/** The type of conditions. */
export const BOOLEAN: ValueType = { builtin: "cds.Boolean" };
/** The type of texts. */
export const STRING: ValueType = { builtin: "cds.String" };
/** The type of small whole numbers. */
export const INTEGER: ValueType = { builtin: "cds.Integer" };
/** The type of sums and the like. */
export const DECIMAL: ValueType = { builtin: "cds.Decimal" };
/** The type of instants. */
export const TIMESTAMP: ValueType = { builtin: "cds.Timestamp" };
