/**
 * The grammar of query options (ABNF, section 2), the last part of the parser.
 *
 * @module
 */

import type { IToken } from "chevrotain";
import type {
  AliasAndValue,
  ArgumentList,
  ComputeItem,
  ExpandItem,
  OrderbyItem,
  QueryOptions,
  SelectItem,
  TemporalExpr,
} from "./ast.ts";
import { ApplyParser } from "./apply_parser.ts";
import type { Rule } from "./parser_base.ts";
import * as T from "./tokens.ts";

/** Query options while they are read. */
export type MutableOptions =
  & {
    -readonly [name in keyof QueryOptions]: QueryOptions[name] extends readonly AliasAndValue[] | undefined
      ? AliasAndValue[] | undefined
      : QueryOptions[name];
  }
  & { offsets: Record<string, number>; valueOffsets?: Record<string, number> };

const REF_OPTIONS = new Set(["filter", "search", "orderby", "skip", "top", "count"]);
const COUNT_OPTIONS = new Set(["filter", "search"]);
const STAR_OPTIONS = new Set(["levels"]);
const SELECT_OPTIONS = new Set(["filter", "search", "orderby", "skip", "top", "count", "compute", "select"]);

interface Alternative {
  readonly ALT: () => void;
}

/** The whole grammar. */
export class UrlParser extends ApplyParser {
  /** The options between the parentheses that are being read. */
  #options: MutableOptions = { offsets: {} };
  #optionAlternatives: Alternative[] | undefined;
  #parensAlternatives: { ALT: () => readonly string[] | QueryOptions }[] | undefined;

  /** @param validate checks the grammar itself */
  constructor(validate = false) {
    super(validate);
    this.performSelfAnalysis();
  }

  // functionParameters and keyPredicate behind a name in the path: `(a=1)(2)`
  /** Parenthesized lists. */
  readonly parenLists: Rule<ArgumentList[]> = this.RULE("parenLists", (): ArgumentList[] => {
    const lists: ArgumentList[] = [];
    this.AT_LEAST_ONE(() => lists.push(this.SUBRULE(this.argumentList)));
    return lists;
  });

