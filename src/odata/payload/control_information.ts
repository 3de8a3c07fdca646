/**
 * What payloads say of rows beside their members: types, ids, links, media streams, annotations and counts (JSON Format
 * 4.5, 4.6, 20).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { DerivedType } from "../../model/derived_types.ts";
import type { LinkedElement, LinkedEntity } from "../../model/linked.ts";
import { mediaElement } from "../../model/edm_types.ts";
import { entityTypeName } from "../names.ts";
import { canonicalUrl } from "./key_predicate.ts";
import { type AnnotationsList, isWanted } from "../headers/prefer.ts";
import { stringify } from "./write_value.ts";

/** The type of a row, as member of its JSON object. */
export function rowTypeAnnotation(entity: LinkedEntity, type?: DerivedType): string {
  const name = type ? `${entity.$service?.name}.${type.name}` : entityTypeName(entity);
  return `"@odata.type":${JSON.stringify(`#${name}`)}`;
}

/** Type, id, edit link and navigation links of a row, as members of its JSON object. */
export function rowControlInformation(row: Row, entity: LinkedEntity, type?: DerivedType): string[] {
  const parts = [rowTypeAnnotation(entity, type)];
  const url = canonicalUrl(entity, row);
  if (url === undefined) return parts;
  parts.push(`"@odata.id":${JSON.stringify(url)}`, `"@odata.editLink":${JSON.stringify(url)}`);
  for (const association of entity.associations) {
    if (association.$target?.$service !== entity.$service) continue;
    const link = `${url}/${association.name}`;
    parts.push(
      `${JSON.stringify(`${association.name}@odata.associationLink`)}:${JSON.stringify(`${link}/$ref`)}`,
      `${JSON.stringify(`${association.name}@odata.navigationLink`)}:${JSON.stringify(link)}`,
    );
  }
  return parts;
}

/**
 * What payloads tell of the stream of a media entity (JSON Format 4.6.14).
 *
 * @param row the row
 * @param entity its entity
 * @param full whether links are written, too
 */
export function mediaInformation(row: Row, entity: LinkedEntity, full: boolean): string[] {
  const element = mediaElement(entity);
  if (!element) return [];
  const type = mediaTypeOf(row, element);
  const parts = typeof type === "string" ? [`"@odata.mediaContentType":${JSON.stringify(type)}`] : [];
  const url = canonicalUrl(entity, row);
  if (!full || url === undefined) return parts;
  const link = JSON.stringify(`${url}/$value`);
  return [...parts, `"@odata.mediaReadLink":${link}`, `"@odata.mediaEditLink":${link}`];
}

/** The media type of a stream of a row: the literal of `@Core.MediaType`, or the value of the element it names. */
export function mediaTypeOf(row: Row, element: LinkedElement): unknown {
  const annotation = element["@Core.MediaType"];
  const reference = referenceOf(annotation);
  return reference === undefined ? annotation : row[reference];
}

/** The flat name that an annotation value refers to (`{"=": "mediaType"}`), if it does. */
export function referenceOf(annotation: unknown): string | undefined {
  if (typeof annotation !== "object" || annotation === null || !("=" in annotation)) return undefined;
  const path = annotation["="];
  return typeof path === "string" ? path.replaceAll(".", "_") : undefined;
}

const ANNOTATION =
  /^(|[\p{L}_][\p{L}\p{N}_]*)@((?:[\p{L}_][\p{L}\p{N}_]*\.)+[\p{L}_][\p{L}\p{N}_]*)(?:#([\p{L}_][\p{L}\p{N}_]*))?$/u;

/**
 * The annotations of a row that the client wants, as members of its JSON object. Nothing in the namespace `odata` is one:
 * that is control information, which the framework writes.
 *
 * @param row the row
 * @param wanted what the client wants
 * @param isShown whether the payload shows a property
 */
export function instanceAnnotations(
  row: Row,
  wanted: AnnotationsList,
  isShown: (name: string) => boolean,
): string[] {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(row)) {
    if (!name.includes("@") || value === undefined) continue;
    const [, property, term, qualifier] = ANNOTATION.exec(name) ?? [];
    if (term === undefined || /^odata\./i.test(term) || (property !== "" && !isShown(property!))) continue;
    if (isWanted(wanted, term, qualifier)) parts.push(`${JSON.stringify(name)}:${stringify(value)}`);
  }
  return parts;
}

/**
 * The name of the column, and of the annotation, with the number of members of a collection.
 *
 * @param name the collection
 * @returns `tags@odata.count`
 */
export function memberCountName(name: string): string {
  return `${name}@odata.count`;
}

/**
 * A number of rows as JSON text (JSON Format 4.5.5).
 *
 * @param count the number
 * @param format whether it is text, as other numbers that JavaScript may round
 */
export function writeCount(count: number, { countText }: { readonly countText?: boolean }): string {
  return countText ? `"${count}"` : String(count);
}
