/** Which values are of which type. */

import assert from "node:assert/strict";
import type { ResolvedType } from "../../../src/model/linked.ts";
import { isLooseId, isOfType } from "../../../src/service/validation/check_type.ts";

const ID = "6d1f5e3c-0000-4000-8000-00000000000A";
const ANY = ["x", 1, true, {}, [], null, NaN];

/** A type, values of it, and others. */
const TYPES:
  readonly (readonly [type: ResolvedType, values: readonly unknown[], others: readonly unknown[]])[] = [
    [{ builtin: "cds.UInt8" }, [0, 255], [-1, 256, 1.5, "1", 1n]],
    [{ builtin: "cds.Int16" }, [-32768, 32767], [-32769, 32768, 0.5]],
    [{ builtin: "cds.Int32" }, [-2147483648, 2147483647], [-2147483649, 2147483648]],
    [{ builtin: "cds.Integer" }, [-2147483648, 2147483647], [-2147483649, 2147483648, "1", Infinity]],
    [{ builtin: "cds.Boolean" }, [true, false], ["true", 0, 1]],
    [
      { builtin: "cds.Int64" },
      [2 ** 53 - 1, -(2 ** 53) + 1, "9223372036854775807", "-9223372036854775808", 1n, "+7"],
      [2 ** 53, "9223372036854775808", "-9223372036854775809", "1.0", "", "12345678901234567890", true],
    ],
    [{ builtin: "cds.Integer64" }, ["1"], ["x"]],
    [{ builtin: "cds.Double" }, [1.5, 1e300, "INF", "-INF", "NaN"], ["1.5", "+INF", "INFx", "xNaN", true]],
    [{ builtin: "cds.String", length: 2 }, ["", "ab", "🙂🙂"], ["abc", "🙂🙂🙂", 1]],
    [{ builtin: "cds.String" }, ["a".repeat(5)], ["a".repeat(6)]],
    [{ builtin: "cds.LargeString" }, ["a".repeat(9)], [1, {}]],
    [{ builtin: "cds.Decimal" }, [1, -1.5, "1", "+1.50", 1n, 1e30, "1e5", "-1.5E-7", "1e100"], [
      "",
      ".5",
      "1.",
      "1e1000",
      "e5",
    ]],
    [
      { builtin: "cds.Decimal", precision: 5, scale: 2 },
      [123.45, "-123.45", "00123.4500", "0.1", 1n],
      [1234, "1234", 1.234, "1.234", 1e30, "1e2", 1e-7],
    ],
    [{ builtin: "cds.Decimal", precision: 3 }, ["1.23", 123, "0.123", ".1".padStart(3, "0")], [
      "12.34",
      1234,
      "1.234",
    ]],
    [{ builtin: "cds.Decimal", precision: 5, scale: "floating" as never }, ["1.2345"], ["12.3456"]],
    [{ builtin: "cds.UUID" }, [ID, ID.toLowerCase(), ID.replaceAll("-", "")], [
      `${ID}0`,
      ID.slice(1),
      `x${ID}`,
      "x",
    ]],
    [{ builtin: "cds.Date" }, ["2024-02-29"], [
      "2023-02-29",
      "2024-2-29",
      "2024-02-29T00:00:00Z",
      "2024-13-01",
    ]],
    [{ builtin: "cds.Time" }, ["00:00", "23:59:59", "12:00:00.123"], [
      "24:00",
      "12:60",
      "12:00:60",
      "1:00",
      "12:00:00.",
    ]],
    ...["cds.DateTime", "cds.Timestamp"].map((builtin) =>
      [
        { builtin },
        ["2024-02-29T10:00Z", "2024-02-29T10:00:00Z", "2024-02-29T10:00:00.123456+05:30"],
        [
          "2023-02-29T10:00:00Z",
          "2024-02-29T10:00:00",
          "2024-02-29",
          "2024-02-29T25:00:00Z",
          "2024-02-29 10:00:00Z",
        ],
      ] as const
    ),
    [{ builtin: "cds.Vector" }, ANY, []],
    [{}, ANY, []],
  ];

Deno.test("a value is of a type by its form and within its bounds, or it is not", () => {
  for (const [type, values, others] of TYPES) {
    const name = JSON.stringify(type);
    for (const value of values) assert.equal(isOfType(value, type, 5), true, `${name} ${String(value)}`);
    for (const value of others) assert.equal(isOfType(value, type, 5), false, `${name} ${String(value)}`);
  }
});

Deno.test("where UUIDs are any texts, they have one to 36 characters", () => {
  const uuid = { $type: { builtin: "cds.UUID" } };
  for (const id of ["x", "a".repeat(36), "🙂".repeat(36)]) assert.equal(isLooseId(id, uuid), true, id);
  for (const id of ["", "a".repeat(37), 1, null]) assert.equal(isLooseId(id, uuid), false, String(id));
  assert.equal(isLooseId("x", { $type: { builtin: "cds.String" } }), false);
});
