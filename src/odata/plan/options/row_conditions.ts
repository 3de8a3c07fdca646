import { join, literal as valueOf, not, parameter } from "../../../algebra/build.ts";
import type { Expr, TreeInstant, TreeValidity } from "../../../algebra/tree.ts";
import type { PrimitiveLiteral, QueryOptions, SearchExpr, TemporalExpr } from "../../url/ast.ts";
import { BEGINNING, behind, END, instantOf } from "../../../context/request_validity.ts";
import { instantText, type InstantUnit } from "../../../util/temporal_text.ts";
import { badRequest } from "../plan_error.ts";
import { resolveAlias, type Scope } from "../scope.ts";

/**
 * Plans `$search`.
 *
 * @param search the parsed text
 * @returns terms with `and`, `or`, `not`
 */
export function planSearch(search: SearchExpr): Expr {
  switch (search.kind) {
    case "searchWord":
    case "searchPhrase":
      return valueOf(search.text);
    case "searchNegateExpr":
      return not(planSearch(search.expr));
    case "searchAndExpr":
      return join("and", [planSearch(search.left), planSearch(search.right)]);
    case "searchOrExpr":
      return join("or", [planSearch(search.left), planSearch(search.right)]);
    default:
      return search satisfies never;
  }
}

/** The instant of a literal, or one behind it. */
type Shift = (time: Date, text: string) => Date;

const SAME: Shift = (time) => time;
const NEXT: Shift = (time) => behind(time);

/**
 * Plans the time of related rows.
 *
 * @param options the options of `$expand`
 * @param scope has bindings and aliases
 * @returns undefined without such options
 * @throws {ServiceError} 400 for what is no day and no instant
 */
export function planValidity({ temporal }: QueryOptions, scope: Scope): TreeValidity | undefined {
  if (temporal === undefined) return undefined;
  const { at, from, to, toInclusive } = temporal;
  const end = (given: TemporalExpr, shift: Shift) => endOf(given, { shift, isUp: true }, scope);
  const first = endOf(at ?? from ?? "min", { shift: SAME, isUp: false }, scope);
  const last = at ? end(at, NEXT) : toInclusive && !to ? end(toInclusive, behind) : end(to ?? "max", SAME);
  return { from: first, to: last };
}

/** How an end of the period is made of what is given. */
interface EndOf {
  readonly shift: Shift;
  readonly isUp: boolean;
}

function endOf(given: TemporalExpr, { shift, isUp }: EndOf, scope: Scope): TreeInstant {
  if (given === "min" || given === "max") {
    const time = given === "min" ? BEGINNING : END;
    return formsOf((unit) => valueOf(instantText(time, unit, isUp)));
  }
  const literal = resolveAlias(given, scope);
  if (literal.kind !== "primitiveLiteral") throw badRequest("A date or a time is expected", given.offset);
  return formsOf((unit) => {
    const convert = (actual: PrimitiveLiteral) => {
      const time = instantOf(String(actual.value));
      if (time) return instantText(shift(time, actual.text), unit, isUp);
      throw badRequest("A date or a time is expected", actual.offset);
    };
    const binding = scope.bindings.bindWith(literal, convert);
    binding.convert(literal);
    return parameter(binding.name);
  });
}

function formsOf(form: (unit: InstantUnit | undefined) => Expr): TreeInstant {
  return { exact: form(undefined), seconds: form("seconds"), days: form("days") };
}
