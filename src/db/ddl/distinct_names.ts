/**
 * Names of tables and views that databases could not tell apart.
 *
 * @module
 */

import { placeOf } from "../../model/problems.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { sqlName } from "../sql_name.ts";

/**
 * Makes sure that every entity has a name of its own in the database. Databases ignore letter case, and `.` becomes `_`:
 * `bench.Books` and `Bench.Books` collide, as do `a.b.C` and `a.b_C`. Names are never changed to avoid that, because
 * SQL text of handlers and tools relies on them.
 *
 * @param entities those with a table or view
 * @throws ConfigurationError naming both definitions
 */
export function assertDistinctNames(entities: Iterable<LinkedEntity>): void {
  const known = new Map<string, LinkedEntity>();
  for (const entity of entities) {
    const name = sqlName(entity).toLowerCase();
    const other = known.get(name);
    if (other) {
      throw new ConfigurationError(
        `"${other.name}" and "${entity.name}" would have the same name in the database, where letter case does not ` +
          `count: "${sqlName(other)}" and "${sqlName(entity)}"; rename one of them`,
        placeOf(entity),
      );
    }
    known.set(name, entity);
  }
}
