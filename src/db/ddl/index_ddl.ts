/**
 * Indexes of tables: `@fw.index.<name>: [elements]`.
 *
 * @module
 */

import type { LinkedModel } from "../../model/linked.ts";
import { quote } from "../render/render_query.ts";
import { sqlName } from "../sql_name.ts";
import { viewQuery } from "../view_query.ts";
import { persistentEntities } from "./render_ddl.ts";
import { annotatedColumns } from "./table_ddl.ts";

/** An index. */
export interface IndexDdl {
  readonly name: string;
  readonly sql: string;
}

/**
 * The statements that create the indexes of a model where they are missing.
 *
 * @param model the linked model, whose tables exist
 */
export function indexStatements(model: LinkedModel): readonly IndexDdl[] {
  return persistentEntities(model).filter((entity) => viewQuery(entity) === undefined).flatMap((entity) =>
    annotatedColumns(entity, "@fw.index.").map(({ name, columns }) => {
      const index = `${sqlName(entity)}_${name}`;
      const on = `${quote(sqlName(entity))} (${columns.map(quote).join(", ")})`;
      return { name: index, sql: `CREATE INDEX IF NOT EXISTS ${quote(index)} ON ${on}` };
    })
  );
}
