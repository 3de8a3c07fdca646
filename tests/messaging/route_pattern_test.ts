import assert from "node:assert/strict";
import fc from "fast-check";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { compileRoutePattern } from "../../src/messaging/composite_channel.ts";
import { propertyRuns } from "../property_runs.ts";
import { assertBounded } from "../assert_bounded.ts";

function expectMatches(pattern: string, names: readonly string[], others: readonly string[]): void {
  const expression = compileRoutePattern(pattern, "c");
  for (const name of names) assert.ok(expression.test(name), `${pattern} matches ${name}`);
  for (const name of others) assert.ok(!expression.test(name), `${pattern} does not match ${name}`);
}

Deno.test("* matches any characters but / and ., also none [2.7.glob1] (MSG-024)", () => {
  expectMatches("cap/msg/system/review/*", [
    "cap/msg/system/review/reviewed",
    "cap/msg/system/review/",
  ], [
    "cap/msg/system/review/reviewed/x",
    "cap/msg/system/review/a.b",
    "xcap/msg/system/review/reviewed",
  ]);
});

Deno.test("** matches any characters, also none [2.7.glob2] (MSG-025)", () => {
  expectMatches("**/book/*", ["book/repository/book/modified", "a/b/book/x", "/book/"], [
    "book/modified",
    "a/book/x.y",
  ]);
  expectMatches("ReviewsService.**", ["ReviewsService.a.b/c", "ReviewsService.", "ReviewsService.a\nb"], [
    "ReviewsService",
  ]);
});

Deno.test("? matches exactly one character, any [2.7.globq] (MSG-026)", () => {
  expectMatches("?.x", ["a.x", "/.x", "..x", "é.x", "😀.x"], [".x", "ab.x"]);
});

Deno.test("everything else in a pattern is literal (MSG-027)", () => {
  const literals = [
    "a.b",
    "a+b",
    "{a,b}.c",
    "[ab].c",
    "a|b",
    "a(b)",
    "$x^",
    "a\\b",
    "a=b",
    "a!b",
    "a-b",
    "a,b",
  ];
  for (const pattern of literals) {
    expectMatches(pattern, [pattern], literals.filter((one) => one !== pattern).concat("axb", "aab"));
  }
});

Deno.test("patterns that could be slow are refused at start, with pattern and channel", () => {
  const refused = ["**a**b**", "*a*b*", "*a*.*b*", "**a*b.*c*", "", "a\uE000"];
  for (const pattern of refused) {
    assert.throws(() => compileRoutePattern(pattern, "myChannel"), (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.ok(error.message.includes(pattern) && error.message.includes("myChannel"));
      return true;
    }, pattern);
  }
  for (const pattern of ["***", "**/*/*/*.*", "**a**", "*a*", "?.?.?.?.?"]) compileRoutePattern(pattern, "c");
});

Deno.test("a pattern has two ** and three wildcards that can trade characters at most, two * in a segment", () => {
  const reasons = {
    "**a**b**": "has more than 2 '**'",
    "*a*b*": "has more than 2 '*' in one segment",
    "x/*a*b*": "has more than 2 '*' in one segment",
    "*a*/*b*": "has more than 3 wildcards that can trade characters",
    "**a*?/**/*?": "has more than 3 wildcards that can trade characters",
    "**a**b*/*?": "has more than 3 wildcards that can trade characters",
    "": "is empty",
    "\uE003": "holds a private-use character",
  };
  for (const [pattern, reason] of Object.entries(reasons)) {
    const message = `Route '${pattern}' of channel 'c' ${reason}`;
    assert.throws(() => compileRoutePattern(pattern, "c"), { name: "ConfigurationError", message });
  }
  for (
    const pattern of ["**a**", "*a*", "*a*/*?", "*a*/*/*.*", "**a*b/**", "*?/*?/*?", "*/*.*/*", "\uE004"]
  ) {
    compileRoutePattern(pattern, "c");
  }
});

Deno.test("the worst allowed patterns take bounded time for the longest names", async () => {
  const name = "a".repeat(512);
  for (const pattern of ["**a**a*x", "**a*a*x", "**a**x"]) {
    await assertBounded(() => compileRoutePattern(pattern, "c").test(name), pattern);
  }
});

Deno.test("patterns match what a table matcher matches", () => {
  const part = fc.constantFrom("a", ".", "/", "*", "**", "?", "\\", "+", "\n");
  const name = fc.array(fc.constantFrom("a", ".", "/", "*", "\\", "+", "\n")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), name, (parts, text) => {
      const pattern = parts.join("");
      let expression: RegExp;
      try {
        expression = compileRoutePattern(pattern, "c");
      } catch {
        return true;
      }
      return expression.test(text) === matches(pattern, text);
    }),
    propertyRuns(3000, 7),
  );
});

/** Decides by a table, character by character. */
function matches(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*\*|[^]/g) ?? [];
  let row = Array.from({ length: text.length + 1 }, (_, i) => i === 0);
  for (const token of tokens) {
    const next = new Array<boolean>(text.length + 1).fill(false);
    for (let i = 0; i <= text.length; i++) {
      const before = i > 0 && next[i - 1];
      if (token === "**") next[i] = row[i] || before;
      else if (token === "*") next[i] = row[i] || (before && !"/.".includes(text[i - 1]));
      else next[i] = i > 0 && row[i - 1] && (token === "?" || token === text[i - 1]);
    }
    row = next;
  }
  return row[text.length];
}
