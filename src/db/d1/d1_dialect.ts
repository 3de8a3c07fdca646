/**
 * The SQL of SQLite where no functions can be registered and numbers are bound as floating-point numbers.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import { forTextForms } from "../../model/values/text_forms.ts";
import type { Dialect, FunctionRenderer, ValueType } from "../render/dialect.ts";
import { SQLITE } from "../render/sqlite_dialect.ts";
import { withDigits } from "../render/sqlite_functions.ts";
import { withDecimalDigits } from "./decimal_digits.ts";
import type { SqlStatement } from "./sql_driver.ts";

/** Name of the table. */
export const LETTERS = "fw_letters";

const LAST_LETTER = 0x1ffff;

/**
 * The statements that create and fill the table.
 */
export function letterStatements(): readonly SqlStatement[] {
  return [
    {
      sql: `CREATE TABLE IF NOT EXISTS "${LETTERS}" ` +
        `("letter" TEXT PRIMARY KEY, "lower" TEXT NOT NULL, "upper" TEXT NOT NULL) WITHOUT ROWID`,
      values: [],
    },
    {
      sql: `INSERT OR REPLACE INTO "${LETTERS}" ` +
        "SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)",
      values: [JSON.stringify(letters())],
    },
  ];
}

function letters(): readonly (readonly string[])[] {
  const rows: string[][] = [];
  for (let point = 0x80; point <= LAST_LETTER; point++) {
    const letter = String.fromCodePoint(point);
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    if (lower !== letter || upper !== letter) rows.push([letter, lower, upper]);
  }
  return rows;
}

/** Pairs of names and values that one call of a function takes. */
const MEMBERS = 50;
const DIGITS = "'0123456789ABCDEF'";
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Letter by letter, as Unicode has it: the functions of SQLite know the letters of ASCII only. */
function inCase(name: "lower" | "upper"): FunctionRenderer {
  return (text) => {
    const letter = `substr(${text}, "i", 1)`;
    const mapped =
      `coalesce((select "${name}" from "${LETTERS}" where "letter" = ${letter}), ${name}(${letter}))`;
    const positions = `with recursive "p"("i") as ` +
      `(select 1 union all select "i" + 1 from "p" where "i" < length(${text}))`;
    return `iif(${text} glob '*[^ -~]*', ` +
      `(${positions} select group_concat(${mapped}, '' order by "i") from "p"), ${name}(${text}))`;
  };
}

const lower = inCase("lower");
const upper = inCase("upper");

/** What would be too long is not made: an overflow, of a number that is not known before. */
function joined(text: string, length: string, most: string): string {
  return `iif(${length} > ${most}, abs(-9223372036854775807 - (${length} > ${most})), ${text})`;
}

/** Whole numbers come back as integers, so that JSON text shows no fraction. */
function whole(name: string): FunctionRenderer {
  return (value) =>
    `iif(abs(${value}) < 9007199254740992, cast(${name}(${value}) as integer), ${name}(${value}))`;
}

/** Six bits of the bytes at a time: one and a half of their hexadecimal digits. */
function base64(end: string): FunctionRenderer {
  return (bytes) => {
    const digit = (at: number) =>
      `(instr(${DIGITS}, substr(hex(${bytes}) || '0', "i" * 3 / 2 + ${at}, 1)) - 1)`;
    const bits = `iif("i" % 2, ${digit(1)} % 4 * 16 + ${digit(2)}, ${digit(1)} * 4 + ${digit(2)} / 4)`;
    const positions = `with recursive "p"("i") as ` +
      `(select 0 union all select "i" + 1 from "p" where "i" + 1 < (length(${bytes}) * 8 + 5) / 6)`;
    const letters = `group_concat(substr('${ALPHABET}${end}', 1 + ${bits}, 1), '' order by "i")`;
    return `iif(length(${bytes}) = 0, '', (${positions} select ${letters} || ` +
      `substr('==', 1, (3 - length(${bytes}) % 3) % 3) from "p"))`;
  };
}

/** A function takes a hundred arguments or so: objects with more members get the others one call after the other. */
function jsonObject(...args: readonly string[]): string {
  let object = `json_object(${args.slice(0, MEMBERS * 2).join(", ")})`;
  for (let at = MEMBERS * 2; at < args.length; at += MEMBERS) {
    const members = args.slice(at, at + MEMBERS).map((arg, index) =>
      index % 2 === 0 ? `'$."' || ${arg} || '"'` : arg
    );
    object = `json_insert(${object}, ${members.join(", ")})`;
  }
  return object;
}

/** Only the engines of server processes have regular expressions. */
function noPatterns(): never {
  throw new ServiceError({ status: 501, message: "D1 and Durable Objects have no regular expressions" });
}

function noGeography(): never {
  throw new ServiceError({ status: 501, message: "D1 and Durable Objects have no functions of geography" });
}

/** The decimal that a floating-point number stands for, by its digits behind the point or, unless they are known, by all. */
function rounded(value: string, digits: readonly string[]): string {
  if (digits.length === 0) return withDigits(value);
  return `round(${value}, ${most(digits)})`;
}

