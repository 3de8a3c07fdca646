import assert from "node:assert/strict";
import { numberValue } from "../../../src/odata/url/literals.ts";

Deno.test("numberValue() keeps the digits of decimals that a number may round, as text (ABNF decimalValue)", () => {
  const decimal = (value: number | string) => ({ type: "Edm.Decimal", value });
  assert.deepEqual(numberValue("1.50"), decimal(1.5));
  assert.deepEqual(numberValue("-0.00123456789012345"), decimal(-0.00123456789012345));
  assert.deepEqual(numberValue("1.2345678901234"), decimal(1.2345678901234));
  assert.deepEqual(numberValue("1.234567890123456"), decimal("1.234567890123456"));
  assert.deepEqual(numberValue("+12.5M"), decimal(12.5));
  assert.deepEqual(numberValue("12d"), { type: "Edm.Double", value: 12 });
});
