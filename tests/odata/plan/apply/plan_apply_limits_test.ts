import assert from "node:assert/strict";
import { planned } from "./orders.ts";

const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const ANY = NUMBERS.map((n) => `amount eq ${n}`).join(" or ");
const MORE = NUMBERS.map((n) => `amount add ${n} as x${n}`).join(",");
const ORDER = NUMBERS.map((n) => `amount add ${n}`).join(",");

/** Offsets of the transformations that make a query of more than 30 nodes. */
const TOO_LARGE: Readonly<Record<string, number>> = {
  [`Items?$apply=identity/filter(${ANY})/identity`]: 22,
  [`Items?$apply=identity/compute(${MORE})/identity`]: 22,
  [`Items?$apply=identity/orderby(${ORDER})/identity`]: 22,
  "Orders?$apply=identity/groupby((city,amount,low,mean,odd,price,weight))/identity": 23,
  [`Items?$apply=groupby((amount))/compute(${MORE})/identity`]: 31,
  [`Items?$apply=groupby((amount))/filter(${ANY})/identity`]: 31,
  [`Items?$apply=groupby((amount))/orderby(${ORDER})/identity`]: 31,
};

Deno.test("the transformation is named that makes a query too large (queryNodes)", () => {
  const expected = Object.entries(TOO_LARGE).map(([url, offset]) => {
    return [url, [`400 The query is too large (more than 30 nodes) (offset ${offset})`]];
  });
  assert.deepEqual(planned(Object.keys(TOO_LARGE), { queryNodes: 30 }), Object.fromEntries(expected));
});

Deno.test("sets of groups are limited, also inside of each other (groupingSets)", () => {
  const found = planned([
    "Orders?$apply=groupby((rollup(city,day),rollup(low,odd)))",
    "Orders?$apply=groupby((rollup(city,day),rollup(low,odd,at)))",
    "Orders?$apply=groupby((rollup(city,day)),groupby((rollup(low,odd))))",
    "Orders?$apply=groupby((rollup(city,day)),groupby((rollup(low,odd,at))))",
  ], { groupingSets: 4 });
  assert.deepEqual(Object.values(found).map(([line]) => line!.replace(/^SELECT.*/, "planned")), [
    "planned",
    "400 rollup makes more than 4 sets of groups (offset 40)",
    "planned",
    "400 rollup makes more than 2 sets of groups (offset 50)",
  ]);
});
