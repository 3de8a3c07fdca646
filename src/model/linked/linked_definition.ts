/**
 * Linked definitions: entities, services, types, events and operations.
 *
 * @module
 */

import type { SelectBody } from "../../cqn/cqn.ts";
import type { CsnDefinition, CsnElement, CsnOperation, TypeExpression } from "../csn.ts";
import type {
  FlatElement,
  LinkedBase,
  LinkedDefinition,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  LinkedOperation,
  LinkedService,
  ResolvedType,
} from "../linked.ts";
import { flatElements, type NamedRecord, namedRecord } from "./flat_elements.ts";
import { linkElement, linkElements, type LinkScope, OwnValues, resolveType } from "./linked_element.ts";
import { stepName } from "../../cqn/steps.ts";

/** What definitions need to know of the whole model. */
export interface DefinitionScope extends LinkScope {
  /** The service a definition belongs to. */
  serviceOf(name: string): LinkedService | undefined;
  /** All definitions of a service. */
  members(service: string): readonly LinkedDefinition[];
  /** The name inside the service, or after the namespace. */
  localName(name: string): string;
}

interface Place {
  readonly name: string;
  readonly scope: DefinitionScope;
}

/** Any definition; parts are linked on first use. */
export class LinkedDefinitionNode extends OwnValues {
  declare readonly name: string;
  declare readonly kind: LinkedDefinition["kind"];
  protected readonly scope: DefinitionScope;
  protected readonly source: CsnDefinition;
  #elements: LinkedElements | undefined;
  #params: LinkedElements | undefined;
  #returns: LinkedElement | undefined;
  #actions: NamedRecord<LinkedOperation> | undefined;
  #type: ResolvedType | undefined;

  /**
   * @param source the definition in the CSN
   * @param at full name and model
   */
  constructor(source: CsnDefinition, { name, scope }: Place) {
    super();
    const { elements: _e, actions: _a, params: _p, returns: _r, keys: _k, items: _i, ...own } = source;
    Object.assign(this, own, { name, kind: source.kind ?? "type" });
    this.scope = scope;
    this.source = source;
    for (const hidden of ["scope", "source"]) Object.defineProperty(this, hidden, { enumerable: false });
    if (source.$location) Object.defineProperty(this, "$location", { value: source.$location });
  }

  /** The elements of the definition or of its type. */
  get elements(): LinkedElements {
    this.#elements ??= this.$type.elements ??
      linkElements(undefined, this as unknown as LinkedBase, this.scope);
    return this.#elements;
  }

  /** True for entities. */
  get is_entity(): boolean {
    return this.source.kind === "entity";
  }

  /** True for definitions with elements of their own or of their type. */
  get is_struct(): boolean {
    return this.$type.elements !== undefined;
  }

  /** The resolved type. */
  get $type(): ResolvedType {
    this.#type ??= resolveType(this.source, this as unknown as LinkedBase, this.scope);
    return this.#type;
  }

  /** Parameters of operations and views; programs ask entities whether they have some. */
  get params(): LinkedElements | undefined {
    const given = this.source.params;
    if (this.kind === "entity" && (given === undefined || Object.keys(given).length === 0)) return undefined;
    this.#params ??= linkElements(this.source.params, this as unknown as LinkedBase, this.scope);
    return this.#params;
  }

  /** The result of an operation. */
  get returns(): LinkedElement | undefined {
    this.#returns ??= linkReturns(this.source.returns, this as unknown as LinkedBase, this.scope);
    return this.#returns;
  }

  /** The bound operations. */
  get actions(): NamedRecord<LinkedOperation> {
    this.#actions ??= linkOperations(this.source.actions, this as unknown as LinkedEntity, this.scope);
    return this.#actions;
  }

  /** The service the definition belongs to. */
  get $service(): LinkedService | undefined {
    return this.scope.serviceOf(this.name);
  }

  /** The same as `$service` (existing handlers ask for it, of the prototypes of definitions as well). */
  get _service(): LinkedService | undefined {
    return this instanceof LinkedDefinitionNode && "scope" in this ? this.$service : undefined;
  }

  /** What existing handlers take it to inherit from: its class; Deno leaves this member of objects out. */
  get __proto__(): object {
    return Object.getPrototypeOf(this);
  }

  /** The full name. */
  override toString(): string {
    return this.name;
  }
}

