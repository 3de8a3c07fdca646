/**
 * Label and text of a definition or element, for people who read a schema.
 *
 * @module
 */

import type { LinkedBase } from "../linked.ts";

/** What people read. */
export interface AnnotationText {
  /** `@title`, else `@Common.Label`. */
  readonly title?: string;
  /** `@description`, `@Core.Description`, else the doc comment. */
  readonly description?: string;
}

/**
 * Label and text; keys of text bundles (`{i18n>…}`) are left out.
 *
 * @param base definition or element
 */
export function annotationText(base: LinkedBase): AnnotationText {
  const of = (...names: readonly string[]) =>
    names.map((name) => (base as unknown as Readonly<Record<string, unknown>>)[name])
      .find((value): value is string => typeof value === "string" && value !== "" && !value.startsWith("{"));
  return {
    title: of("@title", "@Common.Label"),
    description: of("@description", "@Core.Description", "doc"),
  };
}
