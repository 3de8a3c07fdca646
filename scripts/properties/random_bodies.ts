/**
 * Random payloads of writes and actions.
 *
 * @module
 */

import fc from "fast-check";
import { anyValue, damaged, mostly, valuesOf } from "./random_values.ts";
import type { ElementNames, SetNames, Vocabulary } from "./vocabulary.ts";

const ODD_NAMES = [
  "nope",
  "ID",
  "@odata.etag",
  "__proto__",
  "constructor",
  "author@odata.bind",
  "stock@odata.type",
  "",
];

/** Rows with most of the elements, of their types. */
function plausible(elements: readonly ElementNames[]): fc.Arbitrary<Record<string, unknown>> {
  const members = elements.map((element) =>
    fc.option(mostly(valuesOf(element), fc.constant(null)), { freq: 4 })
  );
  return fc.tuple(...members).map((values) =>
    toRow(elements.map(({ name }, at) => [name, values[at]] as const).filter(([, value]) => value !== null))
  );
}

function odd({ elements, navigations }: SetNames): fc.Arbitrary<Record<string, unknown>> {
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...elements.map(({ name }) => name), "ID") },
    fc.constantFrom(...navigations, ...ODD_NAMES),
    fc.string({ maxLength: 8 }),
  );
  return fc.array(fc.tuple(name, anyValue), { maxLength: 6 }).map(toRow);
}

/** A plain assignment would set the prototype with the name `__proto__`. */
function toRow(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [key, value] of entries) {
    Object.defineProperty(row, key, { value, enumerable: true, configurable: true });
  }
  return row;
}

function payloads({ operations }: Vocabulary, set: SetNames): fc.Arbitrary<unknown> {
  const params = [...operations, ...set.operations].map((operation) => operation.params);
  const row = mostly(plausible(set.elements), odd(set));
  const nested = fc.tuple(
    row,
    fc.constantFrom(...set.navigations, "nope"),
    fc.oneof(odd(set), fc.array(odd(set), { maxLength: 3 })),
  )
    .map(([outer, navigation, inner]) => ({ ...outer, [navigation]: inner }));
  const call = fc.constantFrom([], ...params).chain((list) => plausible(list));
  return fc.oneof(
    { weight: 6, arbitrary: row },
    { weight: 2, arbitrary: nested },
    { weight: 2, arbitrary: call },
    fc.array(row, { maxLength: 3 }),
    anyValue,
  );
}

const BROKEN = [
  ...["", "{", "[", "nul", '{"a":1,}', '{"a":1}}', '{"ID":1,"ID":2}', '"\\ud800"', "{'a':1}", "\u0000"],
  ...["<a/>", "a=1&b=2", '{"ID":1e999}', '{"title":"\\ud83d"}', '{"ID":12345678901234567890}'],
  ...["[".repeat(5000), '{"a":'.repeat(200), `{"title":"${"x".repeat(5000)}"}`],
];

/** Rows that may be accepted, and those where one member is not. */
export function soundBodies(set: SetNames): fc.Arbitrary<string> {
  const row = plausible(set.elements.filter(({ name }) => !/^(?:created|modified)(?:At|By)$/.test(name)));
  const spoilt = fc.tuple(row, odd(set)).map(([good, bad]) => ({
    ...good,
    ...toRow(Object.entries(bad).slice(0, 1)),
  }));
  return fc.oneof({ weight: 2, arbitrary: row }, spoilt).map((one) => JSON.stringify(one));
}

/** Bodies of requests to a service. */
export function randomBodies(vocabulary: Vocabulary, set: SetNames): fc.Arbitrary<string> {
  const json = payloads(vocabulary, set).map((payload) => JSON.stringify(payload) ?? "");
  return fc.oneof(
    { weight: 8, arbitrary: json },
    { weight: 1, arbitrary: damaged(json) },
    { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
  );
}
