/**
 * The grammar of queries (CQL): `select from … { columns }` and its SQL form, joins, unions, nested columns.
 *
 * @module
 */

import { EMPTY_ALT, type ParserMethod, tokenMatcher, type TokenType } from "chevrotain";
import { ConfigurationError, type ErrorPlace } from "../../errors/configuration_error.ts";
import type {
  CastType,
  Column,
  Expression,
  JoinSource,
  Limit,
  NestedColumn,
  OrderTerm,
  RefStep,
  SelectBody,
  SelectQuery,
  SetQuery,
  Source,
  Xo,
} from "../cqn.ts";
import { ExpressionGrammar } from "./expression_grammar.ts";
import { toExpression } from "../conjunction.ts";
import { nameOf } from "./literals.ts";
import * as t from "./tokens.ts";

type Mutable<T> = { -readonly [P in keyof T]: T[P] };
type Rule<R> = ParserMethod<[], R>;
type AnyQuery = SelectQuery | SetQuery;
type JoinKind = JoinSource["join"];
type ColumnList = { columns: Column[] };

const LITERALS: readonly TokenType[] = [t.StringLiteral, t.TemplateLiteral, t.NumberLiteral, t.TypedLiteral];

/** Rules for queries on top of those for expressions. */
export abstract class QueryGrammar extends ExpressionGrammar {
  /** The type or `redirected to …` after the colon of a column, to be put into its `cast`. */
  abstract readonly columnType: Rule<object>;
  /** Annotations and doc comment of a column; nothing in CQL. */
  abstract readonly columnAnnotations: ParserMethod<[object], void>;
  /** The associations of `mixin { … } into`. */
  abstract readonly mixinElements: Rule<Record<string, unknown>>;

  // query = operand { setOperator operand } [ order by ] [ limit ]
  override readonly query: Rule<AnyQuery> = this.RULE("query", () => {
    this.enter();
    let result = this.SUBRULE(this.queryOperand);
    this.MANY(() => {
      const op = this.SUBRULE(this.setOperator);
      const right = this.SUBRULE1(this.queryOperand);
      result = this.ACTION(() => combine(result, op, right));
    });
    const orderBy = this.OPTION(() => this.SUBRULE(this.orderByClause));
    const limit = this.OPTION1(() => this.SUBRULE(this.limitClause));
    this.leave();
    return this.ACTION(() => withOrder(result, orderBy, limit));
  });

  readonly queryOperand: Rule<AnyQuery> = this.RULE("queryOperand", () =>
    this.OR([
      { ALT: () => this.SUBRULE(this.selectQuery) },
      {
        ALT: () => {
          this.CONSUME(t.LParen);
          const inner = this.SUBRULE(this.query);
          this.CONSUME(t.RParen);
          return inner;
        },
      },
    ]));

  readonly setOperator: Rule<{ op: SetQuery["SET"]["op"]; all: boolean }> = this.RULE("setOperator", () => {
    const op = this.OR([
      { ALT: () => (this.CONSUME(t.Union), "union" as const) },
      { ALT: () => (this.CONSUME(t.Intersect), "intersect" as const) },
      { ALT: () => (this.CONSUME(t.Except), "except" as const) },
      { ALT: () => (this.CONSUME(t.MinusWord), "except" as const) },
    ]);
    let all = false;
    this.OPTION(() =>
      this.OR1([
        { ALT: () => all = this.CONSUME(t.All) !== undefined },
        { ALT: () => this.CONSUME(t.Distinct) },
      ])
    );
    return { op, all };
  });

