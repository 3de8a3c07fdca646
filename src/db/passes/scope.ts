/**
 * What the names in a query mean while it is lowered: the sources, the joins that its paths need, and the scope around
 * it.
 *
 * Lowering turns a query over the model into one over tables: every reference is `[alias, column]`, associations are
 * joins and subqueries, nested results are JSON functions. References that start with `$` stay; they are bound to
 * values of the context when the statement runs.
 *
 * @module
 */

import type {
  Expr,
  TreeColumn,
  TreeQuery,
  TreeSelect,
  TreeSource,
  TreeStep,
  TreeValidity,
} from "../../algebra/tree.ts";
import type { LinkedElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";

/** A column of a result. */
export interface OutputColumn {
  readonly name: string;
  readonly expression: Expr;
  /** The element that gives the type. */
  readonly element?: LinkedElement;
  /** The built-in type, also of expressions where it is known. */
  readonly type?: string;
  /** The columns of a nested result, which is JSON text in the row. */
  readonly nested?: NestedOutput;
}

/** The shape of a nested result. */
export interface NestedOutput {
  readonly many: boolean;
  readonly columns: readonly OutputColumn[];
  /** The nested result is an object of the rows and their number, ignoring the limit. */
  readonly counted: boolean;
}

/** A lowered SELECT with what its columns give. */
export interface LoweredSelect {
  readonly query: TreeSelect;
  readonly columns: readonly OutputColumn[];
  /** Whether the values of payloads have columns of their own. */
  readonly hasValues?: boolean;
  /** The entity it reads, if it reads one. */
  readonly entity?: LinkedEntity;
}

/** A place that paths start at: a table alias and the entity behind it. */
export interface Anchor {
  readonly alias: string;
  readonly entity: LinkedEntity;
  readonly scope: Scope;
}

/** A source of a query. */
export interface ScopeSource {
  readonly alias: string;
  /** The name paths may put in front; an explicit alias comes before elements of that name. */
  readonly name: string;
  readonly explicit: boolean;
  readonly entity?: LinkedEntity;
  /** The rows came with the query: they have a position beside their elements. */
  readonly position?: OutputColumn;
  /** The columns of a subquery. */
  readonly columns?: ReadonlyMap<string, OutputColumn>;
}

/** The columns of a SELECT and what `*` leaves out. */
export interface ColumnList {
  readonly columns?: readonly TreeColumn[];
  readonly excluding?: readonly string[];
}

/**
 * The function that gives a value as it is, in place of one that writes it into JSON; undefined where only JSON has it. The
 * type is that of the value, if it is known.
 */
export type PlainValue = (func: string, type: string | undefined) => string | undefined;

/** How a SELECT is lowered. */
export interface SelectOptions {
  readonly parent?: Scope;
  /** Give one column with the row as JSON object; or its values in columns of their own, where these functions can. */
  readonly json?: boolean | PlainValue;
  /** The result leaves the database: integers that numbers do not hold become text. */
  readonly outermost?: boolean;
  /** The result has large bytes only where its columns name them. */
  readonly lacksStreams?: boolean;
  /** Whether this is the query of a view: which rows are valid is decided outside of it. */
  readonly view?: boolean;
}

/** In place of a function: the value is given without one. */
export const AS_IT_IS = "$as_it_is";

/** The steps of lowering, which call each other; `lower_query.ts` puts them together. */
export interface Lowering {
  readonly model: LinkedModel;
  /** Read localized elements in the locale of the context. */
  readonly localized: boolean;
  /** Read the slices of temporal entities that are valid at the time of the request only. */
  readonly temporal: boolean;
  /** When slices have to be valid, where that is not the time of the request. */
  readonly validity?: TreeValidity | undefined;
  /** Read what views show as it is from the tables behind them. */
  readonly throughViews: boolean;
  /** Name columns that are paths by all of their steps, as programs find them; views name them by the last one. */
  readonly wholePaths: boolean;
  /** Write binary, large and special numbers as OData payloads have them. */
  readonly payload: boolean;
  /** This lowering with default texts. */
  readonly unlocalized: Lowering;
  /** This lowering for rows that are valid at another time. */
  validAt(validity: TreeValidity): Lowering;
  /** A lowering for a statement of its own that does not know the request. */
  plain(options?: { readonly localized: boolean }): Lowering;
  /** A table alias that is not in use yet. */
  alias(hint: string): string;
  select(query: TreeQuery, options: SelectOptions): LoweredSelect;
  expression(expression: Expr, scope: Scope): Expr;
  columns(list: ColumnList, scope: Scope): readonly OutputColumn[];
  /** The table, view or derived table of an entity; the step may have arguments, or rows of its own. */
  table(entity: LinkedEntity, alias: string, step?: TreeStep): TreeSource;
  /** The column or association that steps from a place lead to. */
  path(anchor: Anchor, steps: readonly TreeStep[]): ResolvedPath;
}

/** Where a path leads. */
export type ResolvedPath =
  | {
    readonly kind: "column";
    readonly expression: Expr;
    readonly element?: LinkedElement;
    readonly type?: string;
  }
  | {
    readonly kind: "association";
    readonly association: LinkedElement;
    readonly anchor: Anchor;
    readonly step: TreeStep;
  }
  | {
    readonly kind: "structure";
    readonly anchor: Anchor;
    readonly element: LinkedElement;
    readonly flat: string;
  };

/** A join that a path has added. */
export interface Join {
  readonly source: TreeSource;
  readonly on: Expr;
}

/** The sources of a SELECT or a subquery, and the joins that paths add while it is lowered. */
export class Scope {
  readonly sources: ScopeSource[] = [];
  /** Expressions behind aliases of the column list; elements of the sources come before them. */
  readonly outputs: Map<string, Expr> = new Map();
  /** Associations that the query adds to its source. */
  readonly mixins: Map<string, LinkedElement> = new Map();
  readonly parent: Scope | undefined;
  /** Scope of a SELECT; `$self` refers to the nearest one. */
  readonly isQuery: boolean;
  /** Gives the columns that `$self` refers to while the list is lowered. */
  lowerOutput: ((name: string) => Expr | undefined) | undefined;
  /** Gives the path that a column of the list is, behind whose name `$self` paths go on. */
  columnPath: ((name: string) => readonly TreeStep[] | undefined) | undefined;
  readonly #joins: Join[] = [];
  readonly #aliases: Map<string, string> = new Map();

  /**
   * @param parent the scope around
   * @param isQuery false for the subqueries that passes make themselves
   */
  constructor(parent?: Scope, isQuery = true) {
    this.parent = parent;
    this.isQuery = isQuery;
  }

  /**
   * The expression behind a column of the list, wherever it stands.
   *
   * @param name its name
   */
  output(name: string): Expr | undefined {
    return this.outputs.get(name) ?? this.lowerOutput?.(name);
  }

  /**
   * The alias of a join, made on first use.
   *
   * @param key identifies the path
   * @param create gives alias, source and condition
   */
  join(key: string, create: () => { alias: string; source: TreeSource; on: () => Expr }): string {
    const known = this.#aliases.get(key);
    if (known !== undefined) return known;
    const { alias, source, on } = create();
    this.#aliases.set(key, alias);
    // The condition may need joins of its own, which have to come before.
    const condition = on();
    this.#joins.push({ source, on: condition });
    return alias;
  }

  /**
   * Takes joins out of the list: a condition between sources needs them in front of it.
   *
   * @param count how many there were before the condition was lowered
   * @returns those that it has added
   */
  takeJoins(count: number): readonly Join[] {
    return this.#joins.splice(count);
  }

  /**
   * Whether an alias is one of a source or of a join.
   *
   * @param alias a table alias
   */
  hasAlias(alias: string): boolean {
    return this.sources.some((source) => source.alias === alias) ||
      [...this.#aliases.values()].includes(alias);
  }

  /** How many joins paths have added. */
  get joinCount(): number {
    return this.#joins.length;
  }

  /** Whether paths have added joins. */
  get hasJoins(): boolean {
    return this.#joins.length > 0;
  }

  /** The source with all joins around it. */
  withJoins(source: TreeSource): TreeSource {
    return joinedWith(source, this.#joins);
  }
}

/**
 * A source with joins around it.
 *
 * @param source the source
 * @param joins the joins, in the order in which they need each other
 */
export function joinedWith(source: TreeSource, joins: readonly Join[]): TreeSource {
  return joins.reduce<TreeSource>(
    (left, join) => ({ kind: "join", join: "left", args: [left, join.source], on: join.on }),
    source,
  );
}

/** A source that a step leads to; its name comes before elements if the step gives one. */
export function stepSource(step: TreeStep, source: Omit<ScopeSource, "explicit">): ScopeSource {
  const as = typeof step === "string" ? undefined : step.as;
  return { ...source, name: as ?? source.name, explicit: as !== undefined };
}
