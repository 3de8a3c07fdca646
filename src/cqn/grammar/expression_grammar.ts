/**
 * The grammar of expressions (CXN): flat arrays of operands and operator strings. Precedence is left to the database.
 *
 * @module
 */

import { EOF, type IToken, type ParserMethod, tokenMatcher, type TokenType } from "chevrotain";
import { ConfigurationError, type ErrorPlace } from "../../errors/configuration_error.ts";
import type {
  Expression,
  Limit,
  OrderTerm,
  RefStep,
  RefStepObject,
  SelectQuery,
  SetQuery,
  Xo,
} from "../cqn.ts";
import { toExpression } from "../conjunction.ts";
import { type GrammarOptions, messageProvider } from "./messages.ts";
import { FunctionGrammar } from "./function_grammar.ts";
import { nameOf, numberLiteral, placeholderExpression, stringOf, typedLiteral } from "./literals.ts";
import { lineAndColumn, type SourceText, sourceText } from "./lexer.ts";
import * as t from "./tokens.ts";

/** How deep brackets, conditions and subqueries may nest. */
const NESTING_LIMIT = 100;
/** Arithmetic operators in a row: each is a level of the tree, of which SQLite takes a thousand. */
const OPERATOR_LIMIT = 900;

/** Functions of SQL that are called without parentheses. */
const NILADIC: ReadonlySet<string> = new Set([
  ...["current_date", "current_time", "current_timestamp", "current_user", "session_user"],
]);

/** What may stand behind a query in parentheses that is part of a query. */
const QUERY_GOES_ON: ReadonlySet<TokenType> = new Set([
  ...[t.RParen, t.Union, t.Intersect, t.Except, t.MinusWord, t.Order, t.LimitWord, EOF],
]);

/** `[…]` after a path step. */
type InfixFilter = Omit<RefStepObject, "id" | "args">;
type Rule<R> = ParserMethod<[], R>;

/** Rules for expressions, paths with infix filters, functions and order terms. */
export abstract class ExpressionGrammar extends FunctionGrammar {
  /** The text being parsed, for positions. */
  source: SourceText = sourceText("");
  /** Values for `?` in the order of the text; undefined keeps them as parameters. */
  values: readonly unknown[] | undefined;
  #placeholders = 0;

  /** @param options tokens of the language; its messages, where they are not those of CQL */
  constructor(options: Omit<GrammarOptions, "messages"> & Partial<GrammarOptions>) {
    super({ messages: messageProvider(), ...options });
  }

  protected override get nestingLimit(): number {
    return NESTING_LIMIT;
  }

  protected override refuseNesting(): never {
    throw new ConfigurationError(`Nested deeper than ${NESTING_LIMIT} levels`, this.placeOf(this.LA(1)));
  }

  /** Forgets what belongs to the text parsed before. */
  override reset(): void {
    super.reset();
    this.#placeholders = 0;
  }

  /** A query with unions; defined by the query grammar. */
  abstract readonly query: Rule<SelectQuery | SetQuery>;
  /** The type after `as` in `cast(…)`, to be put into `cast`. */
  abstract readonly castType: Rule<object>;

