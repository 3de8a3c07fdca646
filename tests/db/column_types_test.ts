/** The types that columns have in databases, and what later deployments know of them. */

import assert from "node:assert/strict";
import { modelledSchema } from "../../src/db/ddl/render_ddl.ts";
import type { TypeShape } from "../../src/db/ddl/schema_shape.ts";
import { POSTGRES } from "../../src/db/render/postgres_dialect.ts";
import { SQLITE } from "../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const C = ' COLLATE "C"';
const facets = (builtin: string, more: Partial<TypeShape> = {}): TypeShape => ({ builtin, ...more });

/** Types of elements with those of columns of SQLite and PostgreSQL, and what is known of them. */
const TYPES: Readonly<Record<string, readonly [sqlite: string, postgres: string, shape: TypeShape]>> = {
  "Decimal": ["DECIMAL", "DECIMAL", facets("cds.Decimal")],
  "Decimal(5)": ["DECIMAL(5)", "DECIMAL", facets("cds.Decimal", { precision: 5 })],
  "Decimal(5, 2)": ["DECIMAL(5,2)", "DECIMAL(5,2)", facets("cds.Decimal", { precision: 5, scale: 2 })],
  "Decimal(5, 0)": ["DECIMAL(5,0)", "DECIMAL(5,0)", facets("cds.Decimal", { precision: 5, scale: 0 })],
  "Decimal(5, floating)": [
    ...["DECIMAL(5)", "DECIMAL", facets("cds.Decimal", { precision: 5, scale: "floating" })] as const,
  ],
  "DecimalFloat": ["DECIMAL", "DECIMAL", facets("cds.DecimalFloat")],
  "String": ["NVARCHAR(255)", `VARCHAR(255)${C}`, facets("cds.String")],
  "String(7)": ["NVARCHAR(7)", `VARCHAR(7)${C}`, facets("cds.String", { length: 7 })],
  "LargeString": ["NCLOB", `TEXT${C}`, facets("cds.LargeString")],
  "UUID": ["NVARCHAR(36)", `VARCHAR(36)${C}`, facets("cds.UUID")],
  "Binary": ["BINARY_BLOB(255)", "BYTEA", facets("cds.Binary")],
  "Binary(9)": ["BINARY_BLOB(9)", "BYTEA", facets("cds.Binary", { length: 9 })],
  "LargeBinary": ["BLOB", "BYTEA", facets("cds.LargeBinary")],
  "array of String": ["NCLOB", `TEXT${C}`, {}],
  "Map": ["JSON_TEXT", "JSONB", facets("cds.Map")],
  "Boolean": ["BOOLEAN", "BOOLEAN", facets("cds.Boolean")],
  "UInt8": ["TINYINT", "INT", facets("cds.UInt8")],
  "Int16": ["SMALLINT", "SMALLINT", facets("cds.Int16")],
  "Int32": ["INT", "INT", facets("cds.Int32")],
  "Integer": ["INT", "INT", facets("cds.Integer")],
  "Int64": ["BIGINT", "BIGINT", facets("cds.Int64")],
  "Double": ["DOUBLE", "FLOAT8", facets("cds.Double")],
  "Date": ["DATE_TEXT", "DATE", facets("cds.Date")],
  "Time": ["TIME_TEXT", "TIME", facets("cds.Time")],
  "DateTime": ["DATETIME_TEXT", "TIMESTAMP", facets("cds.DateTime")],
  "Timestamp": ["TIMESTAMP_TEXT", "TIMESTAMP", facets("cds.Timestamp")],
  "hana.ST_POINT": ["NVARCHAR(255)", `VARCHAR(255)${C}`, facets("cds.hana.ST_POINT")],
};

Deno.test("columns have the types of their dialect, and deployments know length, precision and scale of the model", () => {
  const elements = Object.keys(TYPES).map((type, at) => `e${at} : ${type};`).join(" ");
  const model = linkModel(parseCdl(`entity E { key ID : Integer; ${elements} }`));
  for (const [at, dialect] of [SQLITE, POSTGRES].entries()) {
    const { tables: [table] } = modelledSchema(model, { dialect, foreignKeys: false });
    for (const [index, [type, expected]] of Object.entries(TYPES).entries()) {
      const column = table!.shape.columns.find(({ name }) => name === `e${index}`)!;
      assert.equal(column.sql, expected[at], `${type} of ${dialect.name}`);
      assert.deepEqual(column.type, expected[2], type);
    }
  }
});
