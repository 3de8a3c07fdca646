/**
 * Pairs of nodes of a recursive hierarchy as source of a query, where each row has its own start.
 *
 * @module
 */

import type { Expression, Source } from "../../../cqn/cqn.ts";
import { asColumn } from "./state.ts";

/** Where pairs are read. */
export interface PairsPlace {
  /** The name of a pair in the array. */
  readonly item: string;
  /** The name of the source. */
  readonly as: string;
  /** The type of nodes. */
  readonly type: string;
}

/**
 * Pairs of nodes as source: the columns `node` and `below`.
 *
 * @param param the parameter with the pairs
 * @param place names, and the type of nodes
 */
export function pairsSource(param: string, { item, as, type }: PairsPlace): Source {
  const member = (name: string) => {
    const args: Expression[] = [{ ref: [item, "value"] }, { val: name, literal: "name" }];
    return asColumn({ func: "$member", args, cast: { type } } as Expression, name);
  };
  const from = { ref: [{ id: "$rows", rows: { ref: [param], param: true as const } }], as: item };
  return { SELECT: { from, columns: [member("node"), member("below")] }, as };
}
