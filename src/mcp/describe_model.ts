/**
 * What a service offers, for those who call its tools: entities that the caller may read, and operations.
 *
 * @module
 */

import { edmName } from "../model/edm_types.ts";
import type { LinkedElement, LinkedEntity, LinkedOperation, LinkedService } from "../model/linked.ts";
import { annotationText } from "../model/schema/json_schema.ts";
import { type Arguments, readableEntities, unknownName } from "./tools.ts";
import { unqualified } from "../util/unqualified.ts";

/**
 * Describes a service, or one of its entities.
 *
 * @param service the service
 * @param args `entity` for one only
 * @param mayRead whether the caller may read an entity
 */
export function describeModel(
  service: LinkedService,
  args: Arguments,
  mayRead: (entity: LinkedEntity) => boolean,
): object {
  const visible = readableEntities(service).filter(mayRead);
  const { entity, ...others } = args;
  for (const name of Object.keys(others)) throw unknownName("argument", name, ["entity"]);
  if (entity !== undefined) {
    const found = visible.find((one) => edmName(one) === entity);
    if (!found) throw unknownName("entity", entity, visible.map(edmName));
    return describeEntity(found, visible);
  }
  return {
    service: service.name,
    ...annotationText(service),
    entities: visible.map((one) => describeEntity(one, visible)),
    operations: [...service.operations].filter(isVisible).map(describeOperation),
  };
}

function isVisible(item: LinkedElement | LinkedOperation): boolean {
  return item["@cds.api.ignore"] !== true;
}

function describeEntity(entity: LinkedEntity, visible: readonly LinkedEntity[]): object {
  const flats = [...entity.$flat.values()].filter(({ annotated, element }) =>
    isVisible(annotated) && isVisible(element)
  );
  const associations = [...entity.associations].filter((one) =>
    isVisible(one) && one.$target !== undefined && visible.includes(one.$target)
  );
  return {
    name: edmName(entity),
    ...annotationText(entity),
    key: flats.filter(({ key }) => key).map(({ name }) => name),
    elements: flats.map(({ name, element, annotated }) => ({
      name,
      type: typeOf(element),
      ...annotationText(annotated),
      ...(element.$type.enum
        ? { values: Object.entries(element.$type.enum).map(([symbol, { val }]) => val ?? symbol) }
        : {}),
    })),
    associations: associations.map((one) => ({
      name: one.name,
      target: edmName(one.$target!), // filtered
      many: one.is2many,
      ...annotationText(one),
    })),
    operations: [...entity.actions].filter(isVisible).map(describeOperation),
  };
}

function typeOf({ $type: { builtin, items } }: LinkedElement): string {
  return items ? "Collection" : (builtin ?? "structure").replace(/^cds\./, "");
}

function describeOperation(operation: LinkedOperation): object {
  return {
    name: unqualified(operation.name),
    kind: operation.kind,
    ...annotationText(operation),
    parameters: [...operation.params].map((param) => ({
      name: param.name,
      type: typeOf(param),
      ...annotationText(param),
    })),
  };
}
