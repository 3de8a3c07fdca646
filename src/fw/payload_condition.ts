/**
 * Conditions of restrictions of events as functions of payloads: they run as queries on one row in memory, with the rules
 * that conditions of rows have.
 *
 * @module
 */

import type { EventContext } from "../context/event_context.ts";
import type { Row, Xo } from "../cqn/cqn.ts";
import { createMemoryDatabase } from "../db/memory/memory_database.ts";
import type { Logger } from "../log/logger.ts";
import type { CsnElement } from "../model/csn.ts";
import { linkModel } from "../model/link_model.ts";
import type { LinkedDefinition, LinkedElement, LinkedElements } from "../model/linked.ts";
import type { Database } from "../service/database.ts";
import type { PayloadCondition } from "../service/live/live_data.ts";
import { isPlainObject } from "../util/is_plain_object.ts";

const PAYLOAD = "Payload";
/** A name that hardly any payload has, and the value of that key. */
const KEY = "fw__key";

const DATABASES: WeakMap<LinkedDefinition, Database> = new WeakMap();

/**
 * A condition as function of payloads.
 *
 * @param event the event
 * @param where the condition
 * @param log takes failures: what cannot be decided is not permitted
 */
export function payloadCondition(
  event: LinkedDefinition,
  where: readonly Xo[],
  log: Pick<Logger, "warn">,
): PayloadCondition {
  const query = { SELECT: { from: { ref: [PAYLOAD] }, columns: [{ ref: [KEY] }], where } };
  return async (payload, context) => {
    try {
      const database = databaseOf(event);
      const row = { ...(isPlainObject(payload) ? payload : {}), [KEY]: KEY };
      return await isFound(database, { row, query, context });
    } catch (error) {
      log.warn(`The restriction of ${event.name} cannot be decided for a payload:`, error);
      return false;
    }
  };
}

interface Question {
  readonly row: Row;
  readonly query: { readonly SELECT: object };
  readonly context: EventContext;
}

async function isFound(database: Database, { row, query, context }: Question): Promise<boolean> {
  const transaction = database.begin(context);
  try {
    await transaction.run({ INSERT: { into: { ref: [PAYLOAD] }, entries: [row] } });
    const found = await transaction.run(query as Parameters<typeof transaction.run>[0]); // a SELECT
    return Array.isArray(found) && found.length > 0;
  } finally {
    await transaction.rollback();
  }
}

function databaseOf(event: LinkedDefinition): Database {
  let database = DATABASES.get(event);
  if (!database) {
    const elements = { [KEY]: { key: true, type: "cds.String" }, ...columnsOf(event.elements) };
    const model = linkModel({ definitions: { [PAYLOAD]: { kind: "entity", elements } } });
    DATABASES.set(event, database = createMemoryDatabase({ model, options: { kind: "memory" } }));
  }
  return database;
}

/** What conditions can name: lists and associations they cannot. */
function columnsOf(elements: LinkedElements): Readonly<Record<string, CsnElement>> {
  return Object.fromEntries(
    [...elements].filter(({ $target, $type }) => !$target && ($type.builtin ?? $type.elements)).map((
      element,
    ) => [element.name, columnOf(element)]),
  );
}

function columnOf({ $type: { builtin, elements, precision, scale } }: LinkedElement): CsnElement {
  if (elements) return { elements: columnsOf(elements) };
  const digits = typeof scale === "number" ? { precision, scale } : {};
  return { type: builtin!, ...digits } as CsnElement; // those without elements and items have a built-in type
}
