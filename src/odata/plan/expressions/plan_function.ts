/**
 * Calls of canonical functions → calls of CQN (OData 4.01 Part 2, section 5.1.1.5 and following).
 *
 * The operator `has`: flags of an enumeration (OData 4.01 Part 2, section 5.1.1.1.9).
 *
 * @module
 */

import { type ArgumentKind, functionRow } from "../../../algebra/functions.ts";
import { boundedPattern } from "../../../util/bounded_pattern.ts";
import type { CommonExpr, MethodCallExpr, PrimitiveLiteral } from "../../url/ast.ts";
import { convertLiteral, type LiteralScalar, type ValueType } from "./literal_values.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { CANONICAL_FUNCTIONS } from "../../url/words.ts";
import {
  BOOLEAN,
  DECIMAL,
  DURATION,
  groupOf,
  INTEGER,
  isNull,
  resolveAlias,
  type Scope,
  STRING,
  TIMESTAMP,
  type Typed,
  type TypeGroup,
} from "../scope.ts";
import {
  call as callOf,
  caseOf,
  cast,
  compare,
  join,
  literal as valueOf,
  NULL,
  parameter,
} from "../../../algebra/build.ts";
import type { Expr } from "../../../algebra/tree.ts";

/** Groups of an argument, the type its literals take, and a type of the groups that it has not. */
type Taken = readonly [readonly TypeGroup[], ValueType | undefined, but?: string];

const TAKEN: Readonly<Record<ArgumentKind, Taken>> = {
  text: [["text"], STRING],
  // engines that need not look at a pattern refuse it as well
  pattern: [["text"], {
    ...STRING,
    refuses: (value: LiteralScalar) => {
      const compiled = boundedPattern(String(value));
      return "reason" in compiled ? `The pattern of matchesPattern ${compiled.reason}` : undefined;
    },
  }],
  whole: [["number"], INTEGER],
  number: [["number"], DECIMAL],
  day: [["instant"], undefined],
  instant: [["instant"], undefined, "cds.Date"],
  clock: [["instant", "time"], undefined, "cds.Date"],
  duration: [["duration"], DURATION],
};

const RESULTS: readonly ValueType[] = [BOOLEAN, INTEGER, STRING, DECIMAL, TIMESTAMP];

/** The type of the result of a function; undefined for that of the first argument. */
function resultType(name: string): ValueType | undefined {
  const { odata, result, declared } = functionRow(name)!; // the caller has found it
  const builtin = odata?.keepsType ? undefined : result ?? declared;
  return builtin === undefined ? undefined : RESULTS.find((type) => type.builtin === builtin) ?? { builtin };
}

/**
 * Plans a call.
 *
 * @param call the call
 * @param scope what names refer to
 * @returns the call with the type of its result
 */
export function planFunction(call: MethodCallExpr, scope: Scope): Typed {
  const { name, offset } = call;
  if (name === "mindatetime") return instant("0001-01-01T00:00:00.000Z");
  if (name === "maxdatetime") return instant("9999-12-31T23:59:59.999Z");
  if (name === "totaloffsetminutes") return totalOffsetMinutes(scope.plan.value(call.args[0], scope));
  if (name.startsWith("geo.")) return planGeo(call, scope);
  const takes = CANONICAL_FUNCTIONS.get(name)?.takes;
  if (takes === undefined) throw notImplemented(`The function "${name}"`, offset);
  const args = call.args.map((arg, index) => {
    const [groups, hint, but] = TAKEN[takes[index]!];
    const value = scope.plan.value(arg, scope, hint);
    if (hint === INTEGER) assertWhole(arg, scope);
    const group = groupOf(value.type);
    const isKnown = group !== undefined || (arg.kind === "primitiveLiteral" && !isNull(value));
    const isTaken = groups.some((one) => one === (group ?? "text")) &&
      (but === undefined || value.type?.builtin !== but);
    if (isKnown && !isTaken) {
      throw badRequest(`The function "${name}" does not take an argument of this type`, arg.offset);
    }
    return value;
  });
  const type = resultType(name) ?? args[0].type;
  // a function of null is null
  if (args.some(isNull)) return { expr: NULL, type, nullable: true };
  // durations are seconds
  if (name === "totalseconds") return { ...args[0], type: DECIMAL };
  const expr = callOf(name.toLowerCase(), args.map(({ expr }) => expr));
  return { expr, type, nullable: args.some(({ nullable }) => nullable) };
}

/** An instant that stands in the query, with its type, which functions ask for. */
function instant(val: string): Typed {
  return { expr: cast(valueOf(val), { type: TIMESTAMP.builtin }), type: TIMESTAMP, nullable: false };
}

/** Positions are whole numbers. */
function assertWhole(arg: CommonExpr, scope: Scope): void {
  const literal = resolveAlias(arg, scope);
  if (literal.kind !== "primitiveLiteral" || literal.value === null) return;
  if (!Number.isInteger(Number(literal.value))) throw badRequest("A whole number is expected", arg.offset);
}

