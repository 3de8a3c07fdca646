/**
 * Functions of the members of arrays in the memory database.
 *
 * @module
 */

import type { Expr, List, Literal, TreeOrder } from "../../algebra/tree.ts";
import type { Row } from "../../cqn/cqn.ts";
import { sqlValue } from "../write/sql_value.ts";
import type { Aliases, Compiler, Env, Evaluate } from "./evaluation.ts";
import { fromJson } from "./functions.ts";
import { toFlag, truth } from "./values.ts";
import { sorting } from "./sorting.ts";

/**
 * The members of an array as rows; what is no array has none.
 *
 * @param array an array, maybe as JSON text
 */
export function membersOf(array: unknown): readonly { readonly value: unknown; readonly key: number }[] {
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
 * @param aliases the sources in reach
 */
export function compileFiltered(
  compiler: Compiler,
  args: readonly Expr[],
  aliases: Aliases,
): Evaluate {
  const [array, condition] = args.slice(0, 2).map((arg) => compiler.expression(arg, aliases));
  const as = String((args[2] as Literal).val);
  const sort = sorting(compiler, (args[3] as List).list as readonly TreeOrder[], aliases);
  const bounds = compiler.expression(args[4], aliases);
  const computed = args[5] && compiler.expression(args[5], aliases);
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
