/**
 * The grammar of expressions (ABNF, sections 4 and 5).
 *
 * @module
 */

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
import { ParserBase } from "./parser_base.ts";
import type { Token, TokenType } from "./tokens.ts";
import * as T from "./tokens.ts";
import { typeNameOf } from "./type_name.ts";

/** Productions of expressions. Options in parentheses and `aggregate` are defined by the classes that extend it. */
export abstract class ExpressionParser extends ParserBase {
  /** Options between parentheses. */
  abstract optionsInParens(): QueryOptions;
  /** An argument of `aggregate`. */
  abstract aggregateExpr(): AggregateExpr;

  /** What stood in parentheses, which the tree does not show. */
  readonly #grouped = new WeakSet<CommonExpr>();
  readonly #source: BinarySource = {
    offsetAt: (place) => this.offsetAt(place),
    isGrouped: (operand) => this.#grouped.has(operand),
  };

  // commonExpr = operand [ addExpr / … ] [ eqExpr / … ] [ andExpr / orExpr ]
  /** An expression; the precedence of its operators is settled afterwards. */
  commonExpr(): CommonExpr {
    this.enter();
    const first = this.#operand();
    if (!this.isNext(T.BinaryOp)) {
      this.leave();
      return first;
    }
    const operators = [this.readToken()];
    const operands = [first, this.#operand()];
    while (this.isNext(T.BinaryOp)) {
      operators.push(this.readToken());
      operands.push(this.#operand());
    }
    this.leave();
    return binaryExpr(operands, operators, this.#source);
  }

  // primitiveLiteral / arrayOrObject / rootExpr / functionExpr / negateExpr / methodCallExpr / parenExpr / castExpr
  // / isofExpr / notExpr / firstMemberExpr
  #operand(): CommonExpr {
    this.count();
    switch (this.next.type) {
      case T.Open:
        return this.#parenExpr();
      case T.Not:
      case T.Minus:
        return this.#unaryExpr();
      case T.CaseCall:
        return this.#caseExpr();
      case T.CastCall:
        return this.#castExpr();
      case T.BeginArray:
        return this.#array();
      case T.BeginObject:
        return this.#object();
      default:
        return this.isNext(T.Literal) ? this.primitiveLiteral() : this.memberExpr("an operand");
    }
  }

  /** A literal. */
  primitiveLiteral(): PrimitiveLiteral {
    const token = this.take(T.Literal);
    const { image: text } = token;
    const offset = this.at(token);
    const { type, value, typeName } = literalValue(token) ??
      this.fail({ offset, found: text, expected: `a valid ${text.slice(0, text.indexOf("'"))} literal` });
    return typeName === undefined
      ? { kind: "primitiveLiteral", offset, text, type, value }
      : { kind: "primitiveLiteral", offset, text, type, value, typeName };
  }

  // parenExpr = OPEN BWS commonExpr BWS CLOSE; listExpr = OPEN BWS [ primitiveLiteral *( COMMA primitiveLiteral ) ] CLOSE
  /** `(a)`, `(1,2)`, `()`. */
  #parenExpr(): CommonExpr {
    const offset = this.at(this.take(T.Open));
    const items = this.#listTo(T.Close, () => this.commonExpr());
    if (items.length !== 1) return { kind: "listExpr", offset, items };
    this.#grouped.add(items[0]);
    return items[0];
  }

  /** Items between commas, maybe none, and the token behind them. */
  #listTo<R>(end: TokenType, item: () => R): R[] {
    if (this.accept(end)) return [];
    const items = [item()];
    while (this.accept(T.Comma)) items.push(item());
    this.take(end);
    return items;
  }

  // notExpr = "not" RWS boolCommonExpr; negateExpr = "-" BWS commonExpr
  /** `not a`, `-a`. */
  #unaryExpr(): CommonExpr {
    this.enter();
    const token = this.readToken();
    const expr = this.#operand();
    this.leave();
    return { kind: token.type === T.Not ? "notExpr" : "negateExpr", offset: this.at(token), expr };
  }

  // caseMethodCallExpr = "case" OPEN boolCommonExpr COLON commonExpr *( COMMA boolCommonExpr COLON commonExpr ) CLOSE
  /** `case(a:b)`. */
  #caseExpr(): CommonExpr {
    const offset = this.at(this.take(T.CaseCall));
    this.take(T.Open);
    const branches = [this.#branch()];
    while (this.accept(T.Comma)) branches.push(this.#branch());
    this.take(T.Close);
    return { kind: "caseExpr", offset, branches };
  }

  /** `a:b`. */
  #branch(): { readonly when: CommonExpr; readonly then: CommonExpr } {
    const when = this.commonExpr();
    this.take(T.Colon);
    return { when, then: this.commonExpr() };
  }

  // castExpr = "cast" OPEN BWS [ commonExpr BWS COMMA BWS ] optionallyQualifiedTypeName BWS CLOSE; isofExpr likewise
  /** `cast(a,T)`, `isof(a,T)`. */
  #castExpr(): CommonExpr {
    const call = this.take(T.CastCall);
    this.take(T.Open);
    const first = this.commonExpr();
    const second = this.accept(T.Comma) && this.commonExpr();
    this.take(T.Close);
    const kind = call.image.toLowerCase() === "cast" ? "castExpr" : "isofExpr";
    const type = second ?? first;
    const typeName = typeNameOf(type) ??
      this.fail({ offset: type.offset, found: "an expression", expected: "a type name" });
    return { kind, offset: this.at(call), typeName, ...(second && { expr: first }) };
  }

  // array = begin-array [ valueInUrl *( value-separator valueInUrl ) ] end-array
  /** `[a,b]`. */
  #array(): CommonExpr {
    const offset = this.at(this.take(T.BeginArray));
    return { kind: "array", offset, items: this.#listTo(T.EndArray, () => this.valueInUrl()) };
  }

  // object = begin-object [ member *( value-separator member ) ] end-object; member = stringInUrl name-separator valueInUrl
  /** `{"a":1}`. */
  #object(): CommonExpr {
    const offset = this.at(this.take(T.BeginObject));
    const members = this.#listTo(T.EndObject, () => {
      const name = String(this.#stringInUrl().value);
      this.take(T.Colon);
      return { name, value: this.valueInUrl() };
    });
    return { kind: "object", offset, members };
  }

  // valueInUrl = stringInUrl / commonExpr
  /** A value inside JSON. */
  valueInUrl(): CommonExpr {
    return this.next.type === T.JsonString ? this.#stringInUrl() : this.commonExpr();
  }

  // stringInUrl = quotation-mark *charInJSON quotation-mark
  /** `"text"`. */
  #stringInUrl(): PrimitiveLiteral {
    const token = this.take(T.JsonString);
    const { image: text } = token;
    const offset = this.at(token);
    try {
      const value: unknown = JSON.parse(text);
      return { kind: "primitiveLiteral", offset, text, type: "Edm.String", value: String(value) };
    } catch {
      return this.fail({ offset, found: text, expected: "a JSON string" });
    }
  }

  // firstMemberExpr = memberExpr / inscopeVariableExpr [ "/" memberExpr ]; rootExpr; methodCallExpr; functionExpr
  /** A path, a parameter alias or a call of a canonical function; errors say what was expected. */
  protected memberExpr(expected: string): CommonExpr {
    const start = this.next;
    const root = this.accept(T.DollarRoot) ?? this.accept(T.AtName);
    const steps = root === undefined ? [this.#firstName(expected)] : [];
    while (this.accept(T.Slash)) steps.push(this.#memberStep());
    return callOrMember({ offset: this.at(start), root: root?.image, steps });
  }

  #firstName(expected: string): MemberStep {
    if (this.isNext(T.Name)) return this.#memberName();
    // An operator where an operand is due is a name: `Price gt in`.
    return this.isNext(T.BinaryOp) ? this.#named(this.readToken(), []) : this.unexpected(expected);
  }

  #memberName(): MemberStep {
    const token = this.readToken();
    return this.#named(token, this.next.type === T.Open ? this.parenLists() : []);
  }

  // functionParameters and keyPredicate behind a name: `(a=1)(2)`
  /** Parenthesized lists. */
  parenLists(): ArgumentList[] {
    const lists = [this.argumentList()];
    while (this.next.type === T.Open) lists.push(this.argumentList());
    return lists;
  }

  #named(token: Token, parens: readonly ArgumentList[]): MemberStep {
    return { kind: "memberName", offset: this.at(token), name: token.image.trim(), parens };
  }

  // boundFunctionExpr, annotationExpr, count, filterExpr, anyExpr, allExpr, "/aggregate" OPEN aggregateFunctionExpr CLOSE
  /** A step behind a slash. */
  #memberStep(): MemberStep {
    switch (this.next.type) {
      case T.AtName: {
        const token = this.readToken();
        return { kind: "annotationExpr", offset: this.at(token), name: token.image };
      }
      case T.LambdaCall:
        return this.#lambdaExpr();
      case T.DollarCount: {
        const offset = this.at(this.readToken());
        if (this.next.type !== T.Open) return { kind: "countStep", offset };
        return { kind: "countStep", offset, options: this.optionsInParens() };
      }
      case T.DollarFilter:
        return this.#filterExpr();
      case T.AggregateCall: {
        const offset = this.at(this.readToken());
        this.take(T.Open);
        const expr = this.aggregateExpr();
        this.take(T.Close);
        return { kind: "aggregateStep", offset, expr };
      }
      default:
        if (this.isNext(T.Name)) return this.#memberName();
        return this.unexpected('a name, "@name", "any", "$count", "$filter" or "aggregate"');
    }
  }

  // filterExpr = "/$filter" OPEN boolCommonExpr CLOSE
  /** `$filter(…)`. */
  #filterExpr(): MemberStep {
    const offset = this.at(this.take(T.DollarFilter));
    this.take(T.Open);
    const filter = this.commonExpr();
    this.take(T.Close);
    if (this.next.type !== T.Open) return { kind: "filterStep", offset, filter };
    return { kind: "filterStep", offset, filter, key: this.argumentList() };
  }

  // anyExpr = "any" OPEN BWS [ lambdaVariableExpr BWS COLON BWS lambdaPredicateExpr ] BWS CLOSE; allExpr without the option
  /** `any(x:…)`. */
  #lambdaExpr(): MemberStep {
    const call = this.take(T.LambdaCall);
    const kind = call.image.toLowerCase() === "any" ? "anyExpr" : "allExpr";
    const offset = this.at(call);
    this.take(T.Open);
    if (kind === "anyExpr" && this.accept(T.Close)) return { kind, offset };
    const variable = this.accept(T.QName)?.image ?? this.unexpected("a lambda variable");
    this.take(T.Colon);
    const predicate = this.commonExpr();
    this.take(T.Close);
    return { kind, offset, variable, predicate };
  }

  // functionExprParameters = OPEN [ functionExprParameter *( COMMA functionExprParameter ) ] CLOSE; simpleKey; compoundKey
  /** Keys, parameters or arguments. */
  protected argumentList(): ArgumentList {
    const offset = this.at(this.take(T.Open));
    return { kind: "argumentList", offset, items: this.#listTo(T.Close, () => this.#argument()) };
  }

  // functionExprParameter = parameterName EQ ( parameterAlias / parameterValue ); keyValuePair
  /** `a=1` or `1`. */
  #argument(): Argument {
    const name = this.accept(T.NameEq);
    const value = this.commonExpr();
    if (name === undefined) return { kind: "argument", offset: value.offset, value };
    return { kind: "argument", offset: this.at(name), name: name.image.slice(0, -1), value };
  }

  /** A path and nothing else, as `groupby` and the like take it. */
  protected memberPath(): MemberExpr {
    const expr = this.memberExpr("a path");
    return expr.kind === "memberExpr"
      ? expr
      : this.fail({ offset: expr.offset, found: expr.kind, expected: "a path" });
  }
}
