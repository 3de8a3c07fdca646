import assert from "node:assert/strict";
import { ENGINES } from "./engines.ts";
import { openShop } from "./fixture_host.ts";

const MODEL = {
  definitions: {
    "ShopService": { kind: "service" as const },
    "ShopService.Points": {
      kind: "entity" as const,
      elements: {
        ID: { key: true, type: "cds.Integer" },
        price: { type: "cds.Decimal", precision: 10, scale: 2 },
        big: { type: "cds.Int64" },
        height: { type: "cds.Double" },
        code: { type: "cds.Binary" },
      },
    },
  },
};

const BIG = 9007199254740993n;
const ROWS = [
  { ID: 1, price: 1.5, big: BIG, height: 0.5, code: Uint8Array.of(1, 2, 255) },
  { ID: 2, price: 2.25, big: 5, height: 1.5, code: null },
];

/** Rows by queries: with numbers, and with texts for those that JavaScript would round. */
const ANSWERS: readonly (readonly [query: string, numbers: string, texts: string])[] = [
  [
    "$compute=price mul 2 as x,price as p,price sub 0.5 as s,price divby 3 as t&$select=x,p,s,t",
    '{"x":3,"p":1.5,"s":1,"t":0.5,"ID":1},{"x":4.5,"p":2.25,"s":1.75,"t":0.75,"ID":2}',
    '{"x":"3","p":"1.50","s":"1","t":"0.5","ID":1},{"x":"4.5","p":"2.25","s":"1.75","t":"0.75","ID":2}',
  ],
  [
    "$compute=big add 1 as y,big as b,big div 1 as d,big mod 2 as m,ID add 1 as w&$select=y,b,d,m,w",
    '{"y":9007199254740994,"b":9007199254740993,"d":9007199254740993,"m":1,"w":2,"ID":1},{"y":6,"b":5,"d":5,"m":1,"w":3,"ID":2}',
    '{"y":"9007199254740994","b":"9007199254740993","d":"9007199254740993","m":"1","w":"2","ID":1},{"y":"6","b":"5","d":"5","m":"1","w":"3","ID":2}',
  ],
  [
    "$compute=height mul 2 as z,ID div 1 as i,code as c&$select=z,i,c",
    '{"z":1,"i":1,"c":"AQL_","ID":1},{"z":3,"i":2,"c":null,"ID":2}',
    '{"z":1,"i":1,"c":"AQL_","ID":1},{"z":3,"i":2,"c":null,"ID":2}',
  ],
  [
    "$apply=aggregate(price with sum as s,price with average as a,price with min as l,big with max as m,big with sum as t)",
    '{"s":3.75,"a":1.875,"l":1.5,"m":9007199254740993,"t":9007199254740998}',
    '{"s":"3.75","a":"1.875","l":"1.50","m":"9007199254740993","t":"9007199254740998"}',
  ],
  [
    "$apply=aggregate(height with sum as h,ID with sum as i,$count as n,code with countdistinct as c)",
    '{"h":2,"i":3,"n":2,"c":1}',
    '{"h":2,"i":3,"n":"2","c":"1"}',
  ],
  [
    "$apply=groupby((ID),aggregate($count as n))/compute(n mul 2 as d)&$orderby=ID",
    '{"ID":1,"n":1,"d":2},{"ID":2,"n":1,"d":2}',
    '{"ID":1,"n":"1","d":"2"},{"ID":2,"n":"1","d":"2"}',
  ],
];

for (const [engine, database] of Object.entries(ENGINES)) {
  Deno.test(`computed and aggregated numbers are written by their types, on ${engine} (JSON Format 3.2, Data Aggregation 3.2.1)`, async () => {
    const shop = await openShop({ model: MODEL, data: new Map([["ShopService.Points", ROWS]]), database });
    try {
      for (const [query, numbers, texts] of ANSWERS) {
        for (const [rows, format] of [[numbers, ""], [texts, ";IEEE754Compatible=true"]] as const) {
          const headers = { accept: `application/json${format}` };
          const { status, body } = await shop.send("GET", encodeURI(`Points?${query}`), { headers });
          assert.equal(status, 200, JSON.stringify(body));
          assert.deepEqual((body as { value: unknown }).value, JSON.parse(`[${rows}]`), `${query} ${format}`);
        }
      }
    } finally {
      await shop.close();
    }
  });
}
