/**
 * Checks of the names in a query: conditions, groups, order, arguments and expressions of columns. Paths that are
 * columns of their own are checked when the signature is computed.
 *
 * @module
 */

import type {
  Column,
  Expression,
  NestedColumn,
  RefExpression,
  RefStep,
  SelectBody,
  SelectQuery,
  SetQuery,
  Xo,
} from "../../cqn/cqn.ts";
import { PSEUDO_VARIABLES, stepName } from "../../cqn/steps.ts";
import { walkExpression } from "../../cqn/walk.ts";
import type { ConfigurationError } from "../../errors/configuration_error.ts";
import { depthFirst, MAX_WEIGHT, weightOf } from "./check_cycles.ts";
import { type DraftDefinition, type DraftElement, isView, modelError, suggestion } from "./draft.ts";
import { checkSelf } from "./check_references.ts";
import { findElement, hasUnknownView } from "./element_path.ts";
import { hasUnknownSource, innerScope, resolvePath, type ViewScope } from "./view_scope.ts";

/** The names that a query sees: its own, and those of the queries around it. */
export interface QueryScopes {
  readonly scope: ViewScope;
  readonly outer?: QueryScopes;
  /** Names of its columns. */
  readonly outputs: ReadonlySet<string>;
  /** Those of them that conditions of mixins can compare: columns of a table. */
  readonly values?: ReadonlySet<string>;
  /** The names of columns can be used without `$self`: groups and order. */
  readonly isAfterColumns?: boolean;
}

/** Looks at a query inside of another one. */
export type SubqueryCheck = (query: SelectQuery | SetQuery, outer: QueryScopes) => void;

/**
 * Checks the names of a SELECT.
 *
 * @param select the query
 * @param scopes what it sees
 * @param subquery looks at queries in its conditions
 */
export function checkQuery(select: SelectBody, scopes: QueryScopes, subquery: SubqueryCheck): void {
  if (isUnknown(scopes)) return;
  const checker = new QueryChecker(scopes, subquery);
  checker.weight(select.columns ?? []);
  checker.source(select.from);
  for (const column of select.columns ?? []) if (column !== "*") checker.column(column);
  for (const [name, association] of Object.entries(select.mixin ?? {})) {
    const { on } = association as DraftElement;
    new QueryChecker({ ...scopes, outputs: scopes.values ?? scopes.outputs }, subquery).xo(on);
    checkSelf(scopes.scope.draft, on ?? [], { key: name, element: association as DraftElement });
  }
  checker.xo(select.where);
  const later = new QueryChecker({ ...scopes, isAfterColumns: true }, subquery);
  for (const clause of [select.having, select.groupBy, select.orderBy]) later.xo(clause);
}

/** A column that has a name. */
type NamedColumn = Exclude<Column, "*">;

/** What is wrong in a source shows here too. */
function isUnknown({ scope, outer }: QueryScopes): boolean {
  return hasUnknownSource(scope) || (outer !== undefined && isUnknown(outer));
}

class QueryChecker {
  readonly #scopes: QueryScopes;
  readonly #subquery: SubqueryCheck;

  constructor(scopes: QueryScopes, subquery: SubqueryCheck) {
    this.#scopes = scopes;
    this.#subquery = subquery;
  }

  source(source: SelectBody["from"]): void {
    if ("join" in source) {
      for (const arg of source.args) this.source(arg);
      this.xo(source.on);
    } else if ("ref" in source) {
      const { draft } = this.#scopes.scope;
      const names = source.ref.map(stepName);
      const elementOf = (length: number) => {
        const found = findElement(draft, names.slice(0, length));
        return "element" in found ? found.element : undefined;
      };
      this.#steps(source.ref, source, elementOf);
      const read = elementOf(names.length);
      if (read) this.#follow(read, names.at(-1)!, source);
    }
  }

