/**
 * Actions and functions, and their imports (csn-cqn 13).
 *
 * @module
 */

import { edmName, edmOperationName, edmTypeName } from "../edm_name.ts";
import type { LinkedElement, LinkedEntity, LinkedModel, LinkedOperation } from "../linked.ts";
import { isSet, isSingleton } from "../service_document.ts";
import type { CsdlImport, CsdlOperation, CsdlParameter } from "./csdl.ts";
import type { TypeNames } from "./type_names.ts";

/**
 * An operation as action or function of the metadata.
 *
 * @param operation bound or unbound
 * @param names names of types
 */
export function csdlOperation(operation: LinkedOperation, names: TypeNames): CsdlOperation {
  const entity = operation.$entity;
  const qualified = (entity ? `${entity.name}.${operation.name}` : operation.name).replaceAll(".", "_");
  const parameters = [...operation.params].map((param): CsdlParameter => ({
    name: param.name,
    ...names.typeOf(param, `param_${qualified}_${param.name}`),
  }));
  const returns = operation.returns && names.typeOf(operation.returns, `return_${qualified}`);
  const binding = operation.$bindingParameter ?? "in";
  return {
    kind: operation.kind,
    name: edmOperationName(operation),
    bound: entity !== undefined,
    parameters: entity ? [bindingParameter(operation, entity, names), ...parameters] : parameters,
    ...(returns && { returns }),
    ...(entity && returnsEntity(operation.returns, entity.name) && { entitySetPath: binding }),
  };
}

function bindingParameter(operation: LinkedOperation, entity: LinkedEntity, names: TypeNames): CsdlParameter {
  const name = operation.$bindingParameter ?? "in";
  const type = names.qualified(edmTypeName(entity));
  return operation.$collectionBound
    ? { name, type, collection: true, nullable: true }
    : { name, type, nullable: true };
}

/** Only single results count: the instance of the binding parameter itself. */
function returnsEntity(returns: LinkedElement | undefined, name: string): boolean {
  return returns?.type === name || returns?.$type.items?.type === name;
}

/**
 * The import of an unbound operation.
 *
 * @param operation the operation
 * @param names names of types
 * @param model the model
 */
export function csdlImport(operation: LinkedOperation, names: TypeNames, model: LinkedModel): CsdlImport {
  const name = edmOperationName(operation);
  const { returns } = operation;
  const type = returns?.type ?? returns?.$type.items?.type;
  const entity = typeof type === "string" ? model.entity(type) : undefined;
  const inService = entity !== undefined && entity.name.startsWith(names.qualified("")) && isSet(entity) &&
    !isSingleton(entity);
  return {
    kind: operation.kind,
    name,
    operation: names.qualified(name),
    ...(inService && { entitySet: edmName(entity) }),
  };
}

/**
 * The target of annotations of an operation: functions carry the types of their parameters, actions that of what they
 * are bound to (CSDL 4.01, clause 14.2.1).
 *
 * @param operation the operation of the metadata
 * @param names names of types
 */
export function operationTarget(operation: CsdlOperation, names: TypeNames): string {
  const collection = ({ type, collection }: CsdlParameter) => collection ? `Collection(${type})` : type;
  // actions are told apart by what they are bound to
  const bound = operation.bound ? 1 : 0;
  const listed = operation.kind === "function" ? operation.parameters : operation.parameters.slice(0, bound);
  const types = listed.map(collection).join(",");
  return `${names.qualified(operation.name)}(${types})`;
}