/** Instants are kept in UTC. */
function totalOffsetMinutes({ expr, nullable }: Typed): Typed {
  const zero = valueOf(0);
  if (!nullable) return { expr: zero, type: INTEGER, nullable };
  return {
    expr: caseOf([{ when: compare(expr, "!=", NULL), then: zero }]),
    type: INTEGER,
    nullable,
  };
}

/**
 * Plans a call. Where a value has not the shape that the function takes, its result is null.
 *
 * @param call the call
 * @param scope what names refer to
 * @throws {ServiceError} 400 for what is no geography value, 501 for geometry and for shapes that are no argument
 */
function planGeo(
  call: MethodCallExpr,
  scope: Scope,
): Typed {
  const args = call.args.map((arg) => {
    const literal = resolveAlias(arg, scope);
    return literal.kind === "primitiveLiteral" && literal.value !== null
      ? geoLiteral(literal, scope)
      : storedValue(arg, scope.plan.value(arg, scope));
  });
  const type = call.name === "geo.intersects" ? BOOLEAN : { builtin: "cds.Double" };
  if (args.some(isNull)) {
    return { expr: NULL, type, nullable: true };
  }
  return { expr: callOf(call.name, args.map(({ expr }) => expr)), type, nullable: true };
}

function storedValue({ offset }: CommonExpr, value: Typed): Typed {
  if (value.type === undefined || isNull(value)) return value;
  throw badRequest("A geography value is expected", offset);
}

function geoLiteral(literal: PrimitiveLiteral, scope: Scope): Typed {
  if (literal.type === "Edm.Geometry") throw notImplemented("A function of geometry values", literal.offset);
  if (literal.type !== "Edm.Geography") throw badRequest("A geography value is expected", literal.offset);
  const binding = scope.bindings.bindWith(literal, geoJson);
  binding.convert(literal);
  return { expr: parameter(binding.name), nullable: false };
}

/** GeoJSON of `SRID=4326;Point(1 2)`: points, lines and polygons. */
function geoJson({ value, offset }: PrimitiveLiteral): string {
  const [, shape = "", inner = ""] = /^SRID=\d+;(\w+)\((.*)\)$/is.exec(String(value)) ?? [];
  const position = (text: string) => text.trim().split(" ").map(Number);
  const list = (text: string) => text.split(",").map(position);
  switch (shape.toLowerCase()) {
    case "point":
      return JSON.stringify({ type: "Point", coordinates: position(inner) });
    case "linestring":
      return JSON.stringify({ type: "LineString", coordinates: list(inner) });
    case "polygon": {
      const rings = [...inner.matchAll(/\(([^()]*)\)/g)].map(([, ring = ""]) => list(ring));
      return JSON.stringify({ type: "Polygon", coordinates: rings });
    }
    default:
      throw notImplemented(`A function of "${shape}"`, offset);
  }
}

/** Flags are bits of an integer. */
const MOST_BITS = 31;

/**
 * Plans `has`: every flag of the right side is set in the left one; of enumerations of texts, both are equal.
 *
 * @param left the value with flags
 * @param right a literal, aliases resolved
 * @returns the condition; unknown when the left side is null
 * @throws {ServiceError} 400 when the right side is no member of the enumeration
 */
export function planHas(left: Typed, right: CommonExpr): Expr {
  const element = left.type?.element;
  if (!left.type || element?.$type.enum === undefined) {
    throw badRequest('The operator "has" needs an enumeration', right.offset);
  }
  if (right.kind !== "primitiveLiteral" || right.value === null) {
    throw badRequest("A member of the enumeration is expected", right.offset);
  }
  const values = String(right.value).split(",").map((name) =>
    convertLiteral(memberLiteral(right, name.trim()), left.type)
  );
  if (groupOf(left.type) !== "number") {
    return join("and", values.map((val) => compare(left.expr, "=", valueOf(val))));
  }
  const tooGreat = values.some((value) => Number(value) < 0 || Number(value) >= 2 ** MOST_BITS);
  if (tooGreat) throw badRequest(`Flags have at most ${MOST_BITS} bits`, right.offset);
  const flags = values.reduce<number>((all, value) => all | Number(value), 0);
  const bits = Array.from({ length: MOST_BITS }, (_, index) => 2 ** index).filter((bit) => flags & bit);
  if (bits.length === 0) return compare(left.expr, "!=", NULL);
  return join("and", bits.map((bit) => isSet(left.expr, bit)));
}

function isSet(value: Expr, bit: number): Expr {
  const bits = callOf("div", [value, valueOf(bit)]);
  return compare(callOf("mod", [bits, valueOf(2)]), "=", valueOf(1));
}

/** A name or number of the list as a literal of its own. */
function memberLiteral(literal: PrimitiveLiteral, value: string): PrimitiveLiteral {
  return { ...literal, type: "Edm.Enum", value };
}