  /** Columns that are made of other columns of the list stand for all of them, and not for themselves. */
  weight(columns: readonly Column[]): void {
    const { scope } = this.#scopes;
    const byName = new Map(
      columns.flatMap((column) => column !== "*" && column.as ? [[column.as, column]] : []),
    );
    const neededBy = (column: NamedColumn) => {
      const needed: NamedColumn[] = [];
      walkExpression(column, (expression) => {
        const { ref = [] } = expression as Partial<RefExpression>;
        const [first, name] = ref.map(stepName);
        const other = first === "$self" || first === "$projection" ? byName.get(name) : undefined;
        // behind its own name is the element of the source
        if (other && (other !== column || !("element" in resolvePath(scope, [name])))) needed.push(other);
      });
      return needed;
    };
    const search = depthFirst<NamedColumn>(scope.draft, "column", neededBy);
    for (const column of byName.values()) {
      search(column, { name: scope.view, element: column as DraftElement });
    }
    const weight = weightOf(neededBy);
    const large = byName.entries().find(([, column]) => weight(column) > MAX_WEIGHT);
    if (large) this.#report(`Column "${large[0]}" stands for more than ${MAX_WEIGHT} others`, large[1]);
  }

  column(column: Expression | NestedColumn): void {
    if ("expand" in column || "inline" in column) return this.#nested(column as NestedColumn);
    // virtual columns may have names of their own, and paths have been looked at for the signature
    if ((column as { virtual?: boolean }).virtual) return;
    if ("ref" in column && column.ref && !("param" in column)) this.#stepsOfPath(column.ref, column);
    else this.xo([column as Expression]);
  }

