/**
 * Lowered queries as SQL text with bound values.
 *
 * @module
 */

import type {
  CastType,
  Expression,
  FunctionExpression,
  ListExpression,
  OrderTerm,
  RefExpression,
  SelectBody,
  SelectQuery,
  SetQuery,
  Source,
  ValueExpression,
  Xo,
} from "../../cqn/cqn.ts";
import { isBound } from "../passes/references.ts";
import { stepName } from "../passes/scope.ts";
import { isWide } from "../passes/wide.ts";
import { rowCount } from "../row_count.ts";
import { unknownFunction } from "../unknown_function.ts";
import { type Binding, bindingOf, isNumber, needsType, placeholderType, valueType } from "./binding.ts";
import { endOfOperand, isValues } from "./operands.ts";
import type { Dialect, ValueType } from "./dialect.ts";
import { RepeatedText } from "./repeated_text.ts";
import { COUNTS, OF_ANY_NUMBER, OPERATORS, UNSUPPORTED, WINDOW } from "./words.ts";

/** SQL text; drivers keep what they make of it by the identity of this object. */
export interface SqlText {
  readonly sql: string;
}

/** SQL text and the values of its placeholders in order. */
export interface RenderedSql extends SqlText {
  readonly bindings: readonly Binding[];
}

/** How a statement is written. */
export interface WriterOptions {
  /** Writes values into the text, as views need them. */
  readonly inline?: boolean;
  /** What is known of the values of parameters, by name. */
  readonly types?: Readonly<Record<string, ValueType>>;
}

/** Writes SQL; one for each statement. */
export class SqlWriter {
  readonly #dialect: Dialect;
  readonly #repeated: RepeatedText;
  readonly #inline: boolean;
  readonly #types: Readonly<Record<string, ValueType>>;
  readonly #bindings: Binding[] = [];
  #isWide = true;

  /**
   * @param dialect where databases differ
   * @param options values in the text, types of parameters
   */
  constructor(dialect: Dialect, options: WriterOptions = {}) {
    this.#dialect = dialect;
    this.#inline = options.inline === true;
    this.#repeated = new RepeatedText(this.#inline);
    this.#types = options.types ?? {};
  }

  /** The values bound so far. */
  get bindings(): readonly Binding[] {
    return this.#bindings;
  }

  /** The placeholder of a value. */
  bound(value: unknown): string {
    return this.#bind({ kind: "value", value });
  }

  /** A SELECT or set query. */
  query(query: SelectQuery | SetQuery): string {
    return "SELECT" in query ? this.select(query.SELECT) : this.#set(query.SET);
  }

  /** A SELECT. */
  select(body: SelectBody): string {
    const columns = (body.columns ?? []).map((column) =>
      this.#column(column as Expression & { as?: string })
    );
    let sql = `SELECT ${body.distinct ? "DISTINCT " : ""}${columns.join(", ")} FROM ${
      this.source(body.from)
    }`;
    if (body.where) sql += ` WHERE ${this.xo(body.where)}`;
    if (body.groupBy) sql += ` GROUP BY ${body.groupBy.map((term) => this.expression(term)).join(", ")}`;
    if (body.having) sql += ` HAVING ${this.xo(body.having)}`;
    return sql + this.#tail(body);
  }

