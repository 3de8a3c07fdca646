/** Names of tables, and what texts of SQL do, as far as the text tells. */

import assert from "node:assert/strict";
import {
  callsFunctions,
  givesRows,
  numberedPlaceholders,
  onlyReads,
  sqlName,
} from "../../src/db/sql_name.ts";

Deno.test("the table of an entity has its full name with _ for each point", () => {
  assert.equal(sqlName("a.b.C"), "a_b_C");
  assert.equal(sqlName({ name: "C" }), "C");
});

Deno.test("queries are told from statements that give no rows", () => {
  for (
    const text of [
      "select 1",
      " WITH x AS (select 1) delete from x",
      "values (1)",
      "explain select 1",
      "show x",
      "pragma y",
    ]
  ) {
    assert.equal(givesRows(text), true, text);
  }
  for (const text of ["insert into x", "selection", "update select", "", "(select 1)"]) {
    assert.equal(givesRows(text), false, text);
  }
});

Deno.test("queries that change or lock rows are told from those that only read, whatever stands in texts and comments", () => {
  const reads = [
    "select 'delete' from x",
    'select "update" from x',
    "select 1 -- delete\nfrom x",
    "select /* insert */ 1",
    "select updated from x",
  ];
  for (const text of reads) assert.equal(onlyReads(text), true, text);
  const writes = [
    "with x as (select 1) DELETE from y",
    "select 1 into y",
    "select 1 for update",
    "select 1 for  share",
    "select 1 for key share",
    "with x as (insert into y values ('''')) select 1",
    "delete from x",
  ];
  for (const text of writes) assert.equal(onlyReads(text), false, text);
});

Deno.test("calls of functions are told but those of well-known ones, which write nothing", () => {
  const harmless = [
    "select count(*), MAX (x) from y where x in (1) and exists (select 1)",
    "select 'f(1)'",
    "select 1 -- f(1)",
    "select x /* f(1) */",
  ];
  for (const text of harmless) assert.equal(callsFunctions(text), false, text);
  for (
    const text of [
      "select f(1)",
      "select nextval ('s')",
      'select "f"(1)',
      "select lower(g(1))",
      "select lo_x$1(1)",
    ]
  ) {
    assert.equal(callsFunctions(text), true, text);
  }
});

Deno.test("placeholders are numbered but those in texts, names and comments", () => {
  assert.equal(
    numberedPlaceholders(`select ?, '?', "?", 'it''s ?' -- ?\n, /* ? */ ? where x = ?`),
    `select $1, '?', "?", 'it''s ?' -- ?\n, /* ? */ $2 where x = $3`,
  );
  assert.equal(numberedPlaceholders("select 1"), "select 1");
});
