import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { parsePath } from "../../../src/odata/url/parse_path.ts";
import { limitError, syntaxError } from "../../../src/odata/url/syntax_error.ts";

/** Words and signs of other languages, with what OData has for them. */
const MEANT: Readonly<Record<string, string>> = {
  ...{ "=": "eq", "==": "eq", "===": "eq", "!=": "ne", "!==": "ne", "<>": "ne", "= 1": "eq", ">5": "gt" },
  ...{ "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and", "|| b": "or", "!x": "not" },
  ...{ $inlinecount: "$count=true", $where: "$filter", $limit: "$top", $offset: "$skip", $sort: "$orderby" },
  ...{ $include: "$expand", substringof: "contains", len: "length", upper: "toupper", lower: "tolower" },
  ...{ ceil: "ceiling", like: "contains(…)", '"x"': "'x'", '"it\'s"': "'it''s'", '""': "''" },
  ...{
    "datetime'2024-01-01T10:00:00'": "2024-01-01T10:00:00Z",
    "DateTime'2024-01-01T10:00'": "2024-01-01T10:00Z",
  },
  ...{ "datetime'2024-01-01'": "2024-01-01", "datetime'2024-01-01T10:00:00Z'": "2024-01-01T10:00:00Z" },
  ...{
    "datetimeoffset'2024-01-01T10:00:00'": "2024-01-01T10:00:00",
    "time'10:00'": "10:00",
    "guid'a-b'": "a-b",
  },
};

Deno.test("syntaxError() proposes what words and signs of OData 2, SQL and JavaScript are in OData", () => {
  for (const [found, meant] of Object.entries(MEANT)) {
    const { status, code, message } = syntaxError({ offset: 7, found });
    const expected = `Syntax error at offset 7: found "${found}"; did you mean "${meant}"?`;
    assert.deepEqual([status, code, message], [400, "400", expected]);
  }
});

Deno.test("syntaxError() proposes nothing for what it does not know", () => {
  for (
    const found of [
      "=>",
      "!!",
      "|",
      "&",
      "toString",
      "'x'",
      '"x',
      'x"',
      "datetime2024",
      "guid'a'b",
      "constructor",
    ]
  ) {
    assert.equal(syntaxError({ offset: 0, found }).message, `Syntax error at offset 0: found "${found}"`);
  }
});

Deno.test("syntaxError() shows forty characters, what may stand there, and the nearest name", () => {
  const message = (problem: Partial<Parameters<typeof syntaxError>[0]>) =>
    syntaxError({ offset: 3, found: "", ...problem }).message;
  assert.equal(message({}), "Syntax error at offset 3: found the end");
  assert.equal(message({ expected: "a name" }), "Syntax error at offset 3: found the end, expected a name");
  assert.equal(
    message({ found: "titel", expected: "a name", nearest: "title" }),
    'Syntax error at offset 3: found "titel", expected a name; did you mean "title"?',
  );
  assert.equal(
    message({ found: "len", nearest: "left" }),
    'Syntax error at offset 3: found "len"; did you mean "length"?',
  );
  const forty = "x".repeat(40);
  assert.equal(message({ found: forty }), `Syntax error at offset 3: found "${forty}"`);
  assert.equal(message({ found: `${forty}y` }), `Syntax error at offset 3: found "${forty}…"`);
});

Deno.test("limitError() says what is too much, where, and how much is allowed", () => {
  const { status, code, message } = limitError("The list is too long", 5, 9);
  assert.deepEqual([status, code, message], [400, "400", "The list is too long at offset 9, the limit is 5"]);
});

Deno.test("segments are never told to mean themselves, nor what may only be first", () => {
  const said = (...texts: readonly string[]) => {
    const pieces = texts.map((text, at) => ({ text, raw: text, base: at * 10 }));
    try {
      parsePath(pieces, DEFAULT_LIMITS);
    } catch (error) {
      return (error as Error).message.replace(/^.*, expected a known segment/, "");
    }
  };
  for (const name of ["$all", "$entity", "$batch", "$metadata"]) {
    assert.equal(said(name), undefined);
    assert.equal(said("Books", name), "", name);
    assert.equal(said(`${name}x`), `; did you mean "${name}"?`);
  }
  assert.equal(said("$crossjoi(…)"), '; did you mean "$crossjoin(…)"?');
  for (const other of ["$al", "$crossjoi(…)", "$metadta"]) assert.equal(said("Books", other), "", other);
  for (
    const [found, meant] of [["$cont", "$count"], ["$valu", "$value"], ["$eahc", "$each"], ["$rf", "$ref"]]
  ) {
    assert.equal(said("Books", found), `; did you mean "${meant}"?`);
  }
});