function linkOperations(
  operations: CsnDefinition["actions"],
  entity: LinkedEntity,
  scope: LinkScope,
): NamedRecord<LinkedOperation> {
  return namedRecord(
    Object.entries(operations ?? {}).map(([name, operation]) => {
      const node = new BoundOperationNode(operation, { name, entity, scope });
      return [name, node as unknown as LinkedOperation]; // the class has all members of the interface
    }),
  );
}

function linkReturns(
  returns: TypeExpression | undefined,
  parent: LinkedBase,
  scope: LinkScope,
): LinkedElement | undefined {
  return returns && linkElement(returns as CsnElement, { name: "returns", parent, scope });
}

/** An entity: table, view or projection. */
export class LinkedEntityNode extends LinkedDefinitionNode {
  #keys: LinkedElements | undefined;
  #associations: LinkedElements | undefined;
  #compositions: LinkedElements | undefined;
  #flat: ReadonlyMap<string, FlatElement> | undefined;
  #flatKeys: readonly FlatElement[] | undefined;
  #rowKeys: readonly FlatElement[] | undefined;

  /** The key elements. */
  get keys(): LinkedElements {
    this.#keys ??= pick(this.elements, (element) => element.key === true && !element.virtual);
    return this.#keys;
  }

  /** The associations, compositions included. */
  get associations(): LinkedElements {
    this.#associations ??= pick(this.elements, (element) => element.isAssociation);
    return this.#associations;
  }

  /** The compositions. */
  get compositions(): LinkedElements {
    this.#compositions ??= pick(this.elements, (element) => element.isComposition);
    return this.#compositions;
  }

  /** The flat elements by name. */
  get $flat(): ReadonlyMap<string, FlatElement> {
    if (!this.#flat) {
      const flat = new Map<string, FlatElement>();
      for (const element of flatElements(this.elements)) flat.set(element.name, element);
      this.#flat = flat;
    }
    return this.#flat;
  }

  /** The flat key elements. */
  get $flatKeys(): readonly FlatElement[] {
    this.#flatKeys ??= Object.freeze(
      [...this.$flat.values()].filter((element) => element.key && !element.virtual),
    );
    return this.#flatKeys;
  }

  /** What tells the stored rows apart: the flat keys, and of temporal data the beginning of a slice. */
  get $rowKeys(): readonly FlatElement[] {
    this.#rowKeys ??= withSlices(this.$flatKeys, this.$flat);
    return this.#rowKeys;
  }

  /** The SELECT of a view or projection. */
  get $select(): SelectBody | undefined {
    const { projection, query } = this.source;
    return projection ?? (query && "SELECT" in query ? query.SELECT : undefined);
  }

  /** What existing handlers take it to inherit from: what a view selects from first. */
  override get __proto__(): object {
    return this.$source ?? Object.getPrototypeOf(this);
  }

  /** The entity a view or projection selects from first. */
  get $source(): LinkedEntity | undefined {
    const from = this.$select?.from;
    if (!from || !("ref" in from)) return undefined;
    const [first, ...path] = from.ref.map(stepName);
    let entity = this.scope.definition(first) as LinkedEntity | undefined;
    for (const step of path) entity = entity?.elements[step]?.$target;
    return entity?.kind === "entity" ? entity : undefined;
  }

  /**
   * An entity of the same model.
   *
   * @param name its full name
   */
  $entityNamed(name: string): LinkedEntity | undefined {
    const found = this.scope.definition(name);
    return found?.kind === "entity" ? found as LinkedEntity : undefined;
  }

  /** The texts entity. */
  get $texts(): LinkedEntity | undefined {
    const { texts, localized } = this.elements;
    return texts?.isComposition && localized?.isAssociation ? texts.$target : undefined;
  }

  /** The same as `$texts`, as handlers know it: `SELECT.from(Books.texts)`. */
  get texts(): LinkedEntity | undefined {
    return this.$texts;
  }

  /**
   * The draft entity, which has none itself; without drafts it only has a name: handlers may register for it, and never
   * run.
   */
  get drafts(): LinkedEntity | { readonly name: string } | undefined {
    const name = `${this.name}.drafts`;
    const active = this.name.endsWith(".drafts") && this.$entityNamed(this.name.slice(0, -".drafts".length));
    if (active && active.drafts === this) return undefined;
    return this.$entityNamed(name) ?? { name };
  }

  /** The name inside the service, or after the namespace. */
  get $localName(): string {
    return this.scope.localName(this.name);
  }
}

