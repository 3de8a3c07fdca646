/**
 * Lowered queries as SQL text with bound values.
 *
 * @module
 */

import { isBound } from "../../algebra/build.ts";
import type { Expr, TreeBody, TreeColumn, TreeQuery, TreeSet, TreeSource } from "../../algebra/tree.ts";
import { rowCount } from "../bind_values.ts";
import { type Binding, bindingOf } from "./binding.ts";
import type { Dialect } from "./dialect.ts";
import { ExpressionWriter, quote, type WriterOptions } from "./render_expression.ts";
import { stepName } from "../../cqn/steps.ts";

export { quote, type WriterOptions };

/** SQL text; drivers keep what they make of it by the identity of this object. */
export interface SqlText {
  readonly sql: string;
}

/** SQL text and the values of its placeholders in order. */
export interface RenderedSql extends SqlText {
  readonly bindings: readonly Binding[];
}

/** Writes SQL; one for each statement. */
export class SqlWriter extends ExpressionWriter {
  /** A SELECT or set query. */
  query(query: TreeQuery): string {
    return query.kind === "select" ? this.select(query.SELECT) : this.#set(query.SET);
  }

  /** A SELECT. */
  select(body: TreeBody): string {
    return body.groupBy || body.distinct ? this.withEqualTexts(() => this.#select(body)) : this.#select(body);
  }

  #select(body: TreeBody): string {
    const columns = (body.columns ?? []).map((column) => this.#column(column));
    let sql = `SELECT ${body.distinct ? "DISTINCT " : ""}${columns.join(", ")} FROM ${
      this.source(body.from)
    }`;
    if (body.where) sql += ` WHERE ${this.expression(body.where)}`;
    if (body.groupBy) sql += ` GROUP BY ${this.#groups(body.groupBy)}`;
    if (body.having) sql += ` HAVING ${this.expression(body.having)}`;
    return sql + this.#tail(body);
  }

  /** Constants make no groups, but that there is one where there are rows. */
  #groups(terms: readonly Expr[]): string {
    const others = terms.filter((term) => !isConstant(term));
    return others.length > 0
      ? others.map((term) => this.expression(term)).join(", ")
      : this.dialect.isNull("NULL");
  }

  #set({ op, all, args, ...tail }: TreeSet["SET"]): string {
    const operator = ` ${op.toUpperCase()}${all ? " ALL" : ""} `;
    const parts = args.map((arg) => {
      const text = this.query(arg);
      const plain = arg.kind === "select" && !arg.SELECT.orderBy && !arg.SELECT.limit;
      return plain ? text : `SELECT * FROM (${text})`;
    });
    return parts.join(operator) + this.#tail(tail);
  }

  #tail({ orderBy, limit }: Pick<TreeBody, "orderBy" | "limit">): string {
    let sql = "";
    const terms = orderBy?.filter((term) => !isConstant(term));
    if (terms?.length) sql += ` ORDER BY ${this.order(terms)}`;
    if (limit) {
      const rows = limit.rows && this.#rowCount(limit.rows);
      const offset = limit.offset && this.#rowCount(limit.offset);
      sql += this.dialect.limit(rows, offset);
    }
    return sql;
  }

  /** A bound of a limit; nothing where it is null. */
  #rowCount(bound: Expr): string | undefined {
    if (bound.kind !== "literal") {
      return isBound(bound) ? this.given({ ...bindingOf(bound), count: true }) : this.expression(bound);
    }
    const val = rowCount(bound.val);
    return val === null ? undefined : this.value({ ...bound, val });
  }

  #column(column: TreeColumn): string {
    if (column === "*" || column.kind === "nested") {
      throw new TypeError("A lowered query has expressions only");
    }
    const text = this.expression(column);
    const { as } = column;
    if (as === undefined) return text;
    const isName = column.kind === "reference" && column.ref.length === 2 && column.ref[1] === as;
    return isName ? text : `${text} AS ${quote(as)}`;
  }

  /** A source with its joins. */
  source(source: TreeSource): string {
    if (source.kind === "join") {
      const [first, ...others] = source.args.map((arg, at) =>
        at > 0 && arg.kind === "join" ? `(${this.source(arg)})` : this.source(arg)
      );
      const on = source.on ? ` ON ${this.expression(source.on)}` : "";
      return `${first} ${source.join.toUpperCase()} JOIN ${others.join(", ")}${on}`;
    }
    const as = source.as ? ` AS ${quote(source.as)}` : "";
    if (source.kind !== "reference") return `(${this.query(source)})${as}`;
    const [step] = source.ref;
    if (typeof step !== "object" || !step.rows) return `${quote(stepName(step!))}${as}`;
    const { $members } = this.dialect.functions;
    return this.positional([step.rows], (rows) => $members(rows, quote(source.as ?? "")));
  }
}

/** Values are the same for all rows; as terms, databases take some of them for the numbers of columns. */
function isConstant(term: Expr): boolean {
  return term.kind === "literal" || isBound(term);
}

/**
 * Renders a lowered query.
 *
 * @param dialect where databases differ
 * @param query the query, lowered
 * @param options values in the text, types of parameters
 */
export function renderQuery(
  dialect: Dialect,
  query: TreeQuery,
  options: WriterOptions = {},
): RenderedSql {
  const writer = new SqlWriter(dialect, options);
  return { sql: writer.query(query), bindings: writer.bindings }; // the bindings are known when the text is
}
