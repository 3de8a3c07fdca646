/**
 * Lowered expressions as SQL text with bound values.
 *
 * @module
 */

import { functionRow } from "../../algebra/functions.ts";
import type {
  Call,
  Expr,
  FrameEnd,
  List,
  Literal,
  Membership,
  Reference,
  TreeOrder,
  TreeQuery,
  Window,
} from "../../algebra/tree.ts";
import { isTemporal } from "../../util/temporal_text.ts";
import { unknownFunction } from "../statement_errors.ts";
import { type Binding, bindingOf, isNumber, needsType, placeholderType, valueType } from "./binding.ts";
import type { Dialect, ValueType } from "./dialect.ts";
import { EqualTexts, precedenceOf, PRIMARY, RepeatedText } from "./equal_texts.ts";
import { stepName } from "../../cqn/steps.ts";

/** How a statement is written. */
export interface WriterOptions {
  /** Writes values into the text, as views need them. */
  readonly inline?: boolean;
  /** What is known of the values of parameters, by name. */
  readonly types?: Readonly<Record<string, ValueType>>;
  /** Whether attributes of the user that elements are compared with have one value each. */
  readonly isOfOne?: boolean;
}

/** Writes expressions as SQL; one for each statement. */
export abstract class ExpressionWriter {
  protected readonly dialect: Dialect;
  readonly #repeated: RepeatedText;
  readonly #inline: boolean;
  readonly #isOfOne: boolean;
  readonly #types: Readonly<Record<string, ValueType>>;
  readonly #bindings: Binding[] = [];
  #isWide = true;
  /** Where equal expressions must have the same text. */
  #equal: EqualTexts | undefined;