/** A service. */
export class LinkedServiceNode extends LinkedDefinitionNode {
  #types: NamedRecord<LinkedDefinition> | undefined;
  #entities: NamedRecord<LinkedEntity> | undefined;
  #operations: NamedRecord<LinkedOperation> | undefined;
  #events: NamedRecord<LinkedDefinition> | undefined;

  /** Entities by local name. */
  get entities(): NamedRecord<LinkedEntity> {
    this.#entities ??= this.#members((kind) => kind === "entity") as NamedRecord<LinkedEntity>;
    return this.#entities;
  }

  /** Unbound operations by local name. */
  get operations(): NamedRecord<LinkedOperation> {
    this.#operations ??= this.#members((kind) =>
      kind === "action" || kind === "function"
    ) as unknown as NamedRecord<
      LinkedOperation
    >;
    return this.#operations;
  }

  /** True: it is a service. */
  get is_service(): boolean {
    return true;
  }

  /** The same as `operations`. */
  override get actions(): NamedRecord<LinkedOperation> {
    return this.operations;
  }

  /** Types by local name. */
  get types(): NamedRecord<LinkedDefinition> {
    this.#types ??= this.#members((kind) => kind === "type");
    return this.#types;
  }

  /** Events by local name. */
  get events(): NamedRecord<LinkedDefinition> {
    this.#events ??= this.#members((kind) => kind === "event");
    return this.#events;
  }

  #members(accepts: (kind: string) => boolean): NamedRecord<LinkedDefinition> {
    return namedRecord(
      this.scope.members(this.name)
        .filter((definition) => accepts(definition.kind))
        .map((definition) => [definition.name.slice(this.name.length + 1), definition]),
    );
  }
}

/** An unbound action or function. */
export class LinkedOperationNode extends LinkedDefinitionNode {
  /** Unbound operations are bound to nothing. */
  get $collectionBound(): boolean {
    return false;
  }
}

/** A bound action or function. */
export class BoundOperationNode extends OwnValues {
  declare readonly name: string;
  declare readonly kind: "action" | "function";
  declare readonly parent: LinkedBase;
  declare readonly $entity: LinkedEntity;
  declare readonly $collectionBound: boolean;
  declare readonly $bindingParameter: string;
  declare readonly params: LinkedElements;
  declare readonly returns?: LinkedElement;

  /**
   * @param source the operation in the CSN
   * @param at its name, its entity and the model
   */
  constructor(source: CsnOperation, at: { name: string; entity: LinkedEntity; scope: LinkScope }) {
    super();
    const params = Object.entries(source.params ?? {});
    const binding = params[0] && bindingOf(params[0][1]);
    Object.assign(this, source, {
      name: at.name,
      parent: at.entity,
      $entity: at.entity,
      $collectionBound: binding === "many",
      $bindingParameter: binding ? params[0][0] : "in",
    });
    const own = Object.fromEntries(binding ? params.slice(1) : params) as Record<string, CsnElement>;
    Object.assign(this, {
      params: linkElements(own, this as LinkedBase, at.scope),
      returns: linkReturns(source.returns, this as LinkedBase, at.scope),
    });
    at.scope.close(this);
  }

  /** Where the operation is: `<entity>/<operation>`. */
  override toString(): string {
    return `${this.parent}/${this.name}`;
  }
}

/** `$self` or `many $self` as type of the first parameter makes it the binding parameter. */
function bindingOf(parameter: TypeExpression): "one" | "many" | undefined {
  if (parameter.type === "$self") return "one";
  return parameter.items?.type === "$self" ? "many" : undefined;
}

function pick(elements: LinkedElements, accepts: (element: LinkedElement) => boolean): LinkedElements {
  return namedRecord([...elements].filter(accepts).map((element) => [element.name, element]));
}

/**
 * One key has a row for each period, told apart by its beginning (`@cds.valid.from`), or by a key of its own
 * (`@cds.valid.key`).
 */
function withSlices(
  keys: readonly FlatElement[],
  flat: ReadonlyMap<string, FlatElement>,
): readonly FlatElement[] {
  if (keys.length === 0) return keys;
  const stored = [...flat.values()].filter(({ virtual }) => !virtual);
  const own = stored.filter(({ annotated }) => annotated["@cds.valid.key"] === true);
  if (own.length > 0) return Object.freeze(own);
  const begin = stored.find(({ annotated }) => annotated["@cds.valid.from"] === true);
  return begin === undefined || keys.includes(begin) ? keys : Object.freeze([...keys, begin]);
}
