/**
 * The grammar of query options (ABNF, section 2), the last part of the parser.
 *
 * @module
 */

import type { IToken, ParserMethod } from "chevrotain";
import type {
  AliasAndValue,
  CommonExpr,
  CustomQueryOption,
  ExpandItem,
  QueryOptions,
  SelectItem,
  TemporalExpr,
} from "./ast.ts";
import { ApplyGrammar } from "./apply_grammar.ts";
import { QUERY_OPTION, type Rule } from "./base_grammar.ts";
import type { Limits } from "../../config/limits.ts";
import { type LexerMode, tokenize } from "./lexer.ts";
import type { Piece } from "./split_url.ts";
import { syntaxError } from "./syntax_error.ts";
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

const BOOLEAN = '"true" or "false"';
const LEVELS = 'a positive integer or "max"';

/** The whole grammar. */
export class UrlParser extends ApplyGrammar {
  /** @param skipValidations false to have the grammar checked, which a test does */
  constructor(skipValidations = true) {
    super(skipValidations);
    this.performSelfAnalysis();
  }

  // expand = ( "$expand" / "expand" ) EQ expandItem *( COMMA expandItem )
  /** The value of `$expand`. */
  readonly expand: Rule<ExpandItem[]> = this.RULE("expand", (): ExpandItem[] => {
    const items = [this.SUBRULE(this.expandItem)];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      items.push(this.SUBRULE1(this.expandItem));
    });
    return items;
  });

  // expandItem = "$value" / expandPath / optionallyQualifiedEntityTypeName "/" expandPath
  // expandPath = STAR [ ref / OPEN levels CLOSE ] / navigationProperty … [ ref [ OPEN … CLOSE ] / count [ OPEN … CLOSE ] / OPEN … CLOSE ]
  /** An item of `$expand`. */
  readonly expandItem: Rule<ExpandItem> = this.RULE("expandItem", (): ExpandItem => {
    this.count();
    const first = this.CONSUME(T.ItemName);
    const path = [first.image];
    const item: Mutable<ExpandItem> = { offset: this.at(first), path };
    this.MANY(() => {
      this.CONSUME(T.Slash);
      this.OR({
        DEF: [
          { ALT: () => void (item.suffix = this.CONSUME(T.DollarRef) && "$ref") },
          { ALT: () => void (item.suffix = this.CONSUME(T.DollarCount) && "$count") },
          { ALT: () => void path.push(this.CONSUME1(T.ItemName).image) },
        ],
        ERR_MSG: T.ItemName.LABEL,
      });
    });
    const options = this.OPTION(() => this.SUBRULE(this.optionsInParens));
    if (options === undefined) return item;
    item.options = options;
    this.ACTION(() => {
      if (item.suffix === "$ref") this.#restrict(options, REF_OPTIONS);
      else if (item.suffix === "$count") this.#restrict(options, COUNT_OPTIONS);
      else if (path.at(-1) === "*") this.#restrict(options, STAR_OPTIONS);
    });
    return item;
  });

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
  readonly select: Rule<SelectItem[]> = this.RULE("select", (): SelectItem[] => {
    const items = [this.SUBRULE(this.selectItem)];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      items.push(this.SUBRULE1(this.selectItem));
    });
    return items;
  });

  // selectItem = STAR / allOperationsInSchema / selectProperty / optionallyQualifiedActionName / optionallyQualifiedFunctionName / …
  /** An item of `$select`. */
  readonly selectItem: Rule<SelectItem> = this.RULE("selectItem", (): SelectItem => {
    this.count();
    const first = this.CONSUME(T.ItemName);
    const item: Mutable<SelectItem> = { offset: this.at(first), path: [first.image] };
    this.MANY(() => {
      this.CONSUME(T.Slash);
      item.path = [...item.path, this.CONSUME1(T.ItemName).image];
    });
    this.OPTION(() =>
      this.OR({
        DEF: [
          {
            GATE: () => this.isSecond(T.Name),
            ALT: () => void (item.parameterNames = this.SUBRULE(this.parameterNames)),
          },
          {
            ALT: () => {
              const options = item.options = this.SUBRULE(this.optionsInParens);
              this.ACTION(() => this.#restrict(options, SELECT_OPTIONS));
            },
          },
        ],
        IGNORE_AMBIGUITIES: true,
      })
    );
    return item;
  });

  // OPEN parameterNames CLOSE; parameterNames = parameterName *( COMMA parameterName )
  /** `(a,b)`. */
  readonly parameterNames: Rule<string[]> = this.RULE("parameterNames", (): string[] => {
    this.CONSUME(T.Open);
    const names = [this.CONSUME(T.Name).image];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      names.push(this.CONSUME1(T.Name).image);
    });
    this.CONSUME(T.Close);
    return names;
  });

  // OPEN expandOption *( SEMI expandOption ) CLOSE
  /** Options between parentheses. */
  override readonly optionsInParens: Rule<QueryOptions> = this.RULE("optionsInParens", (): QueryOptions => {
    this.enter();
    const options: MutableOptions = { offsets: {} };
    this.CONSUME(T.Open);
    this.SUBRULE(this.expandOption, { ARGS: [options] });
    this.MANY(() => {
      this.CONSUME(T.Semi);
      this.SUBRULE1(this.expandOption, { ARGS: [options] });
    });
    this.CONSUME(T.Close);
    this.leave();
    return options;
  });

  // expandOption = expandRefOption / select / expand / compute / levels / aliasAndValue / apply / temporalOption
  /** Reads one option more. */
  readonly expandOption: ParserMethod<[MutableOptions], void> = this.RULE(
    "expandOption",
    (options: MutableOptions = { offsets: {} }) => {
      this.OR({
        DEF: [
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.FilterEq));
              options.filter = this.SUBRULE(this.commonExpr);
            },
          },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.OrderbyEq));
              options.orderby = this.SUBRULE(this.orderby);
            },
          },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.SelectEq));
              options.select = this.SUBRULE(this.select);
            },
          },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.ExpandEq));
              options.expand = this.SUBRULE(this.expand);
            },
          },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.ComputeEq));
              options.compute = this.SUBRULE(this.compute);
            },
          },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.ApplyEq));
              options.apply = this.SUBRULE(this.applyExpr);
            },
          },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.SearchEq));
              // nothing to search for: all rows
              this.OPTION(() => options.search = this.SUBRULE(this.searchText));
            },
          },
          { ALT: () => this.SUBRULE(this.quotedSearch, { ARGS: [options] }) },
          { ALT: () => this.SUBRULE(this.topSkip, { ARGS: [options] }) },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.CountEq));
              options.count = this.SUBRULE(this.booleanValue);
            },
          },
          {
            ALT: () => {
              this.#once(options, this.CONSUME(T.LevelsEq));
              options.levels = this.SUBRULE(this.levels);
            },
          },
          { ALT: () => this.SUBRULE(this.temporalOption, { ARGS: [options] }) },
          { ALT: () => this.SUBRULE(this.aliasAndValue, { ARGS: [options] }) },
        ],
        ERR_MSG: QUERY_OPTION,
      });
    },
  );

  /** Notes where an option stands, which may stand once. */
  #once({ offsets }: MutableOptions, token: IToken): string {
    const name = optionName(token);
    this.ACTION(() => {
      if (name in offsets) this.failAt(token, "each option once");
      offsets[name] = this.at(token);
    });
    return name;
  }

  // search = ( "$search" / "search" ) EQ searchExpr-incomplete
  readonly quotedSearch: ParserMethod<[MutableOptions], void> = this.RULE(
    "quotedSearch",
    (options: MutableOptions = { offsets: {} }) => {
      this.#once(options, this.CONSUME(T.SearchQuotedEq));
      const { offset, value } = this.SUBRULE(this.primitiveLiteral);
      options.search = { kind: "searchPhrase", offset, text: String(value) };
    },
  );

  // temporalOption = ( "$at" / "$from" / "$to" / "$toInclusive" ) EQ temporalExpr
  readonly temporalOption: ParserMethod<[MutableOptions], void> = this.RULE(
    "temporalOption",
    (options: MutableOptions = { offsets: {} }) => {
      const name = this.#once(options, this.CONSUME(T.TemporalEq));
      const value = this.SUBRULE(this.temporal);
      options.temporal = { ...options.temporal, [temporalName(name)]: value };
    },
  );

  // top = ( "$top" / "top" ) EQ 1*DIGIT; skip likewise
  readonly topSkip: ParserMethod<[MutableOptions], void> = this.RULE(
    "topSkip",
    (options: MutableOptions = { offsets: {} }) => {
      const name = this.#once(options, this.CONSUME(T.TopSkipEq)) === "top" ? "top" : "skip";
      (options.valueOffsets ??= {})[name] = this.at(this.LA(1));
      options[name] = this.SUBRULE(this.digits);
    },
  );

  // booleanValue = "true" / "false"
  readonly booleanValue: Rule<boolean> = this.RULE("booleanValue", (): boolean => {
    const token = this.CONSUME(T.WordLiteral, { ERR_MSG: BOOLEAN });
    return this.ACTION(() => {
      const text = token.image.toLowerCase();
      return text === "true" || (text !== "false" && this.failAt(token, BOOLEAN));
    });
  });

  // levels = ( "$levels" / "levels" ) EQ ( oneToNine *DIGIT / "max" )
  readonly levels: Rule<number | "max"> = this.RULE("levels", (): number | "max" => {
    const token = this.OR({
      DEF: [{ ALT: () => this.CONSUME(T.NumberLiteral) }, { ALT: () => this.CONSUME(T.QName) }],
      ERR_MSG: LEVELS,
    });
    return this.ACTION(() => {
      const { image } = token;
      if (image.toLowerCase() === "max") return "max";
      return /^[1-9]\d{0,5}$/.test(image) ? Number(image) : this.failAt(token, LEVELS);
    });
  });

  // aliasAndValue = parameterAlias EQ valueInUrl
  readonly aliasAndValue: ParserMethod<[MutableOptions], void> = this.RULE(
    "aliasAndValue",
    (options: MutableOptions = { offsets: {} }) => {
      const token = this.CONSUME(T.AliasEq);
      const name = token.image.slice(1, -1);
      this.ACTION(() => {
        if (options.aliases?.some((other) => other.name === name)) this.failAt(token, "each option once");
      });
      const value = this.SUBRULE(this.valueInUrl);
      (options.aliases ??= []).push({ kind: "aliasAndValue", offset: this.at(token), name, value });
    },
  );

  // temporalExpr = "min" / "max" / commonExpr
  /** The value of `$at` and its siblings. */
  readonly temporal: Rule<TemporalExpr> = this.RULE("temporal", (): TemporalExpr => {
    const expr = this.SUBRULE(this.commonExpr);
    return this.ACTION(() => boundOf(expr) ?? expr);
  });
}

