/**
 * Calls of `geo.distance`, `geo.length` and `geo.intersects` (OData 4.01 Part 2, section 5.1.1.11) on geography values.
 *
 * @module
 */

import type { CommonExpr, MethodCallExpr, PrimitiveLiteral } from "../../url/ast.ts";
import { paramRef } from "../shapes/bindings.ts";
import { badRequest, notImplemented } from "../plan_error.ts";
import { resolveAlias } from "./resolve_alias.ts";
import { BOOLEAN, type Scope, type Typed } from "../scope.ts";

/**
 * Plans a call. Where a value has not the shape that the function takes, its result is null.
 *
 * @param call the call
 * @param scope what names refer to
 * @param planArgument plans an argument
 * @throws {ServiceError} 400 for what is no geography value, 501 for geometry and for shapes that are no argument
 */
export function planGeo(
  call: MethodCallExpr,
  scope: Scope,
  planArgument: (expr: CommonExpr, scope: Scope) => Typed,
): Typed {
  const args = call.args.map((arg) => {
    const literal = resolveAlias(arg, scope);
    return literal.kind === "primitiveLiteral" && literal.value !== null
      ? geoLiteral(literal, scope)
      : storedValue(arg, planArgument(arg, scope));
  });
  const type = call.name === "geo.intersects" ? BOOLEAN : { builtin: "cds.Double" };
  if (args.some(({ expr }) => "val" in expr && expr.val === null)) {
    return { expr: { val: null }, type, nullable: true };
  }
  return { expr: { func: call.name, args: args.map(({ expr }) => expr) }, type, nullable: true };
}

function storedValue({ offset }: CommonExpr, value: Typed): Typed {
  if (value.type === undefined || ("val" in value.expr && value.expr.val === null)) return value;
  throw badRequest("A geography value is expected", offset);
}

function geoLiteral(literal: PrimitiveLiteral, scope: Scope): Typed {
  if (literal.type === "Edm.Geometry") throw notImplemented("A function of geometry values", literal.offset);
  if (literal.type !== "Edm.Geography") throw badRequest("A geography value is expected", literal.offset);
  const binding = scope.bindings.bindWith(literal, geoJson);
  binding.convert(literal);
  return { expr: paramRef(binding), nullable: false };
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
