/**
 * The schema notation (CSN) as types: a model as plain JSON-like data.
 *
 * @module
 */

import type { Column, Expression, SelectBody, SelectQuery, SetQuery, Xo } from "../cqn/cqn.ts";

/** A place in a model source, for messages. Lines and columns count from 1. */
export interface SourceLocation {
  /** Path of the file. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  /** Column, from 1. */
  readonly col: number;
}

/** Annotations: every property that starts with `@`, flat (`@UI.LineItem`, `@Capabilities.InsertRestrictions.Insertable`). */
export interface Annotated {
  /** Annotations by their full name. */
  readonly [annotation: `@${string}`]: unknown;
  /** Doc comment, only when switched on. */
  readonly doc?: string;
  /** Source position; not enumerable. */
  readonly $location?: SourceLocation;
}

/** Cardinality of an association. */
export interface Cardinality {
  /** Rows of the source at most. */
  readonly src?: number | "*";
  /** Rows of the target at least. */
  readonly min?: number;
  /** Rows of the target at most. */
  readonly max?: number | "*";
}

/** A type expression: what elements, parameters, items and results have in common. */
export interface TypeExpression extends Annotated {
  /** Built-in (`cds.String`) or user type name, or a reference to an element's type. */
  readonly type?: string | { readonly ref: readonly string[] };
  /** Characters or bytes at most. */
  readonly length?: number;
  /** Digits in all. */
  readonly precision?: number;
  /** Digits behind the point. */
  readonly scale?: number | "floating" | "variable";
  /** Reference system of a spatial type. */
  readonly srid?: number;
  /** Elements by name. */
  readonly elements?: Readonly<Record<string, CsnElement>>;
  /** Type of the members of an arrayed type. */
  readonly items?: TypeExpression;
  /** Values by symbol. */
  readonly enum?: Readonly<Record<string, { readonly val?: string | number | boolean } & Annotated>>;
  /** Value where none is given. */
  readonly default?: Expression;
  /** Whether null is refused. */
  readonly notNull?: boolean;
  /** Name of the target entity. */
  readonly target?: string | { readonly elements: Readonly<Record<string, CsnElement>> };
  /** Aspect of a composition, by name or written in place. */
  readonly targetAspect?: string | { readonly elements: Readonly<Record<string, CsnElement>> };
  /** Keys by name; of a managed association, what it refers to. */
  readonly keys?: readonly { readonly ref: readonly string[]; readonly as?: string }[];
  /** Condition of the association or join. */
  readonly on?: readonly Xo[];
  /** How many rows stand on each side. */
  readonly cardinality?: Cardinality;
}

/** An element of an entity, type, aspect or event. */
export interface CsnElement extends TypeExpression {
  /** Whether it is part of the key. */
  readonly key?: boolean;
  /** Whether it has no column. */
  readonly virtual?: boolean;
  /** Whether there are texts in several languages. */
  readonly localized?: boolean | null;
  /** Calculated element: an expression; `stored: true` for on-write. */
  readonly value?: Expression & { readonly stored?: boolean };
}

/** Kinds of definitions. */
export type DefinitionKind =
  | "type"
  | "aspect"
  | "entity"
  | "service"
  | "context"
  | "action"
  | "function"
  | "event"
  | "annotation";

/** An action or function, bound (under `actions`) or unbound. */
export interface CsnOperation extends Annotated {
  /** Kind of the definition. */
  readonly kind: "action" | "function";
  /** Parameters by name. */
  readonly params?: Readonly<Record<string, TypeExpression>>;
  /** Type of the result. */
  readonly returns?: TypeExpression;
}

/** A definition. Which properties apply depends on `kind`. */
export interface CsnDefinition extends CsnElement {
  /** Kind of the definition. */
  readonly kind?: DefinitionKind;
  /** Names of what is included. */
  readonly includes?: readonly string[];
  /** Bound operations by name. */
  readonly actions?: Readonly<Record<string, CsnOperation>>;
  /** Parameters by name. */
  readonly params?: Readonly<Record<string, TypeExpression>>;
  /** Type of the result. */
  readonly returns?: TypeExpression;
  /** The query of a view. */
  readonly query?: SelectQuery | SetQuery;
  /** The query of a projection. */
  readonly projection?: SelectBody;
}

/** An entry of `extensions` of a parsed model. */
export interface CsnExtension extends Annotated {
  /** Name of what is extended. */
  readonly extend?: string;
  /** Name of what is annotated. */
  readonly annotate?: string;
  /** Names of what is included. */
  readonly includes?: readonly string[];
  /** Elements by name. */
  readonly elements?: Readonly<Record<string, CsnElement>>;
  /** What is selected; everything without it. */
  readonly columns?: readonly Column[];
  /** Bound operations by name. */
  readonly actions?: Readonly<Record<string, CsnOperation>>;
  /** Parameters by name. */
  readonly params?: Readonly<Record<string, TypeExpression>>;
  /** Type of the result. */
  readonly returns?: TypeExpression;
  /** Values by symbol. */
  readonly enum?: TypeExpression["enum"];
  /** Facets that an extension changes. */
  readonly [facet: string]: unknown;
}

/** A model: parsed (extensions unapplied) or inferred (see `csn-cqn`, "CSN top level"). */
export interface Csn {
  /** Definitions by full name. */
  readonly definitions?: Readonly<Record<string, CsnDefinition>>;
  /** Extensions that are not applied yet, in order. */
  readonly extensions?: readonly CsnExtension[];
  /** Imported models. */
  readonly requires?: readonly string[];
  /** Namespace of the file. */
  readonly namespace?: string;
  /** Texts by locale and key. */
  readonly i18n?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Informational. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Version of the notation. */
  readonly $version?: string;
}
