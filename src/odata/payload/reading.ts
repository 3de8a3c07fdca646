/**
 * What parts of bodies are read with, and where they stand.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type {
  FlatElement,
  LinkedElement,
  LinkedElements,
  LinkedEntity,
  LinkedModel,
  ResolvedType,
} from "../../model/linked.ts";
import { namedKey } from "../../model/values/key_text.ts";
import type { JsonValue } from "./parse_json.ts";
import type { Limits } from "../../config/limits.ts";
import { type ErrorProperties, ServiceError } from "../../errors/service_error.ts";
import { nearestName } from "../../util/nearest_name.ts";
import { edmProperty } from "../../model/edm_types.ts";
import { nestedStructures } from "../../model/nested_structures.ts";
import { foreignKeyLinks, linksOf } from "../../model/links.ts";
import { typeHierarchy } from "../../model/derived_types.ts";

/** What reading a body needs besides the body. */
export interface InputOptions {
  readonly model: LinkedModel;
  /** Characters of a string without declared length. */
  readonly defaultStringLength: number;
  readonly violations: Violations;
  /** Keys of the entity that a link (`Authors(101)`) addresses; throws when it is none of the target. */
  resolveLink(link: string, place: LinkPlace): Row;
  /** Whether a value is an entity as an earlier part of the batch was answered: a reference to it (`$<id>`). */
  isAnswer?(value: JsonValue): boolean;
  /** Takes the members of collections that objects bind; without it they are not possible. */
  bindMember?(member: BoundMember): void;
  /** Takes rows that are written together with the one that has the association. */
  insertRelated?(related: RelatedRow): void;
  /** Takes collections whose nested rows are the full set. */
  readonly replaceRelated?: ((collection: ReplacedCollection) => void) | undefined;
  /** Takes tags of the versions that rows are to have. */
  readonly takeVersion?: ((row: Row, tag: string) => void) | undefined;
}

/** A collection whose members in the body are all that there are to be (OData Protocol 11.4.3.1). */
export type ReplacedCollection = Pick<RelatedRow, "element" | "owner">;

/** A row to write together with another one of the body. */
export interface RelatedRow {
  /** The association, annotated `@odata.deepInsert`. */
  readonly element: LinkedElement;
  readonly row: Row;
  /** The row nested in the body that has the association; without it the row at the top. */
  readonly owner?: { readonly entity: LinkedEntity; readonly row: Row };
  /** The tag of the version that it is to have. */
  readonly tag?: string;
}

/** Where a link stands, and what it must address. */
export interface LinkPlace {
  readonly target: LinkedEntity;
  /** Path of the property in the body. */
  readonly property: string;
}

/** A row to link with a row of the body, or to part from it. */
export interface BoundMember {
  /** The association to many. */
  readonly element: LinkedElement;
  readonly keys: Row;
  /** The rows are linked, unless this says otherwise. */
  readonly change?: "unlink" | "delete";
  /** What else changes in the row that is linked. */
  readonly data?: Row;
  /** The tag of the version that it is to have. */
  readonly tag?: string;
  /** The row nested in the body that has the association; without it the row at the top. */
  readonly owner?: { readonly entity: LinkedEntity; readonly row: Row };
}

/** The place of a value in the body: for targets of errors. Its path is written when somebody asks for it. */
export class Place {
  /** What an unknown member is reported against. */
  readonly owner: string;
  readonly #around: Place | undefined;
  readonly #step: string | (() => string);

  /**
   * @param owner what an unknown member is reported against
   * @param step the end of the path, with what separates it from the rest
   * @param around the place of the object or array around the value; none at the top
   */
  constructor(owner: string, step: string | (() => string) = "", around?: Place) {
    this.owner = owner;
    this.#around = around;
    this.#step = step;
  }

  /** Whether it is that of the whole body. */
  get isTop(): boolean {
    return this.#around === undefined && this.#step === "";
  }

  /** Path to the value: empty at the top. */
  get path(): string {
    const step = typeof this.#step === "string" ? this.#step : this.#step();
    return this.#around === undefined ? step : this.#around.path + step;
  }

  /** The place of a member of the object. */
  member(name: string): Place {
    return new Place(name, this.isTop ? name : `/${name}`, this.isTop ? undefined : this);
  }

