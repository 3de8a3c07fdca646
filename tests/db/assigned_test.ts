/** What a column makes of an expression that it takes its value from: the form of its type, within its bounds (db/README). */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Expression } from "../../src/cqn/cqn.ts";
import { renderWrite } from "../../src/db/render/render_write.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { updateRows } from "../../src/db/write/update.ts";
import type { StatementRunner, WriteStatement } from "../../src/db/write/statement_runner.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`entity E {
  key ID : Integer; small : UInt8; n : Integer; big : Int64; price : Decimal(5, 2); loose : Decimal; double : Double;
  name : String(3); long : LargeString; yes : Boolean; day : Date; at : Timestamp; second : DateTime; clock : Time;
  id : UUID; many : array of String; map : Map;
}`));

function assigned(
  column: string,
  expression: Expression,
): readonly [text: string, values: readonly unknown[]] {
  const statements: WriteStatement[] = [];
  const runner = {
    ...{ model: MODEL, context: new EventContext({}), select: () => [], mark: () => undefined },
    change: (statement: WriteStatement) => statements.push(statement),
  } as unknown as StatementRunner;
  updateRows(runner, { UPDATE: { entity: "E", with: { [column]: expression } } }, {});
  const [statement] = statements;
  const { text, bindings } = renderWrite(SQLITE, statement as Exclude<WriteStatement, { kind: "insert" }>);
  const [, value] = /^UPDATE "E" SET "\w+" = (.*)$/.exec(text.sql)!;
  return [value!.replaceAll('"E".', ""), bindings.map((one) => one.kind === "value" ? one.value : one.form)];
}

/** A value that is refused unless it fulfils a condition. */
const checked = (value: string, condition: string) =>
  `iif(${value} is null or ${condition}, ${value}, abs(-9223372036854775807 - (${value} is not null)))`;
const between = (value: string, above: string, below: string) =>
  checked(value, `${value} > ${above} and ${value} < ${below}`);
const short = (value: string) => checked(value, `length(${value}) <= 3`);
const small = (value: string) => between(value, "-1", "256");
const integer = (value: string) => between(value, "-2147483649", "2147483648");
const large = (value: string) => between(value, "-9223372036854775809", "9223372036854775808");
const price = (value: string) => between(value, "-1000", "1000");
const cut = (value: string) => `cast(${value} as integer)`;
const truth = `iif("yes" is null, null, iif("yes", 'true', 'false'))`;

/** What columns make of the values of others, by their names. */
const ASSIGNED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  small: {
    ...{ n: small('"n"'), big: small('"big"'), price: cut(small('"price"')), double: cut(small('"double"')) },
    ...{ name: small('"name"'), yes: '"yes"' },
  },
  n: { small: integer('"small"'), price: cut(integer('"price"')), name: integer('"name"'), yes: '"yes"' },
  big: { n: large('"n"'), loose: cut(large('"loose"')) },
  price: {
    ...{ n: price('"n"'), big: price('"big"'), loose: price('fw_scaled("loose", 2)') },
    ...{ double: price('fw_scaled("double", 2)'), name: price('"name"'), yes: '"yes"' },
  },
  loose: { n: '"n"', price: '"price"', double: '"double"', yes: '"yes"' },
  double: { n: '"n"', price: '"price"', name: '"name"', yes: '"yes"' },
  name: {
    ...{ n: short('"n"'), price: short('fw_decimal_text("price")'), double: short('"double"') },
    ...{ long: short('"long"'), day: short('"day"'), yes: truth },
  },
  long: { n: '"n"', price: 'fw_decimal_text("price")', name: '"name"', at: '"at"', yes: truth },
  yes: { n: '"n" <> 0', price: '"price" <> 0', double: '"double" <> 0', name: '"name"', day: "NULL" },
  day: {
    n: "NULL",
    yes: "NULL",
    at: 'substr("at", 1, 10)',
    second: 'substr("second", 1, 10)',
    name: '"name"',
  },
  at: {
    ...{ n: "NULL", name: '"name"', day: `("day" || 'T00:00:00.000Z')` },
    second: `replace("second", 'Z', '.000Z')`,
  },
  second: { day: `("day" || 'T00:00:00Z')`, at: `(substr("at", 1, 19) || 'Z')` },
  clock: { at: 'substr("at", 12, 8)', day: "NULL" },
  many: { n: '"n"', price: '"price"', name: '"name"', yes: '"yes"' },
};

Deno.test("values of other columns get the form of the column that takes them, and are refused beyond its bounds", () => {
  for (const [column, values] of Object.entries(ASSIGNED)) {
    for (const [from, text] of Object.entries(values)) {
      assert.deepEqual(assigned(column, { ref: [from] }), [text, []], `${column} = ${from}`);
    }
  }
});

Deno.test("parameters are bound in the form of the column that takes them, arrays as they are", () => {
  const parameter = { param: true, ref: ["p"] } as const;
  const texts: Readonly<Record<string, string>> = {
    ...{ small: small("?"), n: integer("?"), big: large("?"), price: price("?"), name: short("?") },
    ...{ loose: "?", double: "?", long: "?", yes: "?", day: "?", at: "?", second: "?", clock: "?", id: "?" },
  };
  for (const [column, text] of Object.entries(texts)) {
    const [sql, forms] = assigned(column, parameter);
    assert.equal(sql, text, column);
    const { builtin: type } = MODEL.entity("E")!.$flat.get(column)!.type;
    for (const form of forms) assert.deepEqual(form, { type, name: column });
  }
  assert.deepEqual(assigned("many", parameter), ["?", [undefined]]);
});

/** Literals in parentheses and what is written for them; undefined where the column cannot hold them. */
const LITERALS: readonly (readonly [column: string, val: string | number | boolean | null, unknown])[] = [
  ...[["n", 1, 1], ["n", "1", "1"], ["n", true, 1], ["n", 1.5, undefined], ["n", "x", undefined]] as const,
  ...[["small", 255, 255], ["small", 256, undefined], ["n", 256, 256], [
    "n",
    99999999999,
    undefined,
  ]] as const,
  ...[["price", 1.567, 1.57], ["price", 999.99, 999.99], ["price", 1000, undefined]] as const,
  ...[["name", "abc", "abc"], ["name", "abcd", undefined], ["name", 1, "1"], [
    "long",
    "abcd",
    "abcd",
  ]] as const,
  ...[["yes", true, true], ["yes", 1, true], ["yes", "false", false], ["yes", 2, undefined]] as const,
  ...[["day", "2024-02-29", "2024-02-29"], ["day", "2024-02-30", undefined], ["day", 1, undefined]] as const,
  ...[["at", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z"], ["many", "x", '"x"']] as const,
];

Deno.test("literals are written as the column has them, or refused with its name", () => {
  for (const [column, val, written] of LITERALS) {
    for (const expression of [{ val }, { xpr: [{ val }] }]) {
      const what = `${column} = ${JSON.stringify(expression)}`;
      if (written === undefined) {
        const error = { status: 400, target: column };
        assert.throws(() => assigned(column, expression as Expression), error, what);
      } else assert.deepEqual(assigned(column, expression as Expression)[1], [written], what);
    }
  }
  for (const column of ["yes", "n", "day"]) {
    assert.equal(assigned(column, { xpr: [{ val: null }] })[0], "NULL", column);
  }
});
