/**
 * Linked elements: elements, parameters, results and items with resolved types and targets.
 *
 * @module
 */

import { placeOf } from "../problems.ts";
import { ConfigurationError } from "../../errors/configuration_error.ts";
import { isBuiltinType, plainType } from "../builtin_types.ts";
import type { CsnElement } from "../csn.ts";
import type {
  FlatElement,
  ForeignKey,
  LinkedBase,
  LinkedDefinition,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  ResolvedType,
} from "../linked.ts";
import { flatElement, flatElements, namedRecord } from "./flat_elements.ts";
import { extendedType } from "../values/extended_type.ts";

const VALUES: WeakMap<object, Map<string | symbol, unknown>> = new WeakMap();

/** Remembers values. */
export class OwnValues {
  /** True: existing code asks whether something is linked. */
  get is_linked(): boolean {
    return true;
  }

  /**
   * A value that was set, or a member that the definition itself says.
   *
   * @param name name of the value
   */
  own(name: string | symbol): unknown {
    const values = VALUES.get(this);
    if (values?.has(name)) return values.get(name);
    return Object.hasOwn(this, name) ? this[name as keyof this] : undefined;
  }

  /**
   * Keeps a value, which is no part of the model.
   *
   * @param name name of the value
   * @param value the value
   * @returns the value
   */
  set<T>(name: string | symbol, value: T): T {
    let values = VALUES.get(this);
    if (!values) VALUES.set(this, values = new Map());
    values.set(name, value);
    return value;
  }
}

/** An element whose type and target are resolved on first use. */
export class LinkedElementNode extends OwnValues {
  declare readonly name: string;
  declare readonly parent?: LinkedBase;
  /** The default value, enum symbols replaced by what they stand for; of an association that of its foreign key. */
  declare readonly default?: CsnElement["default"];
  readonly #scope: LinkScope;
  readonly #source: CsnElement;
  #type: ResolvedType | undefined;
  #foreignKeys: readonly ForeignKey[] | undefined;

