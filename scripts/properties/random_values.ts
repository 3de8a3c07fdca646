/**
 * Random values: those of a type, and those that break things.
 *
 * @module
 */

import fc from "fast-check";
import type { ElementNames } from "./vocabulary.ts";

/** Texts that end, escape or confuse. */
export const HOSTILE = [
  "",
  "'",
  "''",
  '"',
  "%",
  "%00",
  "%ff",
  "%2e%2e%2f",
  "../../etc/passwd",
  "'; drop table x --",
  "' or '1'='1",
  ") or (1 eq 1",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "$batch",
  "$metadata",
  "$it",
  "$root",
  "\u0000",
  "\u2028",
  "😀",
  "é",
  "a".repeat(300),
  "((((((((((",
  "))))))))))",
  "{}",
  "[]",
  "null",
  "undefined",
  "NaN",
  "-1",
  "1e999",
  "99999999999999999999999",
  "${1+1}",
  "<script>",
  "\r\nx-evil: 1",
];

const LITERALS = [
  "0",
  "1",
  "-1",
  "201",
  "1.5",
  "1e400",
  "12345678901234567890123",
  "null",
  "true",
  "false",
  "'a'",
  "''",
  "'it''s'",
  "'%25'",
  "'_'",
  "2024-02-30",
  "2024-02-29",
  "24:00:00",
  "12:30:15",
  "2024-02-29T12:34:56Z",
  "9999-12-31T23:59:59.999999999999Z",
  "01234567-89ab-cdef-0123-456789abcdef",
  "duration'P1D'",
  "binary'AAAA'",
  "INF",
  "@p",
  "[1,2]",
  '{"a":1}',
  "geography'SRID=0;Point(1 2)'",
];

/** A literal of a URL, right or wrong. */
export const anyLiteral: fc.Arbitrary<string> = fc.constantFrom(...LITERALS, ...HOSTILE);

/** Any value of JSON. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...HOSTILE,
    0,
    1,
    201,
    -1,
    1.5,
    1e300,
    true,
    false,
    null,
    [],
    {},
    [[]],
    "2024-02-30",
    "2024-01-01",
  ),
  fc.string({ maxLength: 20 }),
  fc.integer(),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Keys that the initial data of the applications use, and some that they do not. */
const NUMBERS = [1, 2, 10, 101, 150, 201, 207, 251, 252, 271, 4711];

/** Values of the type of an element, within its bounds or just beyond. */
export function valuesOf({ type }: ElementNames): fc.Arbitrary<unknown> {
  switch (type) {
    case "cds.Integer":
    case "cds.Int16":
    case "cds.Int32":
    case "cds.UInt8":
    case "cds.Int64":
      return fc.oneof(fc.constantFrom(...NUMBERS), fc.integer({ min: -5, max: 300 }));
    case "cds.Decimal":
    case "cds.Double":
      return fc.oneof(fc.integer({ min: -5, max: 300 }), fc.constantFrom(0.5, 12.34, 99999.99, "1.5"));
    case "cds.Boolean":
      return fc.boolean();
    case "cds.Date":
      return fc.constantFrom("2024-02-29", "1818-07-30", "9999-12-31");
    case "cds.Time":
      return fc.constantFrom("12:30:15", "00:00:00");
    case "cds.DateTime":
    case "cds.Timestamp":
      return fc.constantFrom("2024-02-29T12:34:56Z", "2024-02-29T12:34:56.123Z");
    case "cds.UUID":
      return fc.constantFrom("01234567-89ab-4def-8123-456789abcdef", "11111111-1111-4111-8111-111111111111");
    case "cds.Binary":
    case "cds.LargeBinary":
      return fc.constantFrom("AAAA", "");
    default:
      return fc.oneof(fc.constantFrom("a", "EUR", "de", "S", "it's", "50%"), fc.string({ maxLength: 12 }));
  }
}

/** Literals of the type of an element. */
export function literalsOf(element: ElementNames): fc.Arbitrary<string> {
  const isText = element.type === undefined || /String|Binary/.test(element.type);
  return valuesOf(element).map((value) =>
    isText ? `'${String(value).replaceAll("'", "''")}'` : String(value)
  );
}

/** A value in most cases, else another. */
export function mostly<T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: other });
}

/** Cuts, doubles or replaces characters. */
export function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const damage = fc.tuple(
    fc.nat(200),
    fc.constantFrom("cut", "double", "replace", "insert"),
    fc.constantFrom(..."'(),/$=&%?;:@ +\"\\".split(""), "%2", "😀", "%C3%28"),
  );
  const damages = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(damage, { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(text, damages).map(([given, list]) =>
    list.reduce((one, [at, how, char]) => {
      const index = one.length === 0 ? 0 : at % one.length;
      const [before, after] = [one.slice(0, index), one.slice(index)];
      if (how === "cut") return before + after.slice(1);
      if (how === "double") return before + after.slice(0, 3) + after;
      return before + char + (how === "replace" ? after.slice(1) : after);
    }, given)
  );
}
