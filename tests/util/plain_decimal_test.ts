import assert from "node:assert/strict";
import { plainDecimal } from "../../src/util/plain_decimal.ts";

Deno.test("plainDecimal() writes numbers without exponent, and leaves all else", () => {
  const cases = {
    ...{ "1e-7": "0.0000001", "1.5e-7": "0.00000015", "12.5e1": "125", "12.5E+3": "12500", "-1e2": "-100" },
    ...{
      "1.25e1": "12.5",
      "123e-2": "1.23",
      "1e0": "1",
      "1.5e-1": "0.15",
      "-25e-2": "-0.25",
      "1.5e1": "15",
      "0.5": "0.5",
      "abc": "abc",
      "1e1234": "1e1234",
    },
  };
  for (const [text, plain] of Object.entries(cases)) assert.equal(plainDecimal(text), plain, text);
});
