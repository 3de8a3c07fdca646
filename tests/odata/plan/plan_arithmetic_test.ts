/** What calculations are planned as, and of what type their results are (OData URL 5.1.1.2). */

import assert from "node:assert/strict";
import { reference } from "../../../src/algebra/build.ts";
import type { Expr } from "../../../src/algebra/tree.ts";
import { isWhole, planArithmetic } from "../../../src/odata/plan/expressions/plan_arithmetic.ts";
import { DECIMAL, DURATION, INTEGER, ROUNDED, STRING, type Typed } from "../../../src/odata/plan/scope.ts";
import type { BinaryExpr, BinaryOperator } from "../../../src/odata/url/ast.ts";

const TYPES = {
  whole: INTEGER,
  long: { builtin: "cds.Int64" },
  decimal: DECIMAL,
  rounded: ROUNDED,
  double: { builtin: "cds.Double" },
  text: STRING,
  duration: DURATION,
  date: { builtin: "cds.Date" },
  instant: { builtin: "cds.Timestamp" },
  unknown: undefined,
} as const;
type Name = keyof typeof TYPES;

const typed = (name: Name, nullable = false): Typed => ({
  expr: reference([name]),
  ...(TYPES[name] && { type: TYPES[name] }),
  nullable,
} as Typed);

function plan(left: Name, operator: BinaryOperator, right: Name): Typed {
  return planArithmetic({ operator, offset: 7 } as BinaryExpr, [typed(left), typed(right)]);
}

/** An expression as short text: `$mod(whole,whole)`. */
function text(expr: Expr): string {
  switch (expr.kind) {
    case "call":
      return `${expr.func}(${
        (expr.args ?? []).map((arg) => arg === "*" ? arg : text(arg as Expr)).join(",")
      })`;
    case "arithmetic":
      return `${text(expr.left)} ${expr.op} ${text(expr.right)}`;
    case "cast":
      return `${text(expr.arg)} as ${expr.type}`;
    case "unary":
      return `${expr.op}${text(expr.arg)}`;
    case "reference":
      return expr.ref.join("/");
    default:
      return expr.kind;
  }
}

const nameOf = (type: unknown) => {
  const { builtin, rounded, extended } = type as { builtin: string; rounded?: boolean; extended?: string };
  return extended ?? (rounded ? "rounded" : builtin.replace("cds.", ""));
};

/** Calculations, what they are planned as, and the types of their results. */
const PLANS: readonly [left: Name, operator: BinaryOperator, right: Name, planned: string, type: string][] = [
  ["whole", "add", "whole", "whole as cds.Int64 + whole", "Int64"],
  ["long", "sub", "whole", "long - whole", "Int64"],
  ["whole", "mul", "long", "whole as cds.Int64 * long", "Int64"],
  ["whole", "div", "whole", "$div(whole,whole)", "Integer"],
  ["whole", "divby", "whole", "$decimal($divby(whole,whole))", "rounded"],
  ["whole", "mod", "whole", "$mod(whole,whole)", "Integer"],
  ["decimal", "mod", "whole", "$mod(decimal,whole)", "Decimal"],
  ["whole", "mod", "decimal", "$mod(whole,decimal)", "Decimal"],
  ["rounded", "mod", "whole", "$mod(rounded,whole)", "rounded"],
  ["double", "mod", "whole", "$mod(double,whole)", "Double"],
  ["unknown", "mod", "whole", "$mod(unknown,whole)", "Decimal"],
  ["decimal", "add", "whole", "$decimal_add(decimal,whole)", "Decimal"],
  ["whole", "mul", "decimal", "$decimal_mul(whole,decimal)", "Decimal"],
  ["rounded", "sub", "decimal", "$decimal($decimal_sub(rounded,decimal))", "rounded"],
  ["decimal", "sub", "rounded", "$decimal($decimal_sub(decimal,rounded))", "rounded"],
  ["decimal", "div", "whole", "$decimal($divby(decimal,whole))", "rounded"],
  ["whole", "div", "decimal", "$decimal($divby(whole,decimal))", "rounded"],
  ["decimal", "divby", "decimal", "$decimal($divby(decimal,decimal))", "rounded"],
  ["unknown", "add", "unknown", "$decimal_add(unknown,unknown)", "Decimal"],
  ["double", "add", "whole", "$double_add(double,whole)", "Double"],
  ["decimal", "sub", "double", "$double_sub(decimal,double)", "Double"],
  ["double", "mul", "double", "$double_mul(double,double)", "Double"],
  ["double", "div", "whole", "$double_div(double,whole)", "Double"],
  ["whole", "divby", "double", "$double_div(whole,double)", "Double"],
  ["date", "add", "duration", "$shift_date(date,duration)", "Date"],
  ["instant", "sub", "duration", "$shift_timestamp(instant,-duration)", "Timestamp"],
  ["instant", "sub", "instant", "$seconds_between(instant,instant)", "Edm.Duration"],
  ["duration", "add", "duration", "duration + duration", "Edm.Duration"],
  ["duration", "sub", "duration", "duration - duration", "Edm.Duration"],
  ["duration", "mul", "whole", "duration * whole", "Edm.Duration"],
  ["decimal", "mul", "duration", "decimal * duration", "Edm.Duration"],
  ["unknown", "mul", "duration", "unknown * duration", "Edm.Duration"],
  ["duration", "div", "whole", "$divby(duration,whole)", "Edm.Duration"],
  ["duration", "divby", "unknown", "$divby(duration,unknown)", "Edm.Duration"],
];

