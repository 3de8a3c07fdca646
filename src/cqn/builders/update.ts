/**
 * `UPDATE`.
 *
 * @module
 */

import { isPlainObject } from "../../util/is_plain_object.ts";
import type { Expression, Row, UpdateQuery, Xo } from "../cqn.ts";
import { isExpression } from "../is_query.ts";
import { type EntityShape, type QueryBinding, started } from "../query_runner.ts";
import type { EntityName, Input, InputValue } from "../checked_names.ts";
import { assertElement, assertElements } from "./assert_elements.ts";
import { type EntityArgument, entityName, keyCondition, resolveEntityPath } from "./entity_argument.ts";
import { toExpression } from "./expressions.ts";
import {
  fromFluent,
  fromTemplate,
  isTemplate,
  parseTokens,
  splitTop,
  type TextWithValues,
} from "./parse_text.ts";
import { type Draft, FilteredQueryBuilder } from "./query_builder.ts";

const ASSIGNMENTS = ["+=", "-=", "*=", "/=", "||="];

/**
 * An UPDATE under construction. Awaiting gives the number of rows.
 *
 * @typeParam T rows of the entity
 */
export class UpdateBuilder<T extends object = Row> extends FilteredQueryBuilder<number, T> {
  /** The body of the query. */
  readonly UPDATE: Draft<UpdateQuery["UPDATE"]> = { entity: "" };
  #shape: EntityShape | undefined;

  /** The body of the query while it is built. */
  protected override get filtered(): Draft<UpdateQuery["UPDATE"]> {
    return this.UPDATE;
  }

  /**
   * Sets the entity.
   *
   * @param entity name, definition, path, or tagged template
   * @param key value of the single key, or values by key
   * @throws TypeError for a key that is given but undefined
   */
  entity(entity: EntityArgument, ...key: readonly unknown[]): this {
    const { source, shape, others } = resolveEntityPath(entity, key, this.binding);
    this.UPDATE.entity = source;
    this.#shape = shape;
    return others.length === 0 ? this : this.byKey(others[0]);
  }

  /** Updates one row by its key. */
  byKey(key: unknown): this {
    return this.addWhere(
      keyCondition(key, this.#shape, () => `UPDATE(${entityName(this.UPDATE.entity)}, …)`),
    );
  }

  /** Sets plain values, maybe nested ones; nothing in them is read as expression. */
  data(data: Input<T>): this {
    assertElements(() => `${this.#call}.data(…)`, data, this.#shape);
    this.UPDATE.data = this.UPDATE.data ? { ...this.UPDATE.data, ...data } : data as Row;
    return this;
  }

  /**
   * Sets values: an object of values, expressions or `{"-=": n}` by element, a tagged template, or alternating text
   * and values (`"stock -=", 1`). Members of the object that are undefined are left as they are.
   *
   * @throws TypeError for a value in a text that is undefined, and for what is no element
   */
  set(
    ...args: readonly [Assignments<T> | string | TemplateStringsArray, ...unknown[]]
  ): this {
    const [first] = args;
    if (isTemplate(args)) return this.#assign(fromTemplate(args[0], args.slice(1)));
    if (typeof first === "string") return this.#assign(fromFluent(args.map(separated)));
    if (typeof first !== "object" || first === null) {
      throw new TypeError(
        `Expected values by element in set(…), found ${first === null ? "null" : typeof first}`,
      );
    }
    const values: Row = {};
    for (const [name, value] of Object.entries(first)) this.#member(name, value, values);
    if (Object.keys(values).length > 0) this.UPDATE.data = { ...this.UPDATE.data, ...values };
    return this;
  }

  /** The same as `set`. */
  with(
    ...args: readonly [Assignments<T> | string | TemplateStringsArray, ...unknown[]]
  ): this {
    return this.set(...args);
  }

  get #call(): string {
    return `UPDATE(${entityName(this.UPDATE.entity)})`;
  }

  /** Sets an expression, or adds a value to those that are set together. */
  #member(name: string, value: unknown, values: Row): void {
    if (value === undefined) return;
    if (typeof value !== "object" || value === null) return this.#value(name, value, values);
    if (isExpression(value)) return this.#expression(name, toExpression(value));
    if (isPlainObject(value)) {
      const [operator, ...more] = Object.keys(value);
      if (more.length === 0 && ASSIGNMENTS.includes(operator)) {
        return this.#expression(name, calculation(name, operator, [toExpression(value[operator])]));
      }
      if (more.length === 0 && operator === "=" && typeof value[operator] === "string") {
        return this.#expression(name, single(parseTokens({ text: value[operator], values: [] })));
      }
    }
    this.#value(name, value, values);
  }

