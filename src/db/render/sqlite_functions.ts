/**
 * Functions in the SQL of SQLite: the canonical ones of OData (URL conventions 5.1.1.5 to 5.1.1.12), aggregates, and
 * those the passes make themselves. Functions that start with `fw_` are registered by the engine.
 *
 * @module
 */

import { forTextForms } from "../../model/values/text_forms.ts";
import type { FunctionRenderer } from "./dialect.ts";

/** Text of a date and time is `2024-02-29T12:34:56.123Z`, of a time `23:59:59`. */
function clockPart(value: string, offset: number): string {
  return `cast(substr(${value}, instr(${value}, 'T') + ${offset}, 2) as integer)`;
}

function call(name: string): FunctionRenderer {
  return (...args) => `${name}(${args.join(", ")})`;
}

/** Integers that a number cannot hold as text; sums may be floating-point numbers, which stay. */
function safeInteger(value: string): string {
  const isSafe = `${value} between -9007199254740991 and 9007199254740991 or typeof(${value}) = 'real'`;
  return `iif(${isSafe}, ${value}, cast(${value} as text))`;
}

/** The part of a JSON value that names and positions lead to. */
function arrows(value: string, names: readonly string[]): string {
  return [value, ...names].join(" -> ");
}

/** A value, or an error: there is no absolute value of the least integer, which is made of the value to be last. */
function fitting(value: string, condition: string): string {
  return `iif(${value} is null or ${condition}, ${value}, abs(-9223372036854775807 - (${value} is not null)))`;
}

function fittingBetween(value: string, below?: string, above?: string): string {
  return fitting(value, `${value} > ${below} and ${value} < ${above}`);
}

/**
 * What 15 digits of a number hold.
 *
 * @param value any number
 */
export function withDigits(value: string): string {
  return `iif(${value} is null, null, cast(format('%.15g', ${value}) as numeric))`;
}

/** Functions in the text of views and columns, which other tools read as well. */
export const SQLITE_VIEW_FUNCTIONS: Readonly<Record<string, FunctionRenderer>> = Object.freeze({
  $decimal: withDigits,
  $exact: withDigits,
  $scaled: (value, digits) => `(round(${withDigits(`(${value}) * 1e${digits}`)}) / 1e${digits})`,
  $decimal_add: (left, right) => `(${left} + ${right})`,
  $decimal_sub: (left, right) => `(${left} - ${right})`,
  $decimal_mul: (left, right) => `(${left} * ${right})`,
  $decimal_text: (value) => `cast(${withDigits(value)} as text)`,
  round: (value, digits) =>
    digits === undefined ? roundedWhole(value) : `round(${withDigits(value)}, ${digits})`,
});

/** SQLite adds a half, which makes the greatest number below a half one, and large integers inexact. */
function roundedWhole(value: string): string {
  return `case when typeof(${value}) = 'integer' then ${value} when abs(${value}) < 0.5 then 0.0 else round(${value}) end`;
}

/** An instant that many seconds later; none in front of the year 1, where years have a sign or are zero. */
function shifted(format: string): FunctionRenderer {
  return (value, seconds) =>
    `(select "at" from (select strftime('${format}', ${value}, (${seconds}) || ' seconds') as "at") where "at" > '0001')`;
}

