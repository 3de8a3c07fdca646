import assert from "node:assert/strict";
import { planOf, testPlanner } from "./model.ts";

const planner = testPlanner();

function where(filter: string): unknown {
  return planOf(planner, `Books?$filter=${filter}`).query.SELECT.where;
}

const whole = (param: string) => ({ ref: [param], param: true });
const decimal = (param: string) => ({ ...whole(param), cast: { type: "cds.Decimal" } });
const stock = { ref: ["stock"] };

Deno.test("numbers with a fraction stay decimals beside whole numbers, on either side (OData URL 5.1.1.16)", () => {
  assert.deepEqual(where("stock eq 1.5"), [stock, "=", decimal("p1")]);
  assert.deepEqual(where("1.5 eq stock"), [decimal("p1"), "=", stock]);
  assert.deepEqual(where("stock eq -1.5"), [stock, "=", decimal("p1")]);
  assert.deepEqual(where("stock eq 1"), [stock, "=", whole("p1")]);
  assert.deepEqual(where("1.5 mul stock eq 3"), [
    { func: "$decimal_mul", args: [decimal("p1"), stock] },
    "=",
    decimal("p2"),
  ]);
});

Deno.test("zero is refused as a divisor and as nothing else (OData URL 5.1.1.2)", () => {
  const message = (at: number) => ({
    status: 400,
    message: `A number cannot be divided by zero (offset ${at})`,
  });
  for (const operator of ["div", "mod", "divby"]) {
    const divisor = operator.length + 21;
    assert.throws(() => where(`stock ${operator} 0 eq 1`), message(divisor), operator);
    assert.throws(() => where(`price ${operator} 0.0 eq 1`), message(divisor), operator);
    assert.throws(() => where(`12345 ${operator} 0 eq 1`), message(divisor), operator);
    assert.ok(where(`0 ${operator} stock eq 1`), operator);
    assert.ok(where(`@zero ${operator} stock eq 1&@zero=0`), operator);
    assert.ok(where(`0 ${operator} 5 eq 1`), operator);
  }
  for (const operator of ["add", "sub", "mul"]) assert.ok(where(`price ${operator} 0 eq 1`), operator);
  assert.ok(where("1 div 0.0e0 eq 1"));
});

Deno.test("a floating-point number on one side makes a calculation one of floating-point numbers", () => {
  const double = (...args: readonly object[]) => [{ func: "$double_add", args }, "=", whole("p2")];
  assert.deepEqual(where("stock add 1.5e0 eq 3"), double(stock, whole("p1")));
  assert.deepEqual(where("1.5e0 add stock eq 3"), double(whole("p1"), stock));
});