  /**
   * @param source the element in the CSN
   * @param at its name, the object that holds it, and the model
   */
  constructor(source: CsnElement, at: { name: string; parent?: LinkedBase; scope: LinkScope }) {
    super();
    const { elements: _elements, items: _items, default: given, ...own } = source;
    Object.assign(this, own, { name: at.name, parent: at.parent });
    this.#scope = at.scope;
    this.#source = source;
    // programs ask whether there is one by `in`
    if (given) Object.defineProperty(this, "default", { get: () => this.#defaultOf(given) });
    at.scope.close(this);
  }

  #defaultOf(value: NonNullable<CsnElement["default"]>): CsnElement["default"] {
    if (!("#" in value)) return value;
    const [key] = this.isAssociation ? this.$foreignKeys ?? [] : [];
    const symbol = (key?.element.element ?? this).$type.enum?.[value["#"]];
    return symbol ? { val: symbol.val ?? value["#"] } : value;
  }

  /** The resolved type. */
  get $type(): ResolvedType {
    this.#type ??= resolveType(this.#source, this as unknown as LinkedElement, this.#scope);
    return this.#type;
  }

  /** True for elements with a structured type. */
  get is_struct(): boolean {
    return this.$type.elements !== undefined;
  }

  /** True for associations and compositions. */
  get isAssociation(): boolean {
    return this.#source.target !== undefined;
  }

  /** True for compositions. */
  get isComposition(): boolean {
    return this.isAssociation && this.$type.builtin === "cds.Composition";
  }

  /** True for associations to many. */
  get is2many(): boolean {
    const max = this.isAssociation ? this.#source.cardinality?.max : undefined;
    return max === "*" || (typeof max === "number" && max > 1);
  }

  /** True for associations to one. */
  get is2one(): boolean {
    return this.isAssociation && !this.is2many;
  }

  /** The same as `$target` (existing handlers ask for it). */
  get _target(): LinkedEntity | undefined {
    return this.$target;
  }

  /** True for associations with foreign keys. */
  get isManaged(): boolean {
    return this.isAssociation && this.#source.keys !== undefined && this.#source.on === undefined;
  }

  /** The target entity. */
  get $target(): LinkedEntity | undefined {
    const { target } = this.#source;
    const found = typeof target === "string" ? this.#scope.definition(target) : undefined;
    return found?.kind === "entity" ? found as LinkedEntity : undefined;
  }

  /** The foreign keys of a managed association. */
  get $foreignKeys(): readonly ForeignKey[] | undefined {
    if (!this.isManaged) return undefined;
    this.#foreignKeys ??= foreignKeysOf(this as unknown as LinkedElement);
    return this.#foreignKeys;
  }

  /** The elements of the target that the foreign keys hold. */
  get foreignKeys(): LinkedElements | undefined {
    return this.$foreignKeys && namedRecord(
      this.$foreignKeys.map(({ element }) => [element.path.slice(1).join("_"), element.element]),
    );
  }

  /** Where the element is: `<definition>/<element>`. */
  override toString(): string {
    return this.parent ? `${this.parent}/${this.name}` : this.name;
  }
}

/**
 * Links elements.
 *
 * @param elements as in the CSN
 * @param parent the definition or element that holds them
 * @param scope the model
 */
export function linkElements(
  elements: Readonly<Record<string, CsnElement>> | undefined,
  parent: LinkedBase,
  scope: LinkScope,
): LinkedElements {
  return namedRecord(
    Object.entries(elements ?? {}).map((
      [name, element],
    ) => [name, linkElement(element, { name, parent, scope })]),
  );
}

/**
 * Links one element.
 *
 * @param element as in the CSN
 * @param at its name, the object that holds it, and the model
 */
export function linkElement(
  element: CsnElement,
  at: { readonly name: string; readonly parent?: LinkedBase; readonly scope: LinkScope },
): LinkedElement {
  return new LinkedElementNode(element, at) as unknown as LinkedElement; // the class has all members of the interface
}

/**
 * Resolves a type expression down to its built-in type, structure or items.
 *
 * @param source the element or definition in the CSN
 * @param owner gets to be the parent of the elements of a structure: foreign keys depend on where a type is used
 * @param scope the model
 */
export function resolveType(source: CsnElement, owner: LinkedBase, scope: LinkScope): ResolvedType {
  const facets: { -readonly [K in keyof ResolvedType]: ResolvedType[K] } = {};
  let typeName: string | undefined;
  const visited = new Set<CsnElement>();
  for (let level: CsnElement | undefined = source; level && !visited.has(level);) {
    visited.add(level);
    facets.length ??= level.length;
    facets.precision ??= level.precision;
    facets.scale ??= level.scale;
    facets.enum ??= level.enum;
    if (level.elements) return { ...facets, typeName, elements: linkElements(level.elements, owner, scope) };
    if (level.items) {
      return {
        ...facets,
        typeName,
        items: linkElement(level.items, { name: "items", parent: owner, scope }),
      };
    }
    const type: CsnElement["type"] = level.type;
    if (typeof type === "string" && isBuiltinType(type)) {
      const builtin = plainType(type);
      const extended = extendedType(builtin, source);
      return {
        ...facets,
        typeName,
        builtin,
        ...(builtin !== type && { native: type }),
        ...(extended && { extended }),
      };
    }
    if (typeof type === "string") {
      typeName ??= type;
      level = scope.source(type);
    } else level = type && referenced(type.ref, scope);
  }
  return { ...facets, typeName };
}

/** The element that a type reference leads to. */
function referenced(ref: readonly string[], scope: LinkScope): CsnElement | undefined {
  let current = scope.source(ref[0]);
  for (const step of ref.slice(1)) {
    const elements = current && elementsOf(current, scope);
    current = elements?.[step];
  }
  return current;
}

function elementsOf(source: CsnElement, scope: LinkScope): Readonly<Record<string, CsnElement>> | undefined {
  const visited = new Set<CsnElement>();
  for (let level: CsnElement | undefined = source; level && !visited.has(level);) {
    visited.add(level);
    if (typeof level.target === "string") return scope.source(level.target)?.elements;
    if (level.elements) return level.elements;
    level = typeof level.type === "string"
      ? scope.source(level.type)
      : level.type && referenced(level.type.ref, scope);
  }
  return undefined;
}

const computing = new Set<LinkedElement>();

/** One foreign key per entry of `keys`; keys that are associations or structures give several (csn-cqn 5). */
function foreignKeysOf(association: LinkedElement): readonly ForeignKey[] {
  const { $target: target, keys = [] } = association;
  if (!target) return [];
  if (computing.has(association)) {
    throw new ConfigurationError(
      `Cyclic foreign key: the key of "${target}" depends on "${association}" itself`,
      placeOf(association),
    );
  }
  computing.add(association);
  try {
    const flat = flatPrefix(association);
    return keys.flatMap((key) => {
      const base = key.as ?? key.ref.join("_");
      return matching(target, key.ref).map(([suffix, element]) => ({
        name: `${flat}_${base}${suffix}`,
        target: element.name,
        element: foreignKeyElement(association, { flat, name: `${base}${suffix}`, element }),
      }));
    });
  } finally {
    computing.delete(association);
  }
}

/** The flat elements of the target that a key stands for, with what follows the name of the key. */
function matching(target: LinkedEntity, ref: readonly string[]): [string, FlatElement][] {
  const name = ref.join("_");
  return [...keyElements(target, ref)].map((element) => [element.name.slice(name.length), element]);
}

function keyElements(target: LinkedEntity, ref: readonly string[]): Iterable<FlatElement> {
  let elements: LinkedElements | undefined = target.elements;
  let outer: FlatElement | undefined;
  for (const [index, step] of ref.entries()) {
    const element: LinkedElement | undefined = elements?.[step];
    if (!element) return [];
    if (index === ref.length - 1) return flatElements([element], outer);
    if (element.isAssociation) {
      const rest = ref.slice(index + 1).join("_");
      return (element.$foreignKeys ?? []).filter((key) => key.target === rest).map((key) => key.element);
    }
    outer = flatElement(element, outer);
    elements = element.$type.elements;
  }
  return [];
}

function foreignKeyElement(
  association: LinkedElement,
  at: { readonly flat: string; readonly name: string; readonly element: FlatElement },
): FlatElement {
  return Object.freeze({
    name: `${at.flat}_${at.name}`,
    path: [...elementPath(association), ...at.element.path],
    element: at.element.element,
    type: at.element.type,
    key: association.key === true,
    notNull: association.notNull === true || association.key === true,
    virtual: association.virtual === true,
    foreignKey4: at.flat,
    annotated: association,
  });
}

function elementPath(element: LinkedElement): string[] {
  const path: string[] = [];
  for (
    let current: LinkedBase | undefined = element;
    current instanceof LinkedElementNode;
    current = current.parent
  ) {
    path.unshift(current.name);
  }
  return path;
}

function flatPrefix(element: LinkedElement): string {
  return elementPath(element).join("_");
}

/** The model as linked objects see it. */
export interface LinkScope {
  /** A definition by full name. */
  definition(name: string): LinkedDefinition | undefined;
  /** The definition as in the CSN. */
  source(name: string): CsnElement | undefined;
  /** Makes a linked object that is complete immutable, but where the model is for somebody who adds to it. */
  close<T extends object>(node: T): T;
}
