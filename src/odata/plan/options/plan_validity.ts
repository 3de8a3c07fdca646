/**
 * `$at`, `$from`, `$to` and `$toInclusive` in `$expand` (OData Temporal Data 1.0, section 4.2): related rows are those that
 * are valid then, whatever the time of the request.
 *
 * @module
 */

import type { Expression, NestedInstant, NestedValidity } from "../../../cqn/cqn.ts";
import { BEGINNING, behind, END, instantOf } from "../../../context/request_validity.ts";
import { instantText, type InstantUnit } from "../../../util/temporal_text.ts";
import type { PrimitiveLiteral, QueryOptions, TemporalExpr } from "../../url/ast.ts";
import { paramRef } from "../shapes/bindings.ts";
import { badRequest } from "../plan_error.ts";
import { resolveAlias } from "../expressions/resolve_alias.ts";
import type { Scope } from "../scope.ts";

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
export function planValidity({ temporal }: QueryOptions, scope: Scope): NestedValidity | undefined {
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

function endOf(given: TemporalExpr, { shift, isUp }: EndOf, scope: Scope): NestedInstant {
  if (given === "min" || given === "max") {
    const time = given === "min" ? BEGINNING : END;
    return formsOf((unit) => ({ val: instantText(time, unit, isUp) }));
  }
  const literal = resolveAlias(given, scope);
  if (literal.kind !== "primitiveLiteral") throw badRequest("A date or a time is expected", given.offset);
  return formsOf((unit) => {
    const convert = (actual: PrimitiveLiteral) => {
      const time = instantOf(String(actual.value ?? actual.text));
      if (time) return instantText(shift(time, actual.text), unit, isUp);
      throw badRequest("A date or a time is expected", actual.offset);
    };
    const binding = scope.bindings.bindWith(literal, convert);
    binding.convert(literal);
    return paramRef(binding);
  });
}

function formsOf(form: (unit: InstantUnit | undefined) => Expression): NestedInstant {
  return { exact: form(undefined), seconds: form("seconds"), days: form("days") };
}
