/**
 * Claims of queued work by queries, for engines whose `forUpdate` keeps all other writers waiting (`messaging` 6.3).
 *
 * @module
 */

import type { Expression, OrderTerm, Row, SelectBody, SelectQuery, Xo } from "../../cqn/cqn.ts";
import type { ClaimRequest, DatabaseTransaction } from "../../service/database.ts";

/**
 * Leases rows to a worker.
 *
 * @param tx a transaction; the caller commits it before the work begins
 * @param request whose work, and for how long
 * @returns the leased rows, in order
 */
export async function claimRows(tx: DatabaseTransaction, request: ClaimRequest): Promise<readonly Row[]> {
  const { entity, target, application, now, owner, lockedUntil, done = [] } = request;
  if (done.length > 0) await tx.run({ DELETE: { from: entity, where: IS_OWN } }, { ids: done, owner });
  const rows = await tx.run(freeRows(request), { target, application, now }) as Row[];
  if (rows.length === 0) return [];
  const leased = { UPDATE: { entity, data: { lockedBy: owner, lockedUntil }, where: IS_ONE_OF } };
  await tx.run(leased, { ids: rows.map(({ ID }) => ID as string) });
  return rows.map((row) => ({ ...row, lockedBy: owner, lockedUntil }));
}

/** Templates like the others: engines compile frozen conditions once. */
const IS_OWN: readonly Xo[] = Object.freeze([
  ...[{ ref: ["ID"] }, "in", { ref: ["ids"], param: true }] as const,
  ...["and", { ref: ["lockedBy"] }, "=", { ref: ["owner"], param: true }] as const,
]);
const IS_ONE_OF: readonly Xo[] = Object.freeze([
  { ref: ["ID"] },
  "in",
  { ref: ["ids"], param: true as const },
]);

/** The order of the index `claimed`: PostgreSQL does not know that `status`, which is null, orders nothing. */
const ORDER: readonly OrderTerm[] = [{ ref: ["status"], nulls: "last" }, { ref: ["seq"] }];

/** Templates, so that engines compile them once. */
const TEMPLATES: Map<string, Map<number, SelectQuery>> = new Map();

function freeRows({ entity, limit }: ClaimRequest): SelectQuery {
  let templates = TEMPLATES.get(entity);
  if (templates === undefined) TEMPLATES.set(entity, templates = new Map());
  let template = templates.get(limit);
  if (template === undefined) {
    const SELECT = {
      from: { ref: [entity] },
      where: isFree(entity),
      orderBy: ORDER,
      limit: { rows: { val: limit } },
      forUpdate: {},
    };
    templates.set(limit, template = Object.freeze({ SELECT }));
  }
  return template;
}

const NOW: Expression = { ref: ["now"], param: true };
const LAST_TIME = "9999-12-31T23:59:59.000Z";
const PARTITION: Expression = { ref: ["partition"] };

/*
 * Each part of the query leaves engines one index to read by, whatever they know or believe about the number of rows: what
 * stands in `coalesce` is compared without one.
 */

/** Free rows are read in the order of the claim, by the index `claimed`. */
function isFree(entity: string): Xo[] {
  const isOver = (element: string): Xo[] => [
    { func: "coalesce", args: [{ ref: [element] }, NOW] },
    ...["<=", NOW] as const,
  ];
  const notBlocked = (
    element: "due" | "lockedUntil",
  ): Xo[] => [PARTITION, "not", "in", blocked(entity, element)];
  return [
    // what has a number, and has it alone, needs no further order
    ...[{ ref: ["seq"] }, "is", "not", "null"] as const,
    ...["and", { ref: ["target"] }, "=", { ref: ["target"], param: true }] as const,
    ...["and", { ref: ["appid"] }, "=", { ref: ["application"], param: true }] as const,
    ...["and", { ref: ["status"] }, "is", "null"] as const,
    ...["and", ...isOver("due"), "and", ...isOver("lockedUntil"), "and"] as const,
    {
      xpr: [PARTITION, "=", { val: 0 }, "or", {
        xpr: [...notBlocked("due"), "and", ...notBlocked("lockedUntil")],
      }],
    },
  ];
}

/** Partitions of which a row waits for its next attempt, or is leased, by the indexes `delayed` and `locked`. */
function blocked(entity: string, element: "due" | "lockedUntil"): { readonly SELECT: SelectBody } {
  const is = (element: string, value: Expression): Xo[] => [
    { func: "coalesce", args: [{ ref: [element] }, { val: "" }] },
    ...["=", value] as const,
  ];
  const where: Xo[] = [
    // a range of two ends counts as small
    ...[{ ref: [element] }, ">", NOW, "and", { ref: [element] }, "<", { val: LAST_TIME }] as const,
    ...["and", PARTITION, "<>", { val: 0 }] as const,
    ...["and", ...is("target", { ref: ["target"], param: true })] as const,
    ...["and", ...is("appid", { ref: ["application"], param: true })] as const,
    ...["and", ...is("status", { val: "" })] as const,
  ];
  return { SELECT: { from: { ref: [entity] }, columns: [PARTITION], where } };
}
