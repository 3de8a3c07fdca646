/**
 * The grammar of expressions (ABNF, sections 4 and 5).
 *
 * @module
 */

import type { IToken, TokenType } from "chevrotain";
import type {
  AggregateExpr,
  Argument,
  ArgumentList,
  CommonExpr,
  MemberExpr,
  MemberStep,
  PrimitiveLiteral,
  QueryOptions,
} from "./ast.ts";
import type { Rule } from "./base_grammar.ts";
import { binaryExpr, type BinarySource } from "./binary_expr.ts";
import { callOrMember, typeNameOf } from "./call_or_member.ts";
import { literalValue } from "./literals.ts";
import { SearchGrammar } from "./search_grammar.ts";
import * as T from "./tokens.ts";

const OPERAND = "an operand";
const JSON_STRING = "a JSON string";

/** The alternatives of a choice, made once: a rule that made them at each call would be slower by half. */
interface Choice<R> {
  readonly DEF: { readonly ALT: () => R }[];
  readonly ERR_MSG: string;
}

/** Productions of expressions. Options in parentheses and `aggregate` are defined by the classes that extend it. */
export abstract class ExpressionGrammar extends SearchGrammar {
  /** Options between parentheses. */
  abstract readonly optionsInParens: Rule<QueryOptions>;
  /** An argument of `aggregate`. */
  abstract readonly aggregateExpr: Rule<AggregateExpr>;

