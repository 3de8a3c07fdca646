import assert from "node:assert/strict";
import { isGeoText, numberValue } from "../../../src/odata/url/literals.ts";

Deno.test("numberValue() keeps the digits of decimals that a number may round, as text (ABNF decimalValue)", () => {
  const decimal = (value: number | string) => ({ type: "Edm.Decimal", value });
  assert.deepEqual(numberValue("1.50"), decimal(1.5));
  assert.deepEqual(numberValue("-0.00123456789012345"), decimal(-0.00123456789012345));
  assert.deepEqual(numberValue("1.2345678901234"), decimal(1.2345678901234));
  assert.deepEqual(numberValue("1.234567890123456"), decimal("1.234567890123456"));
  assert.deepEqual(numberValue("+12.5M"), decimal(12.5));
  assert.deepEqual(numberValue("12d"), { type: "Edm.Double", value: 12 });
});

Deno.test("isGeoText() knows the forms of geo values with their reference system (ABNF 7)", () => {
  const nested = (depth: number) => "GeometryCollection(".repeat(depth) + "Point(1 2)" + ")".repeat(depth);
  const cases: readonly (readonly [text: string, isGeo: boolean])[] = [
    ["SRID=0;Point(1 2)", true],
    ["srid=12345;POINT(1 2 3 4)", true],
    ["SRID=123456;Point(1 2)", false],
    ["Point(1 2)", false],
    ["SRID=0;Point(1)", false],
    ["SRID=0;Point(1 2 3 4 5)", false],
    ["SRID=0;Point(-1.5e3 INF)", true],
    ["SRID=0;LineString(1 2,3 4)", true],
    ["SRID=0;LineString(1 2)", false],
    ["SRID=0;Polygon((1 2,3 4,1 2),(5 6,7 8,5 6))", true],
    ["SRID=0;MultiPoint()", true],
    ["SRID=0;MultiPoint((1 2),(3 4))", true],
    ["SRID=0;MultiLineString((1 2,3 4))", true],
    ["SRID=0;MultiPolygon(((1 2,3 4,1 2)))", true],
    ["SRID=0;GeometryCollection(Point(1 2))", true],
    ["SRID=0;geometrycollection(Point(1 2),Point(3 4))", true],
    ["SRID=0;GeometryCollection(LineString(1 2,3 4),Point(1 2),MultiPoint((1 2),(3 4)))", true],
    ["SRID=0;GeometryCollection(GeometryCollection(Point(1 2),Point(3 4)),Point(5 6))", true],
    ["SRID=0;GeometryCollection(Point(1 2),x)", false],
    ["SRID=0;GeometryCollection(x,Point(1 2))", false],
    ["SRID=0;GeometryCollection(Point(1 2),)", false],
    ["SRID=0;GeometryCollection()", false],
    [`SRID=0;${nested(8)}`, true],
    [`SRID=0;${nested(9)}`, false],
  ];
  for (const [text, isGeo] of cases) assert.equal(isGeoText(text), isGeo, text);
});
