import assert from "node:assert/strict";
import { accepts } from "../../scripts/conformance/abnf.ts";

/** Rules of the ABNF that no URL consists of, with texts that they match, and others. */
const CASES: readonly (readonly [rule: string, accepted: readonly string[], rejected: readonly string[]])[] =
  [
    ["null", ["null"], ["nil", "'null'"]],
    ["dateValue", ["2012-09-10", "0000-01-01"], ["2012-9-10", "2012-13-01"]],
    ["decimalLiteral", ["3.14", "-2", "1e3"], [".1", "'1'"]],
    ["int16Value", ["-32768", "5"], ["123456", "1.5"]],
    ["int32Literal", ["%2B2147483647", "7"], ["12345678901", "x"]],
    ["byte", ["255", "0"], ["-1", "1000"]],
    ["nanInfinity", ["NaN", "-INF"], ["1", "INFINITY"]],
    ["guidValue", ["01234567-89ab-cdef-0123-456789abcdef"], ["01234567-89ab"]],
    ["year", ["2024", "-0044"], ["24"]],
    ["second", ["60", "59"], ["61"]],
    ["sridLiteral", ["SRID=4326;"], ["SRID=x;"]],
    ["pointLiteral", ["Point(1 2)"], ["Point(1)"]],
    ["enumerationMember", ["Yellow", "Größe"], ["0x", "a.b"]],
    ["notExpr", ["not true", "not (a eq 1)"], ["nota", "true"]],
    ["negateExpr", ["-a", "-(1 add 2)"], ["a"]],
    ["andExpr", [" and true"], ["and true", " and"]],
    ["addExpr", [" add 2"], [" plus 2"]],
    ["inExpr", [" in (1,2)"], [" in"]],
    ["castExpr", ["cast(a,Edm.String)"], ["a"]],
    ["caseMethodCallExpr", ["case(a:1,true:2)"], ["case(a)"]],
    ["listExpr", ["(1,2)", "('a')"], ["1,2"]],
    ["parenExpr", ["(1 add 2)"], ["1 add 2"]],
    ["array", ["[1,2]", "[]"], ["[1,", "{}"]],
    ["rootExpr", ["$root/Products"], ["1", "Products/"]],
    ["allExpr", ["all(x:x/a)"], ["all()"]],
    ["filterExpr", ["/$filter(a eq 1)"], ["/$filter()"]],
    ["containsMethodCallExpr", ["contains(a,'b')"], ["contains(a)"]],
    ["qualifiedTypeName", ["Model.Type", "Collection(Edm.String)"], ["Model/Type"]],
    ["keyPredicate", ["(1)", "(a=1,b='x')", "/1"], ["(1"]],
    ["functionParameters", ["(a=1)", "()"], ["(a="]],
    ["ordinalIndex", ["/0", "/-1"], []],
    ["top", ["$top=5", "top=0"], ["$top=-1", "$top=x"]],
    ["levels", ["$levels=max", "$levels=3"], ["$levels=0"]],
    ["expandItem", ["A/$ref", "A($select=b)"], ["A("]],
    ["orderbyItem", ["a desc", "a"], ["a up"]],
    ["computeItem", ["a mul 2 as b"], ["a mul 2"]],
    ["searchOrExpr", [" OR b"], [' OR "']],
    ["aliasAndValue", ["@p=1"], ["@=1"]],
  ];

for (const [rule, accepted, rejected] of CASES) {
  Deno.test(`the suite abnf decides by the product's code: ${rule}`, () => {
    for (const input of accepted) assert.equal(accepts({ rule, input }, undefined), true, input);
    for (const input of rejected) assert.equal(accepts({ rule, input }, undefined), false, input);
  });
}
