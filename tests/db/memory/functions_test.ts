import assert from "node:assert/strict";
import { AGGREGATES } from "../../../src/db/memory/aggregates.ts";
import { FUNCTIONS } from "../../../src/db/memory/functions.ts";
import { SQLITE_FUNCTIONS } from "../../../src/db/render/sqlite_functions.ts";

/** Those that the compiler of expressions knows itself, and what sources do. */
const OWN = [
  "$step",
  "$joined",
  "$joined_rows",
  "$json_array",
  "$values",
  "$members",
  "$member_json",
  "$member_with",
  "$member_array",
];

Deno.test("the memory database has all functions of SQLite", () => {
  const known = new Set([...Object.keys(FUNCTIONS), ...Object.keys(AGGREGATES), ...OWN]);
  assert.deepEqual(Object.keys(SQLITE_FUNCTIONS).filter((name) => !known.has(name)), []);
});

const T = "2024-02-29T12:34:56.789Z";
const BIG = 9007199254740993n;
const bytes = (...given: readonly number[]) => new Uint8Array(given);

const AREA = '{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]]]}';

type Case = readonly [args: readonly unknown[], result: unknown];

/** Arguments and results by function. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  contains: [[["abc", "bc"], 1], [["abc", "d"], 0], [["abc", ""], 1], [[null, "a"], null]],
  startswith: [[["abc", "ab"], 1], [["abc", "bc"], 0]],
  endswith: [[["abc", "bc"], 1], [["abc", "ab"], 0]],
  indexof: [[["abc", "c"], 2], [["abc", "d"], -1], [["😀a", "a"], 1], [["abc", "a"], 0]],
  length: [[["😀a"], 2], [[bytes(1, 2, 3)], 3], [[""], 0], [[null], null], [[undefined], null]],
  substring: [
    ...[[["abc", 1], "bc"], [["abc", -2], "bc"], [["abc", -9], "abc"], [["abc", 3], ""]] as const,
    ...[[["abc", 0, 2], "ab"], [["abc", 1, 1], "b"], [["abc", 1, 0], ""], [["abc", 1, -1], ""]] as const,
    ...[[["😀bc", 1, 1], "b"], [["abc", 1.7, 1.7], "b"], [["abc", 0], "abc"]] as const,
  ],
  trim: [[["  a b "], "a b"], [["xyaxy", "xy"], "a"], [["xx", "x"], ""], [["a"], "a"]],
  ltrim: [[["  a "], "a "], [["xxax", "x"], "ax"], [["xx", "x"], ""]],
  rtrim: [[["  a "], "  a"], [["xaxx", "x"], "xa"], [["xx", "x"], ""]],
  replace: [[["aba", "a", "$&"], "$&b$&"], [["aba", "", "x"], "aba"], [["aba", "a", ""], "b"]],
  $text_length: [[[null], 0], [["abc"], 3], [[12], 2]],
  concat: [[["a", 1, "b"], "a1b"], [["a", null], null]],
  year: [[[T], 2024], [["0987-11-05"], 987]],
  month: [[[T], 2], [["2024-11-05"], 11]],
  day: [[[T], 29], [["2024-01-05"], 5], [["2024-01-12T23:59:59Z"], 12]],
  hour: [[[T], 12], [["09:08:07"], 9]],
  minute: [[[T], 34], [["09:08:07"], 8]],
  second: [[[T], 56], [["09:08:07"], 7]],
  fractionalseconds: [[[T], 0.789], [["2024-02-29T12:34:56Z"], 0], [["12:34:56.5"], 0.5]],
  date: [[[T], "2024-02-29"]],
  time: [[[T], "12:34:56"]],
  totaloffsetminutes: [[[T], 0], [[null], null]],
  mindatetime: [[[], "0001-01-01T00:00:00.000Z"]],
  maxdatetime: [[[], "9999-12-31T23:59:59.999Z"]],
  $shift_date: [[["2024-02-29", 86400], "2024-03-01"], [["9999-12-31", 86400], null], [["x", 1], null]],
  $shift_datetime: [[["2024-02-29T00:00:00Z", -1], "2024-02-28T23:59:59Z"], [["x", 1], null]],
  $shift_timestamp: [
    ...[[[T, 0.001], "2024-02-29T12:34:56.790Z"], [["0001-01-01T00:00:00.000Z", -1], null]] as const,
    ...[[["0001-01-01T00:00:00.000Z", 0], "0001-01-01T00:00:00.000Z"], [[T, null], null]] as const,
    [["9999-12-31T23:59:59.999Z", 0], "9999-12-31T23:59:59.999Z"],
  ],
  $seconds_between: [[["2024-01-01T00:01:00Z", "2024-01-01T00:00:00.500Z"], 59.5]],
  round: [[[2.5], 3], [[-2.5], -3], [[BIG], BIG], [[2.345, 2], 2.35], [[null], null], [[1, null], null]],
  floor: [[[-1.5], -2], [[BIG], BIG]],
  ceiling: [[[-1.5], -1], [[1.2], 2], [[BIG], BIG]],
  abs: [[[-2], 2], [[2], 2], [[-BIG], BIG]],
  sign: [[[-2], -1], [[0], 0], [[7], 1]],
  mod: [[[7, 4], 3], [[-7, 4], -3], [[7, 0], null]],
  $whole: [[[2.9, 0, 5], 2], [[5, 0, 5], null], [[0, 0, 5], null]],
  $trunc: [[[-2.9], -2], [[BIG], BIG]],
  div: [[[7, 2], 3], [[-7, 2], -3], [[7, 0], null], [[BIG, 1], BIG]],
  divby: [[[7, 2], 3.5], [[7, 0], null]],
  $divby: [[[7, 2], 3.5]],
  $mod: [[[7, 4], 3]],
  $scaled: [[[1.005, 2], 1.01]],
  $fits_whole: [[[5, "0", "9"], 5], [[null, "0", "9"], null]],
  $fits_text: [[["😀a", 2], "😀a"]],
  $boolean_text: [[[1], "true"], [[0], "false"], [[null], null]],
  $timestamp_of_datetime: [[["2024-01-01T00:00:00Z"], "2024-01-01T00:00:00.000Z"]],
  $timestamp_of_date: [[["2024-01-01"], "2024-01-01T00:00:00.000Z"]],
  $datetime_of_timestamp: [[[T], "2024-02-29T12:34:56Z"]],
  $datetime_of_date: [[["2024-01-01"], "2024-01-01T00:00:00Z"]],
  "$form_of_cds.date": [[["2024-02-29"], "2024-02-29"], [["2024-02-30"], null]],
  coalesce: [[[null, 2, 3], 2], [[null, null], null], [[0, 1], 0]],
  ifnull: [[[null, 2], 2], [[0, 2], 0]],
  nullif: [
    [[bytes(1), null], bytes(1)],
    [[null, bytes(1)], null],
    [[bytes(1), bytes(1)], null],
    [[1, 1], null],
    [[1, 2], 1],
    [[1, null], 1],
    [[null, 1], null],
  ],
  min: [[[3, 1, 2], 1], [["b", "a"], "a"], [[1, null], null]],
  max: [[[1, 3, 2], 3], [["b", "a"], "b"], [[1, null], null]],
  $json_object: [[["a", 1, "b", 2], { a: 1, b: 2 }], [[], {}]],
  $json_list: [[[1, 2], [1, 2]]],
  $json: [[['{"a":1}'], { a: 1 }], [[null], null]],
  $json_double: [[[Infinity], "INF"], [[-Infinity], "-INF"], [[1.5], 1.5]],
  $json_safe_integer: [[[BIG], "9007199254740993"], [[5n], 5], [[7], 7]],
  $json_value: [[[BIG], "9007199254740993"], [[7], 7]],
  $json_base64: [[[bytes(251, 255)], "+/8="], [["a"], "YQ=="]],
  $json_base64url: [[[bytes(251, 255)], "-_8="]],
  $found: [[["The Raven", "rAv"], 1], [["x", "y"], 0], [[null, "y"], 0]],
  $member: [
    ...[[['{"a":{"b":5}}', "a", "b"], 5], [['{"a":1}', "b"], null], [['{"a":{}}', "a"], null]] as const,
    ...[[['{"a":1}', "a", "b"], null], [[null, "a"], null], [['["x","y"]', 1], "y"], [["x"], "x"]] as const,
    [['{"a":true}', "toString"], null],
  ],
  $nested: [[['{"a":{"b":5}}', "a"], '{"b":5}'], [['{"a":1}', "b"], null], [['{"a":1}'], '{"a":1}']],
  "geo.intersects": [
    [['{"type":"Point","coordinates":[1,1]}', AREA], 1],
    [['{"type":"Point","coordinates":[9,1]}', AREA], 0],
    [["{}", AREA], null],
    [[null, AREA], null],
  ],
  $entry_name: [[[null], "-"], [["a"], "=a"]],
  $size: [[["[1,2]"], 2], [["{}"], 0], [[null], 0], [[[1]], 1]],
};

Deno.test("functions have their results, and null where an argument is (OData 4.01 Part 2, 5.1.1)", () => {
  for (const [name, cases] of Object.entries(CASES)) {
    for (const [args, result] of cases) {
      assert.deepEqual(FUNCTIONS[name]!(...args), result, `${name}(${args.join(", ")})`);
    }
  }
});

Deno.test("what does not fit, and what is divided by zero in URLs, is refused with 400", () => {
  const refused: readonly (readonly [name: string, args: readonly unknown[], code: string])[] = [
    ["$fits_whole", [9, "0", "9"], "VALUE_OUT_OF_RANGE"],
    ["$fits_whole", [0, "0", "9"], "VALUE_OUT_OF_RANGE"],
    ["$fits_decimal", [10, "-10", "10"], "VALUE_OUT_OF_RANGE"],
    ["$fits_text", ["abc", 2], "VALUE_OUT_OF_RANGE"],
    ["$div", [1, 0], "DIVISION_BY_ZERO"],
    ["$divby", [1, 0], "DIVISION_BY_ZERO"],
    ["$mod", [1, 0], "DIVISION_BY_ZERO"],
  ];
  for (const [name, args, code] of refused) {
    assert.throws(() => FUNCTIONS[name]!(...args), { status: 400, code }, name);
  }
});

Deno.test("days and times of now have the form of their types", () => {
  assert.match(String(FUNCTIONS.current_date!()), /^\d{4}-\d{2}-\d{2}$/);
  assert.match(String(FUNCTIONS.current_time!()), /^\d{2}:\d{2}:\d{2}$/);
  assert.match(String(FUNCTIONS.current_timestamp!()), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
});
