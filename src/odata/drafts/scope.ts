/**
 * What the steps of the draft protocol share.
 *
 * @module
 */

import type { LinkedModel } from "../../model/linked.ts";
import type { DraftSettings } from "../../service/drafts/draft_settings.ts";
import type { Plan } from "../plan/plan.ts";
import type { RowKind } from "./row_kinds.ts";

/** What requests to a service with drafts share. */
export interface DraftScope {
  /** The model of rows. */
  readonly model: LinkedModel;
  readonly settings: DraftSettings;
  /** The plan on rows: active instances, or drafts of the caller; `hides` are shown only where they are selected. */
  rowPlan(plan: Plan, kind?: RowKind, hides?: readonly string[]): Plan;
  /** The kinds of rows that an `$apply` reads. */
  appliedKinds(plan: Plan): ReadonlySet<RowKind>;
  /** The kind of row that a path starts with. */
  kindOf(plan: Plan): RowKind | undefined;
}
