/** Transformations that cut rows, and sequences beside each other (Data Aggregation 3.2, 3.3). */

import assert from "node:assert/strict";
import { planOf, testPlanner } from "../model.ts";

const planner = testPlanner();

const planned = (url: string) => planOf(planner, url);

Deno.test("top, skip and counts in groupby keep rows by their place in the group (Data Aggregation 3.2.3, 3.3.3)", () => {
  const cases: readonly (readonly [trafo: string, operator: string, count: number, order: string])[] = [
    ["top(2)", "<=", 2, "ID"],
    ["skip(2)", ">", 2, "ID"],
    ["topcount(3,stock)", "<=", 3, "stock"],
    ["bottomcount(1,stock)", "<=", 1, "stock"],
  ];
  for (const [trafo, operator, count, order] of cases) {
    const text = JSON.stringify(planned(`Books?$apply=groupby((title),${trafo})`).query.SELECT.where);
    assert.ok(text.includes(`{"ref":["$place"]},"${operator}",{"val":${count},`), text);
    assert.ok(text.includes('"xpr":["partition","by",{"ref":["title"]}'), text);
    const [, first] = /"when",\{"ref":\["(\w+)"\]\}/.exec(text)!;
    assert.equal(first, order);
    assert.equal(text.includes('"desc"'), trafo.startsWith("topcount"), trafo);
  }
});

Deno.test("top and skip of all rows are bounds of the query, those before are counted by a query of its own (Data Aggregation 3.3.3)", () => {
  const rows = '"rows":{"ref":["rows"],"param":true}';
  const [page, later] = [`{${rows}}`, `{${rows},"offset":{"ref":["offset"],"param":true}}`];
  const inner = (count: number) => `{"rows":{"val":${count},"literal":"number"}}`;
  const cases: readonly (readonly [apply: string, ...limits: readonly string[]])[] = [
    ["top(2)", page],
    ["skip(1)", later],
    ["skip(1)/top(2)", later],
    ["top(2)/skip(1)", inner(2), later],
    ["top(3)/top(2)", inner(3), page],
    ["topcount(2,stock)", page],
  ];
  for (const [apply, ...limits] of cases) {
    const text = JSON.stringify(planned(`Books?$apply=${apply}`).query);
    const found = [...text.matchAll(/"limit":(\{(?:[^{}]|\{[^{}]*\})*\})/g)].map(([, limit]) => limit);
    assert.deepEqual(found, limits, apply);
  }
});

Deno.test("sequences of instances beside each other are queries of their own, unless options behind are about all rows (Data Aggregation 3.2.1)", () => {
  const partsOf = (url: string) => planned(url).applied?.parts?.length;
  const both = "Books?$apply=concat(filter(stock gt 1),identity)";
  assert.equal(partsOf(both), 2);
  assert.equal(partsOf("Books?$apply=concat(identity,aggregate($count as n))"), 2);
  assert.equal(partsOf("Books?$apply=concat(aggregate($count as n),groupby((title)))"), undefined);
  for (
    const option of [
      "$filter=stock gt 1",
      "$orderby=title",
      "$skip=1",
      "$top=1",
      "$count=true",
      "$select=title",
      "$compute=stock add 1 as more",
    ]
  ) assert.equal(partsOf(`${both}&${option}`), undefined, option);
});
