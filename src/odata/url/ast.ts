/**
 * The syntax tree of an OData URL. Nodes carry the names of the ABNF (OData ABNF Construction Rules 4.01, Data
 * Aggregation ABNF 4.0, Temporal ABNF 4.0); no node knows the model, so a name may still turn out to be a property,
 * an operation, a type or a key.
 *
 * Every `offset` counts characters in the raw (not decoded) URL.
 *
 * @module
 */

/** What all parts of a URL have. */
export interface Placed {
  readonly offset: number;
}

/** What parts of several kinds have. */
export interface AstNode extends Placed {
  readonly kind: string;
}

/** The offset of nodes that are made to be printed, and stand in no URL. */
export const NO_OFFSET = 0;

/** A parsed URL relative to the service root. */
export interface ODataRelativeUri {
  /** Segments in order; none for the service root. */
  readonly path: readonly PathSegment[];
  readonly options: QueryOptions;
}

/** A segment of the resource path. */
export type PathSegment = NameSegment | SystemSegment | FilterInPath | Crossjoin;

/** A name, a key value, or a name with keys or parameters: `Books`, `201`, `Books(201)`, `S.f(a=1)(2)`. */
export interface NameSegment extends AstNode {
  readonly kind: "nameSegment";
  /** Decoded text before the parentheses. */
  readonly name: string;
  /** Parenthesized lists, in order: parameters, keys, or both. */
  readonly parens: readonly ArgumentList[];
}

/** A segment that starts with `$` and has no arguments. */
export interface SystemSegment extends AstNode {
  readonly kind: "systemSegment";
  readonly name:
    | "$count"
    | "$value"
    | "$ref"
    | "$query"
    | "$each"
    | "$batch"
    | "$metadata"
    | "$entity"
    | "$all";
}

/** `/$filter(…)`. */
export interface FilterInPath extends AstNode {
  readonly kind: "filterInPath";
  readonly filter: CommonExpr;
}

/** `$crossjoin(A,B)`. */
export interface Crossjoin extends AstNode {
  readonly kind: "crossjoin";
  readonly entitySets: readonly string[];
}

/** What stands between parentheses behind a name. */
export interface ArgumentList extends Placed {
  readonly items: readonly Argument[];
}

/** A key value (`name` undefined), a key-value pair or a function parameter. */
export interface Argument extends Placed {
  readonly name?: string;
  readonly value: CommonExpr;
}

/** All query options of a URL, or of the parentheses of an `$expand` or `$select` item. */
export interface QueryOptions {
  readonly apply?: ApplyExpr;
  readonly compute?: readonly ComputeItem[];
  readonly count?: boolean;
  readonly deltatoken?: string;
  readonly expand?: readonly ExpandItem[];
  readonly filter?: CommonExpr;
  readonly format?: string;
  readonly id?: string;
  readonly index?: number;
  readonly levels?: number | "max";
  readonly orderby?: readonly OrderbyItem[];
  readonly schemaversion?: string;
  readonly search?: SearchExpr;
  readonly select?: readonly SelectItem[];
  readonly skip?: number;
  readonly skiptoken?: string;
  readonly top?: number;
  /** Temporal options `$at`, `$from`, `$to`, `$toInclusive`. */
  readonly temporal?: Readonly<Partial<Record<"at" | "from" | "to" | "toInclusive", TemporalExpr>>>;
  /** `@name=value`. */
  readonly aliases?: readonly AliasAndValue[];
  /** Options without meaning for the standard, by name, decoded; also candidates for implicit aliases. */
  readonly custom?: readonly CustomQueryOption[];
  /** Offset of each system option that is present, by name without `$`. */
  readonly offsets: Readonly<Record<string, number>>;
  /** Offset of the values of `top`, `skip` and `skiptoken`. */
  readonly valueOffsets?: Readonly<Record<string, number>>;
}

/** `min`, `max` or an expression. */
export type TemporalExpr = "min" | "max" | CommonExpr;

/** `@name=value`. */
export interface AliasAndValue extends AstNode {
  readonly kind: "aliasAndValue";
  readonly name: string;
  readonly value: CommonExpr;
}

/** `name=value` that is neither a system option nor an alias. `valueOffset` is where the value starts. */
export interface CustomQueryOption extends Placed {
  readonly name: string;
  readonly value: string;
  readonly valueOffset: number;
  /** The system option it also is: `count` of `count=5`; an operation may have a parameter of that name. */
  readonly system?: string;
  /** Why it is not that system option; counts unless an operation takes the value. */
  readonly error?: Error;
}

/** An item of `$select`. */
export interface SelectItem extends Placed {
  /** Names between slashes: properties, annotations (`@ns.term`), type casts, operations; `*` and `ns.*` too. */
  readonly path: readonly string[];
  /** Parameter names of a function overload: `f(a,b)`. */
  readonly parameterNames?: readonly string[];
  readonly options?: QueryOptions;
}

