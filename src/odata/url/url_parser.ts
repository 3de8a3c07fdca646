/**
 * The grammar of query options (ABNF, section 2), the last part of the parser.
 *
 * @module
 */

import type {
  AliasAndValue,
  CustomQueryOption,
  ExpandItem,
  QueryOptions,
  SelectItem,
  TemporalExpr,
} from "./ast.ts";
import { ApplyParser } from "./apply_parser.ts";
import type { Token } from "./tokens.ts";
import * as T from "./tokens.ts";

type Mutable<O> = { -readonly [name in keyof O]: O[name] };

/** Query options while they are read. */
export type MutableOptions =
  & Omit<Mutable<QueryOptions>, "aliases" | "custom">
  & {
    aliases?: AliasAndValue[];
    custom?: CustomQueryOption[];
    offsets: Record<string, number>;
    valueOffsets?: Record<string, number>;
  };

const REF_OPTIONS = new Set(["filter", "search", "orderby", "skip", "top", "count"]);
const COUNT_OPTIONS = new Set(["filter", "search"]);
const STAR_OPTIONS = new Set(["levels"]);
const SELECT_OPTIONS = new Set(["filter", "search", "orderby", "skip", "top", "count", "compute", "select"]);

/** The whole grammar. */
export class UrlParser extends ApplyParser {
  // expand = ( "$expand" / "expand" ) EQ expandItem *( COMMA expandItem )
  /** The value of `$expand`. */
  expand(): ExpandItem[] {
    const items = [this.#expandItem()];
    while (this.accept(T.Comma)) items.push(this.#expandItem());
    return items;
  }

  // expandItem = "$value" / expandPath / optionallyQualifiedEntityTypeName "/" expandPath
  // expandPath = STAR [ ref / OPEN levels CLOSE ] / navigationProperty … [ ref [ OPEN … CLOSE ] / count [ OPEN … CLOSE ] / OPEN … CLOSE ]
  /** An item of `$expand`. */
  #expandItem(): ExpandItem {
    this.count();
    const first = this.take(T.ItemName);
    const path = [first.image];
    const item: Mutable<ExpandItem> = { kind: "expandItem", offset: this.at(first), path };
    while (this.accept(T.Slash)) {
      if (this.accept(T.DollarRef)) item.suffix = "$ref";
      else if (this.accept(T.DollarCount)) item.suffix = "$count";
      else path.push(this.take(T.ItemName).image);
    }
    if (!this.isNext(T.Open)) return item;
    item.options = this.optionsInParens();
    if (item.suffix === "$ref") this.#restrict(item.options, REF_OPTIONS);
    else if (item.suffix === "$count") this.#restrict(item.options, COUNT_OPTIONS);
    else if (path.at(-1) === "*") this.#restrict(item.options, STAR_OPTIONS);
    return item;
  }

  #restrict(options: QueryOptions, allowed: ReadonlySet<string>): void {
    for (const [name, offset] of Object.entries(options.offsets)) {
      if (!allowed.has(name)) {
        this.fail({
          offset,
          found: `$${name}`,
          expected: [...allowed].map((n) => `$${n}`).join(", "),
        });
      }
    }
  }

