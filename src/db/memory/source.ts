import { conjuncts, isBound } from "../../algebra/build.ts";
import type {
  Expr,
  List,
  Literal,
  Reference,
  TreeJoin,
  TreeOrder,
  TreeQuery,
  TreeSource,
  TreeStep,
} from "../../algebra/tree.ts";
import { walkTree } from "../../algebra/walk_tree.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { Aliases, Compiler, Env, Evaluate, Restriction, Run } from "./evaluation.ts";
import { lookupKey, sorting, toFlag, truth, unsupported } from "./values.ts";
import { stepName } from "../../cqn/steps.ts";
import { sqlValue } from "../write/sql_value.ts";
import { fromJson } from "./functions.ts";

/** What is done with each row. */
export interface Visit {
  readonly row: (env: Env) => boolean | void;
  /** A column of the base whose other values are not wanted. */
  readonly only?: Restriction;
}

/** A source as function. */
export interface CompiledSource {
  /** The aliases it brings. */
  readonly aliases: readonly string[];
  /** The alias that a restriction is meant for. */
  readonly base: string;
  /** Visits its rows; the visitor ends it with `true`. */
  each(env: Env, run: Run, visit: Visit): boolean;
}

/**
 * Compiles a source.
 *
 * @param compiler the steps of compiling
 * @param source a lowered source
 * @param condition a condition that its rows will have to meet
 */
export function compileSource(
  compiler: Compiler,
  source: TreeSource,
  condition: Expr | undefined,
): CompiledSource {
  if (source.kind === "join") return compileJoin(compiler, source, condition);
  const alias = source.as ?? (source.kind === "reference" ? stepName(source.ref[0]!) : "");
  const key = keyCondition(compiler, alias, condition);
  const rows = source.kind === "reference" ? pathRows(compiler, source.ref[0]!) : queryRows(compiler, source);
  return {
    aliases: [alias],
    base: alias,
    each: (env, run, { row: visit, only }) => {
      const found = key ? { column: key.column, value: key.evaluate(env, run) } : only;
      if (found && found.value === null) return false;
      for (const row of rows(env, run, found)) {
        run.clock.check();
        if (visit({ ...env, [alias]: row }) === true) return true;
      }
      return false;
    },
  };
}

type RowsOf = (env: Env, run: Run, only: Restriction | undefined) => readonly Row[];

function pathRows(compiler: Compiler, step: TreeStep): RowsOf {
  if (typeof step === "string" || !step.rows) return tableRows(stepName(step));
  const given = compiler.expression(step.rows);
  return (env, run) => membersOf(given(env, run));
}

function tableRows(name: string): RowsOf {
  return (_env, run, only) => run.data.rows(name, run, only);
}

/** The rows of a subquery; they are kept if they do not depend on the rows around it. */
function queryRows(compiler: Compiler, query: TreeQuery): RowsOf {
  const compiled = compiler.query(query);
  const isFree = !refersTo(query, compiler.aliases);
  return (env, run, only) => {
    if (!isFree || (only && compiled.canRestrict(only.column))) {
      return compiled.rows(env, run, only);
    }
    let rows = run.memo.get(query);
    if (!rows) run.memo.set(query, rows = compiled.rows(env, run));
    return only ? lookup(rows, only) : rows;
  };
}

function refersTo(query: TreeQuery, aliases: Aliases): boolean {
  let found = false;
  walkTree(query, (one) => {
    if (one.kind === "reference" && one.ref.length > 1 && aliases.has(stepName(one.ref[0]!))) found = true;
    return !found;
  });
  return found;
}

function compileJoin(
  compiler: Compiler,
  source: TreeJoin,
  around: Expr | undefined,
): CompiledSource {
  const { join, args: [first, ...others], on } = source;
  if (join === "right" || join === "full") throw unsupported(`${join} joins`);
  const left = compileSource(compiler, first!, around);
  return others.reduce<CompiledSource>((before, other) => {
    const reached = compiler.within(before.aliases);
    const right = compileSource(reached, other, on);
    const condition = on && reached.within(right.aliases).expression(on);
    return joined(before, right, { condition, outer: join === "left" });
  }, left);
}

function joined(
  left: CompiledSource,
  right: CompiledSource,
  { condition, outer }: { readonly condition: Evaluate | undefined; readonly outer: boolean },
): CompiledSource {
  const none = Object.fromEntries(right.aliases.map((alias) => [alias, null]));
  return {
    aliases: [...left.aliases, ...right.aliases],
    base: left.base,
    each: (env, run, { row: visit, only }) => {
      const row = (before: Env) => {
        let matched = false;
        const ended = right.each(before, run, {
          row: (both) => {
            if (condition && truth(condition(both, run)) !== true) return;
            matched = true;
            return visit(both);
          },
        });
        return ended || (outer && !matched ? visit({ ...before, ...none }) : false);
      };
      return left.each(env, run, { row, only });
    },
  };
}