  /** Counts arithmetic operators that stand in a row, with the one ahead. */
  #inARow(before: number): number {
    const ahead = this.LA(1);
    if (!tokenMatcher(ahead, t.ArithmeticOperator)) return 0;
    if (before < OPERATOR_LIMIT) return before + 1;
    throw new ConfigurationError(`More than ${OPERATOR_LIMIT} operators in a row`, this.placeOf(ahead));
  }

  // expression = condition [ "?" expression ":" expression ]
  override readonly expression: Rule<Xo[]> = this.RULE("expression", () => {
    const xos: Xo[] = [];
    let operators = 0;
    this.enter();
    this.SUBRULE(this.term, { ARGS: [xos] });
    this.MANY({
      GATE: () => this.#isOperatorAhead(),
      DEF: () => {
        operators = this.#inARow(operators);
        this.SUBRULE(this.operation, { ARGS: [xos] });
      },
    });
    let result = xos;
    this.OPTION(() => {
      this.CONSUME(t.Question);
      const then = this.SUBRULE(this.expression);
      this.CONSUME(t.Colon);
      const otherwise = this.SUBRULE1(this.expression);
      result = this.ACTION(() => ["case", "when", ...xos, "then", ...then, "else", ...otherwise, "end"]);
    });
    this.leave();
    return result;
  });

  // operation = binaryOperator term | "is" ["not"] "null" | ["not"] ( "in" | "like" | "between" ) …
  readonly operation: ParserMethod<[Xo[]], void> = this.RULE("operation", (xos: Xo[] = []) => {
    this.OR([
      {
        ALT: () => {
          xos.push(this.CONSUME(t.BinaryOperator).image.toLowerCase());
          this.SUBRULE(this.term, { ARGS: [xos] });
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Is);
          xos.push("is");
          this.OPTION(() => xos.push(this.CONSUME(t.Not).image.toLowerCase()));
          xos.push(this.CONSUME(t.Null).image.toLowerCase());
        },
      },
      {
        ALT: () => {
          this.OPTION1(() => xos.push(this.CONSUME1(t.Not).image.toLowerCase()));
          this.SUBRULE(this.membership, { ARGS: [xos] });
        },
      },
    ]);
  });

  readonly membership: ParserMethod<[Xo[]], void> = this.RULE("membership", (xos: Xo[] = []) => {
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.In);
          xos.push("in");
          const right: Xo[] = [];
          this.SUBRULE(this.sum, { ARGS: [right] });
          this.ACTION(() => xos.push(...asList(right)));
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Like);
          xos.push("like");
          this.SUBRULE1(this.sum, { ARGS: [xos] });
          this.OPTION(() => {
            this.CONSUME(t.Escape);
            xos.push("escape");
            this.SUBRULE2(this.sum, { ARGS: [xos] });
          });
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Between);
          xos.push("between");
          this.SUBRULE3(this.sum, { ARGS: [xos] });
          this.CONSUME(t.And);
          xos.push("and");
          this.SUBRULE4(this.sum, { ARGS: [xos] });
        },
      },
    ]);
  });

  readonly sum: ParserMethod<[Xo[]], void> = this.RULE("sum", (xos: Xo[] = []) => {
    let operators = 0;
    this.SUBRULE(this.term, { ARGS: [xos] });
    this.MANY(() => {
      operators = this.#inARow(operators);
      xos.push(this.CONSUME(t.ArithmeticOperator).image);
      this.SUBRULE1(this.term, { ARGS: [xos] });
    });
  });

  // term = { "not" | "-" | "+" | "exists" } ["new"] primary { "." ( functionCall | pathExpression ) }
  readonly term: ParserMethod<[Xo[]], void> = this.RULE("term", (xos: Xo[] = []) => {
    let prefixes = 0;
    this.MANY(() => {
      if (++prefixes > NESTING_LIMIT) this.refuseNesting();
      this.OR([
        { ALT: () => xos.push(this.CONSUME(t.Not).image.toLowerCase()) },
        { ALT: () => xos.push(this.CONSUME(t.Minus).image) },
        { ALT: () => xos.push(this.CONSUME(t.Plus).image) },
        { ALT: () => xos.push(this.CONSUME(t.Exists).image.toLowerCase()) },
      ]);
    });
    this.OPTION({
      GATE: () => this.LA(1).tokenType === t.New && tokenMatcher(this.LA(2), t.Word),
      DEF: () => xos.push(this.CONSUME(t.New).image.toLowerCase()),
    });
    const operand = this.SUBRULE(this.primary);
    this.ACTION(() => pushOperand(xos, operand));
    this.MANY1({
      GATE: () => tokenMatcher(this.LA(2), t.Name),
      DEF: () => {
        this.CONSUME(t.Dot);
        const member = this.OR1({
          DEF: [
            { GATE: () => this.#isCallAhead(), ALT: () => this.SUBRULE(this.functionCall) },
            { ALT: () => this.SUBRULE(this.pathExpression) },
          ],
          IGNORE_AMBIGUITIES: true,
        });
        this.ACTION(() => xos.push(".", member as Expression));
      },
    });
  });

  readonly primary: Rule<Expression> = this.RULE("primary", () =>
    this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.literal) },
        { ALT: () => this.SUBRULE(this.parenthesized) },
        { ALT: () => this.SUBRULE(this.parameter) },
        { ALT: () => this.SUBRULE(this.caseExpression) },
        { ALT: () => this.SUBRULE(this.castCall) },
        { GATE: () => this.#isCallAhead(), ALT: () => this.SUBRULE(this.functionCall) },
        {
          GATE: () => NILADIC.has(this.LA(1).image.toLowerCase()) && this.LA(2).tokenType !== t.Dot,
          ALT: () => ({ func: this.CONSUME(t.Identifier).image }),
        },
        { ALT: () => this.SUBRULE(this.pathExpression) },
      ],
      IGNORE_AMBIGUITIES: true,
      ERR_MSG: "an expression",
    }));

  readonly literal: Rule<Expression> = this.RULE("literal", () =>
    this.OR([
      { ALT: () => ({ val: this.SUBRULE(this.text) }) },
      { ALT: () => typedLiteral(this.CONSUME(t.TypedLiteral).image) },
      { ALT: () => numberLiteral(this.CONSUME(t.NumberLiteral).image) },
      { ALT: () => (this.CONSUME(t.True), { val: true }) },
      { ALT: () => (this.CONSUME(t.False), { val: false }) },
      { ALT: () => (this.CONSUME(t.Null), { val: null }) },
      {
        ALT: () => {
          this.CONSUME(t.Hash);
          return { "#": this.SUBRULE(this.dottedName) };
        },
      },
    ]));

  readonly text: Rule<string> = this.RULE("text", () =>
    this.OR([
      { ALT: () => stringOf(this.CONSUME(t.StringLiteral)) },
      { ALT: () => stringOf(this.CONSUME(t.TemplateLiteral)) },
    ]));

  // parenthesized = "(" ( query | expression { "," expression } ) ")"
  readonly parenthesized: Rule<Expression> = this.RULE("parenthesized", () => {
    let result: Expression = { xpr: [] };
    this.CONSUME(t.LParen);
    this.OR([
      { GATE: () => this.isQueryAhead(), ALT: () => result = this.SUBRULE(this.query) },
      {
        ALT: () => {
          const first = this.SUBRULE(this.expression);
          const rest: Expression[] = [];
          let isList = false;
          this.MANY(() => {
            this.CONSUME(t.Comma);
            isList = true;
            const next = this.SUBRULE1(this.expression);
            rest.push(toExpression(next));
          });
          result = isList ? { list: [toExpression(first), ...rest] } : { xpr: first };
        },
      },
    ]);
    this.CONSUME(t.RParen);
    return result;
  });

  // parameter = "?" | ":" ( name | number )
  readonly parameter: Rule<Expression> = this.RULE("parameter", () =>
    this.OR([
      {
        ALT: () => {
          const token = this.CONSUME(t.Question);
          return this.ACTION(() => this.#placeholder(token));
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Colon);
          const name = this.OR1([
            { ALT: () => nameOf(this.CONSUME(t.Word)) },
            { ALT: () => this.CONSUME(t.NumberLiteral).image },
          ]);
          return this.ACTION(() => this.#numbered(name));
        },
      },
    ]));

  readonly caseExpression: Rule<Expression> = this.RULE("caseExpression", () => {
    const xpr: Xo[] = ["case"];
    const append = (part: Xo[]): void => this.ACTION(() => void xpr.push(...part));
    this.CONSUME(t.Case);
    this.OPTION(() => append(this.SUBRULE(this.expression)));
    this.AT_LEAST_ONE(() => {
      this.CONSUME(t.When);
      xpr.push("when");
      append(this.SUBRULE1(this.expression));
      this.CONSUME(t.Then);
      xpr.push("then");
      append(this.SUBRULE2(this.expression));
    });
    this.OPTION1(() => {
      this.CONSUME(t.Else);
      xpr.push("else");
      append(this.SUBRULE3(this.expression));
    });
    this.CONSUME(t.End);
    xpr.push("end");
    return { xpr };
  });

  readonly castCall: Rule<Expression> = this.RULE("castCall", () => {
    this.CONSUME(t.Cast);
    this.CONSUME(t.LParen);
    const operand = this.SUBRULE(this.expression);
    this.CONSUME(t.As);
    const cast = this.SUBRULE(this.castType);
    this.CONSUME(t.RParen);
    return this.ACTION(() => {
      const value = toExpression(operand);
      return "cast" in value ? { xpr: [value], cast } : { ...value, cast };
    });
  });

  // pathExpression = pathStep { "." pathStep }
  readonly pathExpression: Rule<Expression & { ref: RefStep[] }> = this.RULE("pathExpression", () => {
    const start = this.LA(1);
    const ref: RefStep[] = [this.SUBRULE(this.firstStep)];
    this.MANY({
      GATE: () => tokenMatcher(this.LA(2), t.Word) && !this.#isCallAhead(1),
      DEF: () => {
        this.CONSUME(t.Dot);
        ref.push(this.SUBRULE(this.pathStep));
      },
    });
    this.ACTION(() => this.#limitSteps(ref.length, start));
    return this.ACTION(() => this.located({ ref }, start));
  });

  readonly firstStep: Rule<RefStep> = this.RULE("firstStep", () => {
    const id = nameOf(this.CONSUME(t.Name));
    return this.SUBRULE(this.stepClauses, { ARGS: [id] });
  });

  readonly pathStep: Rule<RefStep> = this.RULE("pathStep", () => {
    const id = nameOf(this.CONSUME(t.Word));
    return this.SUBRULE(this.stepClauses, { ARGS: [id] });
  });

  // stepClauses = [ "(" name ":" expression { "," … } ")" ] [ "[" … "]" ]
  readonly stepClauses: ParserMethod<[string], RefStep> = this.RULE("stepClauses", (id: string = "") => {
    let args: Record<string, Expression> | undefined;
    let filter: InfixFilter | undefined;
    this.OPTION({
      GATE: () => this.LA(3).tokenType === t.Colon,
      DEF: () => args = this.SUBRULE(this.stepArguments),
    });
    this.OPTION1(() => filter = this.SUBRULE(this.infixFilter));
    return args || filter ? { id, ...(args && { args }), ...filter } : id;
  });

  readonly stepArguments: Rule<Record<string, Expression>> = this.RULE("stepArguments", () => {
    const args: Record<string, Expression> = {};
    this.CONSUME(t.LParen);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => {
        const name = nameOf(this.CONSUME(t.Word));
        this.CONSUME(t.Colon);
        args[name] = toExpression(this.SUBRULE(this.expression));
      },
    });
    this.CONSUME(t.RParen);
    return args;
  });

  // infixFilter = "[" [ cardinality ":" ] [ ["where"] expression ] [ group by ] [ having ] [ order by ] [ limit ] "]"
  readonly infixFilter: Rule<InfixFilter> = this.RULE("infixFilter", () => {
    const filter: { -readonly [P in keyof InfixFilter]: InfixFilter[P] } = {};
    this.CONSUME(t.LSquare);
    this.OPTION({
      GATE: () => this.LA(2).tokenType === t.Colon,
      DEF: () => {
        const max = this.OR([
          { ALT: () => (this.CONSUME(t.Star), "*" as const) },
          { ALT: () => Number(this.CONSUME(t.NumberLiteral).image) },
        ]);
        this.CONSUME(t.Colon);
        filter.cardinality = { max };
      },
    });
    this.OPTION1({
      GATE: () => !this.#isClauseAhead(),
      DEF: () => {
        this.OPTION2(() => this.CONSUME(t.Where));
        filter.where = this.SUBRULE(this.expression);
      },
    });
    this.OPTION3(() => filter.groupBy = this.SUBRULE(this.groupByClause));
    this.OPTION4(() => {
      this.CONSUME(t.Having);
      filter.having = this.SUBRULE1(this.expression);
    });
    this.OPTION5(() => filter.orderBy = this.SUBRULE(this.orderByClause));
    this.OPTION6(() => filter.limit = this.SUBRULE(this.limitClause));
    this.CONSUME(t.RSquare);
    return filter;
  });

  readonly groupByClause: Rule<Expression[]> = this.RULE("groupByClause", () => {
    const terms: Expression[] = [];
    this.CONSUME(t.Group);
    this.CONSUME(t.By);
    this.AT_LEAST_ONE_SEP({
      SEP: t.Comma,
      DEF: () => terms.push(toExpression(this.SUBRULE(this.expression))),
    });
    return terms;
  });

  override readonly orderByClause: Rule<OrderTerm[]> = this.RULE("orderByClause", () => {
    this.CONSUME(t.Order);
    this.CONSUME(t.By);
    return this.SUBRULE(this.orderTerms);
  });

  readonly orderTerms: Rule<OrderTerm[]> = this.RULE("orderTerms", () => {
    const terms: OrderTerm[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => terms.push(this.SUBRULE(this.orderTerm)) });
    return terms;
  });

  readonly orderTerm: Rule<OrderTerm> = this.RULE("orderTerm", () => {
    const expression = this.SUBRULE(this.expression);
    const sort = this.OPTION(() =>
      this.OR([
        { ALT: () => (this.CONSUME(t.Asc), "asc" as const) },
        { ALT: () => (this.CONSUME(t.Desc), "desc" as const) },
      ])
    );
    const nulls = this.OPTION1(() => {
      this.CONSUME(t.Nulls);
      return this.OR1([
        { ALT: () => (this.CONSUME(t.First), "first" as const) },
        { ALT: () => (this.CONSUME(t.Last), "last" as const) },
      ]);
    });
    return this.ACTION(() => ({
      ...toExpression(expression),
      ...(sort && { sort }),
      ...(nulls && { nulls }),
    }));
  });

  readonly limitClause: Rule<Limit> = this.RULE("limitClause", () => {
    this.CONSUME(t.LimitWord);
    const rows = this.SUBRULE(this.primary) as Limit["rows"];
    const offset = this.OPTION(() => {
      this.CONSUME(t.Offset);
      return this.SUBRULE1(this.primary) as Limit["offset"];
    });
    return { rows, ...(offset && { offset }) };
  });

  readonly dottedName: Rule<string> = this.RULE("dottedName", () => {
    let name = nameOf(this.CONSUME(t.Word));
    this.MANY(() => {
      this.CONSUME(t.Dot);
      name += `.${nameOf(this.CONSUME1(t.Word))}`;
    });
    return name;
  });

  /**
   * Adds a source position to a node; the CDL parser does.
   *
   * @param node any node of the tree
   * @param _token its first token
   * @returns the node
   */
  protected located<T extends object>(node: T, _token: IToken): T {
    return node;
  }

  /**
   * Whether the next tokens begin a query: `select`, maybe in parentheses behind which nothing but a query can go on.
   *
   * @returns false in all other cases, such as `(select …) + 1`
   */
  protected isQueryAhead(): boolean {
    let i = 1;
    while (this.LA(i).tokenType === t.LParen) i++;
    if (this.LA(i).tokenType !== t.Select) return false;
    let depth = i - 1;
    for (let open = depth; open > 0; i++) {
      const { tokenType } = this.LA(i);
      if (tokenType === EOF) return true;
      if (tokenType === t.LParen) depth++;
      if (tokenType !== t.RParen || --depth >= open) continue;
      open = depth;
      if (!QUERY_GOES_ON.has(this.LA(i + 1).tokenType)) return false;
    }
    return true;
  }

  /**
   * The place of a token in the source.
   *
   * @param token any token
   * @returns file, line and column
   */
  protected placeOf({ startOffset }: IToken): ErrorPlace {
    return { file: this.source.file, ...lineAndColumn(this.source, startOffset || 0) };
  }

  #limitSteps(count: number, start: IToken): void {
    if (count <= NESTING_LIMIT) return;
    const message = `Found a path of ${count} steps, expected at most ${NESTING_LIMIT}`;
    throw new ConfigurationError(message, this.placeOf(start));
  }

  /** `not` goes on only before `in`, `like` and `between`: `default 1 not null` ends the expression. */
  #isOperatorAhead(): boolean {
    if (this.LA(1).tokenType !== t.Not) return true;
    const { tokenType } = this.LA(2);
    return tokenType === t.In || tokenType === t.Like || tokenType === t.Between;
  }

  /** A name and `(`, which does not begin arguments by name (`p: 1`) of a path step. */
  #isCallAhead(skip = 0): boolean {
    return this.LA(2 + skip).tokenType === t.LParen && this.LA(4 + skip).tokenType !== t.Colon;
  }

  #isClauseAhead(): boolean {
    const { tokenType } = this.LA(1);
    if (tokenType === t.LimitWord) return tokenMatcher(this.LA(2), t.NumberLiteral);
    return (tokenType === t.Order || tokenType === t.Group) && this.LA(2).tokenType === t.By;
  }

  #placeholder(token: IToken): Expression {
    if (!this.values) return { ref: ["?"], param: true };
    const index = this.#placeholders++;
    if (index < this.values.length) return placeholderExpression(this.values[index]);
    throw new ConfigurationError(
      `No value for placeholder ${index + 1}`,
      this.placeOf(token),
    );
  }

  #numbered(name: string): Expression {
    const index = Number(name) - 1;
    if (this.values && index in this.values) return placeholderExpression(this.values[index]);
    return { ref: [name], param: true };
  }
}

/** Folds the sign into a number: `- 1` as first operand is `{val: -1}`. */
function pushOperand(xos: Xo[], operand: Expression): void {
  const last = xos.length - 1;
  const before = xos[last - 1];
  const isSign = xos[last] === "-" && (typeof before !== "object");
  if (isSign && "val" in operand && typeof operand.val === "number") xos[last] = { val: -operand.val };
  else xos.push(operand);
}

/** The right side of `in` is always a list, a query or a parameter. */
function asList(right: readonly Xo[]): readonly Xo[] {
  const [only] = right;
  if (right.length > 1 || typeof only !== "object" || !("xpr" in only) || "func" in only) return right;
  return [{ list: [toExpression(only.xpr ?? [])] }];
}
