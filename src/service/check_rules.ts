/**
 * Checks at start what restrictions, checks of input and derived types the model declares, so that a mistake does not wait for the
 * first request.
 *
 * @module
 */

import { typeHierarchy } from "../model/derived_types.ts";
import type { LinkedModel, LinkedOperation, LinkedService } from "../model/linked.ts";
import { throughOf } from "../model/through.ts";
import { checkConditions } from "./authorization/check_conditions.ts";
import { restrictionsOf } from "./authorization/restrictions.ts";
import { assertionsOfElement, rulesOf, targetRulesOf } from "./validation/element_rules.ts";

/**
 * Compiles the restrictions and the checks of input of all services that are not external.
 *
 * @param model the linked model
 * @throws ConfigurationError with the place, for the first that cannot be understood
 */
export function checkRules(model: LinkedModel): void {
  for (const service of model.services) if (!service["@cds.external"]) checkService(service);
}

function checkService(service: LinkedService): void {
  checkConditions(service, undefined);
  for (const operation of service.operations) checkOperation(operation);
  for (const event of service.events) restrictionsOf(event);
  for (const entity of service.entities) {
    checkConditions(entity, entity);
    rulesOf(entity);
    targetRulesOf(entity);
    typeHierarchy(entity);
    for (const association of entity.associations) throughOf(association);
    for (const operation of entity.actions) checkOperation(operation);
  }
}

function checkOperation(operation: LinkedOperation): void {
  checkConditions(operation, operation.$entity);
  for (const param of operation.params) assertionsOfElement(param);
}
