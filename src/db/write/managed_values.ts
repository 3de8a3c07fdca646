/**
 * Values that the database adds: UUID keys, `@cds.on.insert`, `@cds.on.update`, defaults. Most are there already; those of
 * rows that turn out to be new, and of elements that a projection hides, are not.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Row } from "../../cqn/cqn.ts";
import type { FlatElement } from "../../model/linked.ts";
import { type Supplier, suppliersOf, type WriteEvent } from "../../service/validation/fill_managed.ts";
import type { WriteTarget } from "./write_target.ts";

/**
 * Adds what an insert or update generates to the values of a row.
 *
 * @param target entity and table
 * @param values flat values, which are completed
 * @param options what happens to the row; the context gives user and time
 */
export function addGenerated(
  target: WriteTarget,
  values: Row,
  { event, context }: { readonly event: WriteEvent; readonly context: EventContext },
): void {
  for (const { flat, value } of suppliersOf(target.entity, event)) {
    if (values[flat.name] !== undefined || !target.columns.has(flat.name)) continue;
    const generated = value(context);
    if (generated !== undefined) values[flat.name] = generated;
  }
}

/**
 * What `addGenerated` adds to new rows.
 *
 * @param target entity and table
 * @param names the members that rows have
 */
export function missingSuppliers(
  { entity, columns }: WriteTarget,
  names: readonly string[],
): readonly Supplier[] {
  return suppliersOf(entity, "insert").filter(({ flat: { name } }) =>
    columns.has(name) && !names.includes(name)
  );
}

const hidden: Readonly<Record<WriteEvent, WeakMap<WriteTarget, readonly Supplier[]>>> = {
  insert: new WeakMap(),
  update: new WeakMap(),
};

/**
 * Generated values of columns that the addressed entity does not show.
 *
 * @param target entity and table
 * @param event what happens to the row
 */
export function hiddenSuppliers(target: WriteTarget, event: WriteEvent): readonly Supplier[] {
  if (target.entity === target.base) return [];
  let suppliers = hidden[event].get(target);
  if (suppliers === undefined) {
    const shown = new Set([...target.columns.values()].map((column: FlatElement) => column.name));
    suppliers = suppliersOf(target.base, event).filter(({ flat }) => !shown.has(flat.name));
    hidden[event].set(target, suppliers);
  }
  return suppliers;
}