  #value(name: string, value: unknown, values: Row): void {
    if (this.#shape) assertElements(() => `${this.#call}.set(…)`, { [name]: value }, this.#shape);
    values[name] = value;
  }

  #assign({ text, values }: TextWithValues): this {
    for (const part of splitTop(text)) {
      const match = /^\s*([\p{L}_$][\p{L}\w$.]*)\s*(=|\+=|-=|\*=|\/=|\|\|=)([^]+)$/u.exec(part);
      if (!match) throw new TypeError(`Expected an assignment, found '${part.trim()}'`);
      const [, name, operator, right] = match;
      const tokens = parseTokens({ text: right, values });
      if (operator !== "=") this.#expression(name, calculation(name, operator, tokens));
      else this.#plainOrExpression(name, single(tokens));
    }
    return this;
  }

  #plainOrExpression(name: string, value: Expression): void {
    // data only says which row is meant by its keys
    if ("val" in value && !("literal" in value) && !this.#shape?.keys?.[name]) {
      assertElement(() => `${this.#call}.set(…)`, name, this.#shape);
      this.UPDATE.data = { ...this.UPDATE.data, [name]: value.val };
    } else this.#expression(name, value);
  }

  #expression(name: string, expression: Expression): void {
    assertElement(() => `${this.#call}.set(…)`, name, this.#shape);
    this.UPDATE.with = { ...this.UPDATE.with, [name]: expression };
  }
}

/** Values, expressions or operators by element. */
export type Assignments<T extends object> = { readonly [K in keyof T]?: InputValue<T[K]> | object };

/** `UPDATE(…)` and `UPDATE.entity(…)`. */
export interface Update {
  /** Starts with an entity whose name carries the type of its rows, and maybe a key. */
  <T extends object>(entity: EntityName<T>, ...key: readonly unknown[]): UpdateBuilder<T>;
  /** Starts with the entity and maybe a key. */
  (entity: EntityArgument, ...key: readonly unknown[]): UpdateBuilder;
  /** Starts with an entity whose name carries the type of its rows, and maybe a key. */
  entity<T extends object>(entity: EntityName<T>, ...key: readonly unknown[]): UpdateBuilder<T>;
  /** Starts with the entity and maybe a key. */
  entity(entity: EntityArgument, ...key: readonly unknown[]): UpdateBuilder;
}

/** Starts an UPDATE. */
export const UPDATE: Update = createUpdate();

/**
 * `UPDATE` with queries that run elsewhere.
 *
 * @param binding where the queries run; default: the primary database
 */
export function createUpdate(binding?: QueryBinding): Update {
  const start = (entity: EntityArgument, ...key: readonly unknown[]) =>
    started(new UpdateBuilder(binding)).entity(entity, ...key);
  return Object.assign(start, { entity: start }) as Update; // rows are what the name of the entity says
}

/** Texts that begin another assignment, behind a value, need no comma. */
function separated(arg: unknown, at: number): unknown {
  const begins = at > 0 && at % 2 === 0 && typeof arg === "string" &&
    /^\s*[\p{L}_$][\p{L}\w$.]*\s*(?:[+\-*/]|\|\|)?=\s*$/u.test(arg);
  return begins ? `, ${arg}` : arg;
}

function calculation(name: string, operator: string, tokens: readonly Xo[]): Expression {
  const right = tokens.length > 1 ? [{ xpr: tokens }] : tokens;
  return { xpr: [{ ref: name.split(".") }, operator.slice(0, -1), ...right] };
}

function single(tokens: readonly Xo[]): Expression {
  const [only] = tokens;
  return tokens.length === 1 && typeof only !== "string" ? only : { xpr: tokens };
}
