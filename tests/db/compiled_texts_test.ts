/**
 * Queries as SQL: for each query of CQL the texts of the dialects, and where the values come from. The cases stand in
 * `cases/queries.json`, with the text of D1 where it is not that of SQLite. What they give on databases is what other tests
 * ask; here each text of SQLite is prepared by SQLite.
 */

import assert from "node:assert/strict";
import { parseCqlQuery } from "../../src/cqn/parse_cql.ts";
import type { SelectQuery, SetQuery } from "../../src/cqn/cqn.ts";
import { D1_DIALECT } from "../../src/db/d1/d1_dialect.ts";
import { renderDdl } from "../../src/db/ddl/render_ddl.ts";
import { type CompiledSelect, compileSelect } from "../../src/db/read/compile_select.ts";
import type { Binding } from "../../src/db/render/binding.ts";
import type { Dialect } from "../../src/db/render/dialect.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { SqliteConnection } from "../../src/db/sqlite/connection.ts";
import CASES from "./cases/queries.json" with { type: "json" };
import { testModel } from "./fixture.ts";

interface Case {
  readonly cql: string;
  /** `localized`: texts of the locale; `payload`: rows as JSON of answers. */
  readonly form?: string;
  readonly sqlite: string;
  readonly postgres: string;
  readonly d1?: string;
  /** Of SQLite: literals, `:parameter`, `$variable`, `[…]` for lists. */
  readonly values: readonly unknown[];
}

const MODEL = testModel();

function compiled({ cql, form = "" }: Pick<Case, "cql" | "form">, dialect: Dialect): CompiledSelect {
  return compileSelect(parseCqlQuery(cql) as SelectQuery | SetQuery, {
    ...{ dialect, model: MODEL, computedLength: 1000, isWatched: dialect === SQLITE },
    localized: form.includes("localized"),
    payload: form.includes("payload"),
  });
}

function valueText(binding: Binding): unknown {
  const one = binding.kind === "value"
    ? typeof binding.value === "bigint" ? `${binding.value}n` : binding.value
    : binding.kind === "param"
    ? `:${binding.name}`
    : binding.kind === "variable"
    ? binding.path.join(".")
    : binding.items.map(valueText);
  const form = binding.form && `${binding.form.name} ${binding.form.type}`;
  const parts = [
    one,
    ...binding.list ? ["list"] : [],
    ...binding.count ? ["count"] : [],
    ...form ? [form] : [],
  ];
  return parts.length === 1 ? one : parts;
}

Deno.test("queries of CQL have their texts in each dialect, which SQLite understands", () => {
  const db = new SqliteConnection({ file: ":memory:", timeoutMs: 1000 });
  try {
    for (const statement of renderDdl(MODEL)) db.change({ sql: statement }, []);
    for (const one of CASES as readonly Case[]) {
      const { sql, bindings } = compiled(one, SQLITE);
      const what = `${one.cql} ${one.form ?? ""}`;
      assert.equal(sql, one.sqlite, what);
      assert.deepEqual(JSON.parse(JSON.stringify(bindings.map(valueText))), one.values, what);
      assert.equal(compiled(one, POSTGRES).sql, one.postgres, what);
      assert.equal(compiled(one, D1_DIALECT).sql, one.d1 ?? one.sqlite, what);
      db.all(`EXPLAIN ${sql}`, bindings.map(() => null));
    }
  } finally {
    db.close();
  }
});