  #set({ op, all, args, ...tail }: SetQuery["SET"]): string {
    const operator = ` ${op.toUpperCase()}${all ? " ALL" : ""} `;
    const parts = args.map((arg) => {
      const text = this.query(arg);
      const plain = "SELECT" in arg && !arg.SELECT.orderBy && !arg.SELECT.limit;
      return plain ? text : `SELECT * FROM (${text})`;
    });
    return parts.join(operator) + this.#tail(tail);
  }

  #tail({ orderBy, limit }: Pick<SelectBody, "orderBy" | "limit">): string {
    let sql = "";
    if (orderBy?.length) sql += ` ORDER BY ${orderBy.map((term) => this.#orderTerm(term)).join(", ")}`;
    if (limit) {
      const rows = limit.rows && this.#rowCount(limit.rows);
      const offset = limit.offset && this.#rowCount(limit.offset);
      sql += this.#dialect.limit(rows, offset);
    }
    return sql;
  }

  /** A bound of a limit; nothing where it is null. */
  #rowCount(bound: ValueExpression | RefExpression): string | undefined {
    if ("ref" in bound) return this.#ref(bound, { count: true });
    const val = rowCount(bound.val);
    return val === null ? undefined : this.#value({ ...bound, val });
  }

  #orderTerm({ sort, nulls, notNull, ...term }: OrderTerm & { readonly notNull?: boolean }): string {
    const direction = sort === "desc" ? " DESC" : "";
    // what is never null keeps the order of its index
    const place = nulls ? ` NULLS ${nulls.toUpperCase()}` : notNull ? "" : this.#dialect.nulls(sort ?? "asc");
    return `${this.expression(term as Expression)}${direction}${place}`;
  }

  #column({ as, ...expression }: Expression & { as?: string }): string {
    const text = this.expression(expression as Expression);
    if (as === undefined) return text;
    const ref = "ref" in expression && !("cast" in expression) && expression.ref.length === 2 &&
      expression.ref[1] === as;
    return ref ? text : `${text} AS ${quote(as)}`;
  }

  /** A source with its joins. */
  source(source: Source): string {
    if ("join" in source) {
      const [first, ...others] = source.args.map((arg, at) =>
        at > 0 && "join" in arg ? `(${this.source(arg)})` : this.source(arg)
      );
      const on = source.on ? ` ON ${this.xo(source.on)}` : "";
      return `${first} ${source.join.toUpperCase()} JOIN ${others.join(", ")}${on}`;
    }
    const as = source.as ? ` AS ${quote(source.as)}` : "";
    if ("ref" in source) {
      const [step] = source.ref;
      if (typeof step === "string" || !step.rows) return `${quote(stepName(step))}${as}`;
      const { $members } = this.#dialect.functions;
      return this.#positional([step.rows], (rows) => $members(rows, quote(source.as ?? "")));
    }
    return `(${this.query(source)})${as}`;
  }

  /** A flat expression array. */
  xo(tokens: readonly Xo[]): string {
    const parts: string[] = [];
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at];
      const next = tokens[at + 1];
      if (token === "in" && isValues(next)) {
        parts.push(this.#membership(next, false));
        at++;
      } else if (token === "not" && next === "in" && isValues(tokens[at + 2])) {
        parts.push(this.#membership(tokens[at + 2] as FunctionExpression, true));
        at += 2;
      } else if (token === "like" && typeof next === "object") {
        const end = endOfOperand(tokens, at + 1);
        const pattern = end === at + 2 ? this.expression(next) : `(${this.xo(tokens.slice(at + 1, end))})`;
        const escape = tokens[end] === "escape" ? tokens[end + 1] : undefined;
        const isEscaped = typeof escape === "object";
        parts.push(
          this.#operator(token),
          this.#dialect.like(pattern, isEscaped ? this.expression(escape) : undefined),
        );
        at = isEscaped ? end + 1 : end - 1;
      } else if (typeof token === "string") parts.push(this.#operator(token));
      else parts.push(next === "is" ? this.#typed(token) : this.expression(token));
    }
    return parts.join(" ");
  }

  #operator(token: string): string {
    const own = this.#dialect.operators[token];
    if (own !== undefined) return own;
    if (!OPERATORS.has(token)) throw new TypeError(`Unknown operator "${token}"`);
    return token.toUpperCase();
  }

  /** Membership in the values of bound arrays. */
  #membership({ args }: FunctionExpression, negated: boolean): string {
    const items = (args as readonly Expression[]).map((item): Binding =>
      "val" in item ? { kind: "value", value: item.val } : bindingOf(item as RefExpression)
    );
    const values: Binding = items.length === 1 ? { ...items[0]!, list: true } : { kind: "items", items };
    return this.#dialect.inList(this.#bind(values), negated);
  }

  /** One expression. */
  expression(expression: Expression): string {
    const { cast } = expression as { cast?: CastType };
    const type = typeof cast?.type === "string" ? this.#dialect.castType(cast.type) : undefined;
    const plain = this.#plain(expression);
    const text = type === undefined ? plain : `cast(${plain} as ${type})`;
    return isWide(expression) && this.#hasFewBits(expression) ? this.#dialect.wide?.(text) ?? text : text;
  }

  /** Whether a whole number may be one of fewer than 64 bits: other parameters have the type of what is beside them. */
  #hasFewBits(operand: Expression): boolean {
    if (!this.#isWide) return false;
    if ("val" in operand) return valueType(operand.val) === "integer";
    if (!("ref" in operand) || !isBound(operand)) return true;
    const binding = bindingOf(operand);
    return binding.kind === "param" && this.#types[binding.name] === "integer";
  }

  #plain(expression: Expression): string {
    if ("SELECT" in expression || "SET" in expression) return `(${this.query(expression)})`;
    if ("ref" in expression) return this.#ref(expression);
    if ("func" in expression) return this.#call(expression);
    if ("xpr" in expression) {
      const isArgument = expression.xpr[0] === "distinct" || expression.xpr.includes("order");
      return isArgument ? this.#window(expression.xpr) : `(${this.xo(expression.xpr)})`;
    }
    if ("list" in expression) return `(${expression.list.map((item) => this.expression(item)).join(", ")})`;
    if ("val" in expression) return this.#value(expression);
    throw new TypeError("An enum symbol has no value here");
  }

  #ref(expression: RefExpression, as: Pick<Binding, "count"> = {}): string {
    if (!isBound(expression)) return expression.ref.map((step) => quote(stepName(step))).join(".");
    const binding: Binding = { ...bindingOf(expression), ...as };
    return this.#bind(binding, placeholderType(binding, this.#types));
  }

  #bind(binding: Binding, type?: ValueType): string {
    if (this.#inline) throw new TypeError("A view cannot depend on values of a request");
    this.#bindings.push(binding);
    return this.#dialect.placeholder(this.#bindings.length - 1, type);
  }

  #value({ val, literal }: ValueExpression): string {
    if (val === null) return "NULL";
    if (literal === "name") return text(String(val));
    if (literal === "member") return text(this.#dialect.memberName(String(val)));
    if (!this.#inline && literal !== "number") {
      return this.#bind({ kind: "value", value: val }, valueType(val));
    }
    if (typeof val === "boolean") return this.#dialect.boolean(val);
    if (isNumber({ val, literal })) return String(val);
    return text(val instanceof Date ? val.toISOString() : String(val));
  }

  #call(call: FunctionExpression): string {
    const name = call.func.toLowerCase();
    const given = this.#dialect.argumentsOf?.(call) ?? (call.args ?? []) as readonly (Expression | "*")[];
    const render = (this.#inline ? this.#dialect.viewFunctions?.[name] : undefined) ??
      (call.xpr ? this.#dialect.windowFunctions?.[name] : undefined) ?? this.#dialect.functions[name];
    if (name === "now" && given.length === 0) return this.#bind({ kind: "variable", path: ["$now"] });
    if (!call.args && !render) return name.toUpperCase(); // current_date and the like
    if (name === "$json_array" && given.length > 1) return this.#orderedArray(given as readonly Expression[]);
    if (name === "$filtered") return this.#filtered(given as readonly Expression[]);
    if (/^\$(?:any|count|next)$/.test(name)) return this.#members(name, given as readonly Expression[]);
    const write = COUNTS.has(name) ? (arg: Expression) => this.#typed(arg) : undefined;
    const text = render && this.#positional(given, render, write);
    const over = call.xpr ? ` ${this.#window(call.xpr)}` : "";
    if (text !== undefined) return text + over;
    const rendered = this.#argumentsOf(name, given);
    if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`Unknown function "${call.func}"`);
    if (UNSUPPORTED.has(name)) throw unknownFunction(name);
    return `${name}(${rendered.join(", ")})${over}`;
  }

  /** Functions of the database itself may take integers of 32 bits only. */
  #argumentsOf(name: string, given: readonly (Expression | "*")[]): readonly string[] {
    const before = this.#isWide;
    if (!OF_ANY_NUMBER.has(name)) this.#isWide = false;
    const rendered = given.map((arg) => arg === "*" ? "*" : this.expression(arg));
    this.#isWide = before;
    return rendered;
  }

  #typed(arg: Expression): string {
    const text = this.expression(arg);
    return needsType(arg) ? this.#dialect.isNull(text) : text;
  }

  /** `$json_array(row, order)`: the rows of a group as JSON array. */
  #orderedArray([row, order]: readonly Expression[]): string {
    const { $json_array } = this.#dialect.functions;
    return this.#positional([row, order], $json_array, (arg) => {
      if (!("list" in arg)) return this.expression(arg);
      return ` ORDER BY ${arg.list.map((term) => this.#orderTerm(term as OrderTerm)).join(", ")}`;
    });
  }

  /** `$any(array, condition, alias)`, `$count(…)`; `$next(…, before)`: the first place behind one that is computed once. */
  #members(name: string, [array, condition, alias, before]: readonly Expression[]): string {
    const as = quote(String((alias as ValueExpression).val));
    const place = before ? `(select ${this.expression(before)} as "at") as "before", ` : "";
    const source = this.#positional([array], (text) => this.#dialect.functions.$members(text, as));
    const rows = `${place}${source} where (${this.expression(condition)})`;
    if (before) return `(select min(${as}."key") from ${rows} and ${as}."key" > "before"."at")`;
    return name === "$any" ? `exists (select 1 from ${rows})` : `(select count(*) from ${rows})`;
  }

  /**
   * `$filtered(array, condition, alias, order, limit, computed)`: the members that fulfil a condition, ordered, a part
   * of them; structures with what is computed of them, a JSON object.
   */
  #filtered([array, condition, alias, orderBy, limit, computed]: readonly Expression[]): string {
    const as = quote(String((alias as ValueExpression).val));
    const { functions } = this.#dialect;
    const json = this.#positional([array, ...computed ? [computed] : []], (text, object) => {
      const member = functions.$member_json(text, as);
      return object === undefined ? member : functions.$member_with(member, object);
    });
    const source = this.#positional([array], (text) => functions.$members(text, as));
    const where = this.expression(condition);
    const terms = (orderBy as ListExpression).list.map((term) => this.#orderTerm(term as OrderTerm));
    const [rows, offset] = (limit as ListExpression).list;
    const bound = (given: Expression) => isGiven(given) ? this.expression(given) : undefined;
    const page = this.#dialect.limit(bound(rows), bound(offset));
    const order = [...terms, `${as}."key"`].join(", ");
    const members = `select ${json} as "v" from ${source} where ${where} order by ${order}${page}`;
    return `(select ${functions.$member_array('"v"')} from (${members}) as "m")`;
  }

  /** Renderers may use an argument several times and in any order: each use binds its values anew. */
  #positional(
    given: readonly (Expression | "*")[],
    render: (...args: readonly string[]) => string,
    write: (arg: Expression) => string = (arg) => this.expression(arg),
  ): string {
    const marks = given.map((_, index) => `\ue000${index}\ue000`);
    const used = this.#repeated.watch();
    return render(...marks).replace(/\ue000(\d+)\ue000/g, (_, index) => {
      const arg = given[Number(index)];
      return used(index, arg === "*" ? "*" : write(arg));
    });
  }

  #window(tokens: readonly Xo[]): string {
    const order = tokens.findIndex((token) => token === "order" || token === "order by");
    const frame = tokens.findIndex((token) => token === "rows" || token === "range");
    return tokens.map((token, at) => {
      const isOrdered = order >= 0 && at > order && (frame < 0 || at < frame);
      return this.#windowToken(token) + (isOrdered ? this.#nullsAfter(token, tokens[at + 1]) : "");
    }).join(" ");
  }

  #windowToken(token: Xo): string {
    if (typeof token === "string") return WINDOW.has(token) ? token.toUpperCase() : this.xo([token]);
    return "xpr" in token && !("func" in token) ? `(${this.#window(token.xpr)})` : this.expression(token);
  }

  /** Where nulls stand, behind the last token of a term that does not say it. */
  #nullsAfter(token: Xo, next: Xo | undefined): string {
    const isSort = token === "asc" || token === "desc";
    if (typeof token === "string" && !isSort) return "";
    if (next !== undefined && next !== "," && next !== "rows" && next !== "range") return "";
    return this.#dialect.nulls(isSort ? token : "asc");
  }
}

/** Whether a bound of a limit is there. */
function isGiven(bound: Expression): boolean {
  return !("val" in bound && bound.val === null);
}

/** A quoted name. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
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
  query: SelectQuery | SetQuery,
  options: WriterOptions = {},
): RenderedSql {
  const writer = new SqlWriter(dialect, options);
  return { sql: writer.query(query), bindings: writer.bindings }; // the bindings are known when the text is
}
