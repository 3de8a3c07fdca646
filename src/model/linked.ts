/**
 * The linked model as types: an inferred CSN whose references are resolved. Built once by `linkModel`
 * (`link_model.ts`), immutable, shared by all requests.
 *
 * @module
 */

import type { SelectBody } from "../cqn/cqn.ts";
import type { CsnDefinition, CsnElement, CsnOperation, TypeExpression } from "./csn.ts";
import type { CallableMap } from "../util/callable_map.ts";
import type { ExtendedType } from "./values/extended_type.ts";

/** What all linked definitions, elements, operations and parameters have. */
export interface LinkedBase {
  /** Fully qualified name of a definition, local name of an element, operation or parameter. */
  readonly name: string;
  /** The definition or element that holds this one; undefined for definitions. */
  readonly parent?: LinkedBase;
  /** A value that a program has set, or a member that the model gives this one itself. */
  own(name: string | symbol): unknown;
  /** Keeps a value for `own`, which is no part of the model. */
  set<T>(name: string | symbol, value: T): T;
  /** The full name of a definition, `<definition>/<element>` otherwise; so it can stand in a template. */
  toString(): string;
}

/** A resolved type: the built-in at its base and the facets in effect. */
export interface ResolvedType {
  /** Built-in type at the base (`cds.String`, `cds.Association`, …); undefined for structured and arrayed types. */
  readonly builtin?: string;
  /** The type of one database (`cds.hana.TINYINT`) that the built-in type stands for. */
  readonly native?: string;
  /** Characters or bytes at most. */
  readonly length?: number;
  /** Digits in all. */
  readonly precision?: number;
  /** Digits behind the point. */
  readonly scale?: number | "floating" | "variable";
  /** What annotations of OData make of the built-in type. */
  readonly extended?: ExtendedType;
  /** Values by symbol. */
  readonly enum?: TypeExpression["enum"];
  /** Elements of a structured type. */
  readonly elements?: LinkedElements;
  /** Member type of an arrayed type. */
  readonly items?: LinkedElement;
  /** Name of the user-defined type the element was declared with, if any. */
  readonly typeName?: string;
}

/** An element, parameter, result or item. */
export interface LinkedElement extends LinkedBase, Omit<CsnElement, "items" | "elements"> {
  /** The resolved type. */
  readonly $type: ResolvedType;
  /** True for elements with a structured type. */
  readonly is_struct: boolean;
  /** True for associations and compositions. */
  readonly isAssociation: boolean;
  /** True for compositions. */
  readonly isComposition: boolean;
  /** Association whose `cardinality.max` is `*` or above 1. */
  readonly is2many: boolean;
  /** Association whose target is one entity. */
  readonly is2one: boolean;
  /** The same as `$target`. */
  readonly _target?: LinkedEntity;
  /** Association with `keys` (so it owns foreign keys). */
  readonly isManaged: boolean;
  /** The target entity of an association. */
  readonly $target?: LinkedEntity;
  /** The elements of the target that its foreign keys hold, by name: `ID` of `author`. */
  readonly foreignKeys?: LinkedElements;
  /** Flat foreign key elements of a managed association: `author_ID` -> `ID` of the target (flat names). */
  readonly $foreignKeys?: readonly ForeignKey[];
}

/** A foreign key of a managed to-one association. */
export interface ForeignKey {
  /** Flat name in the source entity (`author_ID`). */
  readonly name: string;
  /** Flat name of the referenced element in the target entity (`ID`). */
  readonly target: string;
  /** The generated flat element in the source entity. */
  readonly element: FlatElement;
}

/** Elements by name, iterable over the elements. */
export type LinkedElements = Readonly<Record<string, LinkedElement>> & Iterable<LinkedElement>;

/**
 * An element as rows, OData properties and columns see it: structures flattened with `_`, foreign keys of managed
 * associations added after their association (which is not contained itself), associations left out.
 */
