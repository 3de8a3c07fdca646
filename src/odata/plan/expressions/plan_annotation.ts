/**
 * Values of annotations in expressions (OData 4.01 Part 2, section 5.1.1.12): services annotate the model, so the
 * value is the same for all instances; what is not annotated is null.
 *
 * @module
 */

import { vocabulary } from "../../../model/csdl/vocabularies.ts";
import type { AnnotationExpr, MemberStep } from "../../url/ast.ts";
import type { Member } from "./member_walk.ts";
import { badRequest } from "../plan_error.ts";
import { BOOLEAN, DECIMAL, STRING, type Typed } from "../scope.ts";

/**
 * The value of an annotation.
 *
 * @param annotated the element or entity in front of it
 * @param node the annotation
 * @param rest what follows
 * @returns a constant
 * @throws {ServiceError} 400 if something follows that its value does not have
 */
export function annotationValue(
  annotated: object,
  node: AnnotationExpr,
  rest: readonly MemberStep[],
): Member {
  if (rest.length > 0) throw badRequest("Nothing can follow an annotation", rest[0].offset);
  const alias = node.name.slice(1).split(".", 1)[0];
  // what $metadata does not tell is nobody's business
  if (vocabulary(alias) === undefined) return { value: constant(undefined) };
  const given: unknown = (annotated as Readonly<Record<string, unknown>>)[node.name];
  return { value: constant(given) };
}

function constant(val: unknown): Typed {
  switch (typeof val) {
    case "boolean":
      return { expr: { val }, type: BOOLEAN, nullable: false };
    case "number":
      return { expr: { val }, type: DECIMAL, nullable: false };
    case "string":
      return { expr: { val }, type: STRING, nullable: false };
    default:
      return { expr: { val: null }, nullable: true };
  }
}