function boundOf(expr: CommonExpr): "min" | "max" | undefined {
  if (expr.kind !== "memberExpr" || expr.root !== undefined || expr.steps.length !== 1) return undefined;
  const [step] = expr.steps;
  return step.kind === "memberName" && (step.name === "min" || step.name === "max") ? step.name : undefined;
}

function optionName({ image }: IToken): string {
  return image.slice(image[0] === "$" ? 1 : 0, -1).toLowerCase();
}

function temporalName(name: string): "at" | "from" | "to" | "toInclusive" {
  return name === "at" || name === "from" || name === "to" ? name : "toInclusive";
}

/** Made by the first URL: its analysis of the grammar takes milliseconds. */
let instance: UrlParser | undefined;

/** How a piece is read. */
export interface TextOptions {
  readonly mode: LexerMode;
  readonly limits: Limits;
}

/**
 * Parses the text of a piece.
 *
 * @param piece the text
 * @param read calls the production that must match all of it
 * @param options lexer mode and limits
 * @returns what the production makes of it
 * @throws {ServiceError} 400 if it does not match
 */
export function parseText<R>(piece: Piece, read: (parser: UrlParser) => R, options: TextOptions): R {
  const first = piece.text.charCodeAt(0);
  if (first === 0x20 || first === 0x09) {
    throw syntaxError({ offset: piece.base, found: " ", expected: "no white space here" });
  }
  const parser = instance ??= new UrlParser();
  parser.begin(piece, tokenize(piece, options.mode), options.limits);
  const result = read(parser);
  parser.end();
  return result;
}