export interface FlatElement {
  /** Name. */
  readonly name: string;
  /** Path through the structure in the model: `["address", "city"]`; of a foreign key `["author", "ID"]`. */
  readonly path: readonly string[];
  /** The element that gives the type: the leaf of the structure, or the referenced key of the target. */
  readonly element: LinkedElement;
  /** Type of that element: reading it here costs less, as all objects of this kind have one shape. */
  readonly type: ResolvedType;
  /** In effect for the flat element (a foreign key is key if its association is). */
  readonly key: boolean;
  /** Whether null is refused. */
  readonly notNull: boolean;
  /** Whether it has no column. */
  readonly virtual: boolean;
  /** Name of the association (flat) this is a foreign key of: the marker `@odata.foreignKey4`. */
  readonly foreignKey4?: string;
  /** The element of the entity itself that carries the annotations in effect (the association for a foreign key). */
  readonly annotated: LinkedElement;
}

/** A bound or unbound action or function. */
export interface LinkedOperation extends LinkedBase, Omit<CsnOperation, "params" | "returns"> {
  /** Parameters by name. */
  readonly params: LinkedElements;
  /** Type of the result. */
  readonly returns?: LinkedElement;
  /** Entity of a bound operation. */
  readonly $entity?: LinkedEntity;
  /** True when bound to the collection (explicit binding parameter `many $self`). */
  readonly $collectionBound: boolean;
  /** The name of the explicit binding parameter, which is not in `params`; `in` by default. */
  readonly $bindingParameter?: string;
}

/** Any definition. */
export interface LinkedDefinition
  extends LinkedBase, Omit<CsnDefinition, "elements" | "actions" | "params" | "returns" | "keys"> {
  /** Kind of the definition. */
  readonly kind: NonNullable<CsnDefinition["kind"]>;
  /** Elements by name. */
  readonly elements: LinkedElements;
  /** True for entities. */
  readonly is_entity: boolean;
  /** True for definitions with elements of their own or of their type. */
  readonly is_struct: boolean;
  /** The resolved type. */
  readonly $type: ResolvedType;
  /** The service this definition belongs to. */
  readonly $service?: LinkedService;
  /** The same as `$service`. */
  readonly _service?: LinkedService;
  /** Parameters by name, of operations and of entities that have some. */
  readonly params?: LinkedElements;
  /** Type of the result. */
  readonly returns?: LinkedElement;
  /** Bound operations by name. */
  readonly actions: Readonly<Record<string, LinkedOperation>> & Iterable<LinkedOperation>;
}

/** An entity: table, view or projection. */
export interface LinkedEntity extends LinkedDefinition {
  /** Kind of the definition. */
  readonly kind: "entity";
  /** Keys by name; of a managed association, what it refers to. */
  readonly keys: LinkedElements;
  /** Associations and compositions by name. */
  readonly associations: LinkedElements;
  /** Compositions by name. */
  readonly compositions: LinkedElements;
  /** All flat elements in model order, by flat name. */
  readonly $flat: ReadonlyMap<string, FlatElement>;
  /** Flat key elements (foreign keys of key associations included) in model order. */
  readonly $flatKeys: readonly FlatElement[];
  /** What tells the stored rows apart: the flat keys, and of temporal data the beginning of a slice, or its own key. */
  readonly $rowKeys: readonly FlatElement[];
  /** Entity the query of a projection or view selects from first; undefined for tables. */
  readonly $source?: LinkedEntity;
  /** The `SELECT` of a view or projection in one form, whichever of `query` and `projection` the model uses. */
  readonly $select?: SelectBody;
  /** An entity of the same model by its full name. */
  $entityNamed(name: string): LinkedEntity | undefined;
  /** The texts entity, if there are localized elements. */
  readonly $texts?: LinkedEntity;
  /** The same as `$texts`: `SELECT.from(Books.texts)`. */
  readonly texts?: LinkedEntity;
  /**
   * The draft entity, of which it is `undefined`; without drafts it only has a name: handlers may register for it, and
   * never run.
   */
  readonly drafts: LinkedEntity | { readonly name: string };
  /** Name inside its service (`Books`, `Orders.Items`), or after the namespace for others. */
  readonly $localName: string;
}