  /** The place of one of the values of the array: a text such as `[0]` or `(ID=2)` says which. */
  item(step: () => string): Place {
    return new Place(this.owner, step, this);
  }
}

/** How a part of a body is read. */
export interface Reading {
  readonly options: InputOptions;
  readonly place: Place;
  /** Whether the service checks the types of what is read. */
  readonly isValidated?: boolean;
}

/**
 * The reading of a member of an object.
 *
 * @param reading that of the object
 * @param name the member
 */
export function inside(reading: Reading, name: string): Reading {
  return { ...reading, place: reading.place.member(name) };
}

/** Whether a value of parsed JSON is an object. */
export function isJsonObject(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** What a property that does not exist was looked for in. */
interface LookedIn {
  /** What does not have it. */
  readonly owner: string;
  /** The properties there are. */
  readonly known: readonly string[];
  /** What it is said to be. */
  readonly what?: string;
}

/** Collects the errors of a body, so that a client learns all of them at once. */
export class Violations {
  readonly #errors: ErrorProperties[] = [];
  readonly #mostUnknown: number;
  #unknown = 0;

  /** @param limits how many members may be unknown */
  constructor({ unknownMembers }: Pick<Limits, "unknownMembers">) {
    this.#mostUnknown = unknownMembers;
  }

  /** A value that is not of the type of its element. */
  wrongType(value: unknown, type: string, target: string): void {
    const text = typeof value === "object" && value !== null ? describe(value) : value;
    this.#errors.push({ status: 400, code: "ASSERT_DATA_TYPE", target, args: [text, type] });
  }

  /** Something else where an array is declared. */
  noArray(target: string): void {
    this.#errors.push({ status: 400, code: "ASSERT_ARRAY", target });
  }

  /** Something beside the key of a reference. */
  notKey(name: string, association: string, target: string): void {
    this.#errors.push({ status: 400, code: "ASSERT_KEY_ONLY", target, args: [name, association] });
  }

  /** How many errors were found. */
  get count(): number {
    return this.#errors.length;
  }

  /**
   * A property that does not exist. The nearest name is looked for each time, so that there may not be any number of them.
   *
   * @param name its name
   * @param place what does not have it, and the properties there are
   * @throws ServiceError 400 for more than the limit, with those found so far
   */
  unknown(name: string, { owner, known, what = "Property" }: LookedIn): void {
    if (this.#unknown++ === this.#mostUnknown) {
      const args = [this.#mostUnknown];
      throw new ServiceError({ status: 400, code: "TOO_MANY_UNKNOWN_MEMBERS", args, details: this.#errors });
    }
    const near = nearestName(name, known);
    const hint = near === undefined ? "" : `, did you mean "${near}"`;
    const message = `${what} "${name}" does not exist in ${owner}${hint}`;
    this.#errors.push({ status: 400, code: "400", message, target: owner });
  }

  /** Any other error. */
  add(error: ErrorProperties): void {
    this.#errors.push(error);
  }

  /** Throws the error, or an aggregate of several; nothing if there is none. */
  throwIfAny(): void {
    if (this.#errors.length === 0) return;
    if (this.#errors.length === 1) throw new ServiceError(this.#errors[0]!);
    throw new ServiceError({ status: 400, code: "MULTIPLE_ERRORS", details: this.#errors });
  }
}

function describe(value: object): string {
  if (Array.isArray(value)) return "An array";
  return Object.getPrototypeOf(value) === Object.prototype ? "An object" : String(value);
}

const PLAIN: WeakMap<LinkedEntity, ReadonlyMap<string, FlatElement>> = new WeakMap();

/**
 * Members with a primitive value, which most are.
 *
 * @param entity the entity
 */
export function plainProperties(entity: LinkedEntity): ReadonlyMap<string, FlatElement> {
  let plain = PLAIN.get(entity);
  if (plain === undefined) {
    const found = [...entity.$flat].filter(([name, { element }]) =>
      edmProperty(entity, name) !== undefined && !nestedStructures(entity).has(name) &&
      !element.$type.items && !element.$type.elements
    );
    PLAIN.set(entity, plain = new Map(found));
  }
  return plain;
}

const PLAIN_MEMBERS: WeakMap<LinkedElements, ReadonlyMap<string, ResolvedType>> = new WeakMap();

/**
 * The types of members of a structure, or of parameters, with a primitive value.
 *
 * @param elements all of them
 */
export function plainMembers(elements: LinkedElements): ReadonlyMap<string, ResolvedType> {
  let plain = PLAIN_MEMBERS.get(elements);
  if (plain === undefined) {
    const found = [...elements].filter(({ isAssociation, $type }) =>
      !isAssociation && !$type.items && !$type.elements
    );
    PLAIN_MEMBERS.set(elements, plain = new Map(found.map(({ name, $type }) => [name, $type])));
  }
  return plain;
}

/**
 * The key of a child in the path of an error: `(ID=2)` when all keys are given, foreign keys of the back link aside.
 *
 * @param value the child
 * @param target its entity
 */
export function childKey(value: JsonValue, target: LinkedEntity): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const keys = target.$flatKeys.filter((key) => !key.virtual && key.foreignKey4 === undefined);
  const parts = keys.map((key) => {
    const member = value[key.name];
    return typeof member === "string" || typeof member === "number"
      ? namedKey(key.name, member, key)
      : undefined;
  });
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return `(${parts.join(",")})`;
}

const OWN_KEYS: WeakMap<LinkedElement, readonly string[]> = new WeakMap();

/** The keys of the parts of a composition that the row around does not give them. */
function ownKeys(composition: LinkedElement): readonly string[] {
  let own = OWN_KEYS.get(composition);
  if (own === undefined) {
    const given = new Set(linksOf(composition).pairs.map(({ target }) => target));
    own = composition.$target!.$flatKeys.filter(({ name, virtual }) => !virtual && !given.has(name))
      .map(({ name }) => name);
    OWN_KEYS.set(composition, own);
  }
  return own;
}

/**
 * Whether a key of a part is missing that the row around does not give it.
 *
 * @param row the part
 * @param composition the composition to it
 */
export function lacksKey(row: Row, composition: LinkedElement): boolean {
  return ownKeys(composition).some((name) => row[name] === undefined || row[name] === null);
}

/**
 * The error for a row of changes that cannot be found.
 *
 * @param annotation the changes
 * @param target path of the row
 */
export function missingKeys(annotation: string, target: string): ErrorProperties {
  return { status: 400, code: "400", message: `"${annotation}" needs the keys of each row`, target };
}

/**
 * Sets the derived type of a row, which `@odata.type` decides on.
 *
 * @param value the object
 * @param entity the entity
 * @param given the row, and how it is read
 */
export function readType(
  value: { readonly [name: string]: JsonValue },
  entity: LinkedEntity,
  { row, reading }: { readonly row: Row; readonly reading: Reading },
): void {
  const hierarchy = typeHierarchy(entity);
  const given = value["@odata.type"] ?? value["@type"];
  if (!hierarchy || given === undefined) return;
  const name = String(given).replace(/^.*#/, "").replace(`${entity.$service?.name}.`, "");
  const type = hierarchy.types.get(name);
  if (type) row[hierarchy.discriminator.name] = type.value;
  else reading.options.violations.wrongType(given, entity.name, "@odata.type");
}

/** A value, and the reading of the row. */
interface GivenValue {
  readonly value: unknown;
  readonly reading: Reading;
}

/**
 * Sets a value of a row; a different one that is there already contradicts it.
 *
 * @param row the row
 * @param name flat name of the element
 * @param given its value
 */
export function setValue(row: Row, name: string, { value, reading }: GivenValue): void {
  const known = row[name];
  row[name] = value;
  if (known === undefined || value === undefined || String(known) === String(value)) return;
  const { options, place } = reading;
  const target = place.member(name).path;
  const message = `The values given for "${name}" contradict each other`;
  options.violations.add({ status: 400, code: "400", message, target });
}

/**
 * Sets the foreign keys of an association.
 *
 * @param row the row that has it
 * @param element the association
 * @param given keys of the row it leads to, as far as they are given; null for none
 */
export function setForeignKeys(
  row: Row,
  element: LinkedElement,
  { keys, reading }: { readonly keys: Row | null; readonly reading: Reading },
): void {
  for (const { source, target } of foreignKeyLinks(element)) {
    const key = keys === null ? null : keys[target];
    if (key !== undefined) setValue(row, source, { value: key, reading });
  }
}
