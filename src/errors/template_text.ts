/**
 * Messages written as tagged templates: `` req.error`${{ stock }} must be positive` ``.
 *
 * @module
 */

/** A text whose objects are written with their members. */
export function templateText(strings: TemplateStringsArray, values: readonly unknown[]): string {
  return String.raw({ raw: strings }, ...values.map(shown));
}

/** A value in a message; texts without quotes. */
export function shown(value: unknown): string {
  return typeof value === "string" ? value : printed(value, []);
}

/** As consoles print values: `{ a: 1 }`. What has a text of its own shows it; an object inside of itself is named only. */
function printed(value: unknown, around: readonly object[]): string {
  if (typeof value === "string") return `'${value}'`;
  if (typeof value !== "object" || value === null) return String(value);
  if (around.includes(value)) return "[Circular]";
  const within = [...around, value];
  if (Array.isArray(value)) return `[ ${value.map((item) => printed(item, within)).join(", ")} ]`;
  if (hasOwnText(value)) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${printed(member, within)}`);
  return `{ ${members.join(", ")} }`;
}

/** Objects without a prototype have no `toString` at all. */
function hasOwnText(value: object): boolean {
  return typeof value.toString === "function" && value.toString !== Object.prototype.toString;
}
