/**
 * The linked model: an inferred model whose references are resolved.
 *
 * @module
 */

import type { Csn, CsnDefinition } from "./csn.ts";
import { inferModel } from "./infer_model.ts";
import { localName, serviceOfName } from "./infer/redirect_associations.ts";
import type {
  DefinitionFilter,
  Definitions,
  LinkedBase,
  LinkedDefinition,
  LinkedElement,
  LinkedEntity,
  LinkedFilter,
  LinkedModel,
  LinkedService,
  LinkedServices,
  VisitDefinition,
  VisitLinked,
} from "./linked.ts";
import {
  type DefinitionScope,
  LinkedDefinitionNode,
  LinkedEntityNode,
  LinkedOperationNode,
  LinkedServiceNode,
} from "./linked/linked_definition.ts";
import { withDrafts } from "./drafts/with_drafts.ts";
import { withFlows } from "./flows/with_flows.ts";
import { withHierarchies } from "./with_hierarchies.ts";
import { skipElsewhere } from "./runtime_view.ts";
import { callableMap } from "../util/callable_map.ts";
import { type NamedRecord, namedRecord } from "./linked/flat_elements.ts";
import { unqualified } from "../util/unqualified.ts";

/**
 * Links a model, inferring it first if needed. Parts are linked on first use, so that large models start fast.
 *
 * @param csn a parsed or inferred model
 * @returns the linked model, immutable
 * @throws {ConfigurationError} when the model is not sound
 */
export function linkModel(csn: Csn): LinkedModel {
  return new LinkedModelNode(withDrafts(withHierarchies(withFlows(inferModel(csn)))));
}

/**
 * Links a model for somebody who adds to its definitions.
 *
 * @param csn a parsed or inferred model
 */
export function linkOpenModel(csn: Csn): LinkedModel {
  return new LinkedModelNode(withDrafts(withHierarchies(withFlows(inferModel(csn)))), (node) => node);
}

/** Whether a model is linked already. */
export function isLinked(model: unknown): model is LinkedModel {
  return typeof model === "object" && model !== null && "derived" in model &&
    typeof model.derived === "function";
}

/**
 * The inferred CSN a linked model was made from.
 *
 * @param model a model made by `linkModel`
 * @throws {TypeError} for any other
 */
export function csnOf(model: LinkedModel): Csn {
  if (model instanceof LinkedModelNode) return model.csn;
  throw new TypeError("A model made by linkModel() is expected");
}

/** A list whose members are there by name as well, where the list has no such member itself. */
function byName(services: readonly LinkedService[]): LinkedServices {
  const named = [...services];
  for (const service of services) {
    for (const name of [service.name, unqualified(service.name)]) {
      if (!(name in named)) Object.defineProperty(named, name, { value: service });
    }
  }
  return Object.freeze(named) as unknown as LinkedServices; // with the members just defined
}

/** Whether a definition or part is of a kind, or of a built-in type: `entity`, `Association`, `String`. */
function isOfKind(one: LinkedBase, name: string): boolean {
  const { kind, $type, isAssociation, is_struct } = one as Partial<LinkedDefinition & LinkedElement>;
  if (name === "any" || kind === name || $type?.builtin === `cds.${name}`) return true;
  if (name === "struct") return is_struct === true;
  return name === "Association" && isAssociation === true;
}

class LinkedModelNode implements LinkedModel {
  declare readonly csn: Csn;
  readonly definitions: Readonly<Record<string, LinkedDefinition>>;
  readonly services: LinkedServices;
  readonly #derived = new Map<object | string, unknown>();
  #allByCall: LinkedModel["entities"] | undefined;
  readonly #entities = new Map<string | undefined, NamedRecord<LinkedEntity>>();

  constructor(csn: Csn, close: DefinitionScope["close"] = Object.freeze) {
    // not enumerable: whoever prints a model does not want it twice
    Object.defineProperty(this, "csn", { value: csn });
    const sources = skipElsewhere(csn).definitions ?? {};
    const scope = createScope(sources, (name) => this.definitions[name], close);
    this.definitions = namedRecord(
      Object.entries(sources).map(([name, source]) => [name, linkDefinition(source, { name, scope })]),
    );
    this.services = byName(
      Object.values(this.definitions).filter((definition): definition is LinkedService =>
        definition.kind === "service"
      ),
    );
  }

  get is_linked(): true {
    return true;
  }

  entity(name: string): LinkedEntity | undefined {
    const definition = this.definitions[name];
    return definition?.kind === "entity" ? definition as LinkedEntity : undefined;
  }

  service(name: string): LinkedService | undefined {
    const definition = this.definitions[name];
    return definition?.kind === "service" ? definition as LinkedService : undefined;
  }

  get entities(): LinkedModel["entities"] {
    return this.#allByCall ??= callableMap(this.#entitiesIn(undefined), (name) => this.#entitiesIn(name));
  }

