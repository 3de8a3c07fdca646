/**
 * The grammar of `$apply` (Data Aggregation ABNF 4.0).
 *
 * @module
 */

import type {
  AggregateExpr,
  AggregateFrom,
  ApplyExpr,
  ApplyTrafo,
  CommonExpr,
  ComputeItem,
  GroupbyElement,
  MemberExpr,
  OrderbyItem,
  RecHierReference,
} from "./ast.ts";
import { ExpressionParser } from "./expression_parser.ts";
import { wholeNumber } from "./literals.ts";
import type { Token, TokenType } from "./tokens.ts";
import * as T from "./tokens.ts";

type Hierarchy = Extract<ApplyTrafo, { kind: "hierarchyTrafo" }>;

/** Productions of `$apply`, and of `$orderby` and `$compute`, whose items it shares. */
export abstract class ApplyParser extends ExpressionParser {
  // orderby = ( "$orderby" / "orderby" ) EQ orderbyItem *( COMMA orderbyItem )
  /** The value of `$orderby`. */
  orderby(): OrderbyItem[] {
    const items = [this.#orderbyItem()];
    while (this.accept(T.Comma)) items.push(this.#orderbyItem());
    return items;
  }

  // orderbyItem = commonExpr [ RWS ( "asc" / "desc" ) ]
  /** `a desc`. */
  #orderbyItem(): OrderbyItem {
    const expr = this.commonExpr();
    const direction = this.accept(T.SortDirection)?.image.trim();
    return { kind: "orderbyItem", offset: expr.offset, expr, desc: direction?.length === 4 };
  }

  // compute = ( "$compute" / "compute" ) EQ computeItem *( COMMA computeItem )
  /** The value of `$compute`. */
  compute(): ComputeItem[] {
    const items = [this.#computeItem()];
    while (this.accept(T.Comma)) items.push(this.#computeItem());
    return items;
  }

  // computeItem = commonExpr RWS "as" RWS computedProperty
  /** `a as b`. */
  #computeItem(): ComputeItem {
    const expr = this.commonExpr();
    return { kind: "computeItem", offset: expr.offset, expr, name: this.#alias() };
  }

  // asAlias = RWS "as" RWS alias
  #alias(): string {
    this.take(T.As);
    return this.#odataIdentifier();
  }

  /** A name without namespace. */
  #odataIdentifier(): string {
    const name = this.next.image.trim();
    if (!IDENTIFIERS.some((type) => this.isNext(type)) || name.includes(".")) {
      this.unexpected("a name without namespace");
    }
    this.readToken();
    return name;
  }

  // applyExpr = applyTrafo *( "/" applyTrafo )
  /** Transformations in sequence. */
  applyExpr(): ApplyExpr {
    this.enter();
    const trafos = [this.#applyTrafo()];
    while (this.accept(T.Slash)) trafos.push(this.#applyTrafo());
    this.leave();
    return { kind: "applyExpr", offset: trafos[0].offset, trafos };
  }

  // applyTrafo = aggregateTrafo / computeTrafo / concatTrafo / groupbyTrafo / joinTrafo / nestTrafo / outerjoinTrafo / preservingTrafo
  /** One transformation. */
  #applyTrafo(): ApplyTrafo {
    this.count();
    const call = this.next;
    const offset = this.at(call);
    if (call.type === T.CallName) return this.#customFunction();
    if (!this.isNext(T.Trafo)) this.unexpected("a transformation");
    this.readToken();
    if (call.type === T.Identity) return { kind: "identityTrafo", offset };
    // its parenthesis belongs to the token
    if (call.type !== T.SearchCall) this.take(T.Open);
    const trafo = this.#trafo(call);
    this.take(T.Close);
    return trafo;
  }

  /** What stands in the parentheses of a transformation. */
  #trafo(call: Token): ApplyTrafo {
    const offset = this.at(call);
    switch (call.type) {
      case T.AggregateCall:
        return { kind: "aggregateTrafo", offset, items: this.#aggregateItems() };
      case T.ComputeCall:
        return { kind: "computeTrafo", offset, items: this.compute() };
      case T.ConcatCall:
        return { kind: "concatTrafo", offset, branches: this.#branches() };
      case T.GroupbyCall:
        return this.#groupby(offset);
      case T.FilterCall:
        return { kind: "filterTrafo", offset, filter: this.commonExpr() };
      case T.SearchCall:
        return { kind: "searchTrafo", offset, search: this.searchText() };
      case T.OrderbyCall:
        return { kind: "orderbyTrafo", offset, items: this.orderby() };
      case T.TopSkipCall:
        return { kind: call.image === "top" ? "topTrafo" : "skipTrafo", offset, count: this.digits() };
      case T.TopBottomCall:
        return this.#topBottom(call);
      case T.JoinCall:
        return this.#join(call);
      case T.NestCall:
        return { kind: "nestTrafo", offset, items: this.#nestItems() };
      case T.AddnestedCall: {
        const path = this.memberPath();
        this.take(T.Comma);
        return { kind: "nestTrafo", offset, path, items: this.#nestItems() };
      }
      case T.AncestorsCall:
        return this.#ancestors(call);
      default:
        return this.#traverse(offset);
    }
  }

  // aggregateTrafo = "aggregate" OPEN BWS aggregateExpr *( BWS COMMA BWS aggregateExpr ) BWS CLOSE
  #aggregateItems(): AggregateExpr[] {
    const items = [this.#aggregateItem()];
    while (this.accept(T.Comma)) items.push(this.#aggregateItem());
    return items;
  }

  // aggregateExpr = … asAlias; only a custom aggregate may go without
  /** An argument of `aggregate` with its alias. */
  #aggregateItem(): AggregateExpr {
    const item = this.aggregateExpr();
    if (this.isNext(T.As)) return { ...item, alias: this.#alias() };
    if (item.method !== undefined || item.from !== undefined || !isPlainPath(item.expr)) {
      this.unexpected('"as" with an alias');
    }
    return item;
  }

  // aggregateFunctionExpr = aggregatableExpW [ aggregateFrom ] / aggregateCount [ aggregateFrom ] / aggregateCustom [ customFrom ]
  /** An argument of `aggregate` without alias. */
  aggregateExpr(): AggregateExpr {
    const expr = this.isNext(T.DollarCount) ? this.#rowCount() : this.commonExpr();
    const method = this.#aggregateWith();
    const from: AggregateFrom[] = [];
    while (this.accept(T.From)) {
      this.enter(); // each aggregates the groups of the one before
      from.push(this.#aggregateFrom());
    }
    from.forEach(() => this.leave());
    return {
      kind: "aggregateExpr",
      offset: expr.offset,
      expr,
      ...(method !== undefined && { method }),
      ...(from.length > 0 && { from }),
    };
  }

  /** `$count`. */
  #rowCount(): CommonExpr {
    const offset = this.at(this.readToken());
    return { kind: "memberExpr", offset, steps: [{ kind: "countStep", offset }] };
  }

  // aggregateWith = RWS "with" RWS aggregateMethod
  /** `with sum`. */
  #aggregateWith(): string | undefined {
    if (!this.accept(T.With)) return undefined;
    const { image } = this.next;
    const isMethod = this.isNext(T.QName) && (image.includes(".") || AGGREGATE_METHODS.has(image));
    return isMethod ? this.readToken().image : this.unexpected([...AGGREGATE_METHODS].join(", "));
  }

  // aggregateFrom = RWS "from" RWS groupingProperties aggregateWith [ aggregateFrom ]
  /** `from a,b with sum`. */
  #aggregateFrom(): AggregateFrom {
    const properties = this.#memberPaths();
    const method = this.#aggregateWith();
    return method === undefined ? { properties } : { properties, method };
  }

  #memberPaths(): MemberExpr[] {
    const paths = [this.memberPath()];
    while (this.accept(T.Comma)) paths.push(this.memberPath());
    return paths;
  }

  // concatTrafo = "concat" OPEN BWS applyExpr 1*( BWS COMMA BWS applyExpr ) BWS CLOSE
  #branches(): ApplyExpr[] {
    const branches = [this.applyExpr()];
    do {
      this.take(T.Comma);
      branches.push(this.applyExpr());
    } while (this.isNext(T.Comma));
    return branches;
  }

  // groupbyTrafo = "groupby" OPEN BWS groupbyList [ BWS COMMA BWS applyExpr ] BWS CLOSE
  #groupby(offset: number): ApplyTrafo {
    this.take(T.Open);
    const elements = [this.#groupbyElement()];
    while (this.accept(T.Comma)) elements.push(this.#groupbyElement());
    this.take(T.Close);
    return { kind: "groupbyTrafo", offset, elements, ...this.#followingApply() };
  }

  /** The transformations behind a comma, if there is one. */
  #followingApply(): { readonly apply?: ApplyExpr } {
    return this.accept(T.Comma) ? { apply: this.applyExpr() } : {};
  }

  // groupbyElement = groupingProperty / rollupLevels / rollupRecursive
  /** An element of `groupby`. */
  #groupbyElement(): GroupbyElement {
    const call = this.accept(T.RollupCall) ?? this.accept(T.RollupRecursiveCall);
    if (call === undefined) return this.memberPath();
    this.take(T.Open);
    const element = call.type === T.RollupCall ? this.#rollup(call) : this.#rollupRecursive(call);
    this.take(T.Close);
    return element;
  }

  // rollupLevels = "rollup" OPEN BWS ( rollupUnnamedHier / rollupNamedHier ) BWS CLOSE
  /** `rollup(a,b)`. */
  #rollup(call: Token): GroupbyElement {
    return { kind: "rollupLevels", offset: this.at(call), properties: this.#memberPaths() };
  }

  // rollupRecursive = "rolluprecursive" OPEN BWS recHierReference BWS [ COMMA BWS preservingTrafos BWS ] CLOSE
  /** `rolluprecursive(…)`. */
  #rollupRecursive(call: Token): GroupbyElement {
    const hierarchy = this.#recHierReference();
    const trafos = this.accept(T.Comma) && this.applyExpr();
    return { kind: "rollupRecursive", offset: this.at(call), hierarchy, ...(trafos && { trafos }) };
  }

  // recHierReference = rootExpr BWS COMMA BWS recHierQualifier BWS COMMA BWS recHierPropertyPath
  /** Nodes, qualifier, node property. */
  #recHierReference(): RecHierReference {
    const nodes = this.commonExpr();
    this.take(T.Comma);
    const qualifier = this.#odataIdentifier();
    this.take(T.Comma);
    return { nodes, qualifier, property: this.memberPath() };
  }

