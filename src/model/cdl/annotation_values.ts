/**
 * Annotation values: records become flat keys at the top, and plain objects inside arrays.
 *
 * @module
 */

/** A record value as written; whether it is flattened depends on its place. */
export class AnnotationRecord {
  readonly entries: [string, unknown][] = [];
}

/**
 * Sets an annotation; a record sets one annotation for each of its entries, `$value` the one of the record itself.
 * A record with `$edmJson` is one value.
 *
 * @param target what carries the annotations
 * @param name with `@`
 * @param value as parsed
 */
export function assignAnnotation(target: object, name: string, value: unknown): void {
  const isFlat = value instanceof AnnotationRecord && !value.entries.some(([key]) => key === "$edmJson");
  if (!isFlat) {
    Object.assign(target, { [name]: plainValue(value) });
    return;
  }
  if (value.entries.length === 0) Object.assign(target, { [name]: {} });
  for (const [key, entry] of value.entries) {
    assignAnnotation(target, key === "$value" ? name : `${name}.${key}`, entry);
  }
}

/**
 * The value as data.
 *
 * @param value as parsed, records included
 * @returns plain data
 */
export function plainValue(value: unknown): unknown {
  if (!(value instanceof AnnotationRecord)) return value;
  return Object.fromEntries(value.entries.map(([key, entry]) => [key, plainValue(entry)]));
}
