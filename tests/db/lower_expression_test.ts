/** Which type values have of which one is chosen, and literals that are compared (db/README, values). */

import assert from "node:assert/strict";
import type { SelectQuery } from "../../src/cqn/cqn.ts";
import { lowerQuery } from "../../src/db/passes/lower_query.ts";
import { renderQuery } from "../../src/db/render/render_query.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`entity E {
  key ID : Integer; n : Integer; big : Int64; price : Decimal(9, 2); double : Double; name : String; id : UUID;
  day : Date; at : Timestamp; yes : Boolean;
}`));
const PARAMETER = { param: true, ref: ["p"] };

/** The text of an expression, and the values that are bound in it. */
function rendered(
  column: Readonly<Record<string, unknown>>,
): readonly [sql: string, values: readonly unknown[]] {
  const query = {
    SELECT: { from: { ref: ["E"] }, columns: [{ ...column, as: "a" }] },
  } as unknown as SelectQuery;
  const { sql, bindings } = renderQuery(SQLITE, lowerQuery(MODEL, query).query);
  const text = /^SELECT (.*) AS "a" FROM "E" AS "E"$/.exec(sql)![1]!.replaceAll('"E".', "");
  return [text, bindings.map((one) => one.kind === "value" ? one.value : one.form?.type)];
}

const choice = (...args: readonly unknown[]) => rendered({ func: "coalesce", args });

Deno.test("a parameter of which a value may be chosen has the form of the type of the others, unless that is a number", () => {
  const forms = Object.fromEntries(
    ["n", "big", "price", "double", "name", "id", "day", "at", "yes"].map((name) => {
      const [sql, [form]] = choice({ ref: [name] }, PARAMETER);
      assert.equal(sql, `coalesce("${name}", ?)`);
      const branch = [
        "case",
        "when",
        { ref: ["ID"] },
        "is",
        "null",
        "then",
        { ref: [name] },
        "else",
        PARAMETER,
        "end",
      ];
      assert.deepEqual(rendered({ xpr: branch })[1], [form], name);
      return [name, form];
    }),
  );
  assert.deepEqual(forms, {
    ...{ n: undefined, big: undefined, price: undefined, double: undefined },
    ...{ name: "cds.String", id: "cds.UUID", day: "cds.Date", at: "cds.Timestamp", yes: "cds.Boolean" },
  });
});

Deno.test("values of which one is chosen have one type: numbers stay, moments become the larger ones, others texts", () => {
  const ref = (name: string) => ({ ref: [name] });
  assert.deepEqual(choice(ref("n"), ref("price")), ['coalesce("n", "price")', []]);
  assert.deepEqual(choice(ref("n"), ref("day")), ['coalesce(cast("n" as text), cast("day" as text))', []]);
  assert.deepEqual(choice(ref("day"), ref("at")), [`coalesce(("day" || 'T00:00:00.000Z'), "at")`, []]);
  assert.deepEqual(choice(ref("n"), { val: "1" }), ['coalesce("n", ?)', [1]]);
  assert.deepEqual(choice(ref("at"), { val: "2024-01-01T00:00:00Z" })[1], ["2024-01-01T00:00:00.000Z"]);
  assert.deepEqual(choice(ref("n"), { val: "x" }), ['coalesce(cast("n" as text), ?)', ["x"]]);
});

Deno.test("a literal of nullif has the type of the value that it is compared with", () => {
  const compared = (name: string, val: unknown) =>
    rendered({ func: "nullif", args: [{ ref: [name] }, { val }] });
  assert.deepEqual(compared("at", "2024-01-01T00:00:00Z"), ['nullif("at", ?)', ["2024-01-01T00:00:00.000Z"]]);
  assert.deepEqual(compared("n", "1")[1], [1]);
  assert.deepEqual(compared("n", null), ['nullif("n", NULL)', []]);
  assert.throws(() => compared("n", "x"), { message: "ASSERT_DATA_TYPE" });
});

Deno.test("aggregates take different values only where the query says so, each under its name", () => {
  const different = { xpr: ["distinct", { ref: ["n"] }] };
  for (const func of ["count", "COUNT", "sum", "min", "string_agg"]) {
    const name = func.toLowerCase();
    assert.match(rendered({ func, args: [different] })[0], new RegExp(`^${name}\\(distinct "n"\\)$`, "i"));
    assert.equal(rendered({ func, args: [{ ref: ["n"] }] })[0], `${name}("n")`);
  }
});