  /** What stood in parentheses, which the tree does not show. */
  readonly #grouped = new WeakSet<CommonExpr>();
  readonly #source: BinarySource = {
    offsetAt: (place) => this.offsetAt(place),
    isGrouped: (operand) => this.#grouped.has(operand),
  };

  // commonExpr = operand [ addExpr / … ] [ eqExpr / … ] [ andExpr / orExpr ]
  /** An expression; the precedence of its operators is settled afterwards. */
  readonly commonExpr: Rule<CommonExpr> = this.RULE("commonExpr", (): CommonExpr => {
    let operands: CommonExpr[] | undefined;
    let operators: IToken[] | undefined;
    this.enter();
    const first = this.SUBRULE(this.operand);
    this.MANY(() => {
      (operators ??= []).push(this.CONSUME(T.BinaryOp));
      (operands ??= [first]).push(this.SUBRULE1(this.operand));
    });
    this.leave();
    return operands === undefined
      ? first
      : this.ACTION(() => binaryExpr(operands!, operators!, this.#source));
  });

  readonly #operands: Choice<CommonExpr> = {
    DEF: [
      { ALT: () => this.SUBRULE(this.primitiveLiteral) },
      { ALT: () => this.SUBRULE(this.memberExpr) },
      { ALT: () => this.SUBRULE(this.parenExpr) },
      { ALT: () => this.SUBRULE(this.unaryExpr) },
      { ALT: () => this.SUBRULE(this.caseExpr) },
      { ALT: () => this.SUBRULE(this.castExpr) },
      { ALT: () => this.SUBRULE(this.array) },
      { ALT: () => this.SUBRULE(this.object) },
    ],
    ERR_MSG: OPERAND,
  };

  // primitiveLiteral / arrayOrObject / rootExpr / functionExpr / negateExpr / methodCallExpr / parenExpr / castExpr
  // / isofExpr / notExpr / firstMemberExpr
  readonly operand: Rule<CommonExpr> = this.RULE("operand", (): CommonExpr => {
    this.count();
    return this.OR(this.#operands);
  });

  /** A literal. */
  readonly primitiveLiteral: Rule<PrimitiveLiteral> = this.RULE("primitiveLiteral", (): PrimitiveLiteral => {
    const token = this.CONSUME(T.Literal);
    return this.ACTION(() => this.#literal(token));
  });

  #literal(token: IToken): PrimitiveLiteral {
    const { image: text } = token;
    const offset = this.at(token);
    const { type, value, typeName } = literalValue(token) ??
      this.fail({ offset, found: text, expected: "a literal of OData 4" });
    return typeName === undefined
      ? { kind: "primitiveLiteral", offset, text, type, value }
      : { kind: "primitiveLiteral", offset, text, type, value, typeName };
  }

  // parenExpr = OPEN BWS commonExpr BWS CLOSE; listExpr = OPEN BWS [ primitiveLiteral *( COMMA primitiveLiteral ) ] CLOSE
  /** `(a)`, `(1,2)`, `()`. */
  readonly parenExpr: Rule<CommonExpr> = this.RULE("parenExpr", (): CommonExpr => {
    const offset = this.at(this.CONSUME(T.Open));
    const items = this.#listTo(T.Close, OPERAND, () => this.SUBRULE(this.commonExpr));
    if (items.length !== 1) return { kind: "listExpr", offset, items };
    this.ACTION(() => this.#grouped.add(items[0]));
    return items[0];
  });

  /** Items between commas, maybe none, and the token behind them. A rule has at most one such list. */
  #listTo<R>(end: TokenType, expected: string, item: () => R): R[] {
    const items: R[] = [];
    this.OR9({
      DEF: [
        { ALT: () => void this.CONSUME8(end) },
        {
          ALT: () => {
            this.AT_LEAST_ONE_SEP9({ SEP: T.Comma, DEF: () => void items.push(item()) });
            this.CONSUME9(end);
          },
        },
      ],
      ERR_MSG: expected,
    });
    return items;
  }

  // notExpr = "not" RWS boolCommonExpr; negateExpr = "-" BWS commonExpr
  /** `not a`, `-a`. */
  readonly unaryExpr: Rule<CommonExpr> = this.RULE("unaryExpr", (): CommonExpr => {
    this.enter();
    const token = this.OR([{ ALT: () => this.CONSUME(T.Not) }, { ALT: () => this.CONSUME(T.Minus) }]);
    const expr = this.SUBRULE(this.operand);
    this.leave();
    return this.ACTION((): CommonExpr => ({
      kind: token.tokenType === T.Not ? "notExpr" : "negateExpr",
      offset: this.at(token),
      expr,
    }));
  });

  // caseMethodCallExpr = "case" OPEN boolCommonExpr COLON commonExpr *( COMMA boolCommonExpr COLON commonExpr ) CLOSE
  /** `case(a:b)`. */
  readonly caseExpr: Rule<CommonExpr> = this.RULE("caseExpr", (): CommonExpr => {
    const offset = this.at(this.CONSUME(T.CaseCall));
    const branches: { when: CommonExpr; then: CommonExpr }[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({
      SEP: T.Comma,
      DEF: () => {
        const when = this.SUBRULE(this.commonExpr);
        this.CONSUME(T.Colon);
        branches.push({ when, then: this.SUBRULE1(this.commonExpr) });
      },
      ERR_MSG: OPERAND,
    });
    this.CONSUME(T.Close);
    return { kind: "caseExpr", offset, branches };
  });

  // castExpr = "cast" OPEN BWS [ commonExpr BWS COMMA BWS ] optionallyQualifiedTypeName BWS CLOSE; isofExpr likewise
  /** `cast(a,T)`, `isof(a,T)`. */
  readonly castExpr: Rule<CommonExpr> = this.RULE("castExpr", (): CommonExpr => {
    const call = this.CONSUME(T.CastCall);
    this.CONSUME(T.Open);
    const first = this.SUBRULE(this.commonExpr);
    const second = this.OPTION(() => {
      this.CONSUME(T.Comma);
      return this.SUBRULE1(this.commonExpr);
    });
    this.CONSUME(T.Close);
    return this.ACTION(() => this.#cast(call, first, second));
  });

  #cast(call: IToken, first: CommonExpr, second: CommonExpr | undefined): CommonExpr {
    const kind = call.image.toLowerCase() === "cast" ? "castExpr" : "isofExpr";
    const type = second ?? first;
    const typeName = typeNameOf(type) ??
      this.fail({ offset: type.offset, found: "an expression", expected: "a type name" });
    return { kind, offset: this.at(call), typeName, ...(second && { expr: first }) };
  }

  // array = begin-array [ valueInUrl *( value-separator valueInUrl ) ] end-array
  /** `[a,b]`. */
  readonly array: Rule<CommonExpr> = this.RULE("array", (): CommonExpr => {
    const offset = this.at(this.CONSUME(T.BeginArray));
    const items = this.#listTo(T.EndArray, OPERAND, () => this.SUBRULE(this.valueInUrl));
    return { kind: "array", offset, items };
  });

  // object = begin-object [ member *( value-separator member ) ] end-object; member = stringInUrl name-separator valueInUrl
  /** `{"a":1}`. */
  readonly object: Rule<CommonExpr> = this.RULE("object", (): CommonExpr => {
    const offset = this.at(this.CONSUME(T.BeginObject));
    const members = this.#listTo(T.EndObject, JSON_STRING, () => {
      const name = this.SUBRULE(this.stringInUrl);
      this.CONSUME(T.Colon);
      const value = this.SUBRULE(this.valueInUrl);
      return this.ACTION(() => ({ name: String(name.value), value }));
    });
    return { kind: "object", offset, members };
  });

  // valueInUrl = stringInUrl / commonExpr
  /** A value inside JSON. */
  readonly valueInUrl: Rule<CommonExpr> = this.RULE("valueInUrl", (): CommonExpr =>
    this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.stringInUrl) },
        { ALT: () => this.SUBRULE(this.commonExpr) },
      ],
      ERR_MSG: OPERAND,
    }));

  // stringInUrl = quotation-mark *charInJSON quotation-mark
  /** `"text"`. */
  readonly stringInUrl: Rule<PrimitiveLiteral> = this.RULE("stringInUrl", (): PrimitiveLiteral => {
    const token = this.CONSUME(T.JsonString);
    return this.ACTION(() => this.#jsonString(token));
  });

  #jsonString(token: IToken): PrimitiveLiteral {
    const { image: text } = token;
    const offset = this.at(token);
    try {
      const value: unknown = JSON.parse(text);
      return { kind: "primitiveLiteral", offset, text, type: "Edm.String", value: String(value) };
    } catch {
      return this.fail({ offset, found: text, expected: JSON_STRING });
    }
  }

  // firstMemberExpr = memberExpr / inscopeVariableExpr [ "/" memberExpr ]; rootExpr; methodCallExpr; functionExpr
  /** A path, a parameter alias or a call of a canonical function. */
  readonly memberExpr: Rule<CommonExpr> = this.RULE("memberExpr", (): CommonExpr => {
    const start = this.LA(1);
    const steps: MemberStep[] = [];
    const root = this.OR({
      DEF: [
        { ALT: () => void steps.push(this.SUBRULE(this.memberName)) },
        { ALT: () => this.CONSUME(T.DollarRoot) },
        { ALT: () => this.CONSUME(T.AtName) },
      ],
      ERR_MSG: "a path",
    });
    this.MANY(() => {
      this.CONSUME(T.Slash);
      steps.push(this.SUBRULE(this.memberStep));
    });
    return this.ACTION(() => callOrMember({ offset: this.at(start), root: root?.image, steps }));
  });

  readonly memberName: Rule<MemberStep> = this.RULE("memberName", (): MemberStep => {
    const token = this.CONSUME(T.Name);
    const parens = this.OPTION(() => this.SUBRULE(this.parenLists));
    return this.#named(token, parens ?? []);
  });

  // functionParameters and keyPredicate behind a name: `(a=1)(2)`
  /** Parenthesized lists. */
  readonly parenLists: Rule<ArgumentList[]> = this.RULE("parenLists", (): ArgumentList[] => {
    const lists: ArgumentList[] = [];
    this.AT_LEAST_ONE({ DEF: () => void lists.push(this.SUBRULE(this.argumentList)), ERR_MSG: '"("' });
    return lists;
  });

  #named(token: IToken, parens: readonly ArgumentList[]): MemberStep {
    return { kind: "memberName", offset: this.at(token), name: token.image.trim(), parens };
  }

  readonly #steps: Choice<MemberStep> = {
    DEF: [
      { ALT: () => this.SUBRULE(this.memberName) },
      { ALT: () => this.SUBRULE(this.annotationExpr) },
      { ALT: () => this.SUBRULE(this.lambdaExpr) },
      { ALT: () => this.SUBRULE(this.countStep) },
      { ALT: () => this.SUBRULE(this.filterExpr) },
      { ALT: () => this.SUBRULE(this.aggregateStep) },
    ],
    ERR_MSG: 'a name, "@name", "any", "$count", "$filter" or "aggregate"',
  };

  // boundFunctionExpr, annotationExpr, count, filterExpr, anyExpr, allExpr, "/aggregate" OPEN aggregateFunctionExpr CLOSE
  /** A step behind a slash. */
  readonly memberStep: Rule<MemberStep> = this.RULE("memberStep", (): MemberStep => this.OR(this.#steps));

  // annotationExpr = annotation [ "/" … ]
  readonly annotationExpr: Rule<MemberStep> = this.RULE("annotationExpr", (): MemberStep => {
    const token = this.CONSUME(T.AtName);
    return { kind: "annotationExpr", offset: this.at(token), name: token.image };
  });

  // count = "/$count" [ OPEN expandCountOption *( SEMI expandCountOption ) CLOSE ]
  readonly countStep: Rule<MemberStep> = this.RULE("countStep", (): MemberStep => {
    const offset = this.at(this.CONSUME(T.DollarCount));
    const options = this.OPTION(() => this.SUBRULE(this.optionsInParens));
    return options === undefined ? { kind: "countStep", offset } : { kind: "countStep", offset, options };
  });

  // "/aggregate" OPEN aggregateFunctionExpr CLOSE
  readonly aggregateStep: Rule<MemberStep> = this.RULE("aggregateStep", (): MemberStep => {
    const offset = this.at(this.CONSUME(T.AggregateCall));
    this.CONSUME(T.Open);
    const expr = this.SUBRULE(this.aggregateExpr);
    this.CONSUME(T.Close);
    return { kind: "aggregateStep", offset, expr };
  });

  // filterExpr = "/$filter" OPEN boolCommonExpr CLOSE
  /** `$filter(…)`. */
  readonly filterExpr: Rule<MemberStep> = this.RULE("filterExpr", (): MemberStep => {
    const offset = this.at(this.CONSUME(T.DollarFilter));
    this.CONSUME(T.Open);
    const filter = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.Close);
    const key = this.OPTION(() => this.SUBRULE(this.argumentList));
    return key === undefined
      ? { kind: "filterStep", offset, filter }
      : { kind: "filterStep", offset, filter, key };
  });

  // anyExpr = "any" OPEN BWS [ lambdaVariableExpr BWS COLON BWS lambdaPredicateExpr ] BWS CLOSE; allExpr without the option
  /** `any(x:…)`. */
  readonly lambdaExpr: Rule<MemberStep> = this.RULE("lambdaExpr", (): MemberStep => {
    const call = this.CONSUME(T.LambdaCall);
    const kind = call.image.toLowerCase() === "any" ? "anyExpr" : "allExpr";
    const offset = this.at(call);
    this.CONSUME(T.Open);
    return this.OR({
      DEF: [
        {
          GATE: () => kind === "anyExpr",
          ALT: (): MemberStep => {
            this.CONSUME(T.Close);
            return { kind, offset };
          },
        },
        {
          ALT: (): MemberStep => {
            const variable = this.CONSUME(T.QName).image;
            this.CONSUME(T.Colon);
            const predicate = this.SUBRULE(this.commonExpr);
            this.CONSUME1(T.Close);
            return { kind, offset, variable, predicate };
          },
        },
      ],
      ERR_MSG: "a lambda variable",
    });
  });

  // functionExprParameters = OPEN [ functionExprParameter *( COMMA functionExprParameter ) ] CLOSE; simpleKey; compoundKey
  /** Keys, parameters or arguments. */
  readonly argumentList: Rule<ArgumentList> = this.RULE("argumentList", (): ArgumentList => {
    const offset = this.at(this.CONSUME(T.Open));
    const items = this.#listTo(T.Close, OPERAND, () => this.SUBRULE(this.argument));
    return { offset, items };
  });

  // functionExprParameter = parameterName EQ ( parameterAlias / parameterValue ); keyValuePair
  /** `a=1` or `1`. */
  readonly argument: Rule<Argument> = this.RULE("argument", (): Argument => {
    const name = this.OPTION(() => this.CONSUME(T.NameEq));
    const value = this.SUBRULE(this.commonExpr);
    return this.ACTION((): Argument =>
      name === undefined
        ? { offset: value.offset, value }
        : { offset: this.at(name), name: name.image.slice(0, -1), value }
    );
  });

  /** A path and nothing else, as `groupby` and the like take it. */
  readonly memberPath: Rule<MemberExpr> = this.RULE("memberPath", (): MemberExpr => {
    const expr = this.SUBRULE(this.memberExpr);
    return this.ACTION(() =>
      expr.kind === "memberExpr"
        ? expr
        : this.fail({ offset: expr.offset, found: expr.kind, expected: "a path" })
    );
  });
}