  // selectQuery = "select" [ "distinct" ] ( "from" source … [ [ "distinct" ] "{" columns "}" ] | columns "from" source ) clauses
  readonly selectQuery: Rule<SelectQuery> = this.RULE("selectQuery", () => {
    const body: Mutable<Partial<SelectBody>> = {};
    this.CONSUME(t.Select);
    this.OPTION(() =>
      this.OR([
        {
          ALT: () => {
            this.CONSUME(t.Distinct);
            body.distinct = true;
          },
        },
        { GATE: () => !this.#isEndOfName(), ALT: () => this.CONSUME(t.All) },
      ])
    );
    this.OR1([
      {
        ALT: () => {
          this.CONSUME(t.From);
          body.from = this.SUBRULE(this.fromSource);
          this.OPTION1({
            GATE: () => this.LA(2).tokenType === t.LCurly,
            DEF: () => {
              this.CONSUME(t.Mixin);
              body.mixin = this.SUBRULE(this.mixinElements);
              this.CONSUME(t.Into);
            },
          });
          this.OPTION2(() => {
            this.OPTION3(() => {
              this.CONSUME1(t.Distinct);
              body.distinct = true;
            });
            const list = this.SUBRULE(this.bracedColumns);
            this.ACTION(() => Object.assign(body, list));
          });
        },
      },
      {
        ALT: () => {
          const columns: Column[] = [];
          this.AT_LEAST_ONE_SEP({ SEP: t.Comma, DEF: () => columns.push(this.SUBRULE(this.column)) });
          this.CONSUME1(t.From);
          body.from = this.SUBRULE1(this.fromSource);
          body.columns = columns;
        },
      },
    ]);
    this.SUBRULE(this.queryClauses, { ARGS: [body] });
    return { SELECT: body as SelectBody };
  });

  // queryClauses = [ excluding ] [ where ] [ group by ] [ having ] [ order by ] [ limit ]
  readonly queryClauses: ParserMethod<[object], void> = this.RULE("queryClauses", (target: object = {}) => {
    const body = target as Mutable<Partial<SelectBody>>;
    this.OPTION(() => body.excluding = this.SUBRULE(this.excludingClause));
    this.OPTION1(() => {
      this.CONSUME(t.Where);
      body.where = this.SUBRULE(this.expression);
    });
    this.OPTION2(() => body.groupBy = this.SUBRULE(this.groupByClause));
    this.OPTION3(() => {
      this.CONSUME(t.Having);
      body.having = this.SUBRULE1(this.expression);
    });
    this.OPTION4(() => body.orderBy = this.SUBRULE(this.orderByClause));
    this.OPTION5(() => body.limit = this.SUBRULE(this.limitClause));
  });

  readonly excludingClause: Rule<string[]> = this.RULE("excludingClause", () => {
    const names: string[] = [];
    this.CONSUME(t.Excluding);
    this.CONSUME(t.LCurly);
    this.MANY(() => {
      names.push(nameOf(this.CONSUME(t.Word)));
      this.SUBRULE(this.listSeparator);
    });
    this.CONSUME(t.RCurly);
    return names;
  });

  /** A comma, which may be left out before the closing brace. */
  readonly listSeparator: Rule<void> = this.RULE("listSeparator", () => {
    this.OR([
      { ALT: () => this.CONSUME(t.Comma) },
      { GATE: () => this.LA(1).tokenType === t.RCurly, ALT: EMPTY_ALT() },
    ]);
  });

  // source = table { join } { "," source }
  readonly fromSource: Rule<Source> = this.RULE("fromSource", () => {
    let result = this.SUBRULE(this.joined);
    this.MANY(() => {
      this.CONSUME(t.Comma);
      const right = this.SUBRULE1(this.joined);
      result = this.ACTION(() => ({ join: "cross" as const, args: [result, right] }));
    });
    return result;
  });

  readonly joined: Rule<Source> = this.RULE("joined", () => {
    let result = this.SUBRULE(this.table);
    this.MANY(() => {
      const join = this.SUBRULE(this.joinOperator);
      const right = this.SUBRULE1(this.table);
      let on: Xo[] | undefined;
      this.OR([
        {
          GATE: () => join !== "cross",
          ALT: () => {
            this.CONSUME(t.On);
            on = this.SUBRULE(this.expression);
          },
        },
        { GATE: () => join === "cross", ALT: EMPTY_ALT() },
      ]);
      result = this.ACTION(() => ({ join, args: [result, right], ...(on && { on }) }));
    });
    return result;
  });

  readonly joinOperator: Rule<JoinKind> = this.RULE("joinOperator", () => {
    let join: JoinKind = "inner";
    // An option, as Chevrotain does not look past empty alternatives.
    this.OPTION(() =>
      this.OR([
        { ALT: () => this.CONSUME(t.Inner) },
        { ALT: () => join = this.SUBRULE(this.outerJoin) },
        {
          ALT: () => {
            this.CONSUME(t.Cross);
            join = "cross";
          },
        },
      ])
    );
    this.CONSUME(t.Join);
    return join;
  });

  readonly outerJoin: Rule<JoinKind> = this.RULE("outerJoin", () => {
    const join = this.OR([
      { ALT: () => (this.CONSUME(t.Left), "left" as const) },
      { ALT: () => (this.CONSUME(t.Right), "right" as const) },
      { ALT: () => (this.CONSUME(t.Full), "full" as const) },
    ]);
    this.OPTION(() => this.CONSUME(t.Outer));
    return join;
  });

  // table = "(" ( query | source ) ")" [ alias ] | fromPath [ alias ] | "?"
  readonly table: Rule<Source> = this.RULE("table", () => {
    const source = this.OR([
      {
        ALT: () => {
          this.CONSUME(t.LParen);
          const inner = this.OR1([
            { GATE: () => this.isQueryAhead(), ALT: () => this.SUBRULE(this.query) },
            { ALT: () => this.SUBRULE(this.fromSource) },
          ]);
          this.CONSUME(t.RParen);
          return inner;
        },
      },
      {
        ALT: () => {
          const start = this.LA(1);
          const value = this.SUBRULE(this.parameter);
          return this.ACTION(() => sourceOf(value, this.placeOf(start)));
        },
      },
      { ALT: () => this.SUBRULE(this.fromPath) },
    ]);
    const as = this.OPTION(() => this.SUBRULE(this.sourceAlias));
    return this.ACTION(() => as ? this.located({ ...source, as }, this.LA(0)) : source);
  });

  readonly sourceAlias: Rule<string> = this.RULE("sourceAlias", () =>
    this.OR([
      {
        ALT: () => {
          this.CONSUME(t.As);
          return nameOf(this.CONSUME(t.Word));
        },
      },
      { ALT: () => nameOf(this.CONSUME(t.Identifier)) },
    ]));

  // fromPath = name { "." name } [ filter ] [ ":" path ]; the names up to the first filter, call or colon are one name
  readonly fromPath: Rule<{ ref: RefStep[] }> = this.RULE("fromPath", () => {
    const start = this.LA(1);
    const ref: RefStep[] = [];
    let name = nameOf(this.CONSUME(t.Name));
    this.MANY({
      GATE: () => tokenMatcher(this.LA(2), t.Word),
      DEF: () => {
        this.CONSUME(t.Dot);
        name += `.${nameOf(this.CONSUME(t.Word))}`;
      },
    });
    ref.push(this.SUBRULE(this.stepClauses, { ARGS: [name] }));
    this.OPTION(() => {
      this.OR([{ ALT: () => this.CONSUME(t.Colon) }, { ALT: () => this.CONSUME1(t.Dot) }]);
      ref.push(this.SUBRULE(this.pathStep));
      this.MANY1(() => {
        this.CONSUME2(t.Dot);
        ref.push(this.SUBRULE1(this.pathStep));
      });
    });
    return this.ACTION(() => this.located({ ref }, start));
  });

  // bracedColumns = "{" [ column { "," column } ] "}"
  readonly bracedColumns: Rule<ColumnList> = this.RULE("bracedColumns", () => {
    const columns: Column[] = [];
    this.CONSUME(t.LCurly);
    this.MANY({
      GATE: () => this.LA(1).tokenType !== t.RCurly,
      DEF: () => {
        columns.push(this.SUBRULE(this.column));
        this.SUBRULE(this.listSeparator);
      },
    });
    this.CONSUME(t.RCurly);
    return { columns };
  });

  // column = [ "virtual" ] [ "key" ] ( "*" | expression [ nested ] | nested ) [ "as" name [ nested ] ] [ ":" type ]
  readonly column: Rule<Column> = this.RULE("column", () => {
    const properties: Record<string, unknown> = {};
    const start = this.LA(1);
    this.enter();
    this.SUBRULE(this.columnAnnotations, { ARGS: [properties] });
    this.OPTION({
      GATE: () => !this.#isEndOfName(),
      DEF: () => {
        this.CONSUME(t.Virtual);
        properties.virtual = true;
      },
    });
    this.OPTION1(() => {
      this.CONSUME(t.Key);
      properties.key = true;
    });
    const column = this.OR([
      { ALT: () => (this.CONSUME(t.Star), "*" as const) },
      { ALT: () => this.SUBRULE(this.nestedColumns, { ARGS: [properties, "expand"] }) as Column },
      { ALT: () => this.SUBRULE(this.columnExpression, { ARGS: [properties] }) },
    ]);
    this.OPTION2(() => {
      this.CONSUME(t.As);
      properties.as = nameOf(this.CONSUME(t.Word));
      this.OPTION4({
        GATE: () => column !== "*" && "ref" in column && !properties.expand && !properties.inline,
        DEF: () => this.SUBRULE1(this.nestedColumns, { ARGS: [properties, "expand"] }),
      });
    });
    this.SUBRULE1(this.columnAnnotations, { ARGS: [properties] });
    this.OPTION3(() => {
      this.CONSUME(t.Colon);
      const cast = this.SUBRULE(this.columnType);
      this.ACTION(() => properties.cast = { ...(properties.cast as object | undefined), ...cast });
    });
    this.SUBRULE2(this.columnAnnotations, { ARGS: [properties] });
    this.leave();
    return this.ACTION(() =>
      column === "*" // annotations belong to single columns
        ? column
        : this.located({ ...(column as Expression), ...properties }, start)
    );
  });

  readonly columnExpression: ParserMethod<[object], Column> = this.RULE(
    "columnExpression",
    (properties: object = {}) => {
      const xos = this.SUBRULE(this.expression);
      this.OPTION(() =>
        this.OR([
          {
            ALT: () => {
              this.CONSUME(t.Dot);
              this.OR1([
                {
                  ALT: () => {
                    this.CONSUME(t.Star);
                    Object.assign(properties, { inline: ["*"] });
                  },
                },
                { ALT: () => this.SUBRULE(this.nestedColumns, { ARGS: [properties, "inline"] }) },
              ]);
            },
          },
          { ALT: () => this.SUBRULE1(this.nestedColumns, { ARGS: [properties, "expand"] }) },
        ])
      );
      return this.ACTION(() => columnOf(xos, properties));
    },
  );

  // nestedColumns = "{" columns "}" [ excluding ] [ where … ]
  readonly nestedColumns: ParserMethod<[object, string], object> = this.RULE(
    "nestedColumns",
    (properties: object = {}, kind: string = "expand") => {
      const list = this.SUBRULE(this.bracedColumns);
      const nested: Mutable<NestedColumn> = {};
      this.OPTION(() => nested.excluding = this.SUBRULE(this.excludingClause));
      this.ACTION(() => Object.assign(properties, { [kind]: list.columns }, nested));
      return {};
    },
  );

  /** The word at hand is followed by what follows a name, so it is a name and not a keyword. */
  #isEndOfName(): boolean {
    const { tokenType } = this.LA(2);
    if (LITERALS.includes(tokenType)) return false;
    return !tokenMatcher(this.LA(2), t.Word) || tokenType === t.As || tokenType === t.From ||
      tokenType === t.In;
  }
}