/** An equality of a column of this source with what is known before: its rows can be looked up. */
function keyCondition(
  compiler: Compiler,
  alias: string,
  condition: Expr | undefined,
): { readonly column: string; readonly evaluate: Evaluate } | undefined {
  for (const one of conjuncts(condition)) {
    if (one.kind !== "comparison" || one.op !== "=") continue;
    for (const [column, other] of [[one.left, one.right], [one.right, one.left]] as const) {
      if (!isColumnOf(column, alias) || !isKnown(other, compiler.aliases)) continue;
      return { column: stepName(column.ref[1]!), evaluate: compiler.expression(other) };
    }
  }
  return undefined;
}

function isColumnOf(expression: Expr, alias: string): expression is Reference {
  return expression.kind === "reference" && expression.ref.length === 2 && expression.ref[0] === alias;
}

function isKnown(expression: Expr, aliases: Aliases): boolean {
  if (expression.kind === "literal") return !Array.isArray(expression.val);
  return isBound(expression) ||
    (expression.kind === "reference" && aliases.has(stepName(expression.ref[0]!)));
}

const indexes: WeakMap<readonly Row[], Map<string, Map<string, Row[]>>> = new WeakMap();

/**
 * Rows with a value in a column; the index is made on first use.
 *
 * @param rows a list that does not change
 * @param restriction column and value
 */
export function lookup(rows: readonly Row[], { column, value }: Restriction): readonly Row[] {
  let byColumn = indexes.get(rows);
  if (!byColumn) indexes.set(rows, byColumn = new Map());
  let index = byColumn.get(column);
  if (!index) {
    byColumn.set(column, index = new Map());
    for (const row of rows) {
      const member = row[column];
      if (member === null || member === undefined) continue;
      const key = lookupKey(member);
      const list = index.get(key);
      if (list) list.push(row);
      else index.set(key, [row]);
    }
  }
  return value === null ? [] : index.get(lookupKey(value)) ?? [];
}

/**
 * The members of an array as rows; what is no array has none.
 *
 * @param array an array, maybe as JSON text
 */
function membersOf(array: unknown): readonly { readonly value: unknown; readonly key: number }[] {
  const given = fromJson(array);
  const members: readonly unknown[] = Array.isArray(given) ? given : [];
  return members.map((member, key) => ({
    key,
    value: typeof member === "object" ? member : sqlValue(member),
  }));
}

/**
 * `$any(array, condition, alias)` and `$count`: the condition sees the member of the array by the alias;
 * `$next(array, condition, alias, before)`: the place of the first such member behind another place.
 *
 * @param name which of them
 * @param compiled array and condition, and what is behind the alias
 * @param alias the name of the member
 */
export function compileMembers(
  name: "$any" | "$count" | "$next",
  [array, condition, _alias, before]: readonly Evaluate[],
  alias: Expr | "*" | undefined,
): Evaluate {
  const as = String((alias as Literal).val);
  return (env, run) => {
    const members = membersOf(array(env, run)).map((member) => ({ ...env, [as]: member }));
    const matches = (inside: Env) => truth(condition(inside, run)) === true;
    if (name === "$next") {
      const place = before(env, run);
      const found = place === null
        ? -1
        : members.findIndex((inside, at) => at > Number(place) && matches(inside));
      return found < 0 ? null : found;
    }
    return name === "$any" ? toFlag(members.some(matches)) : members.filter(matches).length;
  };
}

/**
 * `$filtered(array, condition, alias, order, limit, computed)`: the members that fulfil a condition, ordered, a part of
 * them; structures with what is computed of them.
 *
 * @param compiler the steps of compiling
 * @param args the arguments
 */
export function compileFiltered(compiler: Compiler, args: readonly Expr[]): Evaluate {
  const [array, condition] = args.slice(0, 2).map(compiler.expression);
  const as = String((args[2] as Literal).val);
  const sort = sorting(compiler, (args[3] as List).list as readonly TreeOrder[]);
  const bounds = compiler.expression(args[4]);
  const computed = args[5] && compiler.expression(args[5]);
  return (env, run) => {
    const given = fromJson(array(env, run));
    const members = Array.isArray(given) ? given : [];
    const [rows, offset] = bounds(env, run) as readonly (number | null)[];
    const found = membersOf(members).map((member): Env => ({ ...env, [as]: member }))
      .filter((inside) => truth(condition(inside, run)) === true);
    const ordered = sort?.(found, run) ?? found;
    const from = Number(offset ?? 0);
    const page = ordered.slice(from, rows === null ? undefined : from + Number(rows));
    return JSON.stringify(page.map((inside) => {
      const { key } = inside[as] as { readonly key: number }; // a member, see membersOf
      const member: unknown = members[key];
      if (!computed || typeof member !== "object" || member === null) return member;
      return { ...member, ...computed(inside, run) as Row };
    }));
  };
}
