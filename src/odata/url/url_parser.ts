/**
 * The grammar of query options (ABNF, section 2), the last part of the parser.
 *
 * @module
 */

import type {
  AliasAndValue,
  ApplyExpr,
  ArgumentList,
  CommonExpr,
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
  & { offsets: Record<string, number> };

const REF_OPTIONS = new Set(["filter", "search", "orderby", "skip", "top", "count"]);
const COUNT_OPTIONS = new Set(["filter", "search"]);
const STAR_OPTIONS = new Set(["levels"]);
const SELECT_OPTIONS = new Set(["filter", "search", "orderby", "skip", "top", "count", "compute", "select"]);

/** The whole grammar. */
export class UrlParser extends ApplyParser {
  /** @param validate checks the grammar itself */
  constructor(validate = false) {
    super(validate);
    this.performSelfAnalysis();
  }

  // filter = ( "$filter" / "filter" ) EQ boolCommonExpr
  /** The value of `$filter`, of an alias, of a key in the path. */
  readonly expressionOption: Rule<CommonExpr> = this.RULE(
    "expressionOption",
    (): CommonExpr => this.SUBRULE(this.commonExpr),
  );

  // parameterValue = arrayOrObject / commonExpr; a JSON string is accepted, too
  /** The value of an alias. */
  readonly valueOption: Rule<CommonExpr> = this.RULE(
    "valueOption",
    (): CommonExpr => this.SUBRULE(this.valueInUrl),
  );

  // apply = ( "$apply" / "apply" ) EQ applyExpr
  /** The value of `$apply`. */
  readonly applyOption: Rule<ApplyExpr> = this.RULE(
    "applyOption",
    (): ApplyExpr => this.SUBRULE(this.applyExpr),
  );

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
    const first = this.LA(1);
    const path: string[] = [this.SUBRULE(this.itemName)];
    let suffix: ExpandItem["suffix"];
    this.MANY(() => {
      this.CONSUME(T.Slash);
      this.OR([
        { ALT: () => path.push(this.SUBRULE2(this.itemName)) },
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

  /** A name, `*`, an annotation or `$value`. */
  readonly itemName: Rule<string> = this.RULE("itemName", (): string =>
    this.OR([
      { ALT: () => this.CONSUME(T.Name) },
      { ALT: () => this.CONSUME(T.Star) },
      { ALT: () => this.CONSUME(T.QNameStar) },
      { ALT: () => this.CONSUME(T.AtName) },
      { ALT: () => this.CONSUME(T.DollarValue) },
    ]).image);

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
    const first = this.LA(1);
    const path: string[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: T.Slash, DEF: () => path.push(this.SUBRULE(this.itemName)) });
    let parameterNames: string[] | undefined;
    const options = this.OPTION(() =>
      this.OR([
        {
          ALT: () => {
            parameterNames = this.SUBRULE(this.parameterNames);
            return undefined;
          },
        },
        { ALT: () => this.SUBRULE(this.optionsInParens) },
      ])
    );
    return this.ACTION(() => {
      if (options !== undefined) this.#restrict(options, SELECT_OPTIONS);
      return {
        kind: "selectItem",
        offset: this.at(first),
        path,
        ...(parameterNames === undefined ? {} : { parameterNames }),
        ...(options === undefined ? {} : { options }),
      };
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
    const options: MutableOptions = { offsets: {} };
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Semi, DEF: () => this.SUBRULE(this.queryOption, { ARGS: [options] }) });
    this.CONSUME(T.Close);
    this.leave();
    return options;
  });

  // expandOption = expandRefOption / select / expand / compute / levels / aliasAndValue / apply / temporalOption
  /** One option. */
  readonly queryOption = this.RULE("queryOption", (options: MutableOptions): void => {
    const token = this.LA(1);
    this.ACTION(() => {
      const name = token.image.slice(token.image[0] === "$" ? 1 : 0, -1).toLowerCase();
      if (token.image[0] === "@") return;
      if (name in options.offsets) {
        this.fail({ offset: this.at(token), found: token.image, expected: "each option once" });
      }
      options.offsets[name] = this.at(token);
    });
    this.OR([
      {
        ALT: () => {
          this.CONSUME(T.FilterEq);
          const value = this.SUBRULE(this.commonExpr);
          this.ACTION(() => options.filter = value);
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.SearchEq);
          const value = this.SUBRULE(this.searchText);
          this.ACTION(() => options.search = value);
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.SearchQuotedEq);
          const value = this.SUBRULE(this.primitiveLiteral);
          this.ACTION(() =>
            options.search = { kind: "searchPhrase", offset: value.offset, text: String(value.value) }
          );
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.OrderbyEq);
          const value = this.SUBRULE(this.orderby);
          this.ACTION(() => options.orderby = value);
        },
      },
      { ALT: () => this.SUBRULE(this.resultOption, { ARGS: [options] }) },
      { ALT: () => this.SUBRULE(this.simpleOption, { ARGS: [options] }) },
      {
        ALT: () => {
          const alias = this.CONSUME(T.AliasEq);
          const value = this.SUBRULE(this.valueInUrl);
          this.ACTION(() => {
            const name = alias.image.slice(1, -1);
            if (options.aliases?.some((other) => other.name === name)) {
              this.fail({ offset: this.at(alias), found: alias.image, expected: "each option once" });
            }
            (options.aliases ??= []).push({ kind: "aliasAndValue", offset: this.at(alias), name, value });
          });
        },
      },
    ]);
  });

  // select, expand, compute, apply
  /** An option that shapes the result. */
  readonly resultOption = this.RULE("resultOption", (options: MutableOptions): void => {
    this.OR([
      {
        ALT: () => {
          this.CONSUME(T.SelectEq);
          const value = this.SUBRULE(this.select);
          this.ACTION(() => options.select = value);
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.ExpandEq);
          const value = this.SUBRULE(this.expand);
          this.ACTION(() => options.expand = value);
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.ComputeEq);
          const value = this.SUBRULE(this.compute);
          this.ACTION(() => options.compute = value);
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.ApplyEq);
          const value = this.SUBRULE(this.applyExpr);
          this.ACTION(() => options.apply = value);
        },
      },
    ]);
  });

  // top, skip, inlinecount, levels, temporalOption
  /** An option whose value is one token or an expression. */
  readonly simpleOption = this.RULE("simpleOption", (options: MutableOptions): void => {
    this.OR([
      {
        ALT: () => {
          const token = this.CONSUME(T.TopSkipEq);
          const number = this.LA(1);
          const value = this.SUBRULE(this.digits);
          this.ACTION(() => {
            const name = /top/i.test(token.image) ? "top" : "skip";
            options[name] = value;
            options.valueOffsets = { ...options.valueOffsets, [name]: this.at(number) };
          });
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.CountEq);
          const token = this.CONSUME(T.WordLiteral);
          this.ACTION(() => {
            const text = token.image.toLowerCase();
            if (text !== "true" && text !== "false") {
              this.fail({ offset: this.at(token), found: token.image, expected: '"true" or "false"' });
            }
            options.count = text === "true";
          });
        },
      },
      {
        // levels = ( "$levels" / "levels" ) EQ ( oneToNine *DIGIT / "max" )
        ALT: () => {
          this.CONSUME(T.LevelsEq);
          const token = this.OR2([
            { ALT: () => this.CONSUME(T.NumberLiteral) },
            { ALT: () => this.CONSUME(T.QName) },
          ]);
          this.ACTION(() => {
            const { image } = token;
            if (/^[1-9]\d{0,5}$/.test(image)) options.levels = Number(image);
            else if (image.toLowerCase() === "max") options.levels = "max";
            else this.fail({ offset: this.at(token), found: image, expected: 'a positive integer or "max"' });
          });
        },
      },
      {
        ALT: () => {
          const token = this.CONSUME(T.TemporalEq);
          const value = this.SUBRULE(this.temporal);
          this.ACTION(() => {
            const name = temporalName(token.image);
            options.temporal = { ...options.temporal, [name]: value };
          });
        },
      },
    ]);
  });

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

function temporalName(image: string): "at" | "from" | "to" | "toInclusive" {
  const name = image.slice(image[0] === "$" ? 1 : 0, -1).toLowerCase();
  return name === "at" || name === "from" || name === "to" ? name : "toInclusive";
}
