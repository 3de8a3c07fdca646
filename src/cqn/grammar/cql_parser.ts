/**
 * The parser of CQL texts: the query grammar with plain types in casts.
 *
 * @module
 */

import { EOF, type ParserMethod } from "chevrotain";
import type { Column, Expression } from "../cqn.ts";
import { QueryGrammar } from "./query_grammar.ts";
import * as t from "./tokens.ts";

type Rule<R> = ParserMethod<[], R>;

/** A complete parser; see `parse_cql.ts` for how to use it. */
export class CqlParser extends QueryGrammar {
  /** @param skipValidations false to have the grammar checked, which a test does */
  constructor(skipValidations = true) {
    super({ tokens: [...t.ABSTRACT_TOKENS, ...t.LEXED_TOKENS, ...t.CQL_KEYWORDS], skipValidations });
    this.performSelfAnalysis();
  }

  // castType = name [ "(" number { "," number } ")" ]
  override readonly castType: Rule<object> = this.RULE("castType", () => {
    const name = this.SUBRULE(this.dottedName);
    const facets: number[] = [];
    this.OPTION(() => {
      this.CONSUME(t.LParen);
      this.AT_LEAST_ONE_SEP({
        SEP: t.Comma,
        DEF: () => facets.push(Number(this.CONSUME(t.NumberLiteral).image)),
      });
      this.CONSUME(t.RParen);
    });
    return this.ACTION(() => castOf(name, facets));
  });

  override readonly columnType: Rule<object> = this.RULE("columnType", () => this.SUBRULE(this.castType));

  override readonly columnAnnotations: ParserMethod<[object], void> = this.RULE(
    "columnAnnotations",
    () => {},
  );

  /** Associations of a query text can only be declared in CDL. */
  override readonly mixinElements: Rule<Record<string, unknown>> = this.RULE("mixinElements", () => {
    this.CONSUME(t.LCurly);
    this.CONSUME(t.RCurly);
    return {};
  });

  readonly wholeExpression: Rule<Expression[]> = this.RULE("wholeExpression", () => {
    const xos = this.SUBRULE(this.expression) as Expression[];
    this.SUBRULE(this.endOfText);
    return xos;
  });

  readonly wholeQuery: Rule<ReturnType<CqlParser["query"]>> = this.RULE("wholeQuery", () => {
    const query = this.SUBRULE(this.query);
    this.SUBRULE(this.endOfText);
    return query;
  });

  /** Columns with or without braces. */
  readonly wholeColumns: Rule<Column[]> = this.RULE("wholeColumns", () => {
    const columns: Column[] = [];
    this.OR({
      DEF: [{
        ALT: () => {
          const braced = this.SUBRULE(this.bracedColumns);
          this.ACTION(() => columns.push(...braced.columns));
        },
      }, {
        ALT: () => {
          this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => columns.push(this.SUBRULE(this.column)) });
        },
      }],
      IGNORE_AMBIGUITIES: true,
    });
    this.SUBRULE(this.endOfText);
    return columns;
  });

  readonly wholeOrder: Rule<ReturnType<CqlParser["orderTerms"]>> = this.RULE("wholeOrder", () => {
    const terms = this.SUBRULE(this.orderTerms);
    this.SUBRULE(this.endOfText);
    return terms;
  });

  readonly wholeSource: Rule<ReturnType<CqlParser["table"]>> = this.RULE("wholeSource", () => {
    const source = this.SUBRULE(this.table);
    this.SUBRULE(this.endOfText);
    return source;
  });

  readonly endOfText: Rule<void> = this.RULE("endOfText", () => {
    this.OPTION(() => this.CONSUME(t.Semicolon));
    this.CONSUME(EOF);
  });
}

const DECIMAL_TYPES = ["Decimal", "cds.Decimal"];

function castOf(name: string, facets: readonly number[]): object {
  const type = name.includes(".") ? name : `cds.${name}`;
  if (facets.length === 0) return { type };
  if (!DECIMAL_TYPES.includes(name)) return { type, length: facets[0] };
  return { type, precision: facets[0], ...(facets.length > 1 && { scale: facets[1] }) };
}
