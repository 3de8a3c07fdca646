/**
 * Functions in the SQL of PostgreSQL: the canonical ones of OData (URL conventions 5.1.1.5 to 5.1.1.12), aggregates, and
 * those the passes make themselves, with the results they have on the other engines. Rows as JSON are built as text:
 * `json_build_object` takes a hundred arguments at most, and `jsonb` loses the order of members.
 *
 * @module
 */

import { forTextForms } from "../../model/values/text_forms.ts";
import { TOO_LONG } from "../statement_errors.ts";
import type { FunctionRenderer } from "./dialect.ts";
import { POSTGRES_GEO } from "./postgres_geo.ts";

function call(name: string): FunctionRenderer {
  return (...args) => `${name}(${args.join(", ")})`;
}

/** Letter case as Unicode has it; the result is compared like all texts, by code points. */
function inCase(name: "lower" | "upper"): FunctionRenderer {
  return (text) => `(${name}((${text})::text collate "und-x-icu") collate "C")`;
}

const lower = inCase("lower");
const upper = inCase("upper");

function part(field: string): FunctionRenderer {
  return (value) => `floor(extract(${field} from ${value}))::int`;
}

function double(value: string): string {
  return `(${value})::float8`;
}

function numeric(value: string): string {
  return `(${value})::numeric`;
}

/** The whole part of a number. */
function whole(number: string): string {
  return `trunc(${numeric(number)})::int`;
}

/** Of several values; null if one of them is null, unlike the functions alone. */
function extreme(name: "least" | "greatest", values: readonly string[]): string {
  return `case when ${values.map((value) => `${value} is null`).join(" or ")} then null else ${name}(${
    values.join(", ")
  }) end`;
}

/** At least zero; null stays null, unlike with `greatest`. */
function notNegative(count: string): string {
  return `case when ${count} < 0 then 0 else ${count} end`;
}

function base64Text(bytes: string, without: string, replacement: string): string {
  return `translate(encode(${bytes}, 'base64'), E'${without}\\n', '${replacement}')`;
}

/** A text as JSON string, null as JSON null. */
function jsonText(text: string): string {
  return `coalesce('"' || ${text} || '"', 'null')`;
}

const SECONDS = `YYYY-MM-DD"T"HH24:MI:SS`;

function secondsText(value: string): string {
  return `to_char(${value}, '${SECONDS}"Z"')`;
}

/** Milliseconds, and more digits where there are more. */
function timestampText(value: string): string {
  const time = `(${value})::timestamp`;
  return `to_char(${time}, '${SECONDS}.MS') || rtrim(substr(to_char(${time}, 'US'), 4), '0') || 'Z'`;
}

/** Names are literals, which the database joins with what stands around them once. */
function jsonObject(...args: readonly string[]): string {
  if (args.length === 0) return "'{}'";
  const parts: string[] = [];
  for (let at = 0; at < args.length; at += 2) {
    parts.push(`('${at === 0 ? "{" : ","}' || ${args[at]}) || ${args[at + 1]}`);
  }
  return `(${parts.join(" || ")} || '}')`;
}

/** What would be too long is not made: a text that is no number fails; that it is random keeps it from being read before. */
function joined(text: string, length: string, most: string): string {
  const failing = `('${TOO_LONG} ${most}' || left(random()::text, 0))::integer::text`;
  return `case when ${length} > ${most} then ${failing} else ${text} end`;
}

/** The part of a JSON value that names and positions lead to. */
function arrows(value: string, names: readonly string[]): string {
  return [`(${value})::jsonb`, ...names].join(" -> ");
}

/** What is no array has no members. */
function jsonArray(array: string): string {
  return `coalesce(case jsonb_typeof((${array})::jsonb) when 'array' then (${array})::jsonb end, '[]')`;
}

/** The ends of the years from 1 to 9999, in seconds. */
const [FIRST_SECOND, LAST_SECOND] = ["-62135596800", "253402300799.999999"];

/** None outside of the years from 1 to 9999. */
function shifted(value: string, seconds: string): string {
  const at = `(${value})::timestamp`;
  return `case when extract(epoch from ${at}) + ${
    numeric(seconds)
  } between ${FIRST_SECOND} and ${LAST_SECOND} ` +
    `then ${at} + make_interval(secs => ${double(seconds)}) end`;
}

function secondsBetween(from: string, to: string): string {
  return `extract(epoch from (${to})::timestamp - (${from})::timestamp)`;
}

function monthsBetween(from: string, to: string): string {
  const age = `age((${to})::timestamp, (${from})::timestamp)`;
  return `(extract(year from ${age}) * 12 + extract(month from ${age}))`;
}

