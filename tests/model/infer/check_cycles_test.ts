import assert from "node:assert/strict";
import { weightOf } from "../../../src/model/infer/check_cycles.ts";
import { problemsOf } from "./problems_of.ts";

Deno.test("a node stands for itself and all that it needs, as often as it needs them; cycles count once", () => {
  const needed: Readonly<Record<string, string>> = {
    a: "",
    b: "a",
    c: "aa",
    d: "cc",
    e: "e",
    f: "g",
    g: "f",
    h: "ff",
  };
  const weight = weightOf<string>((node) => [...needed[node]]);
  assert.deepEqual([..."abcd"].map(weight), [1, 2, 3, 7]);
  assert.deepEqual([..."efgh"].map(weight), [2, 3, 2, 7]);
});

Deno.test("calculated elements stand for a number of others, in the order of need", () => {
  const elements = (count: number) =>
    Array.from({ length: count }, (_, at) => `c${at + 1} : Integer = c${at} + c${at};`).join(" ");
  const of = (count: number) => problemsOf(`entity E { key c0 : Integer; ${elements(count)} }`);
  assert.deepEqual(of(12), []);
  assert.deepEqual(of(13), ["A calculated element stands for more than 10000 others"]);
  assert.deepEqual(of(40), ["A calculated element stands for more than 10000 others"]);
});

Deno.test("elements build on each other up to a depth that can be followed", () => {
  const of = (count: number) => {
    const elements = Array.from({ length: count }, (_, at) => `c${at} : Integer = c${at + 1};`).join(" ");
    return problemsOf(`entity E { key id : Integer; ${elements} c${count} : Integer; }`);
  };
  assert.deepEqual(of(199), []);
  assert.deepEqual(of(201).map((text) => text.replace(/ in .*/, "")), [
    "More than 200 calculated elements build on each other",
  ]);
});
