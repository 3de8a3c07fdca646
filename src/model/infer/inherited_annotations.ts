/**
 * Which annotations of an entity its projections inherit (csn-cqn 11).
 *
 * @module
 */

/**
 * They describe the one definition they are written at: its table, its place in a service, its own paths. Restrictions
 * name elements of the entity they are written at; that they hold for views is decided when these are read.
 */
const OWN: ReadonlySet<string> = new Set([
  "@requires",
  "@restrict",
  "@cds.autoexposed",
  "@cds.redirection.target",
  "@cds.persistence.exists",
  "@cds.persistence.name",
  "@cds.persistence.table",
  "@cds.persistence.udf",
  "@cds.persistence.calcview",
  "@fiori.draft.enabled",
  "@odata.singleton",
]);

/**
 * Tells whether a projection inherits an annotation of its source.
 *
 * @param key the annotation
 * @param value its value
 */
export function isInheritedByViews(key: string, value: unknown): boolean {
  if (key === "@cds.persistence.skip") return value === "if-unused";
  return !OWN.has(key) && !key.startsWith("@sql.");
}
