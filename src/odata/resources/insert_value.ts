/**
 * Adding to collections of values (OData Protocol 11.4.9.4).
 *
 * @module
 */

import type { SelectQuery } from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { Answer } from "../answer.ts";
import { type Exchange, finishAnswer, inTransaction } from "../exchange.ts";
import { formatFor } from "../headers/format_for.ts";
import { readMemberBody } from "../payload/request_body.ts";
import type { Plan } from "../plan/plan.ts";
import { propertyAnswer, readRow, versionHeader } from "./property.ts";
import { updateRow } from "./update.ts";

/** Answers POST to a collection of values: adds one at the end, or where `$index` says. */
export async function insertValue(exchange: Exchange, plan: Plan): Promise<Answer> {
  const { name, element } = plan.property!; // of the kind that comes here
  const format = formatFor(exchange, plan.format, ["json"]);
  const value = await readMemberBody(exchange, element);
  const updated = await inTransaction(exchange, async () => {
    const { SELECT } = plan.query as SelectQuery;
    // locked: what others add meanwhile is not lost
    const row = await readRow(exchange, plan, { SELECT: { ...SELECT, forUpdate: true } });
    const values = Array.isArray(row[name]) ? row[name] : [];
    const most = exchange.scope.host.limits.collectionValues;
    if (values.length >= most) {
      throw new ServiceError({ status: 400, message: `A collection holds at most ${most} values` });
    }
    const at = positionIn(values, plan.index);
    return await updateRow(exchange, plan, { row: { [name]: values.toSpliced(at, 0, value) } });
  });
  const minimal = exchange.preferences.return === "minimal";
  if (minimal || updated.row === null) {
    const applied = minimal ? ["return"] : [];
    return finishAnswer(exchange, { status: 204, headers: versionHeader(plan, updated.row), applied });
  }
  const applied = exchange.preferences.return ? ["return"] : [];
  return propertyAnswer(exchange, plan, { row: updated.row, format, applied });
}

/** Negative positions count from the end; -1 adds the last value. */
function positionIn({ length }: readonly unknown[], index = -1): number {
  const at = index < 0 ? length + 1 + index : index;
  if (at >= 0 && at <= length) return at;
  throw new ServiceError({ status: 400, message: `$index is outside of a collection of ${length} values` });
}