/** Functions by lower-case name. */
export const POSTGRES_FUNCTIONS: Readonly<Record<string, FunctionRenderer>> = Object.freeze({
  contains: (text, other) => `(strpos(${text}, ${other}) > 0)`,
  startswith: (text, other) => `(left(${text}, char_length(${other})) = ${other})`,
  endswith: (text, other) => `(right(${text}, char_length(${other})) = ${other})`,
  // as in ECMAScript a dot matches no line break, and the ends are those of the text
  matchespattern: (text, pattern) => `(${text} ~ ('(?p)' || ${pattern}))`,
  indexof: (text, other) => `(strpos(${text}, ${other}) - 1)`,
  // also of bytes
  length: call("length"),
  ifnull: call("coalesce"),
  // a negative start counts from the end, at most to the beginning
  substring: (text, start, count) =>
    `substr(${text}, case when ${start} < 0 then ${
      whole(notNegative(`(char_length(${text}) + ${start})`))
    } else ${whole(start)} end + 1${count === undefined ? "" : `, ${whole(notNegative(count))}`})`,
  tolower: lower,
  toupper: upper,
  lower,
  upper,
  trim: call("btrim"),
  ltrim: call("ltrim"),
  rtrim: call("rtrim"),
  replace: call("replace"),
  sign: (value) => `sign(${numeric(value)})`,
  concat: (...parts) => `(${parts.map((text) => `(${text})::text`).join(" || ")})`,
  year: part("year"),
  month: part("month"),
  day: part("day"),
  hour: part("hour"),
  minute: part("minute"),
  second: part("second"),
  fractionalseconds: (value) => `mod(extract(second from ${value}), 1)`,
  date: (value) => `(${value})::date`,
  time: (value) => `date_trunc('second', ${value})::time`,
  years_between: (from, to) => `trunc(${monthsBetween(from, to)} / 12)::int8`,
  months_between: (from, to) => `(${monthsBetween(from, to)})::int8`,
  days_between: (from, to) => `trunc(${secondsBetween(from, to)} / 86400)::int8`,
  seconds_between: (from, to) => `trunc(${secondsBetween(from, to)})::int8`,
  nano100_between: (from, to) => `(${secondsBetween(from, to)} * 10000000)::int8`,
  totaloffsetminutes: (value) => `case when ${value} is null then null else 0 end`,
  mindatetime: () => "'0001-01-01T00:00:00'::timestamp",
  maxdatetime: () => "'9999-12-31T23:59:59.999'::timestamp",
  round: (value, digits) => `round(${numeric(value)}${digits === undefined ? "" : `, (${digits})::int`})`,
  floor: (value) => `floor(${numeric(value)})`,
  ceiling: (value) => `ceil(${numeric(value)})`,
  // a floating-point number keeps 15 digits
  $decimal: (value) => numeric(double(value)),
  $exact: (value) => value,
  $decimal_add: (left, right) => `(${left} + ${right})`,
  $decimal_sub: (left, right) => `(${left} - ${right})`,
  $decimal_mul: (left, right) => `(${left} * ${right})`,
  $decimal_sum: call("sum"),
  $decimal_avg: (value) => numeric(`sum(${numeric(value)})::float8 / nullif(count(${value}), 0)`),
  $decimal_text: (value) => `trim_scale(${numeric(value)})::text`,
  $integer_text: (value) => `(${value})::text`,
  $datetime_text: (value) => `(${secondsText(`(${value})::timestamp`)})`,
  $boolean_text: (value) => `(${value})::text`,
  $plain_text: (value) => `(${value})::text`,
  $timestamp_of_datetime: (value) => value,
  $timestamp_of_date: (value) => `(${value})::timestamp`,
  $datetime_of_timestamp: (value) => `date_trunc('second', ${value})`,
  $datetime_of_date: (value) => `(${value})::timestamp`,
  ...forTextForms((_type, pattern): FunctionRenderer => (text) =>
    `case when (${text})::text ~ '${pattern}' then ${text} end`
  ),
  $flag_number: (value) => `(${value})::int`,
  $timestamp_text: (value) => `(${timestampText(value)})`,
  // the column does it
  $scaled: (value) => value,
  // columns of PostgreSQL refuse what they cannot hold, but there is none of one byte without sign
  $fits_whole: (value, below, above) =>
    `case when ${value} is null or (${value} > ${below} and ${value} < ${above}) then ${value} ` +
    `else 9223372036854775808 end`,
  $fits_decimal: (value) => value,
  $fits_text: (value) => value,
  $trunc: (value) => `trunc(${numeric(value)})`,
  $whole: (value, below, above) =>
    `case when ${numeric(value)} > ${below} and ${numeric(value)} < ${above} then trunc(${
      numeric(value)
    }) end`,
  mod: (left, right) => `mod(${numeric(left)}, nullif(${numeric(right)}, 0))`,
  // Operators of OData: `div` cuts the fraction of whole numbers, `divby` never does.
  div: (left, right) => `trunc(${numeric(left)} / nullif(${numeric(right)}, 0))`,
  divby: (left, right) => `(${double(left)} / nullif(${double(right)}, 0))`,
  // Those of OData that fail where the divisor is zero.
  $div: (left, right) => `trunc(${numeric(left)} / ${numeric(right)})`,
  $divby: (left, right) => `(${double(left)} / ${double(right)})`,
  $mod: (left, right) => `mod(${numeric(left)}, ${numeric(right)})`,
  $double_add: (left, right) => `(${double(left)} + ${double(right)})`,
  $double_sub: (left, right) => `(${double(left)} - ${double(right)})`,
  $double_mul: (left, right) => `(${double(left)} * ${double(right)})`,
  // a number times infinity is infinite with its sign, or none
  $double_div: (left, right) =>
    `case when ${double(right)} = 0 then ${double(left)} * 'Infinity'::float8 ` +
    `else ${double(left)} / ${double(right)} end`,
  $shift_date: (value, seconds) => `(${shifted(value, seconds)})::date`,
  $shift_datetime: (value, seconds) => `(${shifted(value, seconds)})`,
  $shift_timestamp: (value, seconds) => `(${shifted(value, seconds)})`,
  $seconds_between: (one, other) => secondsBetween(other, one),
  count: (argument) => `count(${argument ?? "*"})`,
  countdistinct: (argument) => `count(distinct ${argument})`,
  sum: call("sum"),
  min: (...values) => values.length > 1 ? extreme("least", values) : `min(${values.join()})`,
  max: (...values) => values.length > 1 ? extreme("greatest", values) : `max(${values.join()})`,
  avg: (value) => `avg(${double(value)})`,
  average: (value) => `avg(${double(value)})`,
  $text_length: (text) => `coalesce(char_length((${text})::text), 0)`,
  $joined: joined,
  $joined_rows: joined,
  $json_object: jsonObject,
  $json_list: (...values) => `('[' || ${values.join(" || ',' || ")} || ']')`,
  $json_array: (row, order = "") => `('[' || coalesce(string_agg(${row}, ','${order}), '') || ']')`,
  $json: (text) => `coalesce((${text})::text, 'null')`,
  $json_value: (value) => `coalesce(to_json(${value})::text, 'null')`,
  $json_literal: (value) => `coalesce(to_json((select ${value}))::text, 'null')`,
  $json_boolean: (value) => `case ${value} when true then 'true' when false then 'false' else 'null' end`,
  $json_double: (value) =>
    `case ${value} when 'Infinity' then '"INF"' when '-Infinity' then '"-INF"' when 'NaN' then '"NaN"' ` +
    `else coalesce(to_json(${value})::text, 'null') end`,
  $json_base64: (bytes) => jsonText(base64Text(bytes, "", "")),
  $json_base64url: (bytes) => jsonText(base64Text(bytes, "+/", "-_")),
  $json_safe_integer: (value) =>
    `case when ${value} between -9007199254740991 and 9007199254740991 ` +
    `then ${value}::text else ${jsonText(`${value}::text`)} end`,
  $json_datetime: (value) => jsonText(secondsText(value)),
  $json_timestamp: (value) => jsonText(timestampText(value)),
  $plain_literal: (value) => `(select ${value})`,
  $plain_base64url: (bytes) => base64Text(bytes, "+/", "-_"),
  $plain_datetime: secondsText,
  $plain_timestamp: timestampText,
  $safe_double: (value) => value,
  $safe_integer: (value) => value,
  // What is not there holds no term, so that its negation holds.
  $found: (text, term) => `(coalesce(strpos(${lower(text)}, ${lower(term)}), 0) > 0)`,
  $index: (key) => `(${key} - 1)::integer`,
  ...POSTGRES_GEO,
  $by_code_points: (text) => `((${text}) collate "C")`,
  $members: (array, alias) =>
    `jsonb_array_elements(${jsonArray(array)}) with ordinality as ${alias}("value", "key")`,
  $member_json: (_array, alias) => `${alias}."value"`,
  $member_with: (member, object) =>
    `case jsonb_typeof(${member}) when 'object' then ${member} || (${object})::jsonb else ${member} end`,
  $member_array: (member) => `coalesce(jsonb_agg(${member}), '[]')::text`,
  $member: (value, ...names) =>
    names.length === 0
      ? `((${value})::jsonb #>> '{}')`
      : `(${arrows(value, names.slice(0, -1))} ->> ${names.at(-1)})`,
  $nested: (value, ...names) => `(${arrows(value, names)})`,
  $entry_name: (value) => `coalesce('=' || (${value})::text, '-')`,
  $size: (array) => `jsonb_array_length(${jsonArray(array)})`,
});
