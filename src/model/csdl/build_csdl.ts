/**
 * The metadata of a service from the linked model (csn-cqn 13).
 *
 * @module
 */

import { placeOf } from "../problems.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { declaringType } from "../derived_types.ts";
import { edmName, edmOperationName, edmTypeName } from "../edm_types.ts";
import type { LinkedElement, LinkedEntity, LinkedModel, LinkedOperation, LinkedService } from "../linked.ts";
import { exposedEntities, isSet, isSingleton } from "../service_document.ts";
import { type FlatAnnotations, toAnnotations } from "./annotation_values.ts";
import {
  commonAnnotations,
  elementAnnotations,
  entityAnnotations,
  navigationAnnotations,
  propertyAnnotations,
} from "./common_annotations.ts";
import type { Csdl, CsdlAnnotation, CsdlImport, CsdlOperation, CsdlParameter } from "./csdl.ts";
import { elementOf, entityMembers, entitySet, entityTypes } from "./entity_types.ts";
import { TypeNames } from "./type_names.ts";
import { flowOf, type FlowStatus } from "../flows/flow.ts";
import { isPlainObject } from "../../util/is_plain_object.ts";

/** What a server tells of itself. */
export interface CsdlOffers {
  readonly schema?: ReadonlyMap<string, unknown>;
  readonly container?: ReadonlyMap<string, unknown>;
}

/**
 * Builds the metadata of a service.
 *
 * @param service the service
 * @param model the model it is part of
 * @param offers annotations of schema and container by term, without `@`; what the model says of the container wins
 * @returns the tree that the writers take
 * @throws {ConfigurationError} when types or operations have the same name
 */
export function buildCsdl(
  service: LinkedService,
  model: LinkedModel,
  { schema = new Map(), container = new Map() }: CsdlOffers = {},
): Csdl {
  const names = new TypeNames(service, model);
  const entities = exposedEntities(service);
  const unbound = [...service.operations].filter(isVisible);
  const bound = entities.flatMap((entity) => [...entity.actions].filter(isVisible));
  const types = entities.flatMap((entity) => entityTypes(entity, names));
  for (const definition of Object.values(model.definitions)) {
    if (definition.kind === "type" && definition.$service === service) names.addType(definition.name);
  }
  const operations = [...bound, ...unbound].map((operation) => ({
    operation,
    csdl: csdlOperation(operation, names),
  }));
  assertUniqueNames(
    service,
    [...types, ...names.complexTypes, ...names.enumTypes],
    operations.map(({ csdl }) => csdl),
  );
  const annotations = new AnnotationTargets(service.name);
  annotations.add("EntityContainer", new Map([...container, ...commonAnnotations(service)]));
  for (const entity of entities) annotateEntity(annotations, entity);
  for (const entry of operations) annotateOperation(annotations, entry, names);
  return {
    namespace: service.name,
    sets: entities.map((entity) => entitySet(entity, names)).filter((set) => set !== undefined),
    imports: distinct(unbound.map((operation) => csdlImport(operation, names, model))),
    types: [...types, ...names.complexTypes],
    enums: names.enumTypes,
    operations: operations.map(({ csdl }) => csdl),
    schemaAnnotations: toAnnotations(schema),
    annotations: annotations.entries,
  };
}

/** Overloads have one import. */
function distinct(imports: readonly CsdlImport[]): CsdlImport[] {
  return [...new Map(imports.toReversed().map((item) => [item.name, item])).values()].reverse();
}

/** Types and operations share one namespace; only operations may be overloaded (CSDL 4.01, clause 5). */
function assertUniqueNames(
  service: LinkedService,
  types: readonly { readonly name: string }[],
  operations: readonly CsdlOperation[],
): void {
  const taken = new Set(["EntityContainer"]);
  for (const { name } of types) {
    if (taken.has(name)) throw duplicateName(service, name);
    taken.add(name);
  }
  for (const { name } of operations) if (taken.has(name)) throw duplicateName(service, name);
}

function duplicateName(service: LinkedService, name: string): ConfigurationError {
  return new ConfigurationError(
    `Name "${name}" stands for two things in the metadata of service "${service.name}"`,
    placeOf(service),
  );
}

function isVisible(item: LinkedOperation | LinkedElement): boolean {
  return item["@cds.api.ignore"] !== true;
}

class AnnotationTargets {
  readonly entries: [string, readonly CsdlAnnotation[]][] = [];
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  add(target: string, flat: FlatAnnotations): void {
    this.addQualified(`${this.#namespace}.${target}`, flat);
  }

  addQualified(target: string, flat: FlatAnnotations): void {
    const annotations = toAnnotations(flat);
    if (annotations.length > 0) this.entries.push([target, annotations]);
  }
}

function annotateEntity(targets: AnnotationTargets, entity: LinkedEntity): void {
  const name = edmTypeName(entity);
  const { type, set } = entityAnnotations(entity);
  addTransitionButtons(type, entity);
  targets.add(name, type);
  targets.add(`EntityContainer/${edmName(entity)}`, set);
  for (const member of entityMembers(entity)) {
    const target = `${declaringType(elementOf(member)) ?? name}/${member.name}`;
    if (member.kind === "structure") {
      targets.add(target, elementAnnotations(member.element));
      continue;
    }
    if (member.kind === "navigation") {
      targets.add(target, navigationAnnotations(member.association));
      continue;
    }
    const annotations = propertyAnnotations(member.flat);
    const { annotated, foreignKey4 } = member.flat;
    const exposed = annotated.$target?.$service === entity.$service;
    const valueList = foreignKey4 !== undefined && exposed ? valueListOf(annotated) : undefined;
    const given = [...annotations.keys()].some((key) => key.startsWith("Common.ValueList"));
    if (valueList && !given) annotations.set("Common.ValueList", valueList);
    targets.add(target, annotations);
  }
}

