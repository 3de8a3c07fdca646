/**
 * The classes of linked definitions and elements: for `instanceof`, to make definitions by hand, and for plugins, which
 * add members to their prototypes (api 9).
 *
 * @module
 */

import {
  LinkedDefinitionNode,
  LinkedEntityNode,
  LinkedOperationNode,
  LinkedServiceNode,
} from "../model/linked/linked_definition.ts";
import { LinkedElementNode } from "../model/linked/linked_element.ts";

/** What stands on the right of `instanceof` for linked definitions and elements. */
export interface DefinitionClass {
  /** A definition of that kind with these members, which belongs to no model. */
  new (members?: object): object;
  /** What linked definitions of that kind inherit; some kinds share it. */
  readonly prototype: object;
  /** Whether a value is such a definition or element. */
  [Symbol.hasInstance](value: unknown): boolean;
}

/** Kinds of definitions and elements. */
export type DefinitionClasses = Readonly<
  Record<
    | "any"
    | "entity"
    | "service"
    | "type"
    | "aspect"
    | "struct"
    | "array"
    | "event"
    | "action"
    | "function"
    | "Association"
    | "Composition"
    | "context"
    | "scalar"
    | "string"
    | "number"
    | "boolean"
    | "date",
    DefinitionClass
  >
>;

interface Kinded {
  readonly kind?: unknown;
  readonly isAssociation?: unknown;
  readonly isComposition?: unknown;
  readonly is_struct?: unknown;
  readonly $type?: { readonly builtin?: string; readonly items?: unknown };
}

/** Members of a definition that is made by hand, as far as they tell its type. */
interface Members {
  readonly type?: unknown;
  readonly elements?: unknown;
  readonly items?: unknown;
}

const of = (kind: string) => (one: Kinded) => one.kind === kind;

/** The classes by name. */
export const definitionClasses: DefinitionClasses = {
  any: definitionClass(
    {},
    LinkedDefinitionNode,
    (one) => one.kind !== undefined || one.isAssociation !== undefined,
  ),
  entity: definitionClass({ kind: "entity" }, LinkedEntityNode, of("entity")),
  service: definitionClass({ kind: "service" }, LinkedServiceNode, of("service")),
  type: definitionClass({ kind: "type" }, LinkedDefinitionNode, of("type")),
  aspect: definitionClass({ kind: "aspect" }, LinkedDefinitionNode, of("aspect")),
  struct: definitionClass({}, LinkedDefinitionNode, (one) => one.is_struct === true || one.kind === "entity"),
  array: definitionClass({}, LinkedElementNode, (one) => one.$type?.items !== undefined),
  event: definitionClass({ kind: "event" }, LinkedDefinitionNode, of("event")),
  action: definitionClass({ kind: "action" }, LinkedOperationNode, of("action")),
  function: definitionClass({ kind: "function" }, LinkedOperationNode, of("function")),
  Association: definitionClass(
    { type: "cds.Association", isAssociation: true },
    LinkedElementNode,
    (one) => one.isAssociation === true,
  ),
  Composition: definitionClass(
    { type: "cds.Composition", isAssociation: true, isComposition: true },
    LinkedElementNode,
    (one) => one.isComposition === true,
  ),
  context: definitionClass(
    { kind: "context" },
    LinkedDefinitionNode,
    (one) => one.kind === "context" || one.kind === "service",
  ),
  scalar: scalarClass(/./),
  string: scalarClass(/String$|Binary$|^UUID$/),
  number: scalarClass(/Int|^Decimal|^Double$/),
  boolean: scalarClass(/^Boolean$/),
  date: scalarClass(/^Date|^Time/),
};

/** Elements and types of built-in types. */
function scalarClass(types: RegExp): DefinitionClass {
  return definitionClass({}, LinkedElementNode, (one) => {
    const [, local] = /^cds\.(\w+)$/.exec(one.$type?.builtin ?? "") ?? [];
    return local !== undefined && !one.isAssociation && !one.is_struct && types.test(local);
  });
}

function definitionClass(
  initial: object,
  { prototype }: { readonly prototype: object },
  accepts: (definition: Kinded) => boolean,
): DefinitionClass {
  // what is made by hand has its members itself: those of the prototype ask the model
  const made = function (members: object = {}) {
    const csn: Members = { ...initial, ...members };
    const $type = { builtin: csn.type, elements: csn.elements, items: csn.items };
    const known = {
      isAssociation: false,
      isComposition: false,
      is_struct: csn.elements !== undefined,
      $type,
    };
    const own: PropertyDescriptorMap = Object.getOwnPropertyDescriptors({ ...known, ...csn });
    for (const key of Object.keys(known)) own[key]!.enumerable = false; // no CSN
    return Object.create(prototype, own);
  };
  Object.defineProperty(made, "prototype", { value: prototype });
  return Object.defineProperty(made, Symbol.hasInstance, {
    value: (value: unknown) => typeof value === "object" && value !== null && accepts(value),
  }) as unknown as DefinitionClass; // with the members just defined
}
