/**
 * What the CDL parser gives: statements with names as written, to be resolved by the CSN builder.
 *
 * @module
 */

import type { Column, Expression, SelectBody, SelectQuery, SetQuery, Xo } from "../../cqn/cqn.ts";
import type { Cardinality, DefinitionKind, SourceLocation } from "../csn.ts";

/** A (dotted) name and where it stands. */
export interface AstName {
  readonly name: string;
  readonly location: SourceLocation;
}

/** Annotations with flat keys (`@A.b`). */
export type AstAnnotations = Record<`@${string}`, unknown>;

/** What elements, parameters, enum symbols and definitions have in common. */
export interface AstNode extends AstName {
  readonly annotations: AstAnnotations;
  readonly doc?: string;
}

/** A value of a type's parentheses: `length: 10`, `9`, `floating`. */
export interface AstFacet {
  readonly name?: string;
  readonly value: number | string;
  readonly location: SourceLocation;
}

/** A symbol of an enum. */
export interface AstEnumSymbol extends AstNode {
  readonly value?: Expression;
}

/** `Association …` or `Composition …`. */
export interface AstAssociation {
  readonly isComposition: boolean;
  readonly cardinality?: Cardinality;
  readonly target?: AstName;
  /** Elements of a composition of an inline aspect. */
  readonly aspect?: readonly AstElement[];
  readonly keys?: readonly { readonly ref: readonly string[]; readonly as?: string }[];
  readonly on?: readonly Xo[];
}

/** A type expression. Exactly one of `named`, `elements`, `items` and `association` is there, except in extensions. */
export interface AstType {
  readonly named?: AstName;
  /** Path after the colon (`Books:title`), or the whole path after `type of`. */
  readonly path?: readonly string[];
  readonly isTypeOf?: boolean;
  readonly facets?: readonly AstFacet[];
  readonly elements?: readonly AstElement[];
  readonly items?: AstType;
  readonly association?: AstAssociation;
  readonly enum?: readonly AstEnumSymbol[];
  readonly localized?: boolean;
  readonly notNull?: boolean;
}

/** An element or parameter. */
export interface AstElement extends AstNode {
  readonly key?: boolean;
  readonly virtual?: boolean;
  readonly type?: AstType;
  readonly value?: readonly Xo[];
  readonly stored?: boolean;
  readonly notNull?: boolean;
  readonly default?: readonly Xo[];
  /** `extend name …` inside an `extend`. */
  readonly isExtension?: boolean;
}

/** The result of an operation. */
export interface AstReturns {
  readonly type?: AstType;
  readonly annotations: AstAnnotations;
}

/** A definition. */
export interface AstDefinition extends AstNode {
  readonly statement: "definition";
  readonly kind: DefinitionKind;
  readonly includes?: readonly AstName[];
  readonly elements?: readonly AstElement[];
  readonly type?: AstType;
  readonly notNull?: boolean;
  readonly default?: readonly Xo[];
  readonly params?: readonly AstElement[];
  readonly returns?: AstReturns;
  readonly query?: SelectQuery | SetQuery;
  readonly projection?: SelectBody;
  readonly actions?: readonly AstDefinition[];
  /** Definitions in a service or context. */
  readonly members?: readonly AstStatement[];
}

/** `extend …` or `annotate …`. */
export interface AstExtension {
  readonly statement: "extend" | "annotate";
  readonly target: AstName;
  /** Path of elements after a colon. */
  readonly path?: readonly string[];
  readonly annotations: AstAnnotations;
  readonly doc?: string;
  readonly includes?: readonly AstName[];
  readonly elements?: readonly AstElement[];
  readonly enum?: readonly AstEnumSymbol[];
  readonly columns?: readonly Column[];
  readonly facets?: readonly AstFacet[];
  readonly actions?: readonly (AstDefinition | AstOperationExtension)[];
  readonly params?: readonly AstElement[];
  readonly returns?: AstReturns;
  readonly members?: readonly AstStatement[];
}

/** Annotations for a bound or unbound operation inside `annotate`. */
export interface AstOperationExtension extends AstNode {
  readonly statement: "annotate";
  readonly params?: readonly AstElement[];
  readonly returns?: AstReturns;
}

/** A statement of a file, service or context, except `using` and `namespace`. */
export type AstStatement = AstDefinition | AstExtension;

/** `using … from …`. */
export interface AstUsing {
  /** Names and the aliases by which the file calls them; none only loads the module. */
  readonly names: readonly (AstName & { readonly alias: string })[];
  readonly from?: AstName;
}

/** A parsed file. */
export interface AstFile {
  readonly namespace?: string;
  readonly usings: readonly AstUsing[];
  readonly statements: readonly AstStatement[];
}