/** A service. */
export interface LinkedService extends LinkedDefinition {
  /** Kind of the definition. */
  readonly kind: "service";
  /** Entities of the service by local name. */
  readonly entities: Readonly<Record<string, LinkedEntity>> & Iterable<LinkedEntity>;
  /** Unbound operations of the service by local name. */
  readonly operations: Readonly<Record<string, LinkedOperation>> & Iterable<LinkedOperation>;
  /** The same as `operations`. */
  readonly actions: Readonly<Record<string, LinkedOperation>> & Iterable<LinkedOperation>;
  /** Types of the service by local name. */
  readonly types: Readonly<Record<string, LinkedDefinition>> & Iterable<LinkedDefinition>;
  /** Events of the service by local name. */
  readonly events: Readonly<Record<string, LinkedDefinition>> & Iterable<LinkedDefinition>;
}

/** A kind of definitions, or what tells which are meant. */
export type DefinitionFilter = string | ((definition: LinkedDefinition) => boolean);

/** Definitions or elements by name. */
export type Definitions = Readonly<Record<string, LinkedBase>>;

/** Takes a definition. */
export type VisitDefinition = (definition: LinkedDefinition, name: string) => void;

/** Services in order, and by name. */
export type LinkedServices = readonly LinkedService[] & { readonly [name: string]: LinkedService };

/** Takes a definition, or a part of one. */
export type VisitLinked = (one: LinkedBase, name: string, parent?: LinkedBase) => void;

/** A kind or the name of a built-in type, or what tells which definitions and parts are meant. */
export type LinkedFilter = string | ((one: LinkedBase) => boolean);

/** A linked model. */
export interface LinkedModel {
  /** True: existing code asks whether a model is linked. */
  readonly is_linked: true;
  /**
   * Definitions of a kind (`"entity"`; `"struct"` and `"any"` stand for several), or all that a function accepts, in the
   * order of the model; or such elements of those given.
   */
  each(filter?: DefinitionFilter, within?: Definitions): Iterable<LinkedDefinition>;
  /** The same as a list. */
  all(filter?: DefinitionFilter, within?: Definitions): readonly LinkedDefinition[];
  /** The first of them. */
  find(filter: DefinitionFilter, within?: Definitions): LinkedDefinition | undefined;
  /** Visits them. */
  foreach(filter: DefinitionFilter, visit: VisitDefinition, within?: Definitions): void;
  /** Visits all. */
  foreach(visit: VisitDefinition): void;
  /** Visits all definitions with their elements, parameters and bound operations, at any depth. */
  forall(visit: VisitLinked): void;
  /** Visits those of a kind, class or type (`"entity"`, `"Composition"`), or that a function accepts. */
  forall(filter: LinkedFilter, visit: VisitLinked): void;
  /** Definitions by full name. */
  readonly definitions: Readonly<Record<string, LinkedDefinition>>;
  /** Services in the order of the model, and by name; one of a namespace by its last name as well. */
  readonly services: LinkedServices;
  /** The definition of that full name if it is an entity. */
  entity(name: string): LinkedEntity | undefined;
  /** The definition of that full name if it is a service. */
  service(name: string): LinkedService | undefined;
  /** The definitions in a service, context or namespace, by the names that they have there. */
  childrenOf(
    parent: string | LinkedBase,
  ): Readonly<Record<string, LinkedDefinition>> & Iterable<LinkedDefinition>;
  /** All entities by local name; `entities("ns")` gives those of a namespace. */
  readonly entities: CallableMap<
    LinkedEntity,
    string,
    Readonly<Record<string, LinkedEntity>> & Iterable<LinkedEntity>
  >;
  /**
   * A value derived from the model, computed on first use and cached as long as the model lives.
   *
   * @param key identifies the computation, normally the function itself
   */
  derived<T>(key: object | string, compute: (model: LinkedModel) => T): T;
}