  xo(tokens: readonly Xo[] | undefined): void {
    for (const [index, token] of tokens?.entries() ?? []) {
      if (typeof token !== "string") this.#expression(token, tokens?.[index - 1] === "exists");
      else if (token === "new" || token === ".") {
        this.#report(`Found a method call in "${this.#scopes.scope.view}", which no database understands`, {
          ...tokens?.[index + 1] as object,
        });
      }
    }
  }

  #expression(expression: Expression, isFollowed = false): void {
    if ("SELECT" in expression || "SET" in expression) return this.#subquery(expression, this.#scopes);
    if ("ref" in expression) return this.#ref(expression, isFollowed);
    if ("xpr" in expression) this.xo(expression.xpr);
    if ("list" in expression) this.xo(expression.list);
    if ("func" in expression) {
      const { args = [] } = expression;
      const given = Array.isArray(args) ? args as readonly (Expression | "*")[] : Object.values(args);
      for (const arg of given) if (arg !== "*") this.#expression(arg);
    }
  }

  #ref(expression: Extract<Expression, { readonly ref: readonly RefStep[] }>, isFollowed: boolean): void {
    const steps = expression.ref.map(stepName);
    const { scope } = this.#scopes;
    if (expression.param) return this.#parameter(steps[0], expression);
    if (steps[0] === "$parameters") return this.#parameter(steps[1], expression);
    const isOwn = steps[0] === "$self" || steps[0] === "$projection";
    if (PSEUDO_VARIABLES.has(steps[0])) return;
    if (this.#scopes.isAfterColumns && steps.length === 1 && this.#scopes.outputs.has(steps[0])) return;
    if (isOwn && (steps.length === 1 || this.#scopes.outputs.has(steps[1]))) return;
    const path = isOwn ? steps.slice(1) : steps;
    if (leadsToUnknownView(scope, path)) return;
    let missing: string | undefined;
    for (let current: QueryScopes | undefined = this.#scopes; current; current = current.outer) {
      const found = resolvePath(current.scope, path);
      if ("element" in found) {
        if (isFollowed) this.#follow(found.element, path.at(-1)!, expression);
        return this.#stepsOfPath(expression.ref, expression);
      }
      missing ??= found.missing;
    }
    const isWord = path.length === 1 && !missing?.includes("did you mean");
    const hint = isWord ? `; a text is written in single quotes: '${path[0]}'` : "";
    this.#report(`Unresolved path "${steps.join(".")}" in "${scope.view}": ${missing}${hint}`, expression);
  }

  #parameter(name: string, at: object): void {
    const { draft, view } = this.#scopes.scope;
    const params = Object.keys(draft.definitions[view]?.params ?? {});
    if (params.includes(name)) return;
    this.#report(`Unknown parameter "${name}" of "${view}"${suggestion(name, params)}`, at);
  }

  /** Conditions and arguments of the steps of a path. */
  #stepsOfPath(ref: readonly RefStep[], at: object): void {
    this.#steps(ref, at, (length) => elementAt(this.#scopes.scope, ref, length));
  }

  #steps(
    ref: readonly RefStep[],
    at: object,
    elementOf: (length: number) => DraftElement | undefined,
  ): void {
    for (const [index, step] of ref.entries()) {
      const element = elementOf(index + 1);
      if (element) this.#arguments(step, element, ref);
      const isFollowed = index < ref.length - 1 || typeof step === "object";
      if (element && isFollowed) this.#follow(element, stepName(step), at);
      if (typeof step === "string") continue;
      for (const value of Object.values(step.args ?? {})) this.#expression(value);
      if (!element) continue;
      const scopes = {
        scope: innerScope(this.#scopes.scope, element),
        outer: this.#scopes,
        outputs: new Set<string>(),
      };
      const inner = new QueryChecker(scopes, this.#subquery);
      for (const clause of [step.where, step.having, step.groupBy, step.orderBy]) inner.xo(clause);
    }
  }

  /** Nothing says which rows of a view without key belong together with a row. */
  #follow(element: DraftElement, name: string, at: object): void {
    const { draft, view } = this.#scopes.scope;
    const { target, on, keys } = element;
    const definition = typeof target === "string" ? draft.definitions[target] : undefined;
    // where a view is no more known than that, its own mistakes are told
    if (!definition?.elements || !isView(definition) || on || keys?.length) return;
    if (Object.values(definition.elements).some(({ key }) => key)) return;
    this.#report(`Association "${name}" in "${view}" cannot be followed: "${target}" has no key`, at);
  }

  /** All parameters of a view but those with default get a value, and nothing else does. */
  #arguments(step: RefStep, element: DraftElement, at: object): void {
    const { draft } = this.#scopes.scope;
    const view = typeof element.target === "string" ? draft.definitions[element.target] : element;
    const { params = {} } = view as DraftDefinition;
    const args = typeof step === "string" ? {} : step.args ?? {};
    for (const name of Object.keys(args)) {
      if (Object.hasOwn(params, name)) continue;
      const near = suggestion(name, Object.keys(params));
      this.#report(`Unknown parameter "${name}" of "${[step].map(stepName)[0]}"${near}`, at);
    }
    const missing = Object.keys(params).find((name) => !(name in args) && params[name].default === undefined);
    if (missing === undefined || element.target !== undefined) return;
    this.#report(`Expected a value for parameter "${missing}" of "${[step].map(stepName)[0]}"`, at);
  }

  #nested(column: NestedColumn): void {
    const { scope } = this.#scopes;
    if (column.ref) this.#stepsOfPath(column.ref, column);
    const element = column.ref ? elementAt(scope, column.ref, column.ref.length) : undefined;
    if (element) this.#follow(element, stepName(column.ref!.at(-1)!), column);
    const inner = element
      ? new QueryChecker(
        { scope: innerScope(scope, element), outer: this.#scopes, outputs: new Set() },
        this.#subquery,
      )
      : this;
    for (const item of column.expand ?? column.inline ?? []) if (item !== "*") inner.column(item);
    for (const clause of [column.where, column.orderBy]) inner.xo(clause);
  }

  #report(message: string, at: object): void {
    const { draft, view } = this.#scopes.scope;
    draft.problems.catch(problemAt(message, at, draft.definitions[view]));
  }
}

function problemAt(message: string, at: object, view: DraftElement | undefined): ConfigurationError {
  return modelError(message, at as DraftElement, view); // expressions carry their place as elements do
}

/** Whether a path runs along an association to a view that is not complete, because there is a mistake in it. */
function leadsToUnknownView(scope: ViewScope, path: readonly string[]): boolean {
  return path.slice(1).some((_, index) => {
    const found = resolvePath(scope, path.slice(0, index + 1));
    const target = "element" in found ? found.element.target : undefined;
    return typeof target === "string" && hasUnknownView(scope.draft, [target]);
  });
}

function elementAt(scope: ViewScope, ref: readonly RefStep[], length: number): DraftElement | undefined {
  const steps = ref.slice(0, length).map(stepName);
  const path = steps[0] === "$self" || steps[0] === "$projection" ? steps.slice(1) : steps;
  const found = resolvePath(scope, path);
  return "element" in found ? found.element : undefined;
}