  #entitiesIn(namespace: string | undefined): NamedRecord<LinkedEntity> {
    let found = this.#entities.get(namespace);
    if (!found) {
      found = namespace === undefined ? this.#allEntities() : this.#entitiesOf(`${namespace}.`);
      this.#entities.set(namespace, found);
    }
    return found;
  }

  childrenOf(parent: string | LinkedBase): NamedRecord<LinkedDefinition> {
    const prefix = `${parent}.`;
    return namedRecord(
      this.all(({ name }) => name.startsWith(prefix)).map((one) => [one.name.slice(prefix.length), one]),
    );
  }

  *each(
    filter: DefinitionFilter = "any",
    within: Definitions = this.definitions,
  ): Iterable<LinkedDefinition> {
    const accepts = typeof filter === "function" ? filter : (one: LinkedBase) => isOfKind(one, filter);
    for (const one of Object.values(within) as LinkedDefinition[]) if (accepts(one)) yield one;
  }

  all(filter?: DefinitionFilter, within?: Definitions): readonly LinkedDefinition[] {
    return [...this.each(filter, within)];
  }

  find(filter: DefinitionFilter, within?: Definitions): LinkedDefinition | undefined {
    for (const definition of this.each(filter, within)) return definition;
    return undefined;
  }

  foreach(...given: [VisitDefinition] | [DefinitionFilter, VisitDefinition, Definitions?]): void {
    const [filter, visit, within] = given.length === 1 ? ["any", given[0]] as const : given;
    for (const definition of this.each(filter, within)) visit(definition, definition.name);
  }

  forall(...given: [VisitLinked] | [LinkedFilter, VisitLinked]): void {
    const [filter, visit] = given.length === 1 ? [() => true, given[0]] : given;
    const isMeant = typeof filter === "function" ? filter : (one: LinkedBase) => isOfKind(one, filter);
    const within = (one: LinkedBase) => {
      if (isMeant(one)) visit(one, one.name, one.parent);
      const { elements, params, actions } = one as Partial<LinkedDefinition>;
      // the elements of a named type belong to the type
      const isOwn = one.parent === undefined || (one as Partial<LinkedElement>).$type?.typeName === undefined;
      for (const members of [isOwn ? elements : undefined, params, actions]) {
        for (const member of members ?? []) within(member);
      }
    };
    for (const definition of Object.values(this.definitions)) within(definition);
  }

  derived<T>(key: object | string, compute: (model: LinkedModel) => T): T {
    let derived = this.#derived.get(key);
    if (derived === undefined) this.#derived.set(key, derived = compute(this));
    return derived as T; // computed by the same function
  }

  #entitiesOf(prefix: string): NamedRecord<LinkedEntity> {
    return namedRecord(
      this.#list().filter(({ name }) => name.startsWith(prefix)).map((entity) => [
        entity.name.slice(prefix.length),
        entity,
      ]),
    );
  }

  /** By local name; where two have the same, those outside services come first and later ones keep the full name. */
  #allEntities(): NamedRecord<LinkedEntity> {
    const byName = new Map<string, LinkedEntity>();
    const all = this.#list();
    const ordered = [...all.filter(({ $service }) => !$service), ...all.filter(({ $service }) => $service)];
    for (const entity of ordered) {
      byName.set(byName.has(entity.$localName) ? entity.name : entity.$localName, entity);
    }
    return namedRecord(byName);
  }

  #list(): LinkedEntity[] {
    return Object.values(this.definitions)
      .filter((definition): definition is LinkedEntity => definition.kind === "entity");
  }
}

function linkDefinition(
  source: CsnDefinition,
  at: { readonly name: string; readonly scope: DefinitionScope },
): LinkedDefinition {
  return at.scope.close(createNode(source, at)) as unknown as LinkedDefinition; // the classes have all its members
}

function createNode(
  source: CsnDefinition,
  at: { readonly name: string; readonly scope: DefinitionScope },
): LinkedDefinitionNode {
  switch (source.kind) {
    case "entity":
      return new LinkedEntityNode(source, at);
    case "service":
      return new LinkedServiceNode(source, at);
    case "action":
    case "function":
      return new LinkedOperationNode(source, at);
    default:
      return new LinkedDefinitionNode(source, at);
  }
}

function createScope(
  sources: Readonly<Record<string, CsnDefinition>>,
  definition: (name: string) => LinkedDefinition | undefined,
  close: DefinitionScope["close"],
): DefinitionScope {
  const services = new Set(Object.keys(sources).filter((name) => sources[name].kind === "service"));
  const members = new Map<string, string[]>();
  const owners = new Map<string, string>();
  for (const name of Object.keys(sources)) {
    const owner = serviceOfName(services, name);
    if (owner === undefined) continue;
    owners.set(name, owner);
    const list = members.get(owner);
    if (list) list.push(name);
    else members.set(owner, [name]);
  }
  return {
    close,
    definition,
    source: (name) => Object.hasOwn(sources, name) ? sources[name] : undefined,
    serviceOf: (name) => definition(owners.get(name) ?? "") as LinkedService | undefined,
    members: (service) => (members.get(service) ?? []).map((name) => definition(name)!), // names come from the model
    localName: (name) => {
      const owner = owners.get(name);
      return owner === undefined ? localName({ definitions: sources }, name) : name.slice(owner.length + 1);
    },
  };
}
