/**
 * What a case of the property of restrictions is about: a model with restrictions, its rows, and a user.
 *
 * @module
 */

import type { Derived } from "./derived.ts";

/** What an element is compared with. */
export type Value = { readonly val: string | number } | { readonly user: true } | { readonly attr: string };

/** The condition of a privilege. */
export type Condition =
  | {
    readonly kind: "compare";
    readonly path: readonly string[];
    readonly operator: "=" | "<>" | "!=" | "<" | ">=" | "in" | "not in";
    readonly value: Value;
    /** Whether the value stands on the left. */
    readonly isReversed: boolean;
  }
  | { readonly kind: "null"; readonly path: readonly string[]; readonly isNegated: boolean }
  | { readonly kind: "lacks"; readonly attr: string; readonly isNegated: boolean }
  | {
    readonly kind: "exists";
    readonly path: readonly string[];
    readonly inner?: Condition;
    readonly isNegated: boolean;
  }
  | { readonly kind: "join"; readonly operator: "and" | "or"; readonly sides: readonly Condition[] }
  | { readonly kind: "not"; readonly of: Condition };

/** An entry of `@restrict`. */
export interface Privilege {
  readonly grant?: readonly string[];
  readonly to?: readonly string[];
  readonly where?: Condition;
  /** Whether the condition is written as text. */
  readonly isText?: boolean;
}

/** Annotations of a definition. */
export interface Restriction {
  readonly requires?: readonly string[];
  readonly restrict?: readonly Privilege[];
}

/** An association as clients see it. */
export interface Association {
  readonly name: string;
  /** Name of the view it leads to. */
  readonly target: string;
  readonly many: boolean;
  readonly composition: boolean;
  /** Rows belong together when these columns are equal. */
  readonly own: string;
  readonly other: string;
}

/** An entity of the database. */
export interface Table {
  readonly name: string;
  /** The entity whose part it is: exposed by itself or not, or written inside that one. */
  readonly parent?: string;
  readonly form: "plain" | "child" | "inline" | "code list";
  readonly localized: boolean;
  readonly struct: boolean;
  readonly associations: readonly Association[];
  readonly restriction?: Restriction;
}

/** An entity of the service. */
export interface View {
  readonly name: string;
  /** Name of the table, which is its own for all but further projections. */
  readonly table: string;
  readonly keys: readonly string[];
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
  readonly associations: readonly Association[];
  /** Elements of the table that it leaves out. */
  readonly excluded: readonly string[];
  /** Its element `path1`, taken from behind an association. */
  readonly path?: { readonly via: Association; readonly element: string };
  /** Associations whose texts are searched too. */
  readonly searched?: readonly string[];
  /** How it reads its sources, if it does not show the rows of its table as they are. */
  readonly derived?: Derived;
  /** Whether the service names it; others are there as targets only. */
  readonly isExposed: boolean;
  /** Its own annotations, else those of the table hold. */
  readonly restriction?: Restriction;
  /** The view whose restriction holds for it, if it is only there as a part of that one. */
  readonly authority?: string;
  /** Annotations of its action `touch`. */
  readonly touch?: Restriction;
}

/** Who asks. */
export interface Caller {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: Readonly<Record<string, unknown>>;
}

/** A row by column. */
export type Row = Record<string, string | number | null>;

/** Rows by table. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

/** A case. */
export interface World {
  readonly requires?: readonly string[];
  readonly tables: readonly Table[];
  readonly views: readonly View[];
  readonly rows: Rows;
  readonly caller: Caller | undefined;
}

/** The view of a name. */
export function viewOf({ views }: Pick<World, "views">, name: string): View {
  return views.find((view) => view.name === name)!;
}
