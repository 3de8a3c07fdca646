/**
 * Actions and functions of a metadata document.
 *
 * @module
 */

import type { CsnDefinition, CsnOperation, TypeExpression } from "../csn.ts";
import type { CsdlDocument, CsdlObject } from "./csdl_document.ts";
import { importedAnnotations, importedProperty, importedType } from "./imported_elements.ts";

type Definitions = Record<string, CsnDefinition>;

/**
 * Adds the operations of a document: those that have an import to the service, bound ones to all entities of their type.
 *
 * @param importer the document
 * @param definitions gets them
 */
export function importOperations(importer: ImportScope, definitions: Definitions): void {
  for (const [name, member] of importer.members) {
    const given = member.$Action ?? member.$Function;
    if (typeof given !== "string") continue;
    const overloads = overloadsOf(importer, importer.csdl.qualify(given)).filter(({ $IsBound }) => !$IsBound);
    overloads.forEach((overload, index) => {
      const operation = importOperation(importer, overload, given);
      definitions[`${importer.service}.${numbered(name, index)}`] = {
        ...operation,
        "@cds.external": true,
        ...overloadMark(name, index),
      };
    });
  }
  for (const { qualified, name } of importer.csdl.definitions.values()) {
    for (const overload of overloadsOf(importer, qualified)) {
      if (overload.$IsBound === true) bind(importer, definitions, { name, qualified, overload });
    }
  }
}

interface Bound {
  readonly name: string;
  readonly qualified: string;
  readonly overload: CsdlObject;
}

function bind(importer: ImportScope, definitions: Definitions, { name, qualified, overload }: Bound): void {
  const [binding] = overload.$Parameter as readonly CsdlObject[];
  const entity = definitions[importer.nameOf(String(binding.$Type))];
  if (entity?.kind !== "entity") return;
  const known = Object.keys(entity.actions ?? {});
  const index = known.filter((one) => one === name || one.startsWith(`${name}_`)).length;
  const operation = importOperation(importer, overload, qualified);
  const self = { items: { type: "$self" } };
  const params = binding.$Collection === true
    ? { [String(binding.$Name)]: self, ...operation.params }
    : operation.params;
  const actions = {
    ...entity.actions,
    [numbered(name, index)]: { ...operation, ...(params ? { params } : {}), ...overloadMark(name, index) },
  };
  definitions[importer.nameOf(String(binding.$Type))] = { ...entity, actions };
}

function overloadsOf({ csdl }: ImportScope, qualified: string): readonly CsdlObject[] {
  const value = csdl.definitions.get(qualified)?.value;
  return Array.isArray(value) ? value : [];
}

function importOperation(importer: ImportScope, overload: CsdlObject, qualified: string): CsnOperation {
  const { $Kind, $IsBound, $Parameter = [], $ReturnType } = overload;
  const all = $Parameter as readonly CsdlObject[];
  const types = all.map(({ $Type = "Edm.String", $Collection }) => {
    const type = importer.csdl.qualify(String($Type));
    return $Collection === true ? `Collection(${type})` : type;
  });
  const target = `${importer.csdl.qualify(qualified)}(${types.join(",")})`;
  const annotationsOf = (path: string, inline: CsdlObject) => ({
    ...importer.csdl.annotationsOf(`${importer.csdl.qualify(qualified)}()${path}`, inline),
    ...importer.csdl.annotationsOf(target + path),
  });
  const own = all.slice($IsBound === true ? 1 : 0);
  const params = Object.fromEntries(own.map((parameter) => {
    const name = String(parameter.$Name);
    const annotations = annotationsOf(`/${name}`, parameter);
    return [name, importedProperty(parameter, annotations, importer.nameOf)];
  }));
  return {
    kind: $Kind === "Function" ? "function" : "action",
    ...importedAnnotations(annotationsOf("", overload)),
    ...(own.length > 0 ? { params } : {}),
    ...(typeof $ReturnType === "object" && $ReturnType !== null
      ? { returns: importedType($ReturnType as CsdlObject, importer.nameOf) as TypeExpression }
      : {}),
  };
}

function numbered(name: string, index: number): string {
  return index === 0 ? name : `${name}_${index + 1}`;
}

function overloadMark(name: string, index: number): { readonly "@odata.overload"?: string } {
  return index === 0 ? {} : { "@odata.overload": name };
}

/** A document on its way into a model. */
export interface ImportScope {
  /** The document. */
  readonly csdl: CsdlDocument;
  /** Name of the service in the model. */
  readonly service: string;
  /** Members of the entity container: sets, singletons, imports of operations. */
  readonly members: readonly (readonly [string, CsdlObject])[];
  /** The name in the model of a type of the document. */
  readonly nameOf: (qualified: string) => string;
  /** The members of a structured type by name, those of its base types too. */
  membersOfType(qualified: string): ReadonlyMap<string, CsdlObject>;
}
