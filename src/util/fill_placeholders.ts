/**
 * Numbered placeholders in texts.
 *
 * @module
 */

/**
 * Fills `{0}`, `{1}`, … with the arguments; placeholders without an argument stay as they are.
 *
 * @param text the text
 * @param args the values
 */
export function fillPlaceholders(text: string, args: readonly unknown[] | undefined): string {
  if (args === undefined || args.length === 0) return text;
  return text.replace(/\{(\d+)\}/g, (placeholder, index) => {
    const value = args[Number(index)];
    return value === undefined ? placeholder : toText(value);
  });
}

/**
 * The value converted to text; empty for what cannot be converted, such as objects without prototype.
 *
 * @param value any value
 */
export function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return "";
  }
}
