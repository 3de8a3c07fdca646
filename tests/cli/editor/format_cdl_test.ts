/** The layout of CDL, case by case. */

import assert from "node:assert/strict";
import { formatCdl } from "../../../src/cli/editor/format_cdl.ts";

const CASES: Readonly<Record<string, readonly (readonly [source: string, laidOut: string])[]>> = {
  "what follows an annotation is not its continuation": [
    ["@a\nentity A {}", "@a\nentity A {}\n"],
    ["@a: 1\n  entity A {\n@b\nkey c : D; }", "@a: 1\nentity A {\n  @b\n  key c : D; }\n"],
  ],
  "a line that ends without a sign is continued one step further in": [
    ["entity A\nas B;", "entity A\n  as B;\n"],
    ["a // why\nb;\nc;", "a // why\n  b;\nc;\n"],
    ["a,\nb;", "a,\nb;\n"],
    ["a\n// why\nb;", "a\n// why\n  b;\n"],
    ["entity A\n}", "entity A\n}\n"],
  ],
  "brackets lead one step in each, closing ones in front of a line back out": [
    ["a {\nb: [\n1,\n(\n2\n)\n]\n}", "a {\n  b: [\n    1,\n    (\n      2\n    )\n  ]\n}\n"],
    ["a ({\nb;\n})", "a ({\n    b;\n})\n"],
    ["}\n}\na {\nb;\n}", "}\n}\na {\n  b;\n}\n"],
  ],
  "of empty lines one stays, none at the start and the end": [
    ["\n\na;\n\n\n\nb;\n\n", "a;\n\nb;\n"],
    ["  \n", ""],
    ["a;  \t\r\n\tb;\r\n", "a;\nb;\n"],
  ],
  "texts and comments over several lines stay as they are, but for stars": [
    ["a {\n/* x\n y  \n*/\nb;\n}", "a {\n  /* x\n y  \n */\n  b;\n}\n"],
    ["a `x\n  y {`;\nb;", "a `x\n  y {`;\nb;\n"],
  ],
};

for (const [rule, cases] of Object.entries(CASES)) {
  Deno.test(rule, () => {
    for (const [source, laidOut] of cases) {
      assert.equal(formatCdl(source), laidOut);
      assert.equal(formatCdl(laidOut), laidOut, "laid out already");
    }
  });
}