  // orderby = ( "$orderby" / "orderby" ) EQ orderbyItem *( COMMA orderbyItem )
  /** The value of `$orderby`. */
  readonly orderby: Rule<OrderbyItem[]> = this.RULE("orderby", (): OrderbyItem[] => {
    const items: OrderbyItem[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.orderbyItem)) });
    return items;
  });

  // compute = ( "$compute" / "compute" ) EQ computeItem *( COMMA computeItem )
  /** The value of `$compute`. */
  readonly compute: Rule<ComputeItem[]> = this.RULE("compute", (): ComputeItem[] => {
    const items: ComputeItem[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.computeItem)) });
    return items;
  });

  // expand = ( "$expand" / "expand" ) EQ expandItem *( COMMA expandItem )
  /** The value of `$expand`. */
  readonly expand: Rule<ExpandItem[]> = this.RULE("expand", (): ExpandItem[] => {
    const items: ExpandItem[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.expandItem)) });
    return items;
  });

  // expandItem = "$value" / expandPath / optionallyQualifiedEntityTypeName "/" expandPath
  // expandPath = STAR [ ref / OPEN levels CLOSE ] / navigationProperty … [ ref [ OPEN … CLOSE ] / count [ OPEN … CLOSE ] / OPEN … CLOSE ]
  /** An item of `$expand`. */
  readonly expandItem: Rule<ExpandItem> = this.RULE("expandItem", (): ExpandItem => {
    this.count();
    const first = this.CONSUME(T.ItemName);
    const path = [first.image];
    let suffix: ExpandItem["suffix"];
    this.MANY(() => {
      this.CONSUME(T.Slash);
      this.OR([
        { ALT: () => path.push(this.CONSUME2(T.ItemName).image) },
        {
          ALT: () => {
            this.CONSUME(T.DollarRef);
            suffix = "$ref";
          },
        },
        {
          ALT: () => {
            this.CONSUME(T.DollarCount);
            suffix = "$count";
          },
        },
      ]);
    });
    const options = this.OPTION(() => this.SUBRULE(this.optionsInParens));
    return this.ACTION(() => {
      const offset = this.at(first);
      if (options !== undefined) {
        if (suffix === "$ref") this.#restrict(options, REF_OPTIONS);
        else if (suffix === "$count") this.#restrict(options, COUNT_OPTIONS);
        else if (path.at(-1) === "*") this.#restrict(options, STAR_OPTIONS);
      }
      return {
        kind: "expandItem",
        offset,
        path,
        ...(suffix === undefined ? {} : { suffix }),
        ...(options === undefined ? {} : { options }),
      };
    });
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
    const items: SelectItem[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.selectItem)) });
    return items;
  });

  // selectItem = STAR / allOperationsInSchema / selectProperty / optionallyQualifiedActionName / optionallyQualifiedFunctionName / …
  /** An item of `$select`. */
  readonly selectItem: Rule<SelectItem> = this.RULE("selectItem", (): SelectItem => {
    this.count();
    const first = this.CONSUME(T.ItemName);
    const path = [first.image];
    this.MANY(() => {
      this.CONSUME(T.Slash);
      path.push(this.CONSUME2(T.ItemName).image);
    });
    const parens: readonly string[] | QueryOptions | undefined = this.OPTION(() =>
      this.OR(
        this.#parensAlternatives ??= [
          { ALT: () => this.SUBRULE(this.parameterNames) },
          { ALT: () => this.SUBRULE(this.optionsInParens) },
        ],
      )
    );
    return this.ACTION(() => {
      const offset = this.at(first);
      if (parens === undefined) return { kind: "selectItem", offset, path };
      if (isNames(parens)) return { kind: "selectItem", offset, path, parameterNames: parens };
      this.#restrict(parens, SELECT_OPTIONS);
      return { kind: "selectItem", offset, path, options: parens };
    });
  });

  // OPEN parameterNames CLOSE; parameterNames = parameterName *( COMMA parameterName )
  /** `(a,b)`. */
  readonly parameterNames: Rule<string[]> = this.RULE("parameterNames", (): string[] => {
    const names: string[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => names.push(this.CONSUME(T.Name).image) });
    this.CONSUME(T.Close);
    return names;
  });

  // OPEN expandOption *( SEMI expandOption ) CLOSE
  /** Options between parentheses. */
  readonly optionsInParens: Rule<QueryOptions> = this.RULE("optionsInParens", (): QueryOptions => {
    this.enter();
    const outer = this.#options;
    const options = this.#options = { offsets: {} };
    this.CONSUME(T.Open);
    this.SUBRULE(this.queryOption);
    this.MANY(() => {
      this.CONSUME(T.Semi);
      this.SUBRULE2(this.queryOption);
    });
    this.CONSUME(T.Close);
    this.#options = outer;
    this.leave();
    return options;
  });

  // expandOption = expandRefOption / select / expand / compute / levels / aliasAndValue / apply / temporalOption
  /** One of the options that are being read. */
  readonly queryOption = this.RULE("queryOption", (): void => {
    const token = this.LA(1);
    this.ACTION(() => this.#begin(token));
    this.OR(
      this.#optionAlternatives ??= [
        ...this.#expressionAlternatives(),
        ...this.#searchAlternatives(),
        ...this.#valueAlternatives(),
        { ALT: () => this.#alias() },
      ],
    );
  });

  #begin(token: IToken): void {
    if (token.image[0] === "@") return;
    const name = optionName(token);
    const { offsets } = this.#options;
    if (name in offsets) {
      this.fail({ offset: this.at(token), found: token.image, expected: "each option once" });
    }
    offsets[name] = this.at(token);
  }

  // filter, orderby, select, expand, compute, apply, temporalOption
  /** Options whose value is what a rule gives. */
  #expressionAlternatives(): Alternative[] {
    const set = <N extends keyof MutableOptions>(name: N, value: MutableOptions[N]) => {
      this.ACTION(() => this.#options[name] = value);
    };
    return [
      { ALT: () => (this.CONSUME(T.FilterEq), set("filter", this.SUBRULE(this.commonExpr))) },
      { ALT: () => (this.CONSUME(T.OrderbyEq), set("orderby", this.SUBRULE(this.orderby))) },
      { ALT: () => (this.CONSUME(T.SelectEq), set("select", this.SUBRULE(this.select))) },
      { ALT: () => (this.CONSUME(T.ExpandEq), set("expand", this.SUBRULE(this.expand))) },
      { ALT: () => (this.CONSUME(T.ComputeEq), set("compute", this.SUBRULE(this.compute))) },
      { ALT: () => (this.CONSUME(T.ApplyEq), set("apply", this.SUBRULE(this.applyExpr))) },
      {
        ALT: () => {
          const token = this.CONSUME(T.TemporalEq);
          const value = this.SUBRULE(this.temporal);
          set("temporal", { ...this.#options.temporal, [temporalName(token)]: value });
        },
      },
    ];
  }

  #searchAlternatives(): Alternative[] {
    return [
      {
        ALT: () => {
          this.CONSUME(T.SearchEq);
          const value = this.SUBRULE(this.searchText);
          this.ACTION(() => this.#options.search = value);
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.SearchQuotedEq);
          const { offset, value } = this.SUBRULE(this.primitiveLiteral);
          this.ACTION(() => this.#options.search = { kind: "searchPhrase", offset, text: String(value) });
        },
      },
    ];
  }

  // top, skip, inlinecount, levels
  /** Options whose value is one token. */
  #valueAlternatives(): Alternative[] {
    return [
      {
        ALT: () => {
          const token = this.CONSUME(T.TopSkipEq);
          const number = this.LA(1);
          const value = this.SUBRULE(this.digits);
          this.ACTION(() => {
            const name = /top/i.test(token.image) ? "top" : "skip";
            const options = this.#options;
            options[name] = value;
            (options.valueOffsets ??= {})[name] = this.at(number);
          });
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.CountEq);
          const token = this.CONSUME(T.WordLiteral);
          this.ACTION(() => this.#options.count = this.#count(token));
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.LevelsEq);
          const token = this.OR2([
            { ALT: () => this.CONSUME(T.NumberLiteral) },
            { ALT: () => this.CONSUME(T.QName) },
          ]);
          this.ACTION(() => this.#options.levels = this.#levels(token));
        },
      },
    ];
  }

  #count(token: IToken): boolean {
    const text = token.image.toLowerCase();
    if (text === "true" || text === "false") return text === "true";
    return this.fail({ offset: this.at(token), found: token.image, expected: '"true" or "false"' });
  }

  // levels = ( "$levels" / "levels" ) EQ ( oneToNine *DIGIT / "max" )
  #levels(token: IToken): number | "max" {
    const { image } = token;
    if (/^[1-9]\d{0,5}$/.test(image)) return Number(image);
    if (image.toLowerCase() === "max") return "max";
    return this.fail({ offset: this.at(token), found: image, expected: 'a positive integer or "max"' });
  }

  #alias(): void {
    const token = this.CONSUME(T.AliasEq);
    const value = this.SUBRULE(this.valueInUrl);
    this.ACTION(() => {
      const name = token.image.slice(1, -1);
      const options = this.#options;
      if (options.aliases?.some((other) => other.name === name)) {
        this.fail({ offset: this.at(token), found: token.image, expected: "each option once" });
      }
      (options.aliases ??= []).push({ kind: "aliasAndValue", offset: this.at(token), name, value });
    });
  }

  // temporalExpr = "min" / "max" / commonExpr
  /** The value of `$at` and its siblings. */
  readonly temporal: Rule<TemporalExpr> = this.RULE("temporal", (): TemporalExpr => {
    const expr = this.SUBRULE(this.commonExpr);
    return this.ACTION(() => {
      if (expr.kind === "memberExpr" && expr.root === undefined && expr.steps.length === 1) {
        const [step] = expr.steps;
        if (step.kind === "memberName" && (step.name === "min" || step.name === "max")) return step.name;
      }
      return expr;
    });
  });
}

function optionName({ image }: IToken): string {
  return image.slice(image[0] === "$" ? 1 : 0, -1).toLowerCase();
}

function temporalName(token: IToken): "at" | "from" | "to" | "toInclusive" {
  const name = optionName(token);
  return name === "at" || name === "from" || name === "to" ? name : "toInclusive";
}

function isNames(parens: readonly string[] | QueryOptions): parens is readonly string[] {
  return Array.isArray(parens);
}
