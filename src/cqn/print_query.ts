/**
 * Queries and expressions as CQL text, for logs and messages.
 *
 * @module
 */

import type {
  Column,
  ColumnProperties,
  EntityRef,
  Expression,
  InsertBody,
  Limit,
  NestedColumn,
  OrderTerm,
  Query,
  RefStep,
  SelectBody,
  Source,
  ValueExpression,
  Xo,
} from "./cqn.ts";
import { stepName } from "./steps.ts";

/** How values are printed. */
export interface PrintOptions {
  /** `false` prints `?` in the place of every value, so that no data reaches a log. */
  readonly values?: boolean;
}

/**
 * How SQL on the table of an entity begins, with a blank at its end: the rest is put behind it.
 *
 * @param query any query
 */
export function sqlBegin(query: Query): string {
  const tableOf = (entity: EntityRef | Source): string =>
    typeof entity === "string"
      ? entity.replaceAll(".", "_")
      : printQueryName(entity).replaceAll(/[.:]/g, "_");
  if ("SELECT" in query) return `SELECT * FROM ${tableOf(query.SELECT.from)} `;
  if ("INSERT" in query) return `INSERT INTO ${tableOf(query.INSERT.into)} `;
  if ("UPDATE" in query) return `UPDATE ${tableOf(query.UPDATE.entity)} `;
  if ("DELETE" in query) return `DELETE FROM ${tableOf(query.DELETE.from)} `;
  return printQuery(query);
}

function printQueryName(source: Source): string {
  return "ref" in source ? source.ref.map(stepName).join(":") : "";
}

const IDENTIFIER = /^[$\p{L}_][$\w\p{L}]*(\.[$\p{L}_][$\w\p{L}]*)*$/u;

/**
 * A query as CQL.
 *
 * @param query any query
 * @param options how values are printed
 */
export function printQuery(query: Query, options: PrintOptions = {}): string {
  if ("SELECT" in query) return printSelect(query.SELECT, options);
  if ("SET" in query) {
    const { op, all, args, orderBy, limit } = query.SET;
    const parts = args.map((arg) => printQuery(arg, options));
    return clauses([
      parts.join(all ? ` ${op} all ` : ` ${op} `),
      orderBy && `order by ${list(orderBy, options, printOrder)}`,
      limit && printLimit(limit, options),
    ]);
  }
  if ("INSERT" in query) return `INSERT into ${printInsert(query.INSERT, options)}`;
  if ("UPSERT" in query) return `UPSERT into ${printInsert(query.UPSERT, options)}`;
  if ("DELETE" in query) {
    const { from, where } = query.DELETE;
    return clauses([
      `DELETE from ${printEntity(from, options)}`,
      where && `where ${printXo(where, options)}`,
    ]);
  }
  const { entity, data, with: expressions, where } = query.UPDATE;
  const assignments = [
    ...Object.entries(data ?? {}).map(([name, value]) => `${printName(name)} = ${printData(value, options)}`),
    ...Object.entries(expressions ?? {}).map(([name, value]) =>
      `${printName(name)} = ${printExpression(value, options)}`
    ),
  ];
  return clauses([
    `UPDATE ${printEntity(entity, options)}`,
    assignments.length > 0 && `set ${assignments.join(", ")}`,
    where && `where ${printXo(where, options)}`,
  ]);
}

/**
 * A flat expression array as CQL.
 *
 * @param tokens operands and operators
 * @param options how values are printed
 */
function printXo(tokens: readonly Xo[], options: PrintOptions = {}): string {
  return tokens.map((token) => typeof token === "string" ? token : printOperand(token, options)).join(" ");
}

/**
 * An expression as CQL.
 *
 * @param expression any expression
 * @param options how values are printed
 */
export function printExpression(expression: Expression, options: PrintOptions = {}): string {
  if ("val" in expression) return printValue(expression, options);
  if ("ref" in expression) {
    const path = expression.ref.map((step) => printStep(step, options)).join(".");
    return expression.param ? `:${path}` : path;
  }
  if ("func" in expression) {
    const { func, args, xpr } = expression;
    const call = `${func}(${args ? printArguments(args, options) : ""})`;
    return xpr ? `${call} ${printXo(xpr, options)}` : call;
  }
  if ("list" in expression) return `(${list(expression.list, options, printExpression)})`;
  if ("xpr" in expression) return printXo(expression.xpr, options);
  if ("#" in expression) return `#${expression["#"]}`;
  return `(${printQuery(expression, options)})`;
}

function printSelect(body: SelectBody, options: PrintOptions): string {
  const head = ["SELECT", body.one && "one", body.distinct && "distinct", "from"].filter(Boolean).join(" ");
  return clauses([
    `${head} ${printSource(body.from, options)}`,
    body.columns && `{ ${list(body.columns, options, printColumn)} }`,
    body.excluding && `excluding { ${body.excluding.map(printName).join(", ")} }`,
    body.where && `where ${printXo(body.where, options)}`,
    body.search && `search ${printXo(body.search, options)}`,
    body.groupBy && `group by ${list(body.groupBy, options, printExpression)}`,
    body.having && `having ${printXo(body.having, options)}`,
    body.orderBy && `order by ${list(body.orderBy, options, printOrder)}`,
    body.limit && printLimit(body.limit, options),
    body.forUpdate && "for update",
    body.forShareLock && "for share lock",
  ]);
}

