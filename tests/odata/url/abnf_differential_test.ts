import assert from "node:assert/strict";
import fc from "fast-check";
import { accepts, type Case } from "../../../scripts/conformance/abnf.ts";
import { propertyRuns } from "../../property_runs.ts";
import type { RuleNames } from "./abnf_oracle.ts";

const FOLDER = "../shared/conformance/abnf";
const PIECE = /[A-Za-z_$@.]+|'[^']*'|\d+|%20|[^]/gu;

/**
 * Where we are stricter than the grammar, on purpose: an option given twice, a wrong value of an option without `$`
 * (a custom option for the grammar), and operands that the grammar lets be empty (`Price/ eq 1`, `Cost ge `, `not`),
 * white space that a search word of the grammar swallows (`blue%20'x`), such a word that begins with a quote, `%` that
 * encodes nothing, and percent-encoded parentheses in search words, which the prose of the rule excludes.
 */
const STRICTER = [
  /[?&]?\$?(\w+)=[^&]*&(?:[^&]*&)*\$?\1=/i,
  /(?:^|[?&])(?:apply|compute|count|expand|filter|format|id|index|orderby|schemaversion|search|select|skip|top)=/i,
  /\bnot(?:[),;&]|$)/i,
  /\/(?:%20|%09|[ ,;)&/]|$)/,
  /search=(?:.*%(?:20|09))?'/i,
  /search=[^&]*%(?:[^01234567]|.(?![0-9A-F]))/i,
  /search=[^&]*[^=&(\s]%2[89]/i,
  /(?:%20|[ ])(?:eq|ne|lt|le|gt|ge|and|or|add|sub|mul|div|divby|mod|in|has)(?:%20|[ ])+(?:asc|desc|[),;&]|$)/,
];

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

function read<T>(file: string): T {
  return JSON.parse(Deno.readTextFileSync(`${FOLDER}/${file}`));
}

/** A case with pieces taken out, put in or exchanged. */
function changed(cases: readonly Case[]): fc.Arbitrary<Pick<Case, "rule" | "input">> {
  const pieces = [...new Set(cases.flatMap(({ input }) => input.match(PIECE) ?? []))];
  const change = fc.tuple(fc.nat(999), fc.constantFrom("cut", "add", "swap"), fc.constantFrom(...pieces));
  return fc.tuple(fc.constantFrom(...cases), fc.array(change, { maxLength: 2 })).map(
    ([{ rule, input }, changes]) => {
      const parts: string[] = input.match(PIECE) ?? [];
      for (const [place, how, piece] of changes) {
        const at = Math.floor(place * (parts.length + 1) / 1000);
        parts.splice(at, how === "add" ? 0 : 1, ...(how === "cut" ? [] : [piece]));
      }
      return { rule, input: parts.join("") };
    },
  );
}

if (!isFolder(`${FOLDER}/grammar`)) {
  console.log(`The grammar of the standard is not compared: there is no ${FOLDER}/grammar`);
} else {
  const { createOracle } = await import("./abnf_oracle.ts");
  const constraints = read<Record<string, RuleNames>>("constraints.json");
  for (const suite of ["core", "aggregation"]) {
    // roots of services are a matter of configuration
    const cases = read<Case[]>(`${suite}.json`).filter(({ group, rule }) =>
      group !== "context" && group !== "header" && rule !== "odataUri"
    );
    const oracle = createOracle(`${FOLDER}/grammar`, constraints[suite]);
    Deno.test(`what the grammar of the standard accepts, we accept: ${suite} (ABNF)`, () => {
      const property = fc.property(changed(cases), ({ rule, input }) => {
        if (!oracle(rule, input) || STRICTER.some((form) => form.test(input))) return;
        assert.ok(accepts({ rule, input }, constraints[suite]), `${rule}: ${input}`);
      });
      fc.assert(property, propertyRuns(600, 41));
    });
  }
}