Deno.test("a calculation is that of the types of its operands, and so is its result", () => {
  for (const [left, operator, right, planned, type] of PLANS) {
    const what = `${left} ${operator} ${right}`;
    const found = plan(left, operator, right);
    assert.deepEqual([text(found.expr), nameOf(found.type)], [planned, type], what);
  }
});

Deno.test("operands that an operator does not take are 400, with their place", () => {
  const REFUSED: readonly [Name, BinaryOperator, Name][] = [
    ["text", "add", "whole"],
    ["whole", "add", "text"],
    ["text", "mod", "text"],
    ["instant", "add", "instant"],
    ["instant", "mul", "duration"],
    ["instant", "add", "whole"],
    ["instant", "add", "unknown"],
    ["duration", "sub", "instant"],
    ["duration", "add", "date"],
    ["duration", "mul", "duration"],
    ["duration", "div", "duration"],
    ["duration", "add", "whole"],
    ["duration", "mod", "whole"],
    ["whole", "div", "duration"],
    ["whole", "divby", "duration"],
    ["duration", "mul", "text"],
    ["text", "mul", "duration"],
  ];
  for (const [left, operator, right] of REFUSED) {
    assert.throws(
      () => plan(left, operator, right),
      { status: 400, message: /\(offset 7\)/ },
      `${left} ${operator} ${right}`,
    );
  }
});

Deno.test("a result may be null where an operand may, and where a date is shifted or a duration calculated", () => {
  const isNullable = (left: Typed, right: Typed, operator: BinaryOperator = "add") =>
    planArithmetic({ operator, offset: 0 } as BinaryExpr, [left, right]).nullable;
  for (
    const [left, operator] of [["whole", "add"], ["whole", "mod"], ["whole", "div"], ["decimal", "div"], [
      "double",
      "add",
    ]] as const
  ) {
    const flags = [[false, false], [true, false], [false, true], [true, true]] as const;
    const found = flags.map(([one, other]) => isNullable(typed(left, one), typed("whole", other), operator));
    assert.deepEqual(found, [false, true, true, true], `${left} ${operator}`);
  }
  assert.equal(isNullable(typed("date"), typed("duration")), true);
  const between = [[false, false], [true, false], [false, true]].map(([one, other]) =>
    isNullable(typed("instant", one), typed("instant", other), "sub")
  );
  assert.deepEqual(between, [false, true, true]);
  assert.equal(isNullable(typed("duration"), typed("duration")), true);
});

Deno.test("whole numbers are numbers without digits behind the point", () => {
  const names = Object.keys(TYPES) as Name[];
  assert.deepEqual(names.filter((name) => isWhole(TYPES[name])), ["whole", "long"]);
});
