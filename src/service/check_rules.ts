import { csnOf } from "../model/link_model.ts";
import { typeHierarchy } from "../model/derived_types.ts";
import { flowOf } from "../model/flows/flow.ts";
import type {
  LinkedDefinition,
  LinkedEntity,
  LinkedModel,
  LinkedOperation,
  LinkedService,
} from "../model/linked.ts";
import { placeOf, Problems } from "../model/problems.ts";
import { throughOf } from "../model/links.ts";
import { assertValidity } from "../model/valid_slice.ts";
import { checkAnnotationNames } from "./authorization/check_annotation_names.ts";
import { assertAboutPayload } from "./authorization/event_access.ts";
import { ownRestrictions } from "./authorization/restrictions.ts";
import { checkRestrictions, type PassOver } from "./authorization/check_restrictions.ts";
import { constraintsOf } from "./rules/constraints.ts";
import { assertionsOfElement, rulesOf, targetRulesOf } from "./validation/element_rules.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { edmTypeName } from "../model/edm_types.ts";
import { exposedEntities } from "../model/service_document.ts";

/** What takes mistakes that do not stop a start. */
export interface PassedOver {
  /** Takes privileges that grant nothing, as they cannot be understood. */
  readonly privilege: PassOver;
  /** Takes misspelt names of checks of input, which check nothing. */
  readonly check: PassOver;
}

/**
 * Compiles the restrictions of everything that is not external, and the checks of input of all services.
 *
 * @param model the linked model
 * @param passed takes what would be mistakes otherwise
 * @throws ConfigurationError with the place of the first that cannot be understood, naming the others
 */
export function checkRules(model: LinkedModel, passed?: PassedOver): void {
  const problems = new Problems();
  const pass = passed?.privilege;
  const csn = csnOf(model);
  const misspelt = { problems, pass: passed?.check, seen: new Map<string, string | undefined>() };
  for (const definition of Object.values(model.definitions)) {
    if (isExternal(model, definition)) continue;
    problems.attempt(() => checkOwnRestrictions(model, definition, pass));
    for (const operation of definition.actions ?? []) problems.attempt(() => checkBound(operation, pass));
    const source = csn.definitions?.[definition.name];
    if (source) checkAnnotationNames(definition.name, source, misspelt);
  }
  for (const service of model.services) {
    if (!service["@cds.external"]) checkService(problems, service);
  }
  problems.throwIfAny();
}

function isExternal(model: LinkedModel, { name, $service }: LinkedDefinition): boolean {
  return ($service ?? model.service(name))?.["@cds.external"] === true;
}

function checkBound(operation: LinkedOperation, pass?: PassOver): void {
  checkRestrictions(operation, { entity: operation.$entity, names: [operation.name], pass });
}

function checkOwnRestrictions(model: LinkedModel, definition: LinkedDefinition, pass?: PassOver): void {
  const isEvent = definition.kind === "event";
  const entity = model.entity(definition.name) ?? (isEvent ? definition : undefined);
  checkRestrictions(definition, { entity, names: namesAt(model, definition), pass });
  if (isEvent) checkEvent(definition);
}

function checkEvent(event: LinkedDefinition): void {
  for (const { where } of ownRestrictions(event).flat()) if (where) assertAboutPayload(event, where);
}

/** The operations and events that a grant may name: those of the definition and of its service, or of views on it. */
function namesAt(model: LinkedModel, definition: LinkedDefinition): readonly string[] {
  const service = definition.$service ?? model.service(definition.name);
  const own = [...definition.actions ?? []].map(({ name }) => name);
  if (!service) return [...own, ...[...model.entities()].flatMap(boundNames)];
  const members = [...service.operations, ...service.events];
  const bound = definition.kind === "service" ? [...service.entities].flatMap(boundNames) : [];
  return [...own, ...bound, ...members.map(({ name }) => name.slice(service.name.length + 1))];
}

function boundNames({ actions }: LinkedEntity): readonly string[] {
  return [...actions].map(({ name }) => name);
}

function checkService(problems: Problems, service: LinkedService): void {
  for (const operation of service.operations) problems.attempt(() => checkParams(operation));
  for (const entity of service.entities) {
    problems.attempt(() => checkEntity(entity));
    for (const operation of entity.actions) problems.attempt(() => checkParams(operation));
  }
  problems.attempt(() => assertTypeNames(service));
}

function checkEntity(entity: LinkedEntity): void {
  rulesOf(entity);
  targetRulesOf(entity);
  constraintsOf(entity);
  flowOf(entity);
  assertValidity(entity);
  typeHierarchy(entity);
  for (const association of entity.associations) throughOf(association);
}

function checkParams(operation: LinkedOperation): void {
  for (const param of operation.params) assertionsOfElement(param);
}

/**
 * Checks that no two entities of a service have types of the same name: projections get `@odata.typeName` and
 * `@odata.subtypes` from what they show (CSDL 4.01, clause 5).
 *
 * @param service the service
 * @throws {ConfigurationError} with the place of the second one
 */
function assertTypeNames(service: LinkedService): void {
  const taken = new Map<string, LinkedEntity>();
  for (const entity of exposedEntities(service)) {
    const names = typeHierarchy(entity)?.types.keys() ?? [edmTypeName(entity)];
    for (const name of names) {
      const other = taken.get(name);
      if (other) throw sameName(name, entity, other);
      taken.set(name, entity);
    }
  }
}

function sameName(name: string, entity: LinkedEntity, other: LinkedEntity): ConfigurationError {
  return new ConfigurationError(
    `"${entity.name}" has the type name "${name}" of "${other.name}" in the same service, ` +
      `expected an @odata.typeName and @odata.subtypes of its own, or null`,
    placeOf(entity),
  );
}
