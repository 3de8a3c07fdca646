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
  MemberName,
  OrderbyItem,
  RecHierReference,
} from "./ast.ts";
import { ExpressionParser } from "./expression_parser.ts";
import type { Rule } from "./parser_base.ts";
import * as T from "./tokens.ts";

type Hierarchy = Extract<ApplyTrafo, { kind: "hierarchyTrafo" }>;

/** Rules of `$apply`, and of the items of `$orderby` and `$compute` that it shares with them. */
export abstract class ApplyParser extends ExpressionParser {
  #trafoAlternatives: { ALT: () => ApplyTrafo }[] | undefined;

  // orderbyItem = commonExpr [ RWS ( "asc" / "desc" ) ]
  /** `a desc`. */
  readonly orderbyItem: Rule<OrderbyItem> = this.RULE("orderbyItem", (): OrderbyItem => {
    const expr = this.SUBRULE(this.commonExpr);
    const direction = this.OPTION(() => this.CONSUME(T.SortDirection));
    const desc = this.ACTION(() => direction !== undefined && direction.image.trim().length === 4);
    return { kind: "orderbyItem", offset: expr?.offset ?? 0, expr, desc };
  });

  // computeItem = commonExpr RWS "as" RWS computedProperty
  /** `a as b`. */
  readonly computeItem: Rule<ComputeItem> = this.RULE("computeItem", (): ComputeItem => {
    const expr = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.As);
    const name = this.SUBRULE(this.odataIdentifier);
    return { kind: "computeItem", offset: expr?.offset ?? 0, expr, name };
  });

  /** A name without namespace. */
  readonly odataIdentifier: Rule<string> = this.RULE("odataIdentifier", (): string => {
    const token = this.OR([
      { ALT: () => this.CONSUME(T.QName) },
      { ALT: () => this.CONSUME(T.Identity) },
      { ALT: () => this.CONSUME(T.SortDirection) },
      { ALT: () => this.CONSUME(T.BinaryOp) },
    ]);
    return this.ACTION(() => {
      const name = token.image.trim();
      if (name.includes(".")) {
        this.fail({ offset: this.at(token), found: name, expected: "a name without namespace" });
      }
      return name;
    });
  });

  // applyExpr = applyTrafo *( "/" applyTrafo )
  /** Transformations in sequence. */
  readonly applyExpr: Rule<ApplyExpr> = this.RULE("applyExpr", (): ApplyExpr => {
    this.enter();
    const trafos: ApplyTrafo[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: T.Slash, DEF: () => trafos.push(this.SUBRULE(this.applyTrafo)) });
    this.leave();
    return { kind: "applyExpr", offset: trafos[0]?.offset ?? 0, trafos };
  });

  // applyTrafo = aggregateTrafo / computeTrafo / concatTrafo / groupbyTrafo / joinTrafo / nestTrafo / outerjoinTrafo / preservingTrafo
  /** One transformation. */
  readonly applyTrafo: Rule<ApplyTrafo> = this.RULE("applyTrafo", (): ApplyTrafo => {
    this.count();
    return this.OR(
      this.#trafoAlternatives ??= [
        { ALT: () => this.SUBRULE(this.aggregateTrafo) },
        { ALT: () => this.SUBRULE(this.computeTrafo) },
        { ALT: () => this.SUBRULE(this.concatTrafo) },
        { ALT: () => this.SUBRULE(this.groupbyTrafo) },
        { ALT: () => this.SUBRULE(this.filterTrafo) },
        { ALT: () => this.SUBRULE(this.searchTrafo) },
        { ALT: () => this.SUBRULE(this.orderbyTrafo) },
        { ALT: () => this.SUBRULE(this.topSkipTrafo) },
        { ALT: () => this.SUBRULE(this.topBottomTrafo) },
        { ALT: () => this.SUBRULE(this.joinTrafo) },
        { ALT: () => this.SUBRULE(this.nestTrafo) },
        { ALT: () => this.SUBRULE(this.addnestedTrafo) },
        { ALT: () => this.SUBRULE(this.ancestorsTrafo) },
        { ALT: () => this.SUBRULE(this.traverseTrafo) },
        { ALT: () => ({ kind: "identityTrafo", offset: this.at(this.CONSUME(T.Identity)) }) },
        { ALT: () => this.SUBRULE(this.customFunction) },
      ],
    );
  });

  // aggregateTrafo = "aggregate" OPEN BWS aggregateExpr *( BWS COMMA BWS aggregateExpr ) BWS CLOSE
  /** `aggregate(…)`. */
  readonly aggregateTrafo: Rule<ApplyTrafo> = this.RULE("aggregateTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.AggregateCall);
    const items: AggregateExpr[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.aggregateItem)) });
    this.CONSUME(T.Close);
    return { kind: "aggregateTrafo", offset: this.at(call), items };
  });

  // aggregateExpr = … asAlias; only a custom aggregate may go without
  /** An argument of `aggregate` with its alias. */
  readonly aggregateItem: Rule<AggregateExpr> = this.RULE("aggregateItem", (): AggregateExpr => {
    const item = this.SUBRULE(this.aggregateExpr);
    let alias: string | undefined;
    this.OPTION(() => {
      this.CONSUME(T.As);
      alias = this.SUBRULE(this.odataIdentifier);
    });
    return this.ACTION(() => {
      if (alias !== undefined) return { ...item, alias };
      if (item.method !== undefined || item.from !== undefined || !isPlainPath(item.expr)) {
        const next = this.LA(1);
        this.fail({ offset: this.at(next), found: next.image, expected: '"as" with an alias' });
      }
      return item;
    });
  });

  // aggregateFunctionExpr = aggregatableExpW [ aggregateFrom ] / aggregateCount [ aggregateFrom ] / aggregateCustom [ customFrom ]
  /** An argument of `aggregate` without alias. */
  readonly aggregateExpr: Rule<AggregateExpr> = this.RULE("aggregateExpr", (): AggregateExpr => {
    const expr = this.OR([
      {
        ALT: (): CommonExpr => {
          const offset = this.at(this.CONSUME(T.DollarCount));
          return { kind: "memberExpr", offset, steps: [{ kind: "countStep", offset }] };
        },
      },
      { ALT: () => this.SUBRULE(this.commonExpr) },
    ]);
    const method = this.OPTION(() => this.SUBRULE(this.aggregateWith));
    const from: AggregateFrom[] = [];
    this.MANY(() => from.push(this.SUBRULE(this.aggregateFrom)));
    return {
      kind: "aggregateExpr",
      offset: expr?.offset ?? 0,
      expr,
      ...(method === undefined ? {} : { method }),
      ...(from.length === 0 ? {} : { from }),
    };
  });

  // aggregateWith = RWS "with" RWS aggregateMethod
  /** `with sum`. */
  readonly aggregateWith: Rule<string> = this.RULE("aggregateWith", (): string => {
    this.CONSUME(T.With);
    const token = this.CONSUME(T.QName);
    return this.ACTION(() => {
      const { image } = token;
      if (!image.includes(".") && !AGGREGATE_METHODS.has(image)) {
        this.fail({ offset: this.at(token), found: image, expected: [...AGGREGATE_METHODS].join(", ") });
      }
      return image;
    });
  });

  // aggregateFrom = RWS "from" RWS groupingProperties aggregateWith [ aggregateFrom ]
  /** `from a,b with sum`. */
  readonly aggregateFrom: Rule<AggregateFrom> = this.RULE("aggregateFrom", (): AggregateFrom => {
    this.CONSUME(T.From);
    const properties: MemberExpr[] = [];
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => properties.push(this.SUBRULE(this.memberPath)) });
    const method = this.OPTION(() => this.SUBRULE(this.aggregateWith));
    return method === undefined ? { properties } : { properties, method };
  });

  /** A path. */
  readonly memberPath: Rule<MemberExpr> = this.RULE("memberPath", (): MemberExpr => {
    const expr = this.SUBRULE(this.memberExpr);
    return this.ACTION(() => this.asMember(expr, "a path"));
  });

  // computeTrafo = "compute" OPEN BWS computeExpr *( BWS COMMA BWS computeExpr ) BWS CLOSE
  /** `compute(…)`. */
  readonly computeTrafo: Rule<ApplyTrafo> = this.RULE("computeTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.ComputeCall);
    const items: ComputeItem[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.computeItem)) });
    this.CONSUME(T.Close);
    return { kind: "computeTrafo", offset: this.at(call), items };
  });

  // concatTrafo = "concat" OPEN BWS applyExpr 1*( BWS COMMA BWS applyExpr ) BWS CLOSE
  /** `concat(…)`. */
  readonly concatTrafo: Rule<ApplyTrafo> = this.RULE("concatTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.ConcatCall);
    const branches: ApplyExpr[] = [];
    this.CONSUME(T.Open);
    branches.push(this.SUBRULE(this.applyExpr));
    this.AT_LEAST_ONE(() => {
      this.CONSUME(T.Comma);
      branches.push(this.SUBRULE2(this.applyExpr));
    });
    this.CONSUME(T.Close);
    return { kind: "concatTrafo", offset: this.at(call), branches };
  });

  // groupbyTrafo = "groupby" OPEN BWS groupbyList [ BWS COMMA BWS applyExpr ] BWS CLOSE
  /** `groupby((…),…)`. */
  readonly groupbyTrafo: Rule<ApplyTrafo> = this.RULE("groupbyTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.GroupbyCall);
    const elements: GroupbyElement[] = [];
    this.CONSUME(T.Open);
    this.CONSUME2(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => elements.push(this.SUBRULE(this.groupbyElement)) });
    this.CONSUME(T.Close);
    const apply = this.OPTION(() => {
      this.CONSUME2(T.Comma);
      return this.SUBRULE(this.applyExpr);
    });
    this.CONSUME2(T.Close);
    return {
      kind: "groupbyTrafo",
      offset: this.at(call),
      elements,
      ...(apply === undefined ? {} : { apply }),
    };
  });

  // groupbyElement = groupingProperty / rollupLevels / rollupRecursive
  /** An element of `groupby`. */
  readonly groupbyElement: Rule<GroupbyElement> = this.RULE("groupbyElement", (): GroupbyElement =>
    this.OR([
      { ALT: () => this.SUBRULE(this.rollupLevels) },
      { ALT: () => this.SUBRULE(this.rollupRecursive) },
      { ALT: () => this.SUBRULE(this.memberPath) },
    ]));

  // rollupLevels = "rollup" OPEN BWS ( rollupUnnamedHier / rollupNamedHier ) BWS CLOSE
  /** `rollup(a,b)`. */
  readonly rollupLevels: Rule<GroupbyElement> = this.RULE("rollupLevels", (): GroupbyElement => {
    const call = this.CONSUME(T.RollupCall);
    const properties: MemberExpr[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => properties.push(this.SUBRULE(this.memberPath)) });
    this.CONSUME(T.Close);
    return { kind: "rollupLevels", offset: this.at(call), properties };
  });

  // rollupRecursive = "rolluprecursive" OPEN BWS recHierReference BWS [ COMMA BWS preservingTrafos BWS ] CLOSE
  /** `rolluprecursive(…)`. */
  readonly rollupRecursive: Rule<GroupbyElement> = this.RULE("rollupRecursive", (): GroupbyElement => {
    const call = this.CONSUME(T.RollupRecursiveCall);
    this.CONSUME(T.Open);
    const hierarchy = this.SUBRULE(this.recHierReference);
    const trafos = this.OPTION(() => {
      this.CONSUME(T.Comma);
      return this.SUBRULE(this.applyExpr);
    });
    this.CONSUME(T.Close);
    return {
      kind: "rollupRecursive",
      offset: this.at(call),
      hierarchy,
      ...(trafos === undefined ? {} : { trafos }),
    };
  });

  // recHierReference = rootExpr BWS COMMA BWS recHierQualifier BWS COMMA BWS recHierPropertyPath
  /** Nodes, qualifier, node property. */
  readonly recHierReference: Rule<RecHierReference> = this.RULE("recHierReference", (): RecHierReference => {
    const nodes = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.Comma);
    const qualifier = this.SUBRULE(this.odataIdentifier);
    this.CONSUME2(T.Comma);
    return { nodes, qualifier, property: this.SUBRULE(this.memberPath) };
  });

  // filterTrafo = "filter" OPEN BWS boolCommonExpr BWS CLOSE
  /** `filter(…)`. */
  readonly filterTrafo: Rule<ApplyTrafo> = this.RULE("filterTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.FilterCall);
    this.CONSUME(T.Open);
    const filter = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.Close);
    return { kind: "filterTrafo", offset: this.at(call), filter };
  });

  // searchTrafo = "search" OPEN BWS ( searchExpr / searchExpr-incomplete ) BWS CLOSE
  /** `search(…)`; its parenthesis belongs to the token. */
  readonly searchTrafo: Rule<ApplyTrafo> = this.RULE("searchTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.SearchCall);
    const search = this.SUBRULE(this.searchText);
    this.CONSUME(T.SearchClose);
    return { kind: "searchTrafo", offset: this.at(call), search };
  });

  // orderbyTrafo = "orderby" OPEN orderbyItem *( BWS COMMA BWS orderbyItem ) CLOSE
  /** `orderby(…)`. */
  readonly orderbyTrafo: Rule<ApplyTrafo> = this.RULE("orderbyTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.OrderbyCall);
    const items: OrderbyItem[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.orderbyItem)) });
    this.CONSUME(T.Close);
    return { kind: "orderbyTrafo", offset: this.at(call), items };
  });

  // topTrafo = "top" OPEN BWS 1*DIGIT BWS CLOSE; skipTrafo likewise
  /** `top(5)`, `skip(5)`. */
  readonly topSkipTrafo: Rule<ApplyTrafo> = this.RULE("topSkipTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.TopSkipCall);
    this.CONSUME(T.Open);
    const count = this.SUBRULE(this.digits);
    this.CONSUME(T.Close);
    return { kind: call.image === "top" ? "topTrafo" : "skipTrafo", offset: this.at(call), count };
  });

  // 1*DIGIT
  /** A whole number without sign. */
  readonly digits: Rule<number> = this.RULE("digits", (): number => {
    const token = this.CONSUME(T.NumberLiteral);
    return this.ACTION(() => {
      const value = Number(token.image);
      if (!/^\d+$/.test(token.image) || !Number.isSafeInteger(value)) {
        this.fail({ offset: this.at(token), found: token.image, expected: "a non-negative integer" });
      }
      return value;
    });
  });

  // topcountTrafo = "topcount" OPEN BWS collectionExpr BWS COMMA BWS commonExpr BWS CLOSE; the others likewise
  /** `topcount(2,Amount)`. */
  readonly topBottomTrafo: Rule<ApplyTrafo> = this.RULE("topBottomTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.TopBottomCall);
    this.CONSUME(T.Open);
    const amount = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.Comma);
    const value = this.SUBRULE2(this.commonExpr);
    this.CONSUME(T.Close);
    return { kind: "topBottomTrafo", offset: this.at(call), name: call.image, amount, value };
  });

  // joinTrafo = "join" OPEN BWS joinProperty asAlias [ BWS COMMA BWS applyExpr ] BWS CLOSE; outerjoinTrafo likewise
  /** `join(Sales as Sale)`. */
  readonly joinTrafo: Rule<ApplyTrafo> = this.RULE("joinTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.JoinCall);
    this.CONSUME(T.Open);
    const property = this.SUBRULE(this.memberPath);
    this.CONSUME(T.As);
    const alias = this.SUBRULE(this.odataIdentifier);
    const apply = this.OPTION(() => {
      this.CONSUME(T.Comma);
      return this.SUBRULE(this.applyExpr);
    });
    this.CONSUME(T.Close);
    const outer = call.image === "outerjoin";
    const offset = this.at(call);
    return { kind: "joinTrafo", offset, outer, property, alias, ...(apply === undefined ? {} : { apply }) };
  });

  // nestTrafo = "nest" OPEN BWS nestApplyExpr BWS CLOSE
  /** `nest(… as a)`. */
  readonly nestTrafo: Rule<ApplyTrafo> = this.RULE("nestTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.NestCall);
    const items: { apply: ApplyExpr; alias: string }[] = [];
    this.CONSUME(T.Open);
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.nestApply)) });
    this.CONSUME(T.Close);
    return { kind: "nestTrafo", offset: this.at(call), items };
  });

  // nestApplyExpr = applyExpr asAlias *( BWS COMMA BWS applyExpr asAlias )
  /** `… as a`. */
  readonly nestApply: Rule<{ apply: ApplyExpr; alias: string }> = this.RULE("nestApply", () => {
    const apply = this.SUBRULE(this.applyExpr);
    this.CONSUME(T.As);
    return { apply, alias: this.SUBRULE(this.odataIdentifier) };
  });

  // "addnested" OPEN BWS nestPath BWS COMMA BWS nestApplyExpr BWS CLOSE
  /** `addnested(Sales,… as a)`. */
  readonly addnestedTrafo: Rule<ApplyTrafo> = this.RULE("addnestedTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.AddnestedCall);
    const items: { apply: ApplyExpr; alias: string }[] = [];
    this.CONSUME(T.Open);
    const path = this.SUBRULE(this.memberPath);
    this.AT_LEAST_ONE(() => {
      this.CONSUME(T.Comma);
      items.push(this.SUBRULE(this.nestApply));
    });
    this.CONSUME(T.Close);
    return { kind: "nestTrafo", offset: this.at(call), path, items };
  });

  // ancestorsTrafo = "ancestors" OPEN recHierReference COMMA preservingTrafos [ COMMA 1*DIGIT ] [ COMMA "keep start" ] CLOSE
  /** `ancestors(…)`, `descendants(…)`. */
  readonly ancestorsTrafo: Rule<ApplyTrafo> = this.RULE("ancestorsTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.AncestorsCall);
    this.CONSUME(T.Open);
    const hierarchy = this.SUBRULE(this.recHierReference);
    this.CONSUME(T.Comma);
    const trafos = this.SUBRULE(this.applyExpr);
    const distance = this.OPTION(() => {
      this.CONSUME2(T.Comma);
      return this.SUBRULE(this.digits);
    });
    const keepStart = this.OPTION2(() => {
      this.CONSUME3(T.Comma);
      return this.CONSUME(T.KeepStart);
    });
    this.CONSUME(T.Close);
    const name = call.image as Hierarchy["name"]; // the token has these texts only
    return {
      kind: "hierarchyTrafo",
      offset: this.at(call),
      name,
      hierarchy,
      trafos,
      ...(distance === undefined ? {} : { distance }),
      ...(keepStart === undefined ? {} : { keepStart: true }),
    };
  });

  // traverseTrafo = "traverse" OPEN recHierReference COMMA ( "preorder" / "postorder" ) [ COMMA preservingTrafos ]
  //                 [ COMMA orderbyItem *( COMMA orderbyItem ) ] CLOSE
  /** `traverse(…)`. */
  readonly traverseTrafo: Rule<ApplyTrafo> = this.RULE("traverseTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.TraverseCall);
    let trafos: ApplyExpr | undefined;
    const orderby: OrderbyItem[] = [];
    this.CONSUME(T.Open);
    const hierarchy = this.SUBRULE(this.recHierReference);
    this.CONSUME(T.Comma);
    const order = this.SUBRULE(this.traverseOrder);
    this.OPTION({
      GATE: () => this.isNext(2, T.Trafo) || this.isNext(2, T.SearchCall),
      DEF: () => {
        this.CONSUME2(T.Comma);
        trafos = this.SUBRULE(this.applyExpr);
      },
    });
    this.MANY(() => {
      this.CONSUME3(T.Comma);
      orderby.push(this.SUBRULE(this.orderbyItem));
    });
    this.CONSUME(T.Close);
    return {
      kind: "hierarchyTrafo",
      offset: this.at(call),
      name: "traverse",
      hierarchy,
      order,
      ...(trafos === undefined ? {} : { trafos }),
      ...(orderby.length === 0 ? {} : { orderby }),
    };
  });

  /** `preorder` or `postorder`. */
  readonly traverseOrder: Rule<"preorder" | "postorder"> = this.RULE("traverseOrder", () => {
    const token = this.CONSUME(T.QName);
    return this.ACTION(() => {
      const { image } = token;
      if (image === "preorder" || image === "postorder") return image;
      return this.fail({ offset: this.at(token), found: image, expected: '"preorder" or "postorder"' });
    });
  });

  // customFunction = namespace "." ( entityColFunction / … ) functionExprParameters
  /** `Model.f(a=1)`. */
  readonly customFunction: Rule<ApplyTrafo> = this.RULE("customFunction", (): ApplyTrafo => {
    const token = this.CONSUME(T.CallName);
    const parameters = this.SUBRULE(this.argumentList);
    return this.ACTION(() => {
      const offset = this.at(token);
      if (!token.image.includes(".")) {
        this.fail({ offset, found: token.image, expected: "a transformation or a function with namespace" });
      }
      const call: MemberName = { kind: "memberName", offset, name: token.image, parens: [parameters] };
      return { kind: "customFunction", offset, call };
    });
  });
}

const AGGREGATE_METHODS: ReadonlySet<string> = new Set(["sum", "min", "max", "average", "countdistinct"]);

function isPlainPath(expr: CommonExpr): boolean {
  return expr.kind === "memberExpr" && expr.root === undefined &&
    expr.steps.every((step) => step.kind === "memberName");
}
