import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { compileText } from "../../src/deno/compiler.ts";
import { send } from "../http/fixture.ts";
import { ENGINES } from "./engines.ts";

const MODEL = compileText(`service Shop {
  entity Orders { key ID : Int64; amount : Int64; price : Decimal; }
}`);
const ORDERS = "/odata/v4/shop/Orders";
const NEIGHBOURS = ["9007199254740992", "9007199254740993", "-9007199254740993"];
const STRINGS = { accept: "application/json;IEEE754Compatible=true" };

for (const [kind, create] of Object.entries(ENGINES)) {
  Deno.test(`integers that floating-point numbers do not tell apart are different on ${kind} (ABNF int64Value)`, async () => {
    const runtime = createRuntime({
      model: MODEL,
      kinds: { databases: { [kind]: () => create } },
      env: { requires: { db: { kind } }, log: { levels: { default: "silent" } } },
    });
    const value = async (rest: string) => {
      const { status, body } = await send(runtime, `${ORDERS}${rest}`, { headers: STRINGS });
      assert.equal(status, 200, rest);
      return (body as { value: Record<string, unknown>[] }).value;
    };
    try {
      for (const ID of NEIGHBOURS) {
        const { status, body } = await send(runtime, ORDERS, {
          method: "POST",
          headers: { ...STRINGS, "content-type": "application/json;IEEE754Compatible=true" },
          body: { ID, amount: ID, price: ID },
        });
        assert.deepEqual([status, (body as { ID: string }).ID], [201, ID]);
      }
      assert.deepEqual(
        (await value("?$apply=groupby((amount),aggregate($count as n))&$orderby=amount")).map(({ amount }) =>
          amount
        ),
        ["-9007199254740993", "9007199254740992", "9007199254740993"],
      );
      assert.deepEqual((await value("?$apply=aggregate(amount with countdistinct as n)"))[0].n, 3);
      assert.deepEqual(await value("?$filter=amount eq 9007199254740993&$select=ID"), [{
        ID: "9007199254740993",
      }]);
      // functions and calculations come to an end
      const found = await value(
        "?$filter=price add 1 gt 10 and floor(amount) gt 0 and amount mod 10 eq 3&$select=ID",
      );
      assert.deepEqual(found, [{ ID: "9007199254740993" }]);
    } finally {
      await runtime.close();
    }
  });
}