/** A value in place of a source: the name of an entity, its definition, a path or a query. */
function sourceOf(value: Expression, place: ErrorPlace): Source {
  if ("ref" in value && !value.param) return value;
  if ("SELECT" in value || "SET" in value) return value;
  const name = "val" in value && typeof value.val === "object" && value.val !== null && "name" in value.val
    ? value.val.name
    : "val" in value
    ? value.val
    : undefined;
  if (typeof name === "string") return { ref: [name] };
  throw new ConfigurationError("Found a value that is no entity, path or query in place of a source", place);
}

/** A cast as whole column keeps its function form inside an `xpr`, and gives the column its type. */
function columnOf(xos: readonly Xo[], properties: object): Column {
  const expression = toExpression(xos);
  if (!("cast" in expression)) return expression;
  if (!("cast" in properties)) Object.assign(properties, { cast: expression.cast as CastType });
  return { xpr: [expression] };
}

function combine(
  left: AnyQuery,
  { op, all }: { op: SetQuery["SET"]["op"]; all: boolean },
  right: AnyQuery,
): SetQuery {
  const isSame = "SET" in left && left.SET.op === op && (left.SET.all ?? false) === all &&
    !left.SET.orderBy && !left.SET.limit;
  const args = isSame ? [...left.SET.args, right] : [left, right];
  return { SET: { op, ...(all && { all }), args } };
}

/** A trailing `order by` of a union belongs to the whole, though the last operand has read it. */
function withOrder(query: AnyQuery, orderBy?: readonly OrderTerm[], limit?: Limit): AnyQuery {
  const clauses = { ...(orderBy && { orderBy }), ...(limit && { limit }) };
  if ("SELECT" in query) return { SELECT: { ...query.SELECT, ...clauses } };
  const last = query.SET.args[query.SET.args.length - 1];
  if (!("SELECT" in last)) return { SET: { ...query.SET, ...clauses } };
  const { orderBy: lastOrder, limit: lastLimit, ...body } = last.SELECT;
  const moved = { ...(lastOrder && { orderBy: lastOrder }), ...(lastLimit && { limit: lastLimit }) };
  const args = [...query.SET.args.slice(0, -1), { SELECT: body }];
  return { SET: { ...query.SET, args, ...moved, ...clauses } };
}
