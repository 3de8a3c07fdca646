/**
 * Values of annotations of the aggregation vocabulary.
 *
 * @module
 */

/**
 * A path in an annotation.
 *
 * @param value `{"=": "path"}`, or text
 * @returns the path
 */
export function pathText(value: unknown): string {
  if (typeof value === "string") return value;
  const path = (value as { readonly "="?: unknown } | null | undefined)?.["="];
  return typeof path === "string" ? path : "";
}

/**
 * The name of an enumeration symbol in an annotation.
 *
 * @param value `{"#": "SUM"}`, or text
 * @returns the name
 */
export function symbolText(value: unknown): string {
  if (typeof value === "string") return value;
  const symbol = (value as { readonly "#"?: unknown } | null | undefined)?.["#"];
  return typeof symbol === "string" ? symbol : "";
}

/**
 * A member of an annotation that is a record, written as a whole or member by member.
 *
 * @param definition what is annotated
 * @param term the annotation
 * @param member the member
 */
export function annotationMember(
  definition: { readonly [annotation: `@${string}`]: unknown },
  term: `@${string}`,
  member: string,
): unknown {
  const whole = definition[term] as Readonly<Record<string, unknown>> | null | undefined;
  return whole?.[member] ?? definition[`${term}.${member}`];
}