function printSource(source: Source, options: PrintOptions): string {
  const alias = source.as ? ` as ${printName(source.as)}` : "";
  if (!("join" in source)) return printExpression(source, options) + alias;
  const args = source.args.map((arg) => printSource(arg, options)).join(` ${source.join} join `);
  return `(${args}${source.on ? ` on ${printXo(source.on, options)}` : ""})${alias}`;
}

function printColumn(column: Column, options: PrintOptions): string {
  if (column === "*") return "*";
  const { as, key, virtual, cast } = column as ColumnProperties;
  const modifiers = `${virtual ? "virtual " : ""}${key ? "key " : ""}`;
  const type = cast?.type === undefined
    ? ""
    : ` : ${typeof cast.type === "string" ? cast.type : cast.type.ref.join(":")}`;
  return `${modifiers}${printColumnBody(column, options)}${as ? ` as ${printName(as)}` : ""}${type}`;
}

function printColumnBody(column: Exclude<Column, "*">, options: PrintOptions): string {
  if (!("expand" in column || "inline" in column)) return printExpression(column as Expression, options);
  const { ref, expand, inline, where, orderBy, limit } = column as NestedColumn;
  const path = ref ? printExpression({ ref }, options) : "";
  const inner = list(expand ?? inline ?? [], options, printColumn);
  return clauses([
    `${path}${inline ? "." : " "}{ ${inner} }`.trimStart(),
    where && `where ${printXo(where, options)}`,
    orderBy && `order by ${list(orderBy, options, printOrder)}`,
    limit && printLimit(limit, options),
  ]);
}

function printStep(step: RefStep, options: PrintOptions): string {
  if (typeof step === "string") return printName(step);
  const args = Object.entries(step.args ?? {});
  const parameters = args.map(([name, value]) => `${printName(name)}: ${printExpression(value, options)}`);
  return printName(step.id) + (args.length > 0 ? `(${parameters.join(", ")})` : "") +
    (step.where ? `[${printXo(step.where, options)}]` : "");
}

function printArguments(
  args: readonly (Expression | "*")[] | Readonly<Record<string, Expression>>,
  options: PrintOptions,
): string {
  if (Array.isArray(args)) {
    return list(
      args as readonly (Expression | "*")[],
      options,
      (arg) => arg === "*" ? "*" : printExpression(arg, options),
    );
  }
  return Object.entries(args as Readonly<Record<string, Expression>>)
    .map(([name, value]) => `${printName(name)} => ${printExpression(value, options)}`).join(", ");
}

function printInsert(body: InsertBody, options: PrintOptions): string {
  const { into, entries, columns, values, rows, from } = body;
  return clauses([
    printEntity(into, options),
    columns && `(${columns.map(printName).join(", ")})`,
    entries && `entries ${printData(entries, options)}`,
    values && `values ${printData(values, options)}`,
    rows && `rows ${printData(rows, options)}`,
    from && printQuery(from, options),
  ]);
}

function printEntity(entity: EntityRef, options: PrintOptions): string {
  if (typeof entity === "string") return printName(entity);
  return printExpression(entity, options) + (entity.as ? ` as ${printName(entity.as)}` : "");
}

function printOrder(term: OrderTerm, options: PrintOptions): string {
  return clauses([printOperand(term, options), term.sort, term.nulls && `nulls ${term.nulls}`]);
}

function printLimit(limit: Limit, options: PrintOptions): string {
  return clauses([
    limit.rows && `limit ${printExpression(limit.rows, options)}`,
    limit.offset && `offset ${printExpression(limit.offset, options)}`,
  ]);
}

function printOperand(expression: Expression, options: PrintOptions): string {
  const text = printExpression(expression, options);
  return "xpr" in expression && !("func" in expression) ? `(${text})` : text;
}

function printValue({ val, literal }: ValueExpression, options: PrintOptions): string {
  if (options.values === false) return "?";
  if (literal && typeof val === "string") return `${literal}${quote(val)}`;
  if (Array.isArray(val)) return `(${val.map((entry) => printValue({ val: entry }, options)).join(", ")})`;
  if (val === null || typeof val === "number" || typeof val === "boolean" || typeof val === "bigint") {
    return String(val);
  }
  if (val instanceof Date) return `timestamp${quote(val.toISOString())}`;
  return val instanceof Uint8Array ? `binary(${val.length} bytes)` : quote(String(val));
}

function printData(data: unknown, options: PrintOptions): string {
  if (options.values === false) return "?";
  return JSON.stringify(data, (_, value) => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? `(${value.length} bytes)` : value;
  }) ?? "null";
}

function printName(name: string): string {
  return IDENTIFIER.test(name) || name === "*" || name === "?" || /^\d+$/.test(name)
    ? name
    : `![${name.replaceAll("]", "]]")}]`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function list<T>(
  values: readonly T[],
  options: PrintOptions,
  print: (value: T, options: PrintOptions) => string,
): string {
  return values.map((value) => print(value, options)).join(", ");
}

function clauses(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(" ");
}
