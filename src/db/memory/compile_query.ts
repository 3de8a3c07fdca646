/**
 * Lowered SELECT and set queries as functions.
 *
 * @module
 */

import type { Expr, TreeBody, TreeColumn, TreeLimit, TreeQuery, TreeSet } from "../../algebra/tree.ts";
import type { Row } from "../../cqn/cqn.ts";
import { rowCount } from "../bind_values.ts";
import { holdsAggregate } from "./aggregates.ts";
import type { CompiledQuery, Compiler, Env, Evaluate, Restriction, Run } from "./evaluation.ts";
import { compileExpression } from "./expression.ts";
import { compileSource } from "./source.ts";
import { identity, sorting, truth } from "./values.ts";
import { assertNoWindows, compileWindows } from "./windows.ts";
import { stepName } from "../../cqn/steps.ts";

/** The steps of compiling put together, for a place where sources are in reach. */
export function compilerAt(aliases: readonly string[]): Compiler {
  const compiler: Compiler = {
    aliases: new Set(aliases),
    query: (query) =>
      query.kind === "select" ? compileSelect(query.SELECT, compiler) : compileSet(query, compiler),
    expression: (expression) => compileExpression(compiler, expression),
    within: (more) => compilerAt([...aliases, ...more]),
  };
  return compiler;
}

interface OutputColumn {
  readonly name: string;
  readonly expression: Expr;
  readonly evaluate: Evaluate;
}

function compileSelect(select: TreeBody, outer: Compiler): CompiledQuery {
  const source = compileSource(outer, select.from, select.where);
  const compiler = outer.within(source.aliases);
  const where = select.where && compiler.expression(select.where);
  const columns = (select.columns ?? []).map((column) => outputColumn(compiler, column));
  const group = grouping(compiler, select);
  const having = select.having && compiler.expression(select.having);
  assertNoWindows([select.where, select.having, ...select.groupBy ?? []]);
  const terms = [...select.columns ?? [], ...select.orderBy ?? []] as readonly Expr[];
  const windows = compileWindows(compiler, terms);
  const sort = sorting(compiler, select.orderBy);
  const page = paging(compiler, select.limit);
  const base = (column: string) => {
    const found = columns.find(({ name }) => name === column)?.expression;
    const ref = found?.kind === "reference" ? found.ref : [];
    return ref[0] === source.base ? ref[1] as string : undefined;
  };
  const isPlain = !group && !select.distinct && !select.limit && !windows;
  const members = (env: Env, run: Run, only?: Restriction) => {
    const inner = only && isPlain ? base(only.column) : undefined;
    const restriction: Restriction | undefined = inner === undefined
      ? undefined
      : { column: inner, value: only!.value };
    let found: Env[] = [];
    source.each(env, run, {
      row: (member) => {
        if (!where || truth(where(member, run)) === true) found.push(member);
      },
      only: restriction,
    });
    if (group) found = group(found, env, run);
    if (having) found = found.filter((member) => truth(having(member, run)) === true);
    if (windows) found = windows(found, run);
    return sort ? sort(found, run) : found;
  };
  const rows = (env: Env, run: Run, only?: Restriction) => {
    const found = members(env, run, only);
    if (select.distinct) {
      return page(distinct(found.map((member) => project(columns, member, run))), env, run);
    }
    return page(found, env, run).map((member) => project(columns, member, run));
  };
  return {
    columns: columns.map(({ name }) => name),
    canRestrict: (column) => isPlain && base(column) !== undefined,
    rows,
    *each(env, run) {
      if (select.distinct) return yield* rows(env, run);
      for (const member of page(members(env, run), env, run)) {
        run.clock.begin(); // whoever takes the rows may be slow
        yield project(columns, member, run);
      }
    },
  };
}

function outputColumn(compiler: Compiler, column: TreeColumn): OutputColumn {
  const { as, ...plain } = column as Expr & { readonly as?: string }; // lowered columns are expressions
  const expression = plain as Expr;
  const name = as ?? ""; // columns without name are alone
  return { name, expression, evaluate: compiler.expression(expression) };
}

function project(columns: readonly OutputColumn[], env: Env, run: Run): Row {
  const row: Row = {};
  for (const { name, evaluate } of columns) row[name] = evaluate(env, run);
  return row;
}

type Grouping = (members: readonly Env[], outer: Env, run: Run) => Env[];

/** Rows become groups, each with its first row and all of them as `$group`. */
function grouping(compiler: Compiler, { groupBy, columns, having }: TreeBody): Grouping | undefined {
  if (!groupBy && !holdsAggregate([...columns ?? [], ...having ? [having] : []] as readonly Expr[])) {
    return undefined;
  }
  const keys = (groupBy ?? []).map(compiler.expression);
  return (members, outer, run) => {
    if (keys.length === 0) return [{ ...(members[0] ?? outer), $group: members }];
    const groups = new Map<string, Env[]>();
    for (const member of members) {
      const key = identity(keys.map((evaluate) => evaluate(member, run)));
      const group = groups.get(key);
      if (group) group.push(member);
      else groups.set(key, [member]);
    }
    return [...groups.values()].map((group) => ({ ...group[0], $group: group }));
  };
}

type Paging = <T>(rows: readonly T[], env: Env, run: Run) => T[];

function paging(compiler: Compiler, limit: TreeLimit | undefined): Paging {
  const count = limit?.rows && compiler.expression(limit.rows);
  const offset = limit?.offset && compiler.expression(limit.offset);
  return (rows, env, run) => {
    const start = rowCount(offset?.(env, run)) ?? 0;
    const most = rowCount(count?.(env, run));
    if (start === 0 && most === null) return rows as never;
    return rows.slice(start, most === null ? undefined : start + most);
  };
}

function distinct(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [identity(Object.values(row)), row])).values()];
}

function compileSet({ SET }: TreeSet, compiler: Compiler): CompiledQuery {
  const args = SET.args.map(compiler.query);
  const { columns } = args[0];
  // The result is one source, whose columns the order names.
  const terms = SET.orderBy?.map((term) =>
    term.kind === "reference" ? { ...term, ref: ["$set", stepName(term.ref.at(-1)!)] } : term
  );
  const sort = sorting(compiler, terms);
  const page = paging(compiler, SET.limit);
  const rows = (env: Env, run: Run) => {
    const lists = args.map((arg) =>
      arg.rows(env, run).map((row) =>
        Object.fromEntries(columns.map((name, index) => [name, row[arg.columns[index]]]))
      )
    );
    let rows = lists.reduce((left, right) => combine(left, right, SET));
    if (sort) rows = sort(rows.map(($set) => ({ ...env, $set })), run).map(({ $set }) => $set as Row);
    return page(rows, env, run);
  };
  return { columns, canRestrict: () => false, rows, each: rows };
}

function combine(left: Row[], right: readonly Row[], { op, all }: TreeSet["SET"]): Row[] {
  if (op === "union") return all ? [...left, ...right] : distinct([...left, ...right]);
  const others = new Set(right.map((row) => identity(Object.values(row))));
  return distinct(left).filter((row) => others.has(identity(Object.values(row))) === (op === "intersect"));
}

/**
 * Compiles a lowered query.
 *
 * @param query the query
 */
export function compileQuery(query: TreeQuery): CompiledQuery {
  return compilerAt([]).query(query);
}