/** An item of `$expand`. */
export interface ExpandItem extends Placed {
  /** Names between slashes: structures, type casts, the navigation property; `["*"]`, `["$value"]`. */
  readonly path: readonly string[];
  /** Ends in `/$ref` or `/$count`. */
  readonly suffix?: "$ref" | "$count";
  readonly options?: QueryOptions;
  /** The name of the result in place of that of the navigation property: `addnested` of `$apply`. */
  readonly alias?: string;
}

/** An item of `$orderby`. */
export interface OrderbyItem extends Placed {
  readonly expr: CommonExpr;
  readonly desc: boolean;
}

/** `expr as name`. */
export interface ComputeItem extends Placed {
  readonly expr: CommonExpr;
  readonly name: string;
}

/** Any expression (`commonExpr`, `boolCommonExpr`). */
export type CommonExpr =
  | PrimitiveLiteral
  | ArrayExpr
  | ObjectExpr
  | ListExpr
  | MemberExpr
  | MethodCallExpr
  | CaseExpr
  | CastExpr
  | IsofExpr
  | UnaryExpr
  | BinaryExpr;

/** The type a literal shows by its form. `Edm.Decimal` and `Edm.Double` are told apart by the exponent. */
export type LiteralType =
  | "null"
  | "Edm.Boolean"
  | "Edm.Guid"
  | "Edm.DateTimeOffset"
  | "Edm.Date"
  | "Edm.TimeOfDay"
  | "Edm.Int64"
  | "Edm.Decimal"
  | "Edm.Double"
  | "Edm.String"
  | "Edm.Duration"
  | "Edm.Enum"
  | "Edm.Binary"
  | "Edm.Geography"
  | "Edm.Geometry";

/** A literal. */
export interface PrimitiveLiteral extends AstNode {
  readonly kind: "primitiveLiteral";
  readonly type: LiteralType;
  /**
   * The value: `null`, boolean, number (bigint beyond the safe integers; text for decimals that a number cannot
   * hold), otherwise text without quotes and prefix (`2024-02-29`, `P1D`, `Yellow`, base64url).
   */
  readonly value: null | boolean | number | bigint | string;
  /** The text as written, decoded. */
  readonly text: string;
  /** Name in front of an enum literal: `Sales.Pattern` of `Sales.Pattern'Yellow'`. */
  readonly typeName?: string;
}

/** `[a,b]`. */
export interface ArrayExpr extends AstNode {
  readonly kind: "array";
  readonly items: readonly CommonExpr[];
}

/** `{"a":1}`. */
export interface ObjectExpr extends AstNode {
  readonly kind: "object";
  readonly members: readonly { readonly name: string; readonly value: CommonExpr }[];
}

/** `(1,2)`, the right side of `in`. */
export interface ListExpr extends AstNode {
  readonly kind: "listExpr";
  readonly items: readonly CommonExpr[];
}

/**
 * A path: `author/name`, `$it/ID`, `x/reviews/any(r:…)`, `$root/Books(1)/title`, `S.f(p=1)/x`, or a parameter alias
 * (`root: "@p"`), or `$these/aggregate(…)`.
 */
export interface MemberExpr extends AstNode {
  readonly kind: "memberExpr";
  /** `$it`, `$this`, `$root`, `$these`, or an alias with its `@`. */
  readonly root?: string;
  readonly steps: readonly MemberStep[];
}

/** A step of a path in an expression. */
export type MemberStep =
  | MemberName
  | AnnotationExpr
  | CountStep
  | FilterStep
  | LambdaExpr
  | AggregateStep;

/** A name, qualified or not, with parentheses of keys or parameters. */
export interface MemberName extends AstNode {
  readonly kind: "memberName";
  readonly name: string;
  readonly parens: readonly ArgumentList[];
}

/** `@Namespace.Term#Qualifier`. */
export interface AnnotationExpr extends AstNode {
  readonly kind: "annotationExpr";
  readonly name: string;
}

/** `$count`, maybe with `($filter=…;$search=…)`. */
export interface CountStep extends AstNode {
  readonly kind: "countStep";
  readonly options?: QueryOptions;
}

/** `$filter(…)`, maybe with a key behind it. */
export interface FilterStep extends AstNode {
  readonly kind: "filterStep";
  readonly filter: CommonExpr;
  readonly key?: ArgumentList;
}

/** `any(x:…)`, `all(x:…)`, `any()`. */
export interface LambdaExpr extends AstNode {
  readonly kind: "anyExpr" | "allExpr";
  readonly variable?: string;
  readonly predicate?: CommonExpr;
}

/** `aggregate(…)` at the end of a path. */
export interface AggregateStep extends AstNode {
  readonly kind: "aggregateStep";
  readonly expr: AggregateExpr;
}

/** A call of a canonical function; `name` in the spelling of the standard (`contains`, `matchesPattern`). */
export interface MethodCallExpr extends AstNode {
  readonly kind: "methodCallExpr";
  readonly name: string;
  readonly args: readonly CommonExpr[];
}

/** `case(a:b,c:d)`. */
export interface CaseExpr extends AstNode {
  readonly kind: "caseExpr";
  readonly branches: readonly { readonly when: CommonExpr; readonly then: CommonExpr }[];
}

