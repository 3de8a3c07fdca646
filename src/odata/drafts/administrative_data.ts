/**
 * The administrative data of drafts: who made, changed and locks them.
 *
 * @module
 */

import type { Column, RefStep, Xo } from "../../cqn/cqn.ts";
import { DRAFT_ROW } from "../../model/drafts/draft_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";

/** The parameter with the id of the caller. */
export const CALLER = "draftsCaller";

/** The parameter with the time since which drafts are locked. */
export const LOCKED_SINCE = "draftsLockedSince";

const NOT_MINE: Xo = { val: false };

const FLAG = { type: "cds.Boolean" } as const;
const ADMINISTRATIVE_NAMES = [
  "DraftUUID",
  "CreationDateTime",
  "CreatedByUser",
  "DraftIsCreatedByMe",
  "LastChangeDateTime",
  "LastChangedByUser",
  "InProcessByUser",
  "DraftIsProcessedByMe",
];

/** The path to the administrative data of a row. */
export function administrativePath(kind: "active" | "draft"): readonly string[] {
  return kind === "draft" ? ["DraftAdministrativeData"] : [DRAFT_ROW, "DraftAdministrativeData"];
}

/** A member of the administrative data. */
export function administrative(path: readonly RefStep[], name: string): Xo {
  const at = (member: string): Xo => ({ ref: [...path, member] });
  const me: Xo = { ref: [CALLER], param: true };
  const isLocked: Xo[] = [at("LastChangeDateTime"), ">", { ref: [LOCKED_SINCE], param: true }];
  const decide = (condition: readonly Xo[], [yes, no]: readonly [Xo, Xo]): Xo => ({
    xpr: [
      "case",
      "when",
      at("DraftUUID"),
      "is",
      "null",
      "then",
      { val: null },
      "when",
      ...condition,
      "then",
      yes,
      "else",
      no,
      "end",
    ],
  });
  switch (name) {
    case "DraftIsCreatedByMe":
      return decide([at("CreatedByUser"), "=", me], [{ val: true }, NOT_MINE]);
    case "DraftIsProcessedByMe":
      return decide([at("InProcessByUser"), "=", me, "and", ...isLocked], [{ val: true }, NOT_MINE]);
    case "InProcessByUser":
      return decide(isLocked, [at("InProcessByUser"), { val: "" }]);
    default:
      return at(name);
  }
}

/** Whether an entity is what clients see of administrative data. */
export function isAdministrative(entity: LinkedEntity): boolean {
  return entity["@odata.contained"] === true && Object.hasOwn(entity.elements, "DraftUUID");
}

/** The columns of administrative data; their key is always there. */
export function administrativeColumns(columns: readonly Column[]): Column[] {
  const names = columns.flatMap((one) =>
    one === "*" ? ADMINISTRATIVE_NAMES : typeof one === "object" && "ref" in one ? [String(one.ref![0])] : []
  );
  const shown = [...new Set(["DraftUUID", ...names])];
  return shown.map((member): Column => {
    const value = administrative([], member) as object;
    return "ref" in value && !("param" in value)
      ? { ref: [member] }
      : { ...value, as: member, cast: /^DraftIs/.test(member) ? FLAG : { type: "cds.String" } } as Column;
  });
}
