import assert from "node:assert/strict";
import { createRuntime, type Runtime } from "../../mod.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import { compileText } from "../../src/deno/compiler.ts";
import { send } from "../http/fixture.ts";
import { ENGINES } from "./engines.ts";

const MODEL = compileText(`service Shop {
  entity Orders { key ID : Int64; amount : Int64; price : Decimal; }
}`);
const ORDERS = "/odata/v4/shop/Orders";
const NEIGHBOURS = ["9007199254740992", "9007199254740993", "-9007199254740993"];
const STRINGS = { accept: "application/json;IEEE754Compatible=true" };

function shopOn(kind: string, rows: readonly Row[] = []): Runtime {
  return createRuntime({
    model: MODEL,
    kinds: { databases: { [kind]: () => ENGINES[kind]! } },
    env: { requires: { db: { kind } }, log: { levels: { default: "silent" } } },
    data: new Map([["Shop.Orders", rows]]),
  });
}

for (const kind of Object.keys(ENGINES)) {
  Deno.test(`integers that floating-point numbers do not tell apart are different on ${kind} (ABNF int64Value)`, async () => {
    const runtime = shopOn(kind);
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
      assert.deepEqual((await value("?$apply=aggregate(amount with countdistinct as n)"))[0].n, "3");
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

for (const kind of Object.keys(ENGINES)) {
  Deno.test(`the smallest integer is divided on ${kind}, also where no integer is as large as the quotient (URL 5.1.1.2.5)`, async () => {
    const runtime = shopOn(kind, [{ ID: "-9223372036854775808" }]);
    try {
      for (
        const [condition, count] of [
          ["ID div -1 gt 0", 1],
          ["ID div 2 eq -4611686018427387904", 1],
          ["ID div -1 lt 0", 0],
        ]
      ) {
        const { status, body } = await send(runtime, `${ORDERS}/$count?$filter=${condition}`);
        assert.deepEqual([status, body], [200, String(count)], `${condition}`);
      }
    } finally {
      await runtime.close();
    }
  });
}

const WHOLE = "9223372036854775807";
const CALLED = compileText(`service Shop {
  entity Orders { key ID : Int64; more : Map; } actions { function show(x : Int64) returns String; };
  function all(x : Int64, many_ : many Int64, inside : { x : Int64 }, more : Map) returns String;
  action take(x : Int64, more : Map) returns String;
}`);

Deno.test("large integers reach handlers as text, whether they stand in a URL or in a body (URL 4.3, JSON Format 7.1)", async () => {
  const seen: unknown[] = [];
  const see = (req: { readonly data: unknown; readonly params: unknown }) => {
    seen.push(structuredClone([req.data, req.params]));
    return "";
  };
  const runtime = createRuntime({
    model: CALLED,
    kinds: { databases: { memory: () => ENGINES.memory! } },
    env: { requires: { db: { kind: "memory" } }, log: { levels: { default: "silent" } } },
    data: new Map([["Shop.Orders", [{ ID: WHOLE }]]]),
    handlers: { Shop: (srv) => void srv.on(["all", "show", "take"], see) },
  });
  const more = `{"a":${WHOLE},"b":[${WHOLE}]}`;
  const taken = { a: WHOLE, b: [WHOLE] };
  try {
    const root = "/odata/v4/shop";
    const args = `x=${WHOLE},many_=[${WHOLE},1],inside={"x":${WHOLE}},more=${more}`;
    const headers = { "content-type": "application/json" };
    const body = `{"x":${WHOLE},"more":${more}}`;
    for (
      const request of [
        new Request(`http://localhost${root}/all(${encodeURIComponent(args)})`),
        new Request(`http://localhost${ORDERS}(${WHOLE})/show(x=${WHOLE})`),
        new Request(`http://localhost${root}/take`, { method: "POST", headers, body }),
      ]
    ) {
      const response = await runtime.fetch(request);
      assert.equal(response.status, 200, await response.text());
    }
    assert.deepEqual(seen, [
      [{ x: WHOLE, many_: [WHOLE, 1], inside: { x: WHOLE }, more: taken }, []],
      [{ x: WHOLE }, [{ ID: WHOLE }]],
      [{ x: WHOLE, more: taken }, []],
    ]);
    const url = `http://localhost${ORDERS}(${WHOLE})`;
    const patch = await runtime.fetch(
      new Request(url, { method: "PATCH", headers, body: `{"more":${more}}` }),
    );
    assert.deepEqual([patch.status, (await patch.json()).more], [200, taken]);
  } finally {
    await runtime.close();
  }
});