/** `cast(x,T)`, `cast(T)`. */
export interface CastExpr extends AstNode {
  readonly kind: "castExpr";
  readonly expr?: CommonExpr;
  readonly typeName: string;
}

/** `isof(x,T)`, `isof(T)`. */
export interface IsofExpr extends AstNode {
  readonly kind: "isofExpr";
  readonly expr?: CommonExpr;
  readonly typeName: string;
}

/** `not x`, `-x`. */
export interface UnaryExpr extends AstNode {
  readonly kind: "notExpr" | "negateExpr";
  readonly expr: CommonExpr;
}

/** Operators with two operands, in the spelling of the standard. */
export type BinaryOperator =
  | "or"
  | "and"
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "has"
  | "in"
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "divby"
  | "mod";

/** `a op b`. */
export interface BinaryExpr extends AstNode {
  readonly kind: "binaryExpr";
  readonly operator: BinaryOperator;
  readonly left: CommonExpr;
  readonly right: CommonExpr;
}

/** A search expression. */
export type SearchExpr =
  | (AstNode & { readonly kind: "searchWord" | "searchPhrase"; readonly text: string })
  | (AstNode & { readonly kind: "searchNegateExpr"; readonly expr: SearchExpr })
  | (AstNode & {
    readonly kind: "searchAndExpr" | "searchOrExpr";
    readonly left: SearchExpr;
    readonly right: SearchExpr;
  });

/** `$apply`: transformations in sequence. */
export interface ApplyExpr extends Placed {
  readonly trafos: readonly ApplyTrafo[];
}

/** A transformation of `$apply`. */
export type ApplyTrafo =
  | (AstNode & { readonly kind: "aggregateTrafo"; readonly items: readonly AggregateExpr[] })
  | (AstNode & { readonly kind: "computeTrafo"; readonly items: readonly ComputeItem[] })
  | (AstNode & { readonly kind: "concatTrafo"; readonly branches: readonly ApplyExpr[] })
  | (AstNode & {
    readonly kind: "groupbyTrafo";
    readonly elements: readonly GroupbyElement[];
    readonly apply?: ApplyExpr;
  })
  | (AstNode & { readonly kind: "filterTrafo"; readonly filter: CommonExpr })
  | (AstNode & { readonly kind: "searchTrafo"; readonly search: SearchExpr })
  | (AstNode & { readonly kind: "orderbyTrafo"; readonly items: readonly OrderbyItem[] })
  | (AstNode & { readonly kind: "topTrafo" | "skipTrafo"; readonly count: number })
  | (AstNode & { readonly kind: "identityTrafo" })
  | (AstNode & {
    /** `topcount`, `topsum`, `toppercent`, `bottomcount`, `bottomsum`, `bottompercent`. */
    readonly kind: "topBottomTrafo";
    readonly name: string;
    readonly amount: CommonExpr;
    readonly value: CommonExpr;
  })
  | (AstNode & {
    readonly kind: "joinTrafo";
    readonly outer: boolean;
    readonly property: MemberExpr;
    readonly alias: string;
    readonly apply?: ApplyExpr;
  })
  | (AstNode & {
    /** `path` is given for `addnested`. */
    readonly kind: "nestTrafo";
    readonly path?: MemberExpr;
    readonly items: readonly { readonly apply: ApplyExpr; readonly alias: string }[];
  })
  | (AstNode & {
    readonly kind: "hierarchyTrafo";
    readonly name: "ancestors" | "descendants" | "traverse";
    readonly hierarchy: RecHierReference;
    readonly order?: "preorder" | "postorder";
    readonly trafos?: ApplyExpr;
    readonly distance?: number;
    readonly keepStart?: boolean;
    readonly orderby?: readonly OrderbyItem[];
  })
  | (AstNode & { readonly kind: "customFunction"; readonly call: MemberName });

/** Nodes, qualifier and node property of a recursive hierarchy. */
export interface RecHierReference {
  readonly nodes: CommonExpr;
  readonly qualifier: string;
  readonly property: MemberExpr;
}

/** An element of `groupby`. */
export type GroupbyElement =
  | MemberExpr
  | (AstNode & { readonly kind: "rollupLevels"; readonly properties: readonly MemberExpr[] })
  | (AstNode & {
    readonly kind: "rollupRecursive";
    readonly hierarchy: RecHierReference;
    readonly trafos?: ApplyExpr;
  });

/** `expr with method from … as alias`, `$count as alias`, `Custom as alias`. */
export interface AggregateExpr extends AstNode {
  readonly kind: "aggregateExpr";
  readonly expr: CommonExpr;
  /** `sum`, `min`, `max`, `average`, `countdistinct` or a qualified name; undefined for `$count` and custom aggregates. */
  readonly method?: string;
  readonly from?: readonly AggregateFrom[];
  readonly alias?: string;
}

/** `from a,b with method`. */
export interface AggregateFrom {
  readonly properties: readonly MemberExpr[];
  readonly method?: string;
}
