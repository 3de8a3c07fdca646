/**
 * Names of what drafts add to a model.
 *
 * @module
 */

/** The entity with the administrative data of all drafts. */
export const DRAFT_ADMINISTRATIVE_DATA = "DRAFT.DraftAdministrativeData";

/** The association from an entity with drafts to its draft; clients do not see it. */
export const DRAFT_ROW = "DraftRow_";

/** The element of the administrative data with the active instance as it was when the draft was made, as JSON. */
export const DRAFT_BASE = "DraftBase";

/** Members that clients see at entities with drafts, and that their rows do not have. */
export const DRAFT_MEMBERS: ReadonlySet<string> = new Set([
  "IsActiveEntity",
  "HasActiveEntity",
  "HasDraftEntity",
  "DraftAdministrativeData",
  "SiblingEntity",
  "DraftMessages",
]);

/** The name of the draft entity of an entity. */
export function draftsOf(name: string): string {
  return `${name}.drafts`;
}