function annotateOperation(
  targets: AnnotationTargets,
  { operation, csdl }: { readonly operation: LinkedOperation; readonly csdl: CsdlOperation },
  names: TypeNames,
): void {
  const target = operationTarget(csdl, names);
  const own = commonAnnotations(operation);
  addTransition(own, operation);
  targets.addQualified(target, own);
  for (const param of operation.params) {
    const annotations = elementAnnotations(param);
    const optional = param.default !== undefined || (operation.kind === "function" && param.notNull !== true);
    if (optional && ![...annotations.keys()].some((key) => key.startsWith("Core.OptionalParameter"))) {
      annotations.set("Core.OptionalParameter", defaultOf(param));
    }
    targets.addQualified(`${target}/${param.name}`, annotations);
  }
}

function defaultOf(param: LinkedElement): Record<string, unknown> {
  const value = param.default && "val" in param.default ? param.default.val : undefined;
  return value === undefined || value === null ? {} : { DefaultValue: String(value) };
}

/**
 * An operation as action or function of the metadata.
 *
 * @param operation bound or unbound
 * @param names names of types
 */
function csdlOperation(operation: LinkedOperation, names: TypeNames): CsdlOperation {
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

/** Whether what is returned, one or several, is of the entity that the operation is bound to. */
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
function csdlImport(operation: LinkedOperation, names: TypeNames, model: LinkedModel): CsdlImport {
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
function operationTarget(operation: CsdlOperation, names: TypeNames): string {
  const collection = ({ type, collection }: CsdlParameter) => collection ? `Collection(${type})` : type;
  // actions are told apart by what they are bound to
  const bound = operation.bound ? 1 : 0;
  const listed = operation.kind === "function" ? operation.parameters : operation.parameters.slice(0, bound);
  const types = listed.map(collection).join(",");
  return `${names.qualified(operation.name)}(${types})`;
}

type Annotations = Map<string, unknown>;

/**
 * Adds to the annotations of a bound action what its flow says; what the model says itself wins.
 *
 * @param annotations the annotations of the action
 * @param operation the action
 */
function addTransition(annotations: Annotations, operation: LinkedOperation): void {
  const flow = operation.$entity && flowOf(operation.$entity);
  const transition = flow?.transitions.get(operation.name);
  if (!flow || !transition) return;
  const status = ["in", flow.status.name];
  const { from, to } = transition;
  const isGiven = (term: string) => [...annotations.keys()].some((key) => key.startsWith(term));
  if (to !== undefined && !isGiven("Common.SideEffects")) {
    annotations.set("Common.SideEffects.TargetProperties", [status.join("/")]);
  }
  if (from && !isGiven("Core.OperationAvailable")) {
    annotations.set("Core.OperationAvailable", { "=": "", xpr: isOneOf(status, from) });
  }
}

function isOneOf(ref: readonly string[], statuses: readonly FlowStatus[]): readonly unknown[] {
  return statuses.flatMap(({ value }, index) => [
    ...(index > 0 ? ["or"] : []),
    { ref },
    "=",
    { val: value },
  ]);
}

/**
 * Adds to the annotations of an entity the buttons of its transitions, where the model arranges none.
 *
 * @param annotations the annotations of the type
 * @param entity the entity
 */
function addTransitionButtons(annotations: Annotations, entity: LinkedEntity): void {
  const moving = [...flowOf(entity)?.transitions.values() ?? []].filter(({ to }) => to !== undefined);
  if (moving.length === 0) return;
  const buttons = moving.map(({ action }) => ({
    $Type: "UI.DataFieldForAction",
    Action: `${entity.$service?.name}.${action.name}`,
    Label: action["@Common.Label"] ?? action["@title"] ?? action.name,
  }));
  for (const term of ["UI.Identification", "UI.LineItem"]) {
    if (![...annotations.keys()].some((key) => key.startsWith(term))) annotations.set(term, buttons);
  }
}

/**
 * The value list of an association to one code list entry.
 *
 * @param association the association; its target is in the service
 * @returns the value of `Common.ValueList`, or undefined if the target is no code list
 */
function valueListOf(association: LinkedElement): Record<string, unknown> | undefined {
  const { $target: target, $foreignKeys: keys } = association;
  if (!target || keys?.length !== 1 || target["@cds.odata.valuelist"] !== true) return undefined;
  const text = identifyingText(target);
  const parameters: Record<string, unknown>[] = [{
    $Type: "Common.ValueListParameterInOut",
    LocalDataProperty: keys[0].name,
    ValueListProperty: keys[0].target,
  }];
  if (text !== undefined && text !== keys[0].target) {
    parameters.push({ $Type: "Common.ValueListParameterDisplayOnly", ValueListProperty: text });
  }
  const label = association["@title"] ?? association["@Common.Label"] ?? target["@title"] ??
    target["@Common.Label"];
  return { Label: label ?? edmName(target), CollectionPath: edmName(target), Parameters: parameters };
}

/** What `UI.Identification` shows of an entry. */
function identifyingText(target: LinkedEntity): string | undefined {
  const identification = target["@UI.Identification"];
  const first: unknown = Array.isArray(identification) ? identification[0] : undefined;
  const value = isPlainObject(first) ? first.Value : undefined;
  return isPlainObject(value) && typeof value["="] === "string" ? value["="] : undefined;
}
