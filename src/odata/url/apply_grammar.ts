/**
 * The grammar of `$apply` (Data Aggregation ABNF 4.0).
 *
 * @module
 */

import { type IToken, tokenMatcher } from "chevrotain";
import type {
  AggregateExpr,
  AggregateFrom,
  ApplyExpr,
  ApplyTrafo,
  CommonExpr,
  GroupbyElement,
  MemberExpr,
  RecHierReference,
} from "./ast.ts";
import type { Rule } from "./base_grammar.ts";
import { ItemGrammar } from "./item_grammar.ts";
import * as T from "./tokens.ts";

type Hierarchy = Extract<ApplyTrafo, { kind: "hierarchyTrafo" }>;

const AGGREGATE_METHODS: ReadonlySet<string> = new Set(["sum", "min", "max", "average", "countdistinct"]);
const METHODS = [...AGGREGATE_METHODS].join(", ");
const TRAVERSE_ORDER = '"preorder" or "postorder"';

/** Productions of `$apply`. */
export abstract class ApplyGrammar extends ItemGrammar {
  // applyExpr = applyTrafo *( "/" applyTrafo )
  /** Transformations in sequence. */
  readonly applyExpr: Rule<ApplyExpr> = this.RULE("applyExpr", (): ApplyExpr => {
    this.enter();
    const trafos = [this.SUBRULE(this.applyTrafo)];
    this.MANY(() => {
      this.CONSUME(T.Slash);
      trafos.push(this.SUBRULE1(this.applyTrafo));
    });
    this.leave();
    return { offset: trafos[0].offset, trafos };
  });

  // applyTrafo = aggregateTrafo / computeTrafo / concatTrafo / groupbyTrafo / joinTrafo / nestTrafo / outerjoinTrafo / preservingTrafo
  /** One transformation. */
  readonly applyTrafo: Rule<ApplyTrafo> = this.RULE("applyTrafo", (): ApplyTrafo => {
    this.count();
    return this.OR({
      DEF: [
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
        { ALT: () => this.SUBRULE(this.identityTrafo) },
        { ALT: () => this.SUBRULE(this.customFunction) },
      ],
      ERR_MSG: "a transformation",
    });
  });

  // identityTrafo = "identity"
  readonly identityTrafo: Rule<ApplyTrafo> = this.RULE("identityTrafo", (): ApplyTrafo => {
    return { kind: "identityTrafo", offset: this.at(this.CONSUME(T.Identity)) };
  });

