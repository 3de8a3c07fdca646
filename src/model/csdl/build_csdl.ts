/**
 * The metadata of a service from the linked model (csn-cqn 13).
 *
 * @module
 */

import { addTransition, addTransitionButtons } from "./flow_annotations.ts";
import { placeOf } from "../place_of.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { declaringType } from "../derived_types.ts";
import { edmName, edmTypeName } from "../edm_name.ts";
import type { LinkedElement, LinkedEntity, LinkedModel, LinkedOperation, LinkedService } from "../linked.ts";
import { exposedEntities } from "../service_document.ts";
import { type FlatAnnotations, toAnnotations } from "./annotation_values.ts";
import {
  commonAnnotations,
  elementAnnotations,
  entityAnnotations,
  navigationAnnotations,
  propertyAnnotations,
} from "./common_annotations.ts";
import type { Csdl, CsdlAnnotation, CsdlImport, CsdlOperation } from "./csdl.ts";
import { elementOf, entityMembers, entitySet, entityTypes } from "./entity_types.ts";
import { csdlImport, csdlOperation, operationTarget } from "./operations.ts";
import { TypeNames } from "./type_names.ts";
import { valueListOf } from "./value_list.ts";

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
