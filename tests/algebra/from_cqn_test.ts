import assert from "node:assert/strict";
import { isBound } from "../../src/algebra/build.ts";
import { fromExpression, fromQuery, fromXo } from "../../src/algebra/from_cqn.ts";
import { toXo } from "../../src/algebra/to_cqn.ts";
import type { Call, Expr } from "../../src/algebra/tree.ts";
import { parseExpression } from "../../src/cqn/parse_cql.ts";
import type { Expression, Xo } from "../../src/cqn/cqn.ts";

/** A tree with a parenthesis around each operation. */
function shown(tree: Expr): string {
  switch (tree.kind) {
    case "reference":
      return tree.ref.join(".");
    case "literal":
      return JSON.stringify(tree.val);
    case "unary":
      return `(${tree.op} ${shown(tree.arg)})`;
    case "joined":
      return `(${tree.args.map(shown).join(` ${tree.op} `)})`;
    case "arithmetic":
    case "comparison":
      return `(${shown(tree.left)} ${tree.op} ${shown(tree.right)})`;
    case "between":
      return `(${shown(tree.left)} between ${shown(tree.low)} to ${shown(tree.high)})`;
    case "list":
      return `[${tree.list.map(shown).join()}]`;
    case "in":
      return `(${shown(tree.left)} ${tree.negated ? "not in" : "in"} ${shown(tree.right)})`;
    case "like":
      return `(${shown(tree.left)} like ${shown(tree.pattern)})`;
    case "case":
      return `case ${tree.branches.map(({ when, then }) => `${shown(when)}: ${shown(then)}`).join()}`;
    default:
      return tree.kind;
  }
}

function expectTree(text: string, expected: string): void {
  const tree = fromXo(parseExpression(text))!;
  assert.equal(shown(tree), expected, text);
  assert.equal(shown(fromXo(toXo(tree))!), expected, `${text}, there and back`);
}

Deno.test("fromXo() knows which operators bind more strongly", () => {
  expectTree("a = 1 or b = 2 and not c = 3", "((a = 1) or ((b = 2) and (not (c = 3))))");
  expectTree("(a or b) and c", "((a or b) and c)");
  expectTree("a and (b and c)", "(a and b and c)");
  expectTree("1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)");
  expectTree("a - (b - c)", "(a - (b - c))");
  expectTree("- a * b", "((- a) * b)");
  expectTree("'x' || 1 + 2 || y = z", '(("x" || (1 + 2) || y) = z)');
  expectTree("a + 1 between b and c and d", "(((a + 1) between b to c) and d)");
  expectTree(
    "not a in (1, 2) or b not in (3)",
    "((not (a in [1,2])) or (b not in [3]))",
  );
  expectTree("a like 'x' || b", '(a like ("x" || b))');
  expectTree("a is null and b is not null", "((a is null) and (b is not null))");
  expectTree("case when a = 1 or b then c + 1 else d end = 2", "(case ((a = 1) or b): (c + 1) = 2)");
});

Deno.test("fromXo() takes operators that stand together in one token", () => {
  const tree = fromXo([{ ref: ["a"] }, "IS NOT NULL", "and", { ref: ["b"] }, "not in", {
    list: [{ val: 1 }],
  }]);
  assert.equal(shown(tree!), "((a is not null) and (b not in [1]))");
});

Deno.test("fromXo() refuses what is no expression", () => {
  const [a, b] = [{ ref: ["a"] }, { ref: ["b"] }];
  const cases: readonly (readonly [readonly Xo[], RegExp])[] = [
    [[a, "= 1; drop", b], /Unknown operator "= 1; drop"/],
    [[a, b], /Two operands stand side by side/],
    [[a, "="], /The expression ends too early/],
    [["case", "when", a, b], /expected "then"/],
    [[a, "between", b, "or", a], /Unknown operator "or", expected "and"/],
    [["exists", { val: 1 }], /Behind "exists" a path or a query is expected/],
  ];
  for (const [tokens, message] of cases) assert.throws(() => fromXo(tokens), { name: "TypeError", message });
  assert.throws(() => fromExpression({} as Expression), /An expression is expected, found nothing/);
});