  // aggregateTrafo = "aggregate" OPEN BWS aggregateExpr *( BWS COMMA BWS aggregateExpr ) BWS CLOSE
  readonly aggregateTrafo: Rule<ApplyTrafo> = this.RULE("aggregateTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.AggregateCall));
    this.CONSUME(T.Open);
    const items = [this.SUBRULE(this.aggregateItem)];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      items.push(this.SUBRULE1(this.aggregateItem));
    });
    this.CONSUME(T.Close);
    return { kind: "aggregateTrafo", offset, items };
  });

  // aggregateExpr = … asAlias; only a custom aggregate may go without
  /** An argument of `aggregate` with its alias. */
  readonly aggregateItem: Rule<AggregateExpr> = this.RULE("aggregateItem", (): AggregateExpr => {
    const item = this.SUBRULE(this.aggregateExpr);
    const alias = this.OPTION(() => this.SUBRULE(this.asAlias));
    return this.ACTION(() => {
      if (alias !== undefined) return { ...item, alias };
      const isCustom = item.method === undefined && item.from === undefined && !isCount(item.expr);
      return isCustom ? item : this.failAt(this.LA(1), '"as" with an alias');
    });
  });

  // aggregateFunctionExpr = aggregatableExpW [ aggregateFrom ] / aggregateCount [ aggregateFrom ] / aggregateCustom [ customFrom ]
  /** An argument of `aggregate` without alias. */
  readonly aggregateExpr: Rule<AggregateExpr> = this.RULE("aggregateExpr", (): AggregateExpr => {
    const isRowCount = tokenMatcher(this.LA(1), T.DollarCount);
    const expr = this.OR({
      DEF: [
        { ALT: () => this.#rowCount(this.CONSUME(T.DollarCount)) },
        { ALT: () => this.SUBRULE(this.commonExpr) },
      ],
      ERR_MSG: "an operand",
    });
    const method = this.OPTION({ GATE: () => !isRowCount, DEF: () => this.SUBRULE(this.aggregateWith) });
    const isCustom = this.ACTION(() => method === undefined && isPlainPath(expr));
    this.ACTION(() => {
      if (method === undefined && !isCustom && !isCount(expr)) this.failAt(this.LA(1), METHOD);
    });
    const from: AggregateFrom[] = [];
    this.MANY(() => {
      this.enter(); // each aggregates the groups of the one before
      const step = this.SUBRULE(this.aggregateFrom);
      this.ACTION(() => step.method === undefined && !isCustom && this.failAt(this.LA(1), METHOD));
      from.push(step);
    });
    from.forEach(() => this.leave());
    return {
      kind: "aggregateExpr",
      offset: expr.offset,
      expr,
      ...(method !== undefined && { method }),
      ...(from.length > 0 && { from }),
    };
  });

  #rowCount(token: IToken): CommonExpr {
    const offset = this.at(token);
    return { kind: "memberExpr", offset, steps: [{ kind: "countStep", offset }] };
  }

  // aggregateWith = RWS "with" RWS aggregateMethod
  /** `with sum`. */
  readonly aggregateWith: Rule<string> = this.RULE("aggregateWith", (): string => {
    this.CONSUME(T.With);
    const token = this.CONSUME(T.QName, { ERR_MSG: METHODS });
    return this.ACTION(() => {
      const { image } = token;
      return image.includes(".") || AGGREGATE_METHODS.has(image) ? image : this.failAt(token, METHODS);
    });
  });

  // aggregateFrom = RWS "from" RWS groupingProperties aggregateWith [ aggregateFrom ]
  // customFrom = RWS "from" RWS groupingProperties [ aggregateWith ] [ customFrom ]
  /** `from a,b with sum`. */
  readonly aggregateFrom: Rule<AggregateFrom> = this.RULE("aggregateFrom", (): AggregateFrom => {
    this.CONSUME(T.From);
    const properties = this.SUBRULE(this.memberPaths);
    const method = this.OPTION(() => this.SUBRULE(this.aggregateWith));
    return method === undefined ? { properties } : { properties, method };
  });

  readonly memberPaths: Rule<MemberExpr[]> = this.RULE("memberPaths", (): MemberExpr[] => {
    const paths = [this.SUBRULE(this.memberPath)];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      paths.push(this.SUBRULE1(this.memberPath));
    });
    return paths;
  });

  // computeTrafo = "compute" OPEN BWS computeExpr *( BWS COMMA BWS computeExpr ) BWS CLOSE
  readonly computeTrafo: Rule<ApplyTrafo> = this.RULE("computeTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.ComputeCall));
    this.CONSUME(T.Open);
    const items = this.SUBRULE(this.compute);
    this.CONSUME(T.Close);
    return { kind: "computeTrafo", offset, items };
  });

  // concatTrafo = "concat" OPEN BWS applyExpr 1*( BWS COMMA BWS applyExpr ) BWS CLOSE
  readonly concatTrafo: Rule<ApplyTrafo> = this.RULE("concatTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.ConcatCall));
    this.CONSUME(T.Open);
    const branches = [this.SUBRULE(this.applyExpr)];
    this.AT_LEAST_ONE({
      DEF: () => {
        this.CONSUME(T.Comma);
        branches.push(this.SUBRULE1(this.applyExpr));
      },
      ERR_MSG: '","',
    });
    this.CONSUME(T.Close);
    return { kind: "concatTrafo", offset, branches };
  });

  // groupbyTrafo = "groupby" OPEN BWS groupbyList [ BWS COMMA BWS applyExpr ] BWS CLOSE
  readonly groupbyTrafo: Rule<ApplyTrafo> = this.RULE("groupbyTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.GroupbyCall));
    this.CONSUME(T.Open);
    this.CONSUME1(T.Open);
    const elements = [this.SUBRULE(this.groupbyElement)];
    this.MANY(() => {
      this.CONSUME(T.Comma);
      elements.push(this.SUBRULE1(this.groupbyElement));
    });
    this.CONSUME(T.Close);
    const apply = this.OPTION(() => this.SUBRULE(this.followingApply));
    this.CONSUME1(T.Close);
    return { kind: "groupbyTrafo", offset, elements, ...(apply && { apply }) };
  });

  // BWS COMMA BWS applyExpr
  readonly followingApply: Rule<ApplyExpr> = this.RULE("followingApply", (): ApplyExpr => {
    this.CONSUME(T.Comma);
    return this.SUBRULE(this.applyExpr);
  });

  // groupbyElement = groupingProperty / rollupLevels / rollupRecursive
  /** An element of `groupby`. */
  readonly groupbyElement: Rule<GroupbyElement> = this.RULE("groupbyElement", (): GroupbyElement =>
    this.OR({
      DEF: [
        { ALT: () => this.SUBRULE(this.memberPath) },
        { ALT: () => this.SUBRULE(this.rollupLevels) },
        { ALT: () => this.SUBRULE(this.rollupRecursive) },
      ],
      ERR_MSG: "a path",
    }));

  // rollupLevels = "rollup" OPEN BWS ( rollupUnnamedHier / rollupNamedHier ) BWS CLOSE
  /** `rollup(a,b)`. */
  readonly rollupLevels: Rule<GroupbyElement> = this.RULE("rollupLevels", (): GroupbyElement => {
    const offset = this.at(this.CONSUME(T.RollupCall));
    this.CONSUME(T.Open);
    const properties = this.SUBRULE(this.memberPaths);
    this.CONSUME(T.Close);
    return { kind: "rollupLevels", offset, properties };
  });

  // rollupRecursive = "rolluprecursive" OPEN BWS recHierReference BWS [ COMMA BWS preservingTrafos BWS ] CLOSE
  /** `rolluprecursive(…)`. */
  readonly rollupRecursive: Rule<GroupbyElement> = this.RULE("rollupRecursive", (): GroupbyElement => {
    const offset = this.at(this.CONSUME(T.RollupRecursiveCall));
    this.CONSUME(T.Open);
    const hierarchy = this.SUBRULE(this.recHierReference);
    const trafos = this.OPTION(() => this.SUBRULE(this.followingApply));
    this.CONSUME(T.Close);
    return { kind: "rollupRecursive", offset, hierarchy, ...(trafos && { trafos }) };
  });

  // recHierReference = rootExpr BWS COMMA BWS recHierQualifier BWS COMMA BWS recHierPropertyPath
  /** Nodes, qualifier, node property. */
  readonly recHierReference: Rule<RecHierReference> = this.RULE("recHierReference", (): RecHierReference => {
    const nodes = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.Comma);
    const qualifier = this.SUBRULE(this.odataIdentifier);
    this.CONSUME1(T.Comma);
    return { nodes, qualifier, property: this.SUBRULE(this.memberPath) };
  });

  // filterTrafo = "filter" OPEN BWS boolCommonExpr BWS CLOSE
  readonly filterTrafo: Rule<ApplyTrafo> = this.RULE("filterTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.FilterCall));
    this.CONSUME(T.Open);
    const filter = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.Close);
    return { kind: "filterTrafo", offset, filter };
  });

  // searchTrafo = "search" OPEN BWS searchExpr BWS CLOSE; the parenthesis belongs to the token
  readonly searchTrafo: Rule<ApplyTrafo> = this.RULE("searchTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.SearchCall));
    const search = this.SUBRULE(this.searchText);
    this.CONSUME(T.Close);
    return { kind: "searchTrafo", offset, search };
  });

  // orderbyTrafo = "orderby" OPEN BWS orderbyItem *( BWS COMMA BWS orderbyItem ) BWS CLOSE
  readonly orderbyTrafo: Rule<ApplyTrafo> = this.RULE("orderbyTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.OrderbyCall));
    this.CONSUME(T.Open);
    const items = this.SUBRULE(this.orderby);
    this.CONSUME(T.Close);
    return { kind: "orderbyTrafo", offset, items };
  });

  // topTrafo = "top" OPEN BWS 1*DIGIT BWS CLOSE; skipTrafo likewise
  readonly topSkipTrafo: Rule<ApplyTrafo> = this.RULE("topSkipTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.TopSkipCall);
    this.CONSUME(T.Open);
    const count = this.SUBRULE(this.digits);
    this.CONSUME(T.Close);
    return { kind: call.image === "top" ? "topTrafo" : "skipTrafo", offset: this.at(call), count };
  });

  // topcountTrafo = "topcount" OPEN BWS collectionExpr BWS COMMA BWS commonExpr BWS CLOSE; the others likewise
  /** `topcount(2,Amount)`. */
  readonly topBottomTrafo: Rule<ApplyTrafo> = this.RULE("topBottomTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.TopBottomCall);
    this.CONSUME(T.Open);
    const amount = this.SUBRULE(this.commonExpr);
    this.CONSUME(T.Comma);
    const value = this.SUBRULE1(this.commonExpr);
    this.CONSUME(T.Close);
    return { kind: "topBottomTrafo", offset: this.at(call), name: call.image, amount, value };
  });

  // joinTrafo = "join" OPEN BWS joinProperty asAlias [ BWS COMMA BWS applyExpr ] BWS CLOSE; outerjoinTrafo likewise
  /** `join(Sales as Sale)`. */
  readonly joinTrafo: Rule<ApplyTrafo> = this.RULE("joinTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.JoinCall);
    this.CONSUME(T.Open);
    const property = this.SUBRULE(this.memberPath);
    const alias = this.SUBRULE(this.asAlias);
    const apply = this.OPTION(() => this.SUBRULE(this.followingApply));
    this.CONSUME(T.Close);
    const outer = call.image === "outerjoin";
    return { kind: "joinTrafo", offset: this.at(call), outer, property, alias, ...(apply && { apply }) };
  });

  // nestTrafo = "nest" OPEN nestApplyExpr CLOSE
  readonly nestTrafo: Rule<ApplyTrafo> = this.RULE("nestTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.NestCall));
    this.CONSUME(T.Open);
    const items = this.SUBRULE(this.nestItems);
    this.CONSUME(T.Close);
    return { kind: "nestTrafo", offset, items };
  });

  // addnestedTrafo = "addnested" OPEN addnestedPath BWS COMMA BWS nestApplyExpr CLOSE
  readonly addnestedTrafo: Rule<ApplyTrafo> = this.RULE("addnestedTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.AddnestedCall));
    this.CONSUME(T.Open);
    const path = this.SUBRULE(this.memberPath);
    this.CONSUME(T.Comma);
    const items = this.SUBRULE(this.nestItems);
    this.CONSUME(T.Close);
    return { kind: "nestTrafo", offset, path, items };
  });

  // nestApplyExpr = applyExpr asAlias *( BWS COMMA BWS applyExpr asAlias )
  /** `… as a`. */
  readonly nestItems: Rule<{ apply: ApplyExpr; alias: string }[]> = this.RULE(
    "nestItems",
    (): { apply: ApplyExpr; alias: string }[] => {
      const items: { apply: ApplyExpr; alias: string }[] = [];
      this.AT_LEAST_ONE_SEP({
        SEP: T.Comma,
        DEF: () => items.push({ apply: this.SUBRULE(this.applyExpr), alias: this.SUBRULE(this.asAlias) }),
        ERR_MSG: "a transformation",
      });
      return items;
    },
  );

  // ancestorsTrafo = "ancestors" OPEN recHierReference COMMA preservingTrafos [ COMMA 1*DIGIT ] [ COMMA "keep start" ] CLOSE
  /** `ancestors(…)`, `descendants(…)`. */
  readonly ancestorsTrafo: Rule<ApplyTrafo> = this.RULE("ancestorsTrafo", (): ApplyTrafo => {
    const call = this.CONSUME(T.AncestorsCall);
    this.CONSUME(T.Open);
    const hierarchy = this.SUBRULE(this.recHierReference);
    const trafos = this.SUBRULE(this.followingApply);
    const distance = this.OPTION({
      GATE: () => this.isSecond(T.NumberLiteral),
      DEF: () => {
        this.CONSUME(T.Comma);
        return this.SUBRULE(this.digits);
      },
    });
    const keepStart = this.OPTION1(() => {
      this.CONSUME1(T.Comma);
      return this.CONSUME(T.KeepStart);
    });
    this.CONSUME(T.Close);
    return {
      kind: "hierarchyTrafo",
      offset: this.at(call),
      name: call.image as Hierarchy["name"], // the token has these texts only
      hierarchy,
      trafos,
      ...(distance !== undefined && { distance }),
      ...(keepStart && { keepStart: true }),
    };
  });

  // traverseTrafo = "traverse" OPEN recHierReference COMMA ( "preorder" / "postorder" ) [ COMMA preservingTrafos ]
  //                 [ COMMA orderbyItem *( COMMA orderbyItem ) ] CLOSE
  /** `traverse(…)`. */
  readonly traverseTrafo: Rule<ApplyTrafo> = this.RULE("traverseTrafo", (): ApplyTrafo => {
    const offset = this.at(this.CONSUME(T.TraverseCall));
    this.CONSUME(T.Open);
    const hierarchy = this.SUBRULE(this.recHierReference);
    this.CONSUME(T.Comma);
    const order = this.SUBRULE(this.traverseOrder);
    const trafos = this.OPTION({
      GATE: () => this.isSecond(T.Trafo),
      DEF: () => this.SUBRULE(this.followingApply),
    });
    const orderby = this.OPTION1(() => {
      this.CONSUME1(T.Comma);
      return this.SUBRULE(this.orderby);
    });
    this.CONSUME(T.Close);
    return {
      kind: "hierarchyTrafo",
      offset,
      name: "traverse",
      hierarchy,
      order,
      ...(trafos && { trafos }),
      ...(orderby && { orderby }),
    };
  });

  // "preorder" / "postorder"
  readonly traverseOrder: Rule<"preorder" | "postorder"> = this.RULE(
    "traverseOrder",
    (): "preorder" | "postorder" => {
      const token = this.CONSUME(T.QName, { ERR_MSG: TRAVERSE_ORDER });
      return this.ACTION(() => {
        const { image } = token;
        return image === "preorder" || image === "postorder" ? image : this.failAt(token, TRAVERSE_ORDER);
      });
    },
  );

  // customFunction = namespace "." ( entityColFunction / … ) functionExprParameters
  /** `Model.f(a=1)`. */
  readonly customFunction: Rule<ApplyTrafo> = this.RULE("customFunction", (): ApplyTrafo => {
    const token = this.CONSUME(T.CallName);
    this.ACTION(() => {
      if (!token.image.includes(".")) this.failAt(token, "a transformation or a function with namespace");
    });
    const offset = this.at(token);
    const parens = [this.SUBRULE(this.argumentList)];
    return {
      kind: "customFunction",
      offset,
      call: { kind: "memberName", offset, name: token.image, parens },
    };
  });
}

/** What only custom aggregates go without. */
const METHOD = '"with" and a method';

/** `$count`, `Sales/$count`. */
function isCount(expr: CommonExpr): boolean {
  return expr.kind === "memberExpr" && expr.steps.at(-1)?.kind === "countStep";
}

function isPlainPath(expr: CommonExpr): boolean {
  return expr.kind === "memberExpr" && expr.root === undefined &&
    expr.steps.every((step) => step.kind === "memberName");
}