function most(digits: readonly string[]): string | undefined {
  return digits.length > 1 ? `max(${digits.join(", ")})` : digits[0];
}

/** The remainder of decimals as that of whole numbers, as many times ten as it takes: `7 mod 0.07` is 0. */
function remainder(left: string, right: string, digits: string | undefined): string {
  if (digits === undefined) return `mod(${left}, ${right})`;
  const whole = (value: string) => `round(${value} * pow(10, ${digits}))`;
  return `round(mod(${whole(left)}, ${whole(right)}) / pow(10, ${digits}), ${digits})`;
}

/** A divisor that is not zero: an overflow is what ends a statement. */
function divisor(value: string): string {
  return `iif(${value} = 0, abs(-9223372036854775807 - (${value} = 0)), ${value})`;
}

/** A calculation with floating-point numbers; what is no number is text. */
function ieee(operator: string): FunctionRenderer {
  return (left, right) =>
    `iif(${left} is null or ${right} is null, null, iif(typeof(${left}) = 'text' or typeof(${right}) = 'text', ` +
    `'NaN', ifnull((${left}) * 1.0 ${operator} ${right}, 'NaN')))`;
}

/** `1.005` is a little less than that: a half is one in the 15 digits that it stands for. */
function scaled(value: string, digits: string): string {
  return `(round(${withDigits(`(${value}) * pow(10, ${digits})`)}) / pow(10, ${digits}))`;
}

const PLACEHOLDERS: Readonly<Record<ValueType, string>> = {
  boolean: "cast(? as integer)",
  integer: "cast(? as integer)",
  number: "?",
  infinite: "cast(? as real)",
  other: "?",
};

/** The dialect of D1 and Durable Objects. */
export const D1_DIALECT: Dialect = Object.freeze({
  ...SQLITE,
  argumentsOf: withDecimalDigits,
  functions: Object.freeze({
    ...SQLITE.functions,
    matchespattern: noPatterns,
    ...forTextForms(() => noPatterns),
    "geo.distance": noGeography,
    "geo.length": noGeography,
    "geo.intersects": noGeography,
    $joined: joined,
    $joined_rows: joined,
    tolower: lower,
    toupper: upper,
    lower,
    upper,
    floor: whole("floor"),
    ceiling: whole("ceil"),
    mod: (left: string, right: string, ...digits: readonly string[]) =>
      `iif(typeof(${left}) = 'integer' and typeof(${right}) = 'integer', ${left} % ${right}, ${
        remainder(left, right, most(digits))
      })`,
    $div: (left: string, right: string) => `cast(${left} / ${divisor(right)} as integer)`,
    $divby: (left: string, right: string) => `(${left} * 1.0 / ${divisor(right)})`,
    $mod: (left: string, right: string, ...digits: readonly string[]) =>
      `iif(typeof(${left}) = 'integer' and typeof(${right}) = 'integer', ${left} % ${divisor(right)}, ${
        remainder(left, divisor(right), most(digits))
      })`,
    $double_add: ieee("+"),
    $double_sub: ieee("-"),
    $double_mul: ieee("*"),
    $double_div: (left: string, right: string) =>
      `iif(${right} = 0, ${ieee("*")(left, "9e999")}, ${ieee("/")(left, right)})`,
    $decimal: withDigits,
    $exact: withDigits,
    $digits: (value: string) => `length(rtrim(substr(format('%.15f', ${value}), -15), '0'))`,
    $decimal_add: (left: string, right: string, ...digits: readonly string[]) =>
      rounded(`(${left} + ${right})`, digits),
    $decimal_sub: (left: string, right: string, ...digits: readonly string[]) =>
      rounded(`(${left} - ${right})`, digits),
    // nothing cancels out in products
    $decimal_mul: (left: string, right: string) => withDigits(`(${left} * ${right})`),
    $decimal_sum: (value: string, ...digits: readonly string[]) => rounded(`sum(${value})`, digits),
    $decimal_avg: (value: string) => withDigits(`avg(${value})`),
    $scaled: scaled,
    round: (value: string, digits?: string) =>
      digits === undefined ? SQLITE.viewFunctions!.round(value) : scaled(value, digits),
    $decimal_text: (value: string) => `cast(${withDigits(value)} as text)`,
    // results travel as JSON
    $safe_double: SQLITE.functions.$json_double,
    $json_object: jsonObject,
    $json_base64: base64("+/"),
    $json_base64url: base64("-_"),
    $found: (text: string, term: string) => `(ifnull(instr(${lower(text)}, ${lower(term)}), 0) > 0)`,
  }),
  // digits are those of what stands around
  windowFunctions: Object.freeze({
    $decimal_sum: (value: string) => `sum(${value})`,
    $decimal_avg: (value: string) => `avg(${value})`,
  }),
  placeholder: (_index: number, type: ValueType = "other") => PLACEHOLDERS[type],
});