  /**
   * @param dialect where databases differ
   * @param options values in the text, types of parameters
   */
  constructor(dialect: Dialect, options: WriterOptions = {}) {
    this.dialect = dialect;
    this.#inline = options.inline === true;
    this.#isOfOne = options.isOfOne === true;
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
  abstract query(query: TreeQuery): string;

  /** The terms of an order. */
  protected order(terms: readonly TreeOrder[]): string {
    return terms.map((term) => {
      const { sort, nulls, notNull } = term;
      const direction = sort === "desc" ? " DESC" : "";
      // what is never null keeps the order of its index
      const place = nulls
        ? ` NULLS ${nulls.toUpperCase()}`
        : notNull
        ? ""
        : this.dialect.nulls(sort ?? "asc");
      return `${this.expression(term)}${direction}${place}`;
    }).join(", ");
  }

  /** An expression, which binds as strongly as the place asks for. */
  protected operand(expression: Expr, least: number): string {
    const text = this.expression(expression);
    return precedenceOf(expression) < least ? `(${text})` : text;
  }

  /** One expression. */
  expression(expression: Expr): string {
    const known = this.#bindings.length;
    const own = this.#plain(expression);
    const text = this.#equal && expression.kind !== "list" ? this.#equal.textOf(own, known) : own;
    return expression.wide && this.#hasFewBits(expression) ? this.dialect.wide?.(text) ?? text : text;
  }

  /** Writes a part of the statement in which databases compare expressions, as those of groups with those of columns. */
  protected withEqualTexts(write: () => string): string {
    if (!this.dialect.comparesTexts || this.#equal) return write();
    this.#equal = new EqualTexts(this.#bindings);
    try {
      return write();
    } finally {
      this.#equal = undefined;
    }
  }

  /** Whether a whole number may be one of fewer than 64 bits: other parameters have the type of what is beside them. */
  #hasFewBits(operand: Expr): boolean {
    if (!this.#isWide) return false;
    if (operand.kind === "literal") return valueType(operand.val) === "integer";
    if (operand.kind === "variable") return false;
    return operand.kind !== "parameter" || this.#types[operand.name] === "integer";
  }

  #plain(expression: Expr): string {
    const own = precedenceOf(expression);
    switch (expression.kind) {
      case "select":
      case "set":
        return `(${this.query(expression)})`;
      case "reference":
        return this.#ref(expression);
      case "parameter":
      case "variable":
        return this.given(bindingOf(expression));
      case "call":
        return expression.distinct && expression.orderBy
          ? this.withEqualTexts(() => this.#call(expression))
          : this.#call(expression);
      case "list":
        return `(${expression.list.map((item) => this.expression(item)).join(", ")})`;
      case "literal":
        return this.value(expression);
      case "cast": {
        const { type } = expression.cast;
        const to = typeof type === "string" ? this.dialect.castType(type) : undefined;
        return to === undefined
          ? this.operand(expression.arg, PRIMARY)
          : `cast(${this.expression(expression.arg)} as ${to})`;
      }
      case "unary":
        return `${this.#operator(expression.op)} ${this.operand(expression.arg, own)}`;
      case "arithmetic":
        return `${this.operand(expression.left, own)} ${expression.op} ${
          this.operand(expression.right, own + 1)
        }`;
      case "comparison": {
        const { left, op } = expression;
        const isTest = op === "is" || op === "is not";
        const side = isTest && needsType(left) ? this.#typed(left, true) : this.operand(left, own + 1);
        return `${side} ${this.#operator(op)} ${this.operand(expression.right, own + 1)}`;
      }
      case "joined": {
        // databases disagree about how strongly `||` binds
        const least = expression.op === "||" ? PRIMARY : own + 1;
        return expression.args.map((arg) => this.operand(arg, least)).join(
          ` ${this.#operator(expression.op)} `,
        );
      }
      case "in":
        return this.#membership(expression, own);
      case "like":
      case "between":
      case "case":
        return this.#words(expression, own);
      case "exists":
        return `EXISTS ${this.expression(expression.arg)}`;
    }
    throw new TypeError("An enum symbol has no value here");
  }

  #words(expression: Extract<Expr, { kind: "like" | "between" | "case" }>, own: number): string {
    if (expression.kind === "case") {
      const { subject, branches, otherwise } = expression;
      const when = branches.map(({ when, then }) =>
        ` WHEN ${this.expression(when)} THEN ${this.expression(then)}`
      );
      return `CASE${subject ? ` ${this.expression(subject)}` : ""}${when.join("")}${
        otherwise ? ` ELSE ${this.expression(otherwise)}` : ""
      } END`;
    }
    const left = `${this.operand(expression.left, own + 1)}${expression.negated ? " NOT" : ""}`;
    if (expression.kind === "between") {
      return `${left} BETWEEN ${this.operand(expression.low, own + 1)} AND ${
        this.operand(expression.high, own + 1)
      }`;
    }
    const pattern = this.operand(expression.pattern, PRIMARY);
    const escape = expression.escape && this.expression(expression.escape);
    return `${left} ${this.#operator("like")} ${this.dialect.like(pattern, escape)}`;
  }

  #operator(word: string): string {
    return this.dialect.operators[word] ?? word.toUpperCase();
  }

