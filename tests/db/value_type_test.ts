/** Which type values have of which one is chosen (db/README, values). */

import assert from "node:assert/strict";
import type { Expr } from "../../src/algebra/tree.ts";
import { commonType } from "../../src/db/passes/value_type.ts";

const of = (type?: string) => ({ kind: "column", name: "a", type }) as unknown as Expr;
const literal = (val: unknown, type?: string) => ({ kind: "literal", val, type }) as Expr;

Deno.test("values have a common type where the types of all are known; nothing but null has none", () => {
  const cases: readonly (readonly [values: readonly Expr[], type: string | undefined])[] = [
    [[], undefined],
    [[literal(null)], undefined],
    [[of()], undefined],
    [[of("cds.Integer"), of()], undefined],
    [[of("cds.Integer"), of("cds.Integer")], "cds.Integer"],
    [[of("cds.Integer"), literal(null)], "cds.Integer"],
    [[of("cds.Integer"), of("cds.Int64")], "cds.Decimal"],
    [[of("cds.Integer"), of("cds.Double")], "cds.Double"],
    [[of("cds.Date"), of("cds.Timestamp")], "cds.Timestamp"],
    [[of("cds.Date"), of("cds.Time")], "cds.String"],
    [[of("cds.Date"), of("cds.Integer")], "cds.String"],
    [[literal("x", "cds.String")], "cds.String"],
    [[of("cds.Date"), literal("2026-01-31", "cds.String")], "cds.Date"],
    [[of("cds.Date"), literal("x", "cds.String")], "cds.String"],
  ];
  for (const [values, type] of cases) assert.equal(commonType(values), type, JSON.stringify(values));
});
