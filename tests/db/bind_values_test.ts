/** Values that statements are given: literals, parameters, pseudo variables, lists and numbers of rows. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { User } from "../../src/context/user.ts";
import {
  bindValues,
  boundValue,
  comparedValue,
  contextVariable,
  hasOneEach,
  listOf,
  onlyValue,
  rowCount,
} from "../../src/db/bind_values.ts";
import { type Binding, comparesAttributes, isNumber, valueType } from "../../src/db/render/binding.ts";

const context = new EventContext({
  user: new User({ id: "ann", attr: { country: ["DE", "FR"], level: ["7"], none: [] } }),
  tenant: "t1",
  locale: "de",
});
const params = { n: 1, list: [1, 2], empty: [] };
const from = { params, context };
const form = (name: string) => ({ type: `cds.${name}`, name: "e" });

Deno.test("placeholders get literals, parameters and pseudo variables, in their order", () => {
  const bindings: readonly Binding[] = [
    { kind: "value", value: "x" },
    { kind: "param", name: "n" },
    { kind: "param", name: "list" },
    { kind: "param", name: "missing" },
    { kind: "variable", path: ["$user", "level"] },
    { kind: "variable", path: ["$tenant"] },
    { kind: "value", value: "5", count: true },
    { kind: "value", value: "5", form: form("Integer") },
  ];
  assert.deepEqual(bindValues(bindings, from), ["x", 1, 1, null, "7", "t1", 5, 5]);
});

Deno.test("lists are one value: JSON, unless the database writes them otherwise", () => {
  const bindings: readonly Binding[] = [
    { kind: "param", name: "list", list: true },
    { kind: "variable", path: ["$user", "country"], list: true },
    { kind: "items", items: [{ kind: "value", value: "a" }, { kind: "param", name: "list", list: true }] },
    { kind: "value", value: [2n ** 60n, Infinity, -Infinity, null, true], list: true },
    { kind: "param", name: "missing", list: true },
  ];
  assert.deepEqual(bindValues(bindings, from), [
    "[1,2]",
    '["DE","FR"]',
    '["a",1,2]',
    "[1152921504606846976,9e999,-9e999,null,1]",
    "[]",
  ]);
  assert.deepEqual(bindValues(bindings.slice(0, 1), from, (values) => values.join("|")), ["1|2"]);
});

Deno.test("an attribute of the user with several values is refused where one is compared", () => {
  const path = ["$user", "country"];
  assert.throws(() => bindValues([{ kind: "variable", path }], from), {
    status: 403,
    message: 'The user has several values of "$user.country" where one is compared',
  });
  assert.equal(onlyValue(["a", "b"]), "a");
  assert.equal(onlyValue(["a"], path), "a");
  assert.equal(onlyValue([], path), undefined);
  assert.equal(onlyValue("a", path), "a");
});

Deno.test("attributes of the user have one value each, or not", () => {
  const of = (...names: string[]): readonly Binding[] =>
    names.map((name) => ({ kind: "variable", path: ["$user", name], list: true }));
  assert.equal(hasOneEach(of("level"), from), true);
  assert.equal(hasOneEach(of("id"), from), true);
  assert.equal(hasOneEach(of("level", "country"), from), false);
  assert.equal(hasOneEach(of("none"), from), false);
  assert.equal(hasOneEach(of("missing"), from), false);
  assert.equal(
    hasOneEach([{ kind: "param", name: "list", list: true }, { kind: "variable", path: ["$tenant"] }], from),
    true,
  );
  const inForm = (type: string): Binding => ({
    kind: "variable",
    path: ["$user", "id"],
    list: true,
    form: form(type),
  });
  assert.equal(hasOneEach([inForm("String")], from), true);
  assert.equal(comparesAttributes(of("level")), true);
  assert.equal(
    comparesAttributes([{ kind: "variable", path: ["$user"] }, { kind: "param", name: "n", list: true }]),
    false,
  );
});

Deno.test("pseudo variables are those of the context", () => {
  const variable = (...path: string[]) => contextVariable(path, context);
  assert.equal(variable("$now"), context.timestamp.toISOString());
  assert.deepEqual([variable("$tenant"), variable("$locale"), variable("$other")], ["t1", "de", undefined]);
  assert.deepEqual(
    [variable("$user"), variable("$user", "id"), variable("$user", "locale"), variable("$user", "tenant")],
    ["ann", "ann", "de", "t1"],
  );
  assert.match(String(variable("$uuid")), /^[0-9a-f-]{36}$/);
  const { validity } = context;
  for (const name of ["$at", "$valid"]) {
    assert.equal(variable(name, "from"), validity.from.toISOString());
    assert.equal(variable(name, "to"), validity.to.toISOString());
    assert.equal(variable(name), validity.from.toISOString());
  }
  assert.match(String(variable("$at", "from", "seconds")), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.match(String(variable("$at", "to", "days")), /^\d{4}-\d\d-\d\d$/);
  assert.ok(String(variable("$at", "to", "days")) > String(variable("$at", "from", "days")));
});

Deno.test("a limit is a whole number of rows, or its digits", () => {
  const cases: readonly [unknown, number | null][] = [
    [0, 0],
    ["12", 12],
    [3n, 3],
    [Infinity, Number.MAX_SAFE_INTEGER],
    [1e300, Number.MAX_SAFE_INTEGER],
    [null, null],
    [undefined, null],
  ];
  for (const [given, count] of cases) assert.equal(rowCount(given), count);
  for (const wrong of [-1, 1.5, NaN, "-1", "1.5", "", "x", true, {}]) {
    assert.throws(() => rowCount(wrong), {
      status: 400,
      message: "A limit is a whole number of rows, not less than zero",
    });
  }
});

Deno.test("lists leave out numbers that an element of whole numbers cannot hold", () => {
  assert.deepEqual(listOf(undefined, undefined), []);
  assert.deepEqual(listOf(null, form("Integer")), []);
  assert.deepEqual(listOf(7, undefined), [7]);
  assert.deepEqual(listOf([1, 1.5, 2 ** 40, "3"], form("Integer")), [1, 3]);
  assert.deepEqual(listOf([1.5, 2 ** 40], form("Decimal")), [1.5, 2 ** 40]);
  assert.deepEqual(listOf([1, 300], form("UInt8")), [1]);
});

Deno.test("values are compared in the form of their element", () => {
  const cases: readonly [type: string, given: unknown, value: unknown][] = [
    ["Boolean", "true", true],
    ["Boolean", 0, false],
    ["String", 1e21, "1000000000000000000000"],
    ["String", 7n, "7"],
    ["UUID", true, "true"],
    ["LargeString", "x", "x"],
    ["Binary", "AQI=", new Uint8Array([1, 2])],
    ["LargeBinary", new Uint8Array([1]), new Uint8Array([1])],
    ["Integer", true, 1],
    ["Integer", "7", 7],
    ["Integer", 1.5, 1.5],
    ["Int64", "9007199254740993", 9007199254740993n],
    ["Decimal", "1.50", 1.5],
    ["Decimal", "0.1234567890123456", "0.1234567890123456"],
    ["Decimal", "123456789012345", 123456789012345],
    ["Decimal", "1234567890123456e2", "1234567890123456e2"],
    ["Decimal", "0001234567890.12345", 1234567890.12345],
    ["Decimal", false, 0],
    ["Decimal", 5n, 5n],
    ["Double", "0.1234567890123456", 0.1234567890123456],
    ["Double", "INF", Infinity],
    ["Double", "-INF", -Infinity],
    ["Date", "2026-12-31", "2026-12-31"],
    ["Timestamp", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["Map", { a: 1 }, { a: 1 }],
    ["Integer", null, null],
    ["Integer", undefined, undefined],
  ];
  for (const [type, given, value] of cases) {
    assert.deepEqual(comparedValue(given, form(type)), value, `${type} ${given}`);
  }
  assert.equal(boundValue("true", form("Boolean")), 1);
  assert.equal(boundValue("true", undefined), "true");
});

Deno.test("what is no value of an element at all is refused, where it is compared, too", () => {
  const cases: readonly [type: string, given: unknown][] = [
    ["Boolean", "x"],
    ["String", new Uint8Array([1])],
    ["Binary", 7],
    ["Binary", "*"],
    ["Integer", "1.5"],
    ["Integer", {}],
    ["Integer", "3000000000"],
    ["Decimal", "x"],
    ["Decimal", "INF"],
    ["Decimal", {}],
    ["Double", "x"],
    ["Date", 7],
    ["Date", "2026-02-30"],
  ];
  for (const [type, given] of cases) {
    assert.throws(() => comparedValue(given, form(type)), {
      status: 400,
      code: "ASSERT_DATA_TYPE",
      target: "e",
    }, `${type} ${given}`);
  }
});

Deno.test("the type of a bound value is known where it is a boolean or a number", () => {
  const cases: readonly [unknown, string][] = [
    [true, "boolean"],
    [2 ** 31 - 1, "integer"],
    [-(2 ** 31 - 1), "integer"],
    [2 ** 31, "number"],
    [1.5, "number"],
    [7n, "number"],
    [Infinity, "infinite"],
    [-Infinity, "infinite"],
    ["7", "other"],
    [null, "other"],
  ];
  for (const [value, type] of cases) assert.equal(valueType(value), type, String(value));
  assert.deepEqual(
    [{ val: 1 }, { val: 1n }, { val: "1.50", literal: "number" as const }, {
      val: "1.",
      literal: "number" as const,
    }, { val: "1" }].map(isNumber),
    [true, true, true, false, false],
  );
});
