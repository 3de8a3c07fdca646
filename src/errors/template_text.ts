/**
 * Messages written as tagged templates: `` req.error`${{ stock }} must be positive` ``.
 *
 * @module
 */

/** A text whose objects are written with their members. */
export function templateText(strings: TemplateStringsArray, values: readonly unknown[]): string {
  return String.raw(
    { raw: strings },
    ...values.map((value) => typeof value === "string" ? value : shown(value)),
  );
}

/** A value in a message. */
export function shown(value: unknown): string {
  if (typeof value !== "object" || value === null || value instanceof Error) return String(value);
  if (value.toString !== Object.prototype.toString && !Array.isArray(value)) return String(value);
  return printed(value);
}

/** As consoles print values: `{ a: 1 }`. */
function printed(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(printed).join(", ")} ]`;
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" ? `'${value}'` : String(value);
  }
  return `{ ${Object.entries(value).map(([name, member]) => `${name}: ${printed(member)}`).join(", ")} }`;
}
