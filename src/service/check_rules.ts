/**
 * Checks at start what restrictions, checks of input, derived types and names of types the model declares, so that a
 * mistake does not wait for the first request.
 *
 * @module
 */

import { assertTypeNames } from "../model/assert_type_names.ts";
import { typeHierarchy } from "../model/derived_types.ts";
import type { LinkedEntity, LinkedModel, LinkedOperation, LinkedService } from "../model/linked.ts";
import { Problems } from "../model/problems.ts";
import { throughOf } from "../model/through.ts";
import { checkConditions } from "./authorization/check_conditions.ts";
import { stepName } from "./authorization/restrict_path.ts";
import { restrictionsOf } from "./authorization/restrictions.ts";
import { assertionsOfElement, rulesOf, targetRulesOf } from "./validation/element_rules.ts";

/**
 * Compiles the restrictions and the checks of input of all services that are not external.
 *
 * @param model the linked model
 * @throws ConfigurationError with the place of the first that cannot be understood, naming the others
 */
export function checkRules(model: LinkedModel): void {
  const problems = new Problems();
  for (const service of model.services) {
    if (!service["@cds.external"]) checkService({ model, problems }, service);
  }
  problems.throwIfAny();
}

interface Check {
  readonly model: LinkedModel;
  readonly problems: Problems;
}

function checkService({ model, problems }: Check, service: LinkedService): void {
  problems.attempt(() => checkConditions(service, undefined));
  for (const operation of service.operations) problems.attempt(() => checkOperation(operation));
  for (const event of service.events) problems.attempt(() => restrictionsOf(event));
  for (const entity of service.entities) {
    problems.attempt(() => checkConditions(entity, entity, restrictedSource(model, entity)));
    problems.attempt(() => checkEntity(entity));
    for (const operation of entity.actions) problems.attempt(() => checkOperation(operation));
  }
  problems.attempt(() => assertTypeNames(service));
}

function checkEntity(entity: LinkedEntity): void {
  rulesOf(entity);
  targetRulesOf(entity);
  typeHierarchy(entity);
  for (const association of entity.associations) throughOf(association);
}

/** The source that a projection has its restrictions from. */
function restrictedSource(model: LinkedModel, entity: LinkedEntity): LinkedEntity | undefined {
  const from = entity.$select?.from;
  const source = from && "ref" in from && from.ref.length === 1
    ? model.entity(stepName(from.ref[0]))
    : undefined;
  const text = (one: LinkedEntity) => JSON.stringify(one["@restrict"]);
  return source && text(source) === text(entity) ? source : undefined;
}

function checkOperation(operation: LinkedOperation): void {
  checkConditions(operation, operation.$entity);
  for (const param of operation.params) assertionsOfElement(param);
}