  // 1*DIGIT
  /** A whole number without sign. */
  protected digits(): number {
    const value = wholeNumber(this.next.image) ?? this.unexpected("a non-negative integer");
    this.readToken();
    return value;
  }

  // topcountTrafo = "topcount" OPEN BWS collectionExpr BWS COMMA BWS commonExpr BWS CLOSE; the others likewise
  /** `topcount(2,Amount)`. */
  #topBottom(call: Token): ApplyTrafo {
    const amount = this.commonExpr();
    this.take(T.Comma);
    const value = this.commonExpr();
    return { kind: "topBottomTrafo", offset: this.at(call), name: call.image, amount, value };
  }

  // joinTrafo = "join" OPEN BWS joinProperty asAlias [ BWS COMMA BWS applyExpr ] BWS CLOSE; outerjoinTrafo likewise
  /** `join(Sales as Sale)`. */
  #join(call: Token): ApplyTrafo {
    const property = this.memberPath();
    const alias = this.#alias();
    const outer = call.image === "outerjoin";
    const offset = this.at(call);
    return { kind: "joinTrafo", offset, outer, property, alias, ...this.#followingApply() };
  }

  // nestApplyExpr = applyExpr asAlias *( BWS COMMA BWS applyExpr asAlias )
  /** `… as a`. */
  #nestItems(): { apply: ApplyExpr; alias: string }[] {
    const items: { apply: ApplyExpr; alias: string }[] = [];
    do items.push({ apply: this.applyExpr(), alias: this.#alias() }); while (this.accept(T.Comma));
    return items;
  }

  // ancestorsTrafo = "ancestors" OPEN recHierReference COMMA preservingTrafos [ COMMA 1*DIGIT ] [ COMMA "keep start" ] CLOSE
  /** `ancestors(…)`, `descendants(…)`. */
  #ancestors(call: Token): ApplyTrafo {
    const hierarchy = this.#recHierReference();
    this.take(T.Comma);
    const trafos = this.applyExpr();
    const distance = this.isSecond(T.NumberLiteral) && this.accept(T.Comma) ? this.digits() : undefined;
    const keepStart = this.accept(T.Comma) && this.take(T.KeepStart);
    return {
      kind: "hierarchyTrafo",
      offset: this.at(call),
      name: call.image as Hierarchy["name"], // the token has these texts only
      hierarchy,
      trafos,
      ...(distance !== undefined && { distance }),
      ...(keepStart && { keepStart: true }),
    };
  }

  // traverseTrafo = "traverse" OPEN recHierReference COMMA ( "preorder" / "postorder" ) [ COMMA preservingTrafos ]
  //                 [ COMMA orderbyItem *( COMMA orderbyItem ) ] CLOSE
  /** `traverse(…)`. */
  #traverse(offset: number): ApplyTrafo {
    const hierarchy = this.#recHierReference();
    this.take(T.Comma);
    const order = this.#traverseOrder();
    const trafos = this.isSecond(T.Trafo) && this.accept(T.Comma) ? this.applyExpr() : undefined;
    const orderby = this.accept(T.Comma) && this.orderby();
    return {
      kind: "hierarchyTrafo",
      offset,
      name: "traverse",
      hierarchy,
      order,
      ...(trafos && { trafos }),
      ...(orderby && { orderby }),
    };
  }

  /** `preorder` or `postorder`. */
  #traverseOrder(): "preorder" | "postorder" {
    const { image } = this.next;
    if (image !== "preorder" && image !== "postorder") this.unexpected('"preorder" or "postorder"');
    this.readToken();
    return image;
  }

  // customFunction = namespace "." ( entityColFunction / … ) functionExprParameters
  /** `Model.f(a=1)`. */
  #customFunction(): ApplyTrafo {
    const { image: name } = this.next;
    if (!name.includes(".")) this.unexpected("a transformation or a function with namespace");
    const offset = this.at(this.readToken());
    const parens = [this.argumentList()];
    return { kind: "customFunction", offset, call: { kind: "memberName", offset, name, parens } };
  }
}

const AGGREGATE_METHODS: ReadonlySet<string> = new Set(["sum", "min", "max", "average", "countdistinct"]);
/** What a name without namespace may look like. */
const IDENTIFIERS: readonly TokenType[] = [T.QName, T.Identity, T.SortDirection, T.BinaryOp];

function isPlainPath(expr: CommonExpr): boolean {
  return expr.kind === "memberExpr" && expr.root === undefined &&
    expr.steps.every((step) => step.kind === "memberName");
}
