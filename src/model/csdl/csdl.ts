/**
 * The metadata of a service as a tree: what both writers, XML and JSON, need (OData CSDL 4.01).
 *
 * @module
 */

/** A type as properties, parameters and results refer to it. */
export interface CsdlType {
  /** `Edm.String`, or the qualified name of a type of the service. */
  readonly type: string;
  readonly collection?: boolean;
  readonly maxLength?: number;
  readonly precision?: number;
  readonly scale?: number | "variable" | "floating";
  readonly srid?: number;
  /** Undefined for collections of entities, which have no such facet. */
  readonly nullable?: boolean;
}

/** A structural property. */
export interface CsdlProperty extends CsdlType {
  readonly kind: "property";
  readonly name: string;
  readonly defaultValue?: string | number | boolean;
}

/** A navigation property. */
export interface CsdlNavigationProperty {
  readonly kind: "navigation";
  readonly name: string;
  readonly type: string;
  readonly collection: boolean;
  readonly nullable: boolean;
  readonly partner?: string;
  readonly containsTarget?: boolean;
  readonly onDeleteCascade: boolean;
  /** Dependent property and principal property. */
  readonly referentialConstraints: readonly (readonly [string, string])[];
}

/** An entity type or complex type. */
export interface CsdlStructuredType {
  readonly kind: "entity" | "complex";
  readonly name: string;
  readonly key: readonly string[];
  readonly open: boolean;
  /** Qualified name of the type it derives from. */
  readonly baseType?: string;
  /** Media entity: the entity itself is a stream. */
  readonly hasStream?: boolean;
  readonly members: readonly (CsdlProperty | CsdlNavigationProperty)[];
}

/** An enumeration. */
export interface CsdlEnumType {
  readonly name: string;
  /** The integer type below. */
  readonly underlyingType: string;
  readonly flags: boolean;
  readonly members: readonly (readonly [name: string, value: number])[];
}

/** A parameter of an operation. */
export interface CsdlParameter extends CsdlType {
  readonly name: string;
}

/** An action or function. */
export interface CsdlOperation {
  readonly kind: "action" | "function";
  readonly name: string;
  readonly bound: boolean;
  readonly parameters: readonly CsdlParameter[];
  readonly returns?: CsdlType;
  readonly entitySetPath?: string;
}

/** Versions of the format of metadata. */
export type CsdlVersion = "4.0" | "4.01";

/** An entity set or singleton. */
export interface CsdlSet {
  readonly kind: "set" | "singleton";
  readonly name: string;
  readonly type: string;
  readonly bindings: readonly (readonly [path: string, target: string])[];
  /** Singletons only: whether there may be none. */
  readonly nullable?: boolean;
  /** Holds the parameters of a view, behind which its rows are. */
  readonly holdsParameters?: true;
}

/** An action import or function import. */
export interface CsdlImport {
  readonly kind: "action" | "function";
  readonly name: string;
  readonly operation: string;
  readonly entitySet?: string;
}

/** The value of an annotation. */
export type CsdlValue =
  | {
    readonly kind: "string" | "path" | "propertyPath" | "navigationPropertyPath" | "annotationPath" | "enum";
    readonly value: string;
  }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "int" | "decimal"; readonly value: number }
  | { readonly kind: "null" }
  | { readonly kind: "collection"; readonly items: readonly CsdlValue[] }
  | CsdlRecord
  | { readonly kind: "expression"; readonly json: unknown };

/** A record as annotation value. */
export interface CsdlRecord {
  readonly kind: "record";
  readonly type?: string;
  readonly properties: readonly (readonly [name: string, value: CsdlValue])[];
  readonly annotations: readonly CsdlAnnotation[];
}

/** An annotation: term, qualifier and value. */
export interface CsdlAnnotation {
  readonly term: string;
  readonly qualifier?: string;
  readonly value: CsdlValue;
  readonly annotations: readonly CsdlAnnotation[];
}

/** The metadata of a service. */
export interface Csdl {
  readonly namespace: string;
  readonly sets: readonly CsdlSet[];
  readonly imports: readonly CsdlImport[];
  readonly types: readonly CsdlStructuredType[];
  readonly enums: readonly CsdlEnumType[];
  readonly operations: readonly CsdlOperation[];
  /** Annotations by target (`S.Books/title`). */
  /** Annotations of the schema itself. */
  readonly schemaAnnotations: readonly CsdlAnnotation[];
  readonly annotations: readonly (readonly [target: string, annotations: readonly CsdlAnnotation[]])[];
}

/** Finds a text for the key of `{i18n>key}`. */
export type CsdlTexts = (key: string) => string | undefined;
