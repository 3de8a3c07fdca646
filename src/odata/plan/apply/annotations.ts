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
