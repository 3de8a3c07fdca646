/**
 * The grammar of expressions (ABNF, sections 4 and 5).
 *
 * @module
 */

import type { IToken } from "chevrotain";
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
import { binaryExpr, type BinarySource } from "./binary_expr.ts";
import { callOrMember } from "./call_or_member.ts";
import { literalValue } from "./literals.ts";
import { ParserBase, type Rule } from "./parser_base.ts";
import * as T from "./tokens.ts";
import { typeNameOf } from "./type_name.ts";

/** Rules of expressions. Options in parentheses and `aggregate` are defined by the classes that extend it. */
export abstract class ExpressionParser extends ParserBase {
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
  readonly #operandAlternatives: { ALT: () => CommonExpr }[][] = [];
  #startAlternatives: { ALT: () => MemberStep | undefined }[] | undefined;
  #stepAlternatives: { ALT: () => MemberStep }[] | undefined;

  // commonExpr = operand [ addExpr / … ] [ eqExpr / … ] [ andExpr / orExpr ]
  /** An expression; the precedence of its operators is settled afterwards. */
  readonly commonExpr: Rule<CommonExpr> = this.RULE("commonExpr", (): CommonExpr => {
    this.enter();
    const first = this.#anyOperand(0);
    let operators: IToken[] | undefined;
    let operands: CommonExpr[] | undefined;
    this.MANY(() => {
      const operator = this.CONSUME(T.BinaryOp);
      const right = this.#anyOperand(1);
      (operators ??= []).push(operator);
      (operands ??= [first]).push(right);
    });
    this.leave();
    if (operators === undefined || operands === undefined) return first;
    return this.ACTION(() => binaryExpr(operands!, operators!, this.#source));
  });

  /** An operand. */
  readonly operand: Rule<CommonExpr> = this.RULE("operand", (): CommonExpr => this.#anyOperand(0));

  // primitiveLiteral / arrayOrObject / rootExpr / functionExpr / negateExpr / methodCallExpr / parenExpr / castExpr
  // / isofExpr / notExpr / firstMemberExpr
  /** An operand, the one with this index in its rule. Part of the rules that have operands, most of which are short. */
  #anyOperand(index: number): CommonExpr {
    this.count();
    return this.or(
      index,
      this.#operandAlternatives[index] ??= [
        { ALT: () => this.subrule(index, this.memberExpr) },
        { ALT: () => this.#literal(this.consume(index, T.Literal)) },
        { ALT: () => this.subrule(index, this.parenExpr) },
        { ALT: () => this.subrule(index, this.unaryExpr) },
        { ALT: () => this.subrule(index, this.caseExpr) },
        { ALT: () => this.subrule(index, this.castExpr) },
        { ALT: () => this.subrule(index, this.array) },
        { ALT: () => this.subrule(index, this.object) },
      ],
    );
  }

  /** A literal. */
  readonly primitiveLiteral: Rule<PrimitiveLiteral> = this.RULE(
    "primitiveLiteral",
    (): PrimitiveLiteral => this.#literal(this.CONSUME(T.Literal)),
  );

  #literal(token: IToken): PrimitiveLiteral {
    return this.ACTION(() => {
      const { image: text } = token;
      const offset = this.at(token);
      const { type, value, typeName } = literalValue(token) ??
        this.fail({ offset, found: text, expected: `a valid ${text.slice(0, text.indexOf("'"))} literal` });
      return typeName === undefined
        ? { kind: "primitiveLiteral", offset, text, type, value }
        : { kind: "primitiveLiteral", offset, text, type, value, typeName };
    });
  }

  // parenExpr = OPEN BWS commonExpr BWS CLOSE; listExpr = OPEN BWS [ primitiveLiteral *( COMMA primitiveLiteral ) ] CLOSE
  /** `(a)`, `(1,2)`, `()`. */
  readonly parenExpr: Rule<CommonExpr> = this.RULE("parenExpr", (): CommonExpr => {
    const open = this.CONSUME(T.Open);
    const items: CommonExpr[] = [];
    this.MANY_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.commonExpr)) });
    this.CONSUME(T.Close);
    if (items.length === 1) {
      this.ACTION(() => this.#grouped.add(items[0]));
      return items[0];
    }
    return { kind: "listExpr", offset: this.at(open), items };
  });

  // notExpr = "not" RWS boolCommonExpr; negateExpr = "-" BWS commonExpr
  /** `not a`, `-a`. */
  readonly unaryExpr: Rule<CommonExpr> = this.RULE("unaryExpr", (): CommonExpr => {
    this.enter();
    const { token, kind } = this.OR([
      { ALT: () => ({ token: this.CONSUME(T.Not), kind: "notExpr" as const }) },
      { ALT: () => ({ token: this.CONSUME(T.Minus), kind: "negateExpr" as const }) },
    ]);
    const expr = this.SUBRULE(this.operand);
    this.leave();
    return { kind, offset: this.at(token), expr };
  });

  // caseMethodCallExpr = "case" OPEN boolCommonExpr COLON commonExpr *( COMMA boolCommonExpr COLON commonExpr ) CLOSE
  /** `case(a:b)`. */
  readonly caseExpr: Rule<CommonExpr> = this.RULE("caseExpr", (): CommonExpr => {
    const call = this.CONSUME(T.CaseCall);
    const branches: { when: CommonExpr; then: CommonExpr }[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({
      SEP: T.Comma,
      DEF: () => {
        const when = this.SUBRULE(this.commonExpr);
        this.CONSUME(T.Colon);
        branches.push({ when, then: this.SUBRULE2(this.commonExpr) });
      },
    });
    this.CONSUME(T.Close);
    return { kind: "caseExpr", offset: this.at(call), branches };
  });

  // castExpr = "cast" OPEN BWS [ commonExpr BWS COMMA BWS ] optionallyQualifiedTypeName BWS CLOSE; isofExpr likewise
  /** `cast(a,T)`, `isof(a,T)`. */
  readonly castExpr: Rule<CommonExpr> = this.RULE("castExpr", (): CommonExpr => {
    const call = this.CONSUME(T.CastCall);
    this.CONSUME(T.Open);
    const first = this.SUBRULE(this.commonExpr);
    const second = this.OPTION(() => {
      this.CONSUME(T.Comma);
      return this.SUBRULE2(this.commonExpr);
    });
    this.CONSUME(T.Close);
    return this.ACTION(() => {
      const kind = call.image.toLowerCase() === "cast" ? "castExpr" : "isofExpr";
      const typeName = typeNameOf(second ?? first);
      if (typeName === undefined) {
        this.fail({ offset: (second ?? first).offset, found: "an expression", expected: "a type name" });
      }
      return { kind, offset: this.at(call), typeName, ...(second === undefined ? {} : { expr: first }) };
    });
  });

  // array = begin-array [ valueInUrl *( value-separator valueInUrl ) ] end-array
  /** `[a,b]`. */
  readonly array: Rule<CommonExpr> = this.RULE("array", (): CommonExpr => {
    const begin = this.CONSUME(T.BeginArray);
    const items: CommonExpr[] = [];
    this.MANY_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.valueInUrl)) });
    this.CONSUME(T.EndArray);
    return { kind: "array", offset: this.at(begin), items };
  });

  // object = begin-object [ member *( value-separator member ) ] end-object; member = stringInUrl name-separator valueInUrl
  /** `{"a":1}`. */
  readonly object: Rule<CommonExpr> = this.RULE("object", (): CommonExpr => {
    const begin = this.CONSUME(T.BeginObject);
    const members: { name: string; value: CommonExpr }[] = [];
    this.MANY_SEP({
      SEP: T.Comma,
      DEF: () => {
        const { value: name } = this.SUBRULE(this.stringInUrl);
        this.CONSUME(T.Colon);
        members.push({ name: String(name), value: this.SUBRULE(this.valueInUrl) });
      },
    });
    this.CONSUME(T.EndObject);
    return { kind: "object", offset: this.at(begin), members };
  });

  // valueInUrl = stringInUrl / commonExpr
  /** A value inside JSON. */
  readonly valueInUrl: Rule<CommonExpr> = this.RULE("valueInUrl", (): CommonExpr =>
    this.OR([
      { ALT: () => this.SUBRULE(this.stringInUrl) },
      { ALT: () => this.SUBRULE(this.commonExpr) },
    ]));

  // stringInUrl = quotation-mark *charInJSON quotation-mark
  /** `"text"`. */
  readonly stringInUrl: Rule<PrimitiveLiteral> = this.RULE("stringInUrl", (): PrimitiveLiteral => {
    const token = this.CONSUME(T.JsonString);
    return this.ACTION(() => {
      const offset = this.at(token);
      try {
        const value: unknown = JSON.parse(token.image);
        return {
          kind: "primitiveLiteral",
          offset,
          text: token.image,
          type: "Edm.String",
          value: String(value),
        };
      } catch {
        return this.fail({ offset, found: token.image, expected: "a JSON string" });
      }
    });
  });

  // firstMemberExpr = memberExpr / inscopeVariableExpr [ "/" memberExpr ]; rootExpr; methodCallExpr; functionExpr
  /** A path, a parameter alias or a call of a canonical function. */
  readonly memberExpr: Rule<CommonExpr> = this.RULE("memberExpr", (): CommonExpr => {
    const start = this.LA(1);
    const first = this.OR(
      this.#startAlternatives ??= [
        { ALT: () => void this.CONSUME(T.DollarRoot) },
        { ALT: () => void this.CONSUME(T.AtName) },
        { ALT: () => this.#named(this.CONSUME(T.Name)) },
        // An operator where an operand is due is a name: `Price gt in`.
        { ALT: () => this.#memberName(this.CONSUME(T.BinaryOp), []) },
      ],
    );
    const steps = first === undefined ? [] : [first];
    this.MANY(() => {
      this.CONSUME(T.Slash);
      steps.push(this.SUBRULE(this.memberStep));
    });
    const root = first === undefined ? start.image : undefined;
    return this.ACTION(() => callOrMember({ offset: this.at(start), root, steps }));
  });

  #named(token: IToken): MemberStep {
    const parens: ArgumentList[] = [];
    this.MANY2(() => parens.push(this.SUBRULE(this.argumentList)));
    return this.#memberName(token, parens);
  }

  #memberName(token: IToken, parens: readonly ArgumentList[]): MemberStep {
    return { kind: "memberName", offset: this.at(token), name: token.image.trim(), parens };
  }

  // boundFunctionExpr, annotationExpr, count, filterExpr, anyExpr, allExpr, "/aggregate" OPEN aggregateFunctionExpr CLOSE
  /** A step behind a slash. */
  readonly memberStep: Rule<MemberStep> = this.RULE("memberStep", (): MemberStep =>
    this.OR(
      this.#stepAlternatives ??= [
        { ALT: () => this.#named(this.CONSUME(T.Name)) },
        {
          ALT: () => {
            const token = this.CONSUME(T.AtName);
            return { kind: "annotationExpr", offset: this.at(token), name: token.image };
          },
        },
        { ALT: () => this.SUBRULE(this.lambdaExpr) },
        {
          ALT: () => {
            const token = this.CONSUME(T.DollarCount);
            const options = this.OPTION(() => this.SUBRULE(this.optionsInParens));
            if (options === undefined) return { kind: "countStep", offset: this.at(token) };
            return { kind: "countStep", offset: this.at(token), options };
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(T.DollarFilter);
            this.CONSUME(T.Open);
            const filter = this.SUBRULE(this.commonExpr);
            this.CONSUME(T.Close);
            const key = this.OPTION2(() => this.SUBRULE2(this.argumentList));
            return {
              kind: "filterStep",
              offset: this.at(token),
              filter,
              ...(key === undefined ? {} : { key }),
            };
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(T.AggregateCall);
            this.CONSUME2(T.Open);
            const expr = this.SUBRULE(this.aggregateExpr);
            this.CONSUME2(T.Close);
            return { kind: "aggregateStep", offset: this.at(token), expr };
          },
        },
      ],
    ));

  // anyExpr = "any" OPEN BWS [ lambdaVariableExpr BWS COLON BWS lambdaPredicateExpr ] BWS CLOSE; allExpr without the option
  /** `any(x:…)`. */
  readonly lambdaExpr: Rule<MemberStep> = this.RULE("lambdaExpr", (): MemberStep => {
    const call = this.CONSUME(T.LambdaCall);
    let variable: string | undefined;
    let predicate: CommonExpr | undefined;
    this.CONSUME(T.Open);
    this.OPTION(() => {
      variable = this.CONSUME(T.QName).image;
      this.CONSUME(T.Colon);
      predicate = this.SUBRULE(this.commonExpr);
    });
    const close = this.CONSUME(T.Close);
    return this.ACTION(() => {
      const kind = call.image.toLowerCase() === "any" ? "anyExpr" : "allExpr";
      if (variable === undefined) {
        if (kind === "allExpr") {
          this.fail({ offset: this.at(close), found: ")", expected: "a lambda variable" });
        }
        return { kind, offset: this.at(call) };
      }
      return { kind, offset: this.at(call), variable, predicate: predicate! };
    });
  });

  // functionExprParameters = OPEN [ functionExprParameter *( COMMA functionExprParameter ) ] CLOSE; simpleKey; compoundKey
  /** Keys, parameters or arguments. */
  readonly argumentList: Rule<ArgumentList> = this.RULE("argumentList", (): ArgumentList => {
    const open = this.CONSUME(T.Open);
    const items: Argument[] = [];
    this.MANY_SEP({ SEP: T.Comma, DEF: () => items.push(this.#argument()) });
    this.CONSUME(T.Close);
    return { kind: "argumentList", offset: this.at(open), items };
  });

  // functionExprParameter = parameterName EQ ( parameterAlias / parameterValue ); keyValuePair
  /** `a=1` or `1`. */
  #argument(): Argument {
    const name = this.OPTION(() => this.CONSUME(T.NameEq));
    const value = this.SUBRULE(this.commonExpr);
    return this.ACTION(() => {
      if (name === undefined) return { kind: "argument", offset: value.offset, value };
      return { kind: "argument", offset: this.at(name), name: name.image.slice(0, -1), value };
    });
  }

  /** A path and nothing else, as `groupby` and the like take it. */
  protected asMember(expr: CommonExpr, expected: string): MemberExpr {
    if (expr.kind !== "memberExpr") this.fail({ offset: expr.offset, found: expr.kind, expected });
    return expr;
  }
}
