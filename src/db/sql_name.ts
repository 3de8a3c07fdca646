/**
 * Names of entities in the database (csn-cqn 14).
 *
 * @module
 */

/**
 * The name of the table or view of an entity: its full name with `.` replaced by `_`.
 *
 * @param entity the entity, or its full name
 */
export function sqlName(entity: { readonly name: string } | string): string {
  return (typeof entity === "string" ? entity : entity.name).replaceAll(".", "_");
}
