/**
 * The schema notation (CSN) as types: a model as plain JSON-like data.
 *
 * @module
 */

import type { Column, Expression, SelectBody, SelectQuery, SetQuery, Xo } from "../cqn/cqn.ts";

/** A place in a model source, for messages. Lines and columns count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly col: number;
}

/** Annotations: every property that starts with `@`, flat (`@UI.LineItem`, `@Capabilities.InsertRestrictions.Insertable`). */
export interface Annotated {
  readonly [annotation: `@${string}`]: unknown;
  /** Doc comment, only when switched on. */
  readonly doc?: string;
  /** Source position; not enumerable. */
  readonly $location?: SourceLocation;
}

/** Cardinality of an association. */
export interface Cardinality {
  readonly src?: number | "*";
  readonly min?: number;
  readonly max?: number | "*";
}

/** A type expression: what elements, parameters, items and results have in common. */
export interface TypeExpression extends Annotated {
  /** Built-in (`cds.String`) or user type name, or a reference to an element's type. */
  readonly type?: string | { readonly ref: readonly string[] };
  readonly length?: number;
  readonly precision?: number;
  readonly scale?: number | "floating" | "variable";
  readonly srid?: number;
  readonly elements?: Readonly<Record<string, CsnElement>>;
  readonly items?: TypeExpression;
  readonly enum?: Readonly<Record<string, { readonly val?: string | number | boolean } & Annotated>>;
  readonly default?: Expression;
  readonly notNull?: boolean;
  readonly target?: string | { readonly elements: Readonly<Record<string, CsnElement>> };
  readonly targetAspect?: string | { readonly elements: Readonly<Record<string, CsnElement>> };
  readonly keys?: readonly { readonly ref: readonly string[]; readonly as?: string }[];
  readonly on?: readonly Xo[];
  readonly cardinality?: Cardinality;
}

/** An element of an entity, type, aspect or event. */
export interface CsnElement extends TypeExpression {
  readonly key?: boolean;
  readonly virtual?: boolean;
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
  readonly kind: "action" | "function";
  readonly params?: Readonly<Record<string, TypeExpression>>;
  readonly returns?: TypeExpression;
}

/** A definition. Which properties apply depends on `kind`. */
export interface CsnDefinition extends CsnElement {
  readonly kind?: DefinitionKind;
  readonly includes?: readonly string[];
  readonly actions?: Readonly<Record<string, CsnOperation>>;
  readonly params?: Readonly<Record<string, TypeExpression>>;
  readonly returns?: TypeExpression;
  readonly query?: SelectQuery | SetQuery;
  readonly projection?: SelectBody;
}

/** An entry of `extensions` of a parsed model. */
export interface CsnExtension extends Annotated {
  readonly extend?: string;
  readonly annotate?: string;
  readonly includes?: readonly string[];
  readonly elements?: Readonly<Record<string, CsnElement>>;
  readonly columns?: readonly Column[];
  readonly actions?: Readonly<Record<string, CsnOperation>>;
  readonly params?: Readonly<Record<string, TypeExpression>>;
  readonly returns?: TypeExpression;
  readonly enum?: TypeExpression["enum"];
  readonly [facet: string]: unknown;
}

/** A model: parsed (extensions unapplied) or inferred (see `csn-cqn`, "CSN top level"). */
export interface Csn {
  readonly definitions?: Readonly<Record<string, CsnDefinition>>;
  readonly extensions?: readonly CsnExtension[];
  readonly requires?: readonly string[];
  readonly namespace?: string;
  readonly i18n?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly $version?: string;
}
