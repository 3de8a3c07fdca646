import assert from "node:assert/strict";
import fc from "fast-check";
import { isServiceError } from "../../../src/errors/service_error.ts";
import { type LexerMode, tokenize } from "../../../src/odata/url/lexer.ts";
import { propertyRuns } from "../../property_runs.ts";
import { type TokenParts, tokensByPatterns } from "./token_patterns.ts";

const MODES: readonly LexerMode[] = ["expression", "apply", "path", "search"];
const PARTS = [
  ..."abefzAEFLTZ059 \t'\"()[]{}.,;:/*+-=$@#_\\\n~%é😀",
  ..." and | or | eq| GT | in(| in[| has | divby | div | desc| asc,| Desc )| as | AS | with | from | WITH "
    .split(
      "|",
    ),
  ..."keep start|keep  startX|search(|search=|$search=|$SEARCH='a'|Search=|$filter=|$top=|name=|a.b=".split(
    "|",
  ),
  ..."null|INF|-INF|-INFx|NaN|true|FALSE|not|NOT(|not (|identity|any(|any \t(|Cast(|aggregate(|topcount(|x(|a.b.*|a.b.c("
    .split("|"),
  ..."$it|$count|$ref|$x|@p|@p=|@a.b#c|@a.b#|@a#b|duration'P1D'|binary'|a.b'c''d'|'it''s'|''|'''|\"a\\\"b\""
    .split("|"),
  ..."1|-1|+1|1.5|1.5e-3|12L|12Lx|1D|1.5m|1.|2024-02-29|-2024-02-29|2024-02-29T12:30Z|2024-02-29T".split("|"),
  ..."concat(|groupby((|filter(|/search(x)/|,search(|$apply=|;search(".split("|"),
  ..."12:30|12:30:45.678|12:60|24:00|2024-02-30T12:30:60.5+01:00|02024-01-01|10000-01-01|2024-2-1".split("|"),
  ..."01234567-89ab-cdef-0123-456789abcdef|abcdefab-89ab-cdef-0123-456789abcdef|abcdefab-89ab".split("|"),
  "abcdefab-89ab-cdef-0123-456789abcdefg",
];
const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => parts.join(""));

function tokens(text: string, mode: LexerMode): readonly TokenParts[] | number {
  try {
    return tokenize({ text, raw: text, base: 0 }, mode)
      .map(({ tokenType, image, startOffset }) => [tokenType.name, image, startOffset]);
  } catch (error) {
    assert.ok(isServiceError(error), String(error));
    return Number(/at offset (\d+)/.exec(error.message)![1]);
  }
}

Deno.test("tokenize() finds the tokens that patterns find, and stops where they do", () => {
  fc.assert(
    fc.property(fc.constantFrom(...MODES), text, (mode, text) => {
      assert.deepEqual(tokens(text, mode), tokensByPatterns(text, mode));
    }),
    propertyRuns(3000, 71),
  );
});
