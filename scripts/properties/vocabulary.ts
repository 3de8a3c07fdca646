/**
 * The names of an application, for requests that are nearly right.
 *
 * @module
 */

import type { Runtime } from "../../mod.ts";
import type { FlatElement, LinkedEntity, LinkedOperation, LinkedService } from "../../src/model/linked.ts";

/** The names of one service. */
export interface Vocabulary {
  /** Path of the service. */
  readonly root: string;
  readonly name: string;
  readonly sets: readonly SetNames[];
  /** Unbound operations. */
  readonly operations: readonly OperationNames[];
}

/** The names of an entity set. */
export interface SetNames {
  readonly name: string;
  readonly keys: readonly ElementNames[];
  readonly elements: readonly ElementNames[];
  readonly navigations: readonly string[];
  /** Bound operations. */
  readonly operations: readonly OperationNames[];
}

/** An element or parameter. */
export interface ElementNames {
  readonly name: string;
  readonly type: string | undefined;
}

/** An action or function. */
export interface OperationNames {
  readonly name: string;
  readonly isFunction: boolean;
  readonly params: readonly ElementNames[];
}

/** The names of all services of a runtime that have entity sets. */
export function vocabulariesOf(runtime: Runtime): Vocabulary[] {
  return runtime.endpoints.map(({ service, path }) => {
    const definition = service.definition as LinkedService;
    return {
      root: path,
      name: service.name,
      sets: [...definition.entities].map((entity) => setNames(entity, definition.name)),
      operations: [...definition.operations].map(operationNames),
    };
  }).filter(({ sets }) => sets.length > 0);
}

function setNames(entity: LinkedEntity, service: string): SetNames {
  const elements = Object.values(entity.elements);
  return {
    name: entity.name.slice(service.length + 1).replaceAll(".", "_"),
    keys: entity.$flatKeys.map(flatNames),
    elements: [...entity.$flat.values()].filter(({ element }) => !element.isAssociation).map(flatNames),
    navigations: elements.filter((one) => one.isAssociation).map(({ name }) => name),
    operations: [...entity.actions ?? []].map(operationNames),
  };
}

function flatNames({ name, element }: FlatElement): ElementNames {
  return { name, type: element.$type.builtin };
}

function operationNames({ name, kind, params }: LinkedOperation): OperationNames {
  return {
    name: name.slice(name.lastIndexOf(".") + 1),
    isFunction: kind === "function",
    params: Object.values(params ?? {}).map(({ name, $type }) => ({ name, type: $type.builtin })),
  };
}
