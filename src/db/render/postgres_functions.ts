import { forTextForms } from "../../model/values/text_forms.ts";
import { TOO_LONG } from "../statement_errors.ts";
import type { FunctionRenderer } from "./dialect.ts";
import { EARTH_RADIUS, MOST_DEGREES } from "../function_values.ts";

/** A coordinate of a position; null where it is none. */
function degrees(position: string, index: 0 | 1): string {
  const value = `(${position} ->> ${index})::numeric`;
  return `(case when jsonb_typeof(${position} -> ${index}) = 'number' then case when abs(${value}) <= ${MOST_DEGREES} ` +
    `then ${value}::float8 end end)`;
}

function coordinates(value: string, shape: string): string {
  const list = `${value} -> 'coordinates'`;
  return `(case when ${value} ->> 'type' = '${shape}' and jsonb_typeof(${list}) = 'array' then ${list} end)`;
}

function array(value: string): string {
  return `coalesce(case jsonb_typeof(${value}) when 'array' then ${value} end, '[]')`;
}

function haversine(from: string, to: string): string {
  const [fromX, fromY, toX, toY] = [`${from}x`, `${from}y`, `${to}x`, `${to}y`];
  const chord =
    `power(sin(radians(${toY} - ${fromY}) / 2), 2) + cos(radians(${fromY})) * cos(radians(${toY})) * ` +
    `power(sin(radians(${toX} - ${fromX}) / 2), 2)`;
  return `(2 * ${EARTH_RADIUS} * asin(sqrt(least(1, ${chord}))))`;
}

function toMillimetres(metres: string): string {
  return `round((${metres})::numeric, 3)::float8`;
}

/** The positions of a list in order, each with the one before as `ax`, `ay`. */
function edges(list: string): string {
  const position = "p.value";
  return `(select ${degrees(position, 0)} as bx, ${degrees(position, 1)} as by, lag(${
    degrees(position, 0)
  }) over w as ax, ` +
    `lag(${degrees(position, 1)}) over w as ay, p.key as key from jsonb_array_elements(${array(list)}) ` +
    `with ordinality as p(value, key) window w as (order by p.key)) as e`;
}

/** Functions by lower-case name. */
const POSTGRES_GEO: Readonly<Record<string, FunctionRenderer>> = {
  "geo.distance": (left, right) =>
    `(select case when g.ax + g.ay + g.bx + g.by is not null then ${
      toMillimetres(haversine("g.a", "g.b"))
    } end from (select ${degrees("c.a", 0)} as ax, ${degrees("c.a", 1)} as ay, ` +
    `${degrees("c.b", 0)} as bx, ${degrees("c.b", 1)} as by from (select ${
      coordinates("j.a", "Point")
    } as a, ` +
    `${
      coordinates("j.b", "Point")
    } as b from (select (${left})::jsonb as a, (${right})::jsonb as b) as j) as c) as g)`,
  "geo.length": (line) =>
    `(select case when count(*) > 1 and count(*) = count(e.bx + e.by) then ` +
    `${toMillimetres(`sum(${haversine("e.a", "e.b")}) filter (where e.key > 1)`)} end ` +
    `from (select ${
      coordinates("j.a", "LineString")
    } as list from (select (${line})::jsonb as a) as j) as c, ` +
    `lateral ${edges("c.list")})`,
  "geo.intersects": (point, polygon) =>
    `(select case when c.x is null or c.y is null or c.rings is null then null else ` +
    `(select case when bool_and(e.bx is not null and e.by is not null) is false then null else ` +
    `count(*) filter (where e.key > 1 and (e.ay > c.y) <> (e.by > c.y) and ` +
    `c.x < (e.bx - e.ax) * (c.y - e.ay) / nullif(e.by - e.ay, 0) + e.ax) % 2 = 1 end ` +
    `from jsonb_array_elements(${array("c.rings")}) as r(value), lateral ${
      edges("r.value")
    }) end from (select ` +
    `${degrees(coordinates("j.a", "Point"), 0)} as x, ${degrees(coordinates("j.a", "Point"), 1)} as y, ` +
    `${
      coordinates("j.b", "Polygon")
    } as rings from (select (${point})::jsonb as a, (${polygon})::jsonb as b) as j) as c)`,
};

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

/** What a text has fewer characters than, so that it can be counted on by one. */
const MOST = "2147483646";

/** The whole part of a number of characters; `least` would make a number of null. */
function whole(number: string): string {
  const value = numeric(number);
  return `trunc(case when ${value} > ${MOST} then ${MOST} else ${value} end)::int`;
}

/** Of several values; null if one of them is null, unlike the functions alone. A bound value has no type of its own. */
function extreme(name: "least" | "greatest", values: readonly string[]): string {
  return `case when ${
    values.map((value) => `(${value})::text is null`).join(" or ")
  } then null else ${name}(${values.join(", ")}) end`;
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
  // columns with a scale and no precision keep all digits
  $scaled: (value, digits) => `round(cast(${value} as numeric), ${digits})`,
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