Deno.test("fromQuery() reads what is frozen once", () => {
  const query = Object.freeze({ SELECT: Object.freeze({ from: { ref: ["a"] } }) });
  assert.equal(fromQuery(query), fromQuery({ SELECT: query.SELECT }));
  assert.ok(Object.isFrozen(fromQuery(query)));
});

Deno.test("conditions and typed literals tell their type", () => {
  const typeOf = (text: string) => fromXo(parseExpression(text))!.type;
  assert.deepEqual(
    [
      "a = 1",
      "not a",
      "1",
      "1.5",
      "'x'",
      "true",
      "date'2024-01-01'",
      "length(a)",
      "a || b",
      "cast(a as Date)",
      "a",
    ]
      .map(typeOf),
    [
      ...[
        "cds.Boolean",
        "cds.Boolean",
        "cds.Integer",
        "cds.Decimal",
        "cds.String",
        "cds.Boolean",
        "cds.Date",
      ],
      ...["cds.Integer", "cds.String", "cds.Date", undefined],
    ],
  );
});

Deno.test("fromXo() takes parentheses as tokens, as existing handlers write conditions (csn-cqn 3)", () => {
  const a = { ref: ["a"] }, b = { ref: ["b"] }, one = { val: 1 }, two = { val: 2 };
  const cases: readonly [readonly Xo[], string][] = [
    [
      ["(", a, "=", one, "or", "(", b, "=", two, ")", ")", "and", a, "<>", b],
      "(((a = 1) or (b = 2)) and (a <> b))",
    ],
    [["NOT", "(", a, "=", one, ")"], "(not (a = 1))"],
    [[a, "in", "(", one, ",", two, ")"], "(a in [1,2])"],
    [[a, "not in", "(", one, ")"], "(a not in [1])"],
    [["(", a, ",", b, ")", "=", "(", one, ",", two, ")"], "([a,b] = [1,2])"],
    [[a, "in", "(", one, "+", two, ",", "-", b, ")"], "(a in [(1 + 2),(- b)])"],
  ];
  for (const [tokens, expected] of cases) assert.equal(shown(fromXo(tokens)!), expected);
  assert.throws(() => fromXo(["(", a, "=", one]), /Unknown operator "\("/);
  assert.throws(() => fromXo([a, "=", one, ")"]), TypeError);
});

Deno.test("fromXo() reads `not` and signs in front of any operand", () => {
  const [a, b] = [{ ref: ["a"] }, { ref: ["b"] }];
  const cases: readonly [readonly Xo[], string][] = [
    [[a, "=", "not", b], "(a = (not b))"],
    [[a, "*", "-", b, "-", "-", "-", a], "((a * (- b)) - (- (- a)))"],
    [["+", a, "=", "+", b], "(a = b)"],
  ];
  for (const [tokens, expected] of cases) assert.equal(shown(fromXo(tokens)!), expected);
});

Deno.test("fromExpression() takes modifiers of arguments for those of the call, and none where there are none", () => {
  const membersOf = (text: string) => {
    const [{ kind, args, distinct, orderBy }] = parseExpression(text).map((one) =>
      fromExpression(one as Expression)
    ) as [Call];
    return [kind, args?.length, distinct, orderBy?.length];
  };
  assert.deepEqual(membersOf("f(distinct a, b)"), ["call", 2, true, undefined]);
  assert.deepEqual(membersOf("f(a, b order by c, d)"), ["call", 2, undefined, 2]);
  assert.deepEqual(membersOf("f(a + 1)"), ["call", 1, undefined, undefined]);
});

Deno.test("fromExpression() tells parameters, variables and paths apart; only values of the first two are bound", () => {
  const cases: readonly (readonly [Expression, Expr["kind"], string | undefined])[] = [
    [{ ref: ["p"], param: true }, "parameter", undefined],
    [{ ref: ["$now"] }, "variable", "cds.Timestamp"],
    [{ ref: ["$user", "id"] }, "variable", undefined],
    [{ ref: ["$parameters", "p"] }, "variable", undefined],
    [{ ref: ["$self", "a"] }, "reference", undefined],
    [{ ref: ["a", "$user"] }, "reference", undefined],
  ];
  for (const [given, kind, type] of cases) {
    const found = fromExpression(given);
    assert.deepEqual([found.kind, found.type], [kind, type], JSON.stringify(given));
    assert.equal(isBound(found), kind !== "reference", JSON.stringify(given));
  }
});