  // select = ( "$select" / "select" ) EQ selectItem *( COMMA selectItem )
  /** The value of `$select`. */
  select(): SelectItem[] {
    const items = [this.#selectItem()];
    while (this.accept(T.Comma)) items.push(this.#selectItem());
    return items;
  }

  // selectItem = STAR / allOperationsInSchema / selectProperty / optionallyQualifiedActionName / optionallyQualifiedFunctionName / …
  /** An item of `$select`. */
  #selectItem(): SelectItem {
    this.count();
    const first = this.take(T.ItemName);
    const offset = this.at(first);
    const path = [first.image];
    while (this.accept(T.Slash)) path.push(this.take(T.ItemName).image);
    if (!this.isNext(T.Open)) return { kind: "selectItem", offset, path };
    if (this.isSecond(T.Name)) {
      return { kind: "selectItem", offset, path, parameterNames: this.#parameterNames() };
    }
    const options = this.optionsInParens();
    this.#restrict(options, SELECT_OPTIONS);
    return { kind: "selectItem", offset, path, options };
  }

  // OPEN parameterNames CLOSE; parameterNames = parameterName *( COMMA parameterName )
  /** `(a,b)`. */
  #parameterNames(): string[] {
    this.take(T.Open);
    const names = [this.take(T.Name).image];
    while (this.accept(T.Comma)) names.push(this.take(T.Name).image);
    this.take(T.Close);
    return names;
  }

  // OPEN expandOption *( SEMI expandOption ) CLOSE
  /** Options between parentheses. */
  optionsInParens(): QueryOptions {
    this.enter();
    const options: MutableOptions = { offsets: {} };
    this.take(T.Open);
    do this.#queryOption(options); while (this.accept(T.Semi));
    this.take(T.Close);
    this.leave();
    return options;
  }

  // expandOption = expandRefOption / select / expand / compute / levels / aliasAndValue / apply / temporalOption
  /** Reads one option more. */
  #queryOption(options: MutableOptions): void {
    if (this.isNext(T.AliasEq)) return this.#alias(options);
    const token = this.next;
    if (token.type === T.NameEq || !this.isNext(T.NameEq)) this.unexpected("a query option");
    const name = optionName(token);
    const { offsets } = options;
    if (name in offsets) this.unexpected("each option once");
    offsets[name] = this.at(token);
    this.readToken();
    this.#optionValue(options, token);
  }

  #optionValue(options: MutableOptions, token: Token): void {
    switch (token.type) {
      case T.FilterEq:
        options.filter = this.commonExpr();
        return;
      case T.OrderbyEq:
        options.orderby = this.orderby();
        return;
      case T.SelectEq:
        options.select = this.select();
        return;
      case T.ExpandEq:
        options.expand = this.expand();
        return;
      case T.ComputeEq:
        options.compute = this.compute();
        return;
      case T.ApplyEq:
        options.apply = this.applyExpr();
        return;
      case T.SearchEq:
        options.search = this.searchText();
        return;
      case T.SearchQuotedEq: {
        const { offset, value } = this.primitiveLiteral();
        options.search = { kind: "searchPhrase", offset, text: String(value) };
        return;
      }
      case T.TopSkipEq: {
        const name = /top/i.test(token.image) ? "top" : "skip";
        (options.valueOffsets ??= {})[name] = this.at(this.next);
        options[name] = this.digits();
        return;
      }
      case T.CountEq:
        options.count = this.#count();
        return;
      case T.LevelsEq:
        options.levels = this.#levels();
        return;
      default:
        options.temporal = { ...options.temporal, [temporalName(token)]: this.temporal() };
    }
  }

  #count(): boolean {
    const text = this.next.image.toLowerCase();
    if (text !== "true" && text !== "false") this.unexpected('"true" or "false"');
    this.readToken();
    return text === "true";
  }

  // levels = ( "$levels" / "levels" ) EQ ( oneToNine *DIGIT / "max" )
  #levels(): number | "max" {
    const { image } = this.next;
    const isMax = image.toLowerCase() === "max";
    if (!isMax && !/^[1-9]\d{0,5}$/.test(image)) this.unexpected('a positive integer or "max"');
    this.readToken();
    return isMax ? "max" : Number(image);
  }

  // aliasAndValue = parameterAlias EQ valueInUrl
  #alias(options: MutableOptions): void {
    const token = this.next;
    const name = token.image.slice(1, -1);
    if (options.aliases?.some((other) => other.name === name)) this.unexpected("each option once");
    this.readToken();
    const value = this.valueInUrl();
    (options.aliases ??= []).push({ kind: "aliasAndValue", offset: this.at(token), name, value });
  }

  // temporalExpr = "min" / "max" / commonExpr
  /** The value of `$at` and its siblings. */
  temporal(): TemporalExpr {
    const expr = this.commonExpr();
    if (expr.kind === "memberExpr" && expr.root === undefined && expr.steps.length === 1) {
      const [step] = expr.steps;
      if (step.kind === "memberName" && (step.name === "min" || step.name === "max")) return step.name;
    }
    return expr;
  }
}

function optionName({ image }: Token): string {
  return image.slice(image[0] === "$" ? 1 : 0, -1).toLowerCase();
}

function temporalName(token: Token): "at" | "from" | "to" | "toInclusive" {
  const name = optionName(token);
  return name === "at" || name === "from" || name === "to" ? name : "toInclusive";
}
