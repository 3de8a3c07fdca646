/**
 * Handlers that are for nothing there is.
 *
 * @module
 */

import type { LinkedModel, LinkedService } from "../../model/linked.ts";
import { nearestName } from "../../util/nearest_name.ts";
import type { Handlers } from "./handlers.ts";

/** Events of rows; mistyped ones are told from own events by their capitals. */
const ROW_EVENTS = ["CREATE", "READ", "UPDATE", "DELETE", "UPSERT"];

/** Events of transactions and of drafts. */
const OTHER_EVENTS = ["BEGIN", "COMMIT", "ROLLBACK", "NEW", "EDIT", "CANCEL", "DISCARD", "ACTIVATE"];

/**
 * Tells of handlers that never run: those for entities that the model does not have, and for events whose names are
 * almost those of others. Events that are declared nowhere are possible.
 *
 * @param service the service they are registered on, and its handlers
 * @param model what there is with all feature toggles
 * @returns one remark for each
 */
export function unmatchedHandlers(
  { definition, handlers }: { readonly definition: LinkedService; readonly handlers: Handlers },
  model: LinkedModel,
): string[] {
  const known = knownEvents(definition);
  const remarks = new Set<string>();
  for (const { phase, entry } of handlers.all()) {
    const events = entry.events === "*" ? ["*"] : [...entry.events];
    const what = `The handler ${phase} ${events.join(", ")}`;
    for (const path of entry.paths === "*" ? [] : entry.paths) {
      const [entity] = path.split("/");
      if (model.entity(entity)) {
        if (entity.startsWith(`${definition.name}.`)) continue;
        const own = `${definition.name}.${entity.slice(entity.lastIndexOf(".") + 1)}`;
        const hint = didYouMean(model.entity(own) ? own : undefined);
        remarks.add(`${what} of "${path}" never runs: the entity is not one of the service${hint}`);
        continue;
      }
      const near = nearestName(entity, [...definition.entities].map(({ name }) => name));
      remarks.add(`${what} of "${path}" never runs: there is no entity "${entity}"${didYouMean(near)}`);
    }
    for (const event of events.filter((event) => event !== "*" && !known.has(event))) {
      const isOfRows = event === event.toUpperCase() || ROW_EVENTS.includes(event.toUpperCase());
      const near = nearestName(
        event,
        isOfRows ? ROW_EVENTS : [...known].filter((name) => !ROW_EVENTS.includes(name)),
      );
      if (near) remarks.add(`${what} runs for an event that is not declared${didYouMean(near)}`);
    }
  }
  return [...remarks];
}

/**
 * What is missing where no handler runs for an event.
 *
 * @param definition of the service, where it has one
 * @param event the event
 * @returns the end of a sentence, maybe empty
 */
export function eventHint(definition: LinkedService | undefined, event: string): string {
  if (definition === undefined || ROW_EVENTS.includes(event) || OTHER_EVENTS.includes(event)) return "";
  if (knownEvents(definition).has(event)) return `: expected this.on("${event}", …) in its implementation`;
  return didYouMean(nearestName(event, knownEvents(definition)));
}

/** A service that emits. */
interface EmittingService {
  readonly definition: LinkedService | undefined;
  readonly handlers: Handlers;
  readonly log: { warn(text: string): void };
}

/** Names are made by programs, too: those behind the first ones are not asked about. */
const MOST_ASKED = 100;

/** Names that were asked about, by services. */
const asked = new WeakMap<LinkedService, Set<string>>();

/**
 * Warns once of an event whose name is almost that of one of the service, and which no handler of the service is for.
 *
 * @param service emits it
 * @param event its name
 */
export function warnOfUnknownEvent(
  { definition, handlers, log }: EmittingService,
  event: string,
): void {
  if (definition === undefined || Object.hasOwn(definition.events, event)) return;
  const names = asked.get(definition) ?? new Set();
  if (names.has(event) || names.size === MOST_ASKED) return;
  asked.set(definition, names.add(event));
  const near = nearestName(event, Object.keys(definition.events));
  if (near === undefined) return;
  for (const { entry } of handlers.all()) {
    if (entry.events !== "*" && [...entry.events].includes(event)) return;
  }
  log.warn(`${definition.name} emits the event "${event}", which is not declared${didYouMean(near)}`);
}

function knownEvents({ entities, operations, events }: LinkedService): ReadonlySet<string> {
  const bound = [...entities].flatMap(({ actions }) => Object.keys(actions));
  return new Set([
    ...ROW_EVENTS,
    ...OTHER_EVENTS,
    ...Object.keys(operations),
    ...Object.keys(events),
    ...bound,
  ]);
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? "" : `; did you mean "${near}"?`;
}