  /** Membership, also in the values of bound arrays. */
  #membership({ left, right, negated }: Membership, own: number): string {
    const side = this.operand(left, own + 1);
    if (right.kind !== "call" || right.func !== "$values") {
      const text = this.expression(right);
      const isList = right.kind === "list" || right.kind === "select" || right.kind === "set";
      return `${side} ${negated ? "NOT " : ""}IN ${isList ? text : `(${text})`}`;
    }
    const items = (right.args as readonly Expr[]).map((item): Binding =>
      item.kind === "literal"
        ? { kind: "value", value: item.val }
        : bindingOf(item as Parameters<typeof bindingOf>[0]) // passes gather values only
    );
    const [first] = items;
    if (this.#isOfOne && items.length === 1 && first!.kind === "variable") {
      return `${side} ${negated ? "<>" : "="} ${this.#bind(first!)}`;
    }
    const values: Binding = items.length === 1 ? { ...first!, list: true } : { kind: "items", items };
    return `${side} ${this.dialect.inList(this.#bind(values), negated)}`;
  }

  #ref({ ref }: Reference): string {
    return ref.map((step) => quote(stepName(step))).join(".");
  }

  /** The placeholder of a parameter or pseudo variable. */
  protected given(binding: Binding): string {
    return this.#bind(binding, placeholderType(binding, this.#types));
  }

  #bind(binding: Binding, type?: ValueType): string {
    if (this.#inline) throw new TypeError("A view cannot depend on values of a request");
    this.#bindings.push(binding);
    return this.dialect.placeholder(this.#bindings.length - 1, type);
  }

  protected value({ val, literal }: Literal): string {
    if (val === null) return "NULL";
    if (literal === "name") return text(String(val));
    if (literal === "member") return text(this.dialect.memberName(String(val)));
    if (!this.#inline && literal !== "number") {
      return this.#bind({ kind: "value", value: val }, valueType(val));
    }
    if (typeof val === "boolean") return this.dialect.boolean(val);
    if (isNumber({ val, literal })) return String(val);
    return text(val instanceof Date ? val.toISOString() : String(val));
  }

  #call(call: Call): string {
    const name = call.func.toLowerCase();
    const given = this.dialect.argumentsOf?.(call) ?? call.args ?? [];
    const render = (this.#inline ? this.dialect.viewFunctions?.[name] : undefined) ??
      (call.over ? this.dialect.windowFunctions?.[name] : undefined) ?? this.dialect.functions[name];
    if (name === "now" && given.length === 0) return this.#now();
    if (!call.args && !render) return name.toUpperCase(); // current_date and the like
    const args = given as readonly Expr[]; // the star is an argument of `count` only
    if (name === "$json_array" && given.length > 1) return this.#orderedArray(args);
    if (name === "$filtered") return this.#filtered(args);
    if (/^\$(?:any|count|next)$/.test(name)) return this.#members(name, args);
    const write = this.#argumentWriter(name, call);
    const text = render && this.positional(given, render, write);
    const over = call.over ? ` OVER (${this.#window(call.over)})` : "";
    if (text !== undefined) return text + over;
    const rendered = this.#argumentsOf(name, given, write);
    if (!/^[a-z_][a-z0-9_]*$/.test(name)) throw new TypeError(`Unknown function "${call.func}"`);
    if (functionRow(name)?.engines?.length === 0) throw unknownFunction(name);
    return `${name}(${rendered.join(", ")})${over}`;
  }

  /** The time of the request; functions of instants ask for its type. */
  #now(): string {
    return this.#as(this.#bind({ kind: "variable", path: ["$now"] }), "cds.Timestamp");
  }

  #as(bound: string, type: string): string {
    const to = this.dialect.castType(type);
    return to === undefined ? bound : `cast(${bound} as ${to})`;
  }

  /** Writes arguments, those of aggregates with `distinct` in front and their order behind. */
  #argumentWriter(name: string, { args, distinct, orderBy }: Call): (arg: Expr) => string {
    const plain = (arg: Expr) => this.#typed(arg, functionRow(name)?.takesAny);
    if (!distinct && !orderBy) return plain;
    return (arg) =>
      `${distinct && arg === args?.[0] ? "DISTINCT " : ""}${plain(arg)}${
        orderBy && arg === args?.at(-1) ? ` ORDER BY ${this.order(orderBy)}` : ""
      }`;
  }

  /** Functions of the database itself may take integers of 32 bits only. */
  #argumentsOf(
    name: string,
    given: readonly (Expr | "*")[],
    write: (arg: Expr) => string,
  ): readonly string[] {
    const before = this.#isWide;
    if (!functionRow(name)?.takesNumbers) this.#isWide = false;
    const rendered = given.map((arg) => arg === "*" ? "*" : write(arg));
    this.#isWide = before;
    return rendered;
  }

  /** Which function is meant may follow from the type of a day or time. */
  #typed(arg: Expr, takesAny: boolean | undefined): string {
    const text = this.operand(arg, PRIMARY);
    if (takesAny && needsType(arg)) return this.dialect.isNull(text);
    return needsType(arg) && isTemporal(arg.type) ? this.#as(text, arg.type) : text;
  }

  /** `$json_array(row, order)`: the rows of a group as JSON array. */
  #orderedArray([row, order]: readonly Expr[]): string {
    const { $json_array } = this.dialect.functions;
    return this.positional([row, order], $json_array, (arg) => {
      return arg.kind === "list" ? ` ORDER BY ${this.order(arg.list)}` : this.expression(arg);
    });
  }

  /** `$any(array, condition, alias)`, `$count(…)`; `$next(…, before)`: the first place behind one that is computed once. */
  #members(name: string, [array, condition, alias, before]: readonly Expr[]): string {
    const as = quote(String((alias as Literal).val));
    const place = before ? `(select ${this.expression(before)} as "at") as "before", ` : "";
    const source = this.positional([array], (text) => this.dialect.functions.$members(text, as));
    const rows = `${place}${source} where (${this.expression(condition)})`;
    if (before) return `(select min(${as}."key") from ${rows} and ${as}."key" > "before"."at")`;
    return name === "$any" ? `exists (select 1 from ${rows})` : `(select count(*) from ${rows})`;
  }

  /**
   * `$filtered(array, condition, alias, order, limit, computed)`: the members that fulfil a condition, ordered, a part
   * of them; structures with what is computed of them, a JSON object.
   */
  #filtered([array, condition, alias, orderBy, limit, computed]: readonly Expr[]): string {
    const as = quote(String((alias as Literal).val));
    const { functions } = this.dialect;
    const json = this.positional([array, ...computed ? [computed] : []], (text, object) => {
      const member = functions.$member_json(text, as);
      return object === undefined ? member : functions.$member_with(member, object);
    });
    const source = this.positional([array], (text) => functions.$members(text, as));
    const where = this.expression(condition);
    const { list: terms } = orderBy as List;
    const [rows, offset] = (limit as List).list;
    // values are bound in the order in which the text has them
    const order = [...terms.length > 0 ? [this.order(terms)] : [], `${as}."key"`].join(", ");
    const bound = (given: Expr) => isGiven(given) ? this.expression(given) : undefined;
    const page = this.dialect.limit(bound(rows), bound(offset));
    const members = `select ${json} as "v" from ${source} where ${where} order by ${order}${page}`;
    return `(select ${functions.$member_array('"v"')} from (${members}) as "m")`;
  }

  /** Renderers may use an argument several times and in any order: each use binds its values anew. */
  protected positional(
    given: readonly (Expr | "*")[],
    render: (...args: readonly string[]) => string,
    write: (arg: Expr) => string = (arg) => this.operand(arg, PRIMARY),
  ): string {
    const marks = given.map((_, index) => `\ue000${index}\ue000`);
    const used = this.#repeated.watch();
    return render(...marks).replace(/\ue000(\d+)\ue000/g, (_, index) => {
      const arg = given[Number(index)];
      return used(index, arg === "*" ? "*" : write(arg));
    });
  }

  #window({ partitionBy, orderBy, frame }: Window): string {
    const partition = partitionBy.map((one) => this.expression(one)).join(", ");
    const parts = [
      ...(partitionBy.length > 0 ? [`PARTITION BY ${partition}`] : []),
      ...(orderBy.length > 0 ? [`ORDER BY ${this.order(orderBy)}`] : []),
    ];
    if (frame) {
      const from = this.#frameEnd(frame.from);
      const rows = frame.to ? `BETWEEN ${from} AND ${this.#frameEnd(frame.to)}` : from;
      parts.push(`${frame.measure.toUpperCase()} ${rows}`);
    }
    return parts.join(" ");
  }

  #frameEnd(end: FrameEnd): string {
    if (end.end === "current") return "CURRENT ROW";
    return `${end.distance ? this.expression(end.distance) : "UNBOUNDED"} ${end.end.toUpperCase()}`;
  }
}

/** Whether a bound of a limit is there. */
function isGiven(bound: Expr): boolean {
  return !(bound.kind === "literal" && bound.val === null);
}

/** A quoted name. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