/** Functions by lower-case name. */
export const SQLITE_FUNCTIONS: Readonly<Record<string, FunctionRenderer>> = Object.freeze({
  contains: (text, part) => `(instr(${text}, ${part}) > 0)`,
  startswith: (text, part) => `(substr(${text}, 1, length(${part})) = ${part})`,
  endswith: (text, part) => `(substr(${text}, length(${text}) - length(${part}) + 1) = ${part})`,
  matchespattern: (text, pattern) => `fw_matches(${text}, ${pattern})`,
  indexof: (text, part) => `(instr(${text}, ${part}) - 1)`,
  length: call("length"),
  // a negative start counts from the end, at most to the beginning
  substring: (text, start, count) =>
    `substr(${text}, iif(${start} < 0, max(length(${text}) + ${start}, 0), ${start}) + 1${
      count === undefined ? "" : `, max(${count}, 0)`
    })`,
  tolower: call("fw_lower"),
  toupper: call("fw_upper"),
  lower: call("fw_lower"),
  upper: call("fw_upper"),
  trim: call("trim"),
  ltrim: call("ltrim"),
  rtrim: call("rtrim"),
  // what is replaced by null is null, also where there is nothing to replace
  replace: (text, part, other) => `(replace(${text}, ${part}, ${other}) || substr(${other}, 1, 0))`,
  sign: call("sign"),
  concat: (...parts) => `(${parts.join(" || ")})`,
  year: (value) => `cast(substr(${value}, 1, 4) as integer)`,
  month: (value) => `cast(substr(${value}, 6, 2) as integer)`,
  day: (value) => `cast(substr(${value}, 9, 2) as integer)`,
  hour: (value) => clockPart(value, 1),
  minute: (value) => clockPart(value, 4),
  second: (value) => clockPart(value, 7),
  fractionalseconds: (value) =>
    `iif(instr(${value}, '.'), cast('0.' || rtrim(substr(${value}, instr(${value}, '.') + 1), 'Z') as real), ${value} * 0)`,
  date: (value) => `substr(${value}, 1, 10)`,
  time: (value) => `substr(${value}, 12, 8)`,
  years_between: call("fw_years_between"),
  months_between: call("fw_months_between"),
  days_between: call("fw_days_between"),
  seconds_between: call("fw_seconds_between"),
  nano100_between: call("fw_nano100_between"),
  totaloffsetminutes: (value) => `iif(${value} is null, null, 0)`,
  current_timestamp: () => "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
  mindatetime: () => "'0001-01-01T00:00:00.000Z'",
  maxdatetime: () => "'9999-12-31T23:59:59.999Z'",
  round: (value, digits) => digits === undefined ? `fw_round(${value})` : `fw_scaled(${value}, ${digits})`,
  floor: call("fw_floor"),
  ceiling: call("fw_ceiling"),
  mod: call("fw_mod"),
  $decimal: call("fw_decimal"),
  $exact: (value) => value,
  $decimal_add: call("fw_decimal_add"),
  $decimal_sub: call("fw_decimal_sub"),
  $decimal_mul: call("fw_decimal_mul"),
  $decimal_sum: call("fw_decimal_sum"),
  $decimal_avg: call("fw_decimal_avg"),
  $decimal_text: call("fw_decimal_text"),
  $integer_text: (value) => `cast(cast(${value} as integer) as text)`,
  $timestamp_text: (value) => value,
  $datetime_text: (value) => value,
  $plain_text: (value) => value,
  $timestamp_of_datetime: (value) => `replace(${value}, 'Z', '.000Z')`,
  $timestamp_of_date: (value) => `(${value} || 'T00:00:00.000Z')`,
  $datetime_of_timestamp: (value) => `(substr(${value}, 1, 19) || 'Z')`,
  $datetime_of_date: (value) => `(${value} || 'T00:00:00Z')`,
  ...forTextForms((type): FunctionRenderer => (text) =>
    `iif(fw_has_form(${text}, '${type}'), ${text}, null)`
  ),
  $flag_number: (value) => value,
  $boolean_text: (value) => `iif(${value} is null, null, iif(${value}, 'true', 'false'))`,
  $scaled: call("fw_scaled"),
  $trunc: (value) => value,
  $fits_whole: fittingBetween,
  $fits_decimal: fittingBetween,
  $fits_text: (value, length) => fitting(value, `length(${value}) <= ${length}`),
  $whole: (value, below, above) =>
    `iif(${value} > ${below} and ${value} < ${above}, cast(${value} as integer), null)`,
  // Operators of OData: `div` cuts the fraction of whole numbers, `divby` never does.
  div: (left, right) => `cast(${left} / ${right} as integer)`,
  divby: (left, right) => `(${left} * 1.0 / ${right})`,
  // Those of OData that fail where the divisor is zero.
  $div: call("fw_div"),
  $divby: call("fw_divby"),
  $mod: call("fw_modulo"),
  $double_add: call("fw_double_add"),
  $double_sub: call("fw_double_sub"),
  $double_mul: call("fw_double_mul"),
  $double_div: call("fw_double_div"),
  $shift_date: shifted("%Y-%m-%d"),
  $shift_datetime: shifted("%Y-%m-%dT%H:%M:%SZ"),
  $shift_timestamp: shifted("%Y-%m-%dT%H:%M:%fZ"),
  $seconds_between: (one, other) => `round(unixepoch(${one}, 'subsec') - unixepoch(${other}, 'subsec'), 3)`,
  count: (argument) => `count(${argument ?? "*"})`,
  countdistinct: (argument) => `count(distinct ${argument})`,
  sum: call("sum"),
  min: call("min"),
  max: call("max"),
  avg: call("avg"),
  average: call("avg"),
  $text_length: (text) => `ifnull(length(${text}), 0)`,
  // what would be too long is not made: an overflow ends the statement, as with the steps below
  $joined: (text, length, most) => `iif(${length} > ${most}, abs(fw_too_long(${most})), ${text})`,
  $joined_rows: (text, length, most) => `iif(abs(fw_join(${length}, ${most})), ${text}, null)`,
  $json_object: call("json_object"),
  $json_list: call("json_array"),
  // an overflow is what ends a statement: the driver does not take errors of functions
  $step: (column = "") => `abs(fw_step(${column}))`,
  $json_array: (row, order = "") => `json_group_array(${row}${order})`,
  $json: call("json"),
  $json_boolean: (value) => `json(iif(${value} is null, 'null', iif(${value}, 'true', 'false')))`,
  $json_double: (value) => `iif(${value} in (9e999, -9e999), iif(${value} > 0, 'INF', '-INF'), ${value})`,
  $json_value: (value) => value,
  $json_literal: (value) => value,
  $json_base64: call("fw_base64"),
  $json_base64url: call("fw_base64url"),
  $json_safe_integer: safeInteger,
  $json_datetime: (value) => value,
  $json_timestamp: (value) => value,
  $safe_double: (value) => value,
  $safe_integer: safeInteger,
  $found: (text, term) => `(ifnull(instr(fw_lower(${text}), fw_lower(${term})), 0) > 0)`,
  $index: (key) => key,
  "geo.distance": call("fw_geo_distance"),
  "geo.length": call("fw_geo_length"),
  "geo.intersects": call("fw_geo_intersects"),
  $by_code_points: (text) => text,
  $members: (array, alias) => `json_each(${array}) as ${alias}`,
  $member_json: (array, alias) => `json(${array} -> ${alias}."fullkey")`,
  $member_with: (member, object) =>
    `iif(${member} like '{%', substr(${member}, 1, length(${member}) - 1) || iif(${member} = '{}', '', ',') || ` +
    `substr(${object}, 2), ${member})`,
  $member_array: (member) => `json_group_array(json(${member}))`,
  $member: (value, ...names) =>
    names.length === 0 ? value : `(${arrows(value, names.slice(0, -1))} ->> ${names.at(-1)})`,
  $nested: (value, ...names) => `nullif(${arrows(value, names)}, 'null')`,
  $entry_name: (value) => `iif(${value} is null, '-', '=' || hex(${value}))`,
  $size: (array) => `coalesce(json_array_length(${array}), 0)`,
});
