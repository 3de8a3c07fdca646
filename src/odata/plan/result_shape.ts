/**
 * What rows of an answer hold, for payloads and context URLs.
 *
 * @module
 */

import type { LinkedElement, LinkedEntity, ResolvedType } from "../../model/linked.ts";

/** What the rows of a result hold. */
export interface ResultShape {
  readonly entity?: LinkedEntity;
  /** Names of `$select` as written, computed ones and added keys included; undefined for all. */
  readonly select?: readonly string[];
  /** Navigation properties in `$select`. */
  readonly navigations?: readonly string[];
  /** What rows hold and payloads do not show: elements with the types of selected streams. */
  readonly hidden?: ReadonlySet<string>;
  readonly expand: readonly ExpandShape[];
  /** Names of `$compute`. */
  readonly computed: readonly string[];
  /** Types of computed values, as far as they are known. */
  readonly types?: ReadonlyMap<string, ResolvedType>;
  /** What is selected of structured properties and collections, by name. */
  readonly members?: ReadonlyMap<string, MemberShape>;
  /** Result of `$apply`: the rows hold exactly these; no keys, no control information. */
  readonly aggregated?: readonly AggregatedProperty[];
}

/** What is selected of a structure, or of the members of a collection. */
export interface MemberShape {
  /** Names of properties, with what is selected of them; undefined for all. */
  readonly select?: ReadonlyMap<string, MemberShape>;
  /** `$count=true`: the number of members is beside them in the row. */
  readonly count?: boolean;
  /** Names of `$compute`, with their types as far as they are known. */
  readonly computed?: ReadonlyMap<string, ResolvedType | undefined>;
}

/** A property of a row that `$apply` made. */
export interface AggregatedProperty {
  /** Name of the column in rows. */
  readonly name: string;
  /** Path in the payload: `["author", "name"]` is nested. */
  readonly path: readonly string[];
  /** The element that gives the type, for grouped properties, `min` and `max`. */
  readonly element?: LinkedElement;
  /** The type of other values, as far as it is known. */
  readonly type?: ResolvedType | undefined;
  /** The sequences of `concat` whose rows have the property, by the number in `$part`; all without. */
  readonly parts?: ReadonlySet<number>;
  /** What of its path may be null as a whole. */
  readonly wholes?: readonly WholePart[];
  /** The rows that have it: those with one of the values, of derived types. */
  readonly only?: { readonly column: string; readonly values: readonly string[] };
}

/** A structure, or a related instance, beside the properties of a row: null where all its columns are. */
export interface WholePart {
  /** Names of the path that lead to it. */
  readonly depth: number;
  readonly columns: readonly string[];
}

/** One expanded navigation property. */
export interface ExpandShape {
  /** Behind a type cast: only rows with these values of the discriminator show it. */
  readonly cast?: readonly string[];
  readonly name: string;
  readonly element: LinkedElement;
  readonly shape: ResultShape;
  /** `$count=true` or `/$count`: the number of rows is on the array as `$count`. */
  readonly count: boolean;
  /** `/$ref`: references only. */
  readonly ref: boolean;
  /** `/$count`: the number only. */
  readonly countOnly: boolean;
}
