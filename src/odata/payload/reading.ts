/**
 * What parts of bodies are read with, and where they stand.
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement, LinkedEntity, LinkedModel } from "../../model/linked.ts";
import type { JsonValue } from "./parse_json.ts";
import type { Violations } from "./violations.ts";

/** What reading a body needs besides the body. */
export interface InputOptions {
  readonly model: LinkedModel;
  /** Characters of a string without declared length. */
  readonly defaultStringLength: number;
  readonly violations: Violations;
  /** Keys of the entity that a link (`Authors(101)`) addresses; throws when it is none of the target. */
  readonly resolveLink: (link: string, place: LinkPlace) => Row;
  /** Whether a value is an entity as an earlier part of the batch was answered: a reference to it (`$<id>`). */
  readonly isAnswer?: ((value: JsonValue) => boolean) | undefined;
  /** Takes the members of collections that objects bind; without it they are not possible. */
  readonly bindMember?: (member: BoundMember) => void;
  /** Takes rows that are written together with the one that has the association. */
  readonly insertRelated?: (related: RelatedRow) => void;
  /** Takes collections whose nested rows are the full set. */
  readonly replaceRelated?: (collection: ReplacedCollection) => void;
  /** Takes tags of the versions that rows are to have. */
  readonly takeVersion?: (row: Row, tag: string) => void;
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

/** The place of a value in the body: for targets of errors. */
export interface Place {
  /** Path to the object: empty at the top. */
  readonly path: string;
  /** What an unknown member is reported against. */
  readonly owner: string;
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
  const path = reading.place.path ? `${reading.place.path}/${name}` : name;
  return { ...reading, place: { path, owner: name } };
}

/** Whether a value of parsed JSON is an object. */
export function isJsonObject(value: JsonValue | undefined): value is { readonly [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
