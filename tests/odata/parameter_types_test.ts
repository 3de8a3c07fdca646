import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";

const MODEL = parseCdl(`
  service S @(protocol: ['odata-v4', 'rest']) {
    type Point { x : Integer; }
    entity E { key ID : Integer; } actions { function by(a : Integer, d : Date) returns String; };
    function mul(a : Integer, b : Integer) returns String;
    function all(xs : many Integer, p : Point, u : UUID, s : String, t : Boolean, n : Decimal(5,2)) returns String;
  }`);

interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

async function withService(run: (get: (url: string) => Promise<Answer>) => Promise<void>): Promise<void> {
  const runtime = createRuntime({
    model: MODEL,
    handlers: { S: (srv) => void srv.on(["mul", "all", "by"], (req) => JSON.stringify(req.data)) },
    data: new Map([["S.E", [{ ID: 1 }]]]),
    env: {
      requires: { auth: { kind: "dummy" }, db: { kind: "memory" } },
      log: { levels: { default: "silent" } },
    },
  });
  try {
    await run(async (url) => {
      const path = url.startsWith("/") ? url : `/odata/v4/s/${url}`;
      const response = await runtime.fetch(new Request(`http://localhost${path}`));
      const text = await response.text();
      return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text };
    });
  } finally {
    await runtime.close();
  }
}

const WRONG: readonly (readonly [url: string, target: string, message: string])[] = [
  ["mul(a='x',b=4)", "a", "x is not a value of type Integer"],
  ["mul(a=1,b=1.5)", "b", "1.5 is not a value of type Integer"],
  ["mul(a=99999999999,b=1)", "a", "99999999999 is not a value of type Integer"],
  ["mul(a=@a,b=4)?@a='x'", "a", "x is not a value of type Integer"],
  ["mul(a=@a,b=4)?@a=@b&@b='x'", "a", "x is not a value of type Integer"],
  ["mul?a='x'&b=4", "a", "x is not a value of type Integer"],
  ["mul?a=x&b=4", "a", "x is not a value of type Integer"],
  ["mul?a=x%20y&b=4", "a", "x y is not a value of type Integer"],
  ["mul(a=x,b=4)", "a", "x is not a value of type Integer"],
  ["mul(a=@a,b=4)?@a=[1]", "a", "An array is not a value of type Integer"],
  ["all(xs=[1,'a'])", "xs", "a is not a value of type Integer"],
  ['all(xs=@x)?@x=[1,"a"]', "xs", "a is not a value of type Integer"],
  ['all(p=@p)?@p={"x":"q"}', "p", "q is not a value of type Integer"],
  ["all(p=5)", "p", "5 is not a value of type structure"],
  ["all(u=abc)", "u", "abc is not a value of type UUID"],
  ["all(t=5)", "t", "5 is not a value of type Boolean"],
  ["all(n='x')", "n", "x is not a value of type Decimal(5,2)"],
  ["E(1)/by(a='x')", "a", "x is not a value of type Integer"],
  ["E(1)/by(a=1,d=2024-02-30)", "d", "2024-02-30 is not a value of type Date (2026-12-31)"],
  ["/rest/s/mul?a=x&b=4", "a", "x is not a value of type Integer"],
  ["/rest/s/mul(a='x',b=4)", "a", "x is not a value of type Integer"],
  ['/rest/s/all?xs=[1,"a"]', "xs", "a is not a value of type Integer"],
  ["/rest/s/E/1/by?a=x", "a", "x is not a value of type Integer"],
];

Deno.test("a parameter in a URL that is not of its type is ASSERT_DATA_TYPE with the parameter as target [OData 11.5.4.1]", () =>
  withService(async (get) => {
    // the second time the plan of the shape is known
    for (const [url, target, message] of [...WRONG, ...WRONG]) {
      const { status, body: { error } } = await get(url);
      const found = [status, error.code, error.target, error.message];
      assert.deepEqual(found, [400, "ASSERT_DATA_TYPE", target, message], url);
    }
    const noArray = await get("all(xs=5)");
    assert.deepEqual([noArray.status, noArray.body.error.code, noArray.body.error.target], [
      400,
      "ASSERT_ARRAY",
      "xs",
    ]);
  }));

Deno.test("a plan that is known for right values refuses wrong ones, and takes right ones again", () =>
  withService(async (get) => {
    assert.equal((await get("mul(a=1,b=2)")).body.value, '{"a":1,"b":2}');
    assert.equal((await get("mul(a=3000000000,b=2)")).body.error.target, "a");
    assert.equal((await get("mul(a=3,b=2)")).body.value, '{"a":3,"b":2}');
  }));

Deno.test("what a query option gives a text parameter is text, quoted or not", () =>
  withService(async (get) => {
    for (
      const [given, text] of [["red", "red"], ["'red'", "red"], ["5", "5"], ["true", "true"], [
        "a%20b",
        "a b",
      ]]
    ) {
      assert.equal((await get(`all?s=${given}`)).body.value, JSON.stringify({ s: text }), given);
    }
    assert.equal((await get("all?s=null")).body.value, '{"s":null}');
  }));
