/**
 * Reading JSON that people have written.
 *
 * @module
 */

import { parse, type ParseError, printParseErrorCode, visit } from "jsonc-parser";
import { ConfigurationError } from "../errors/configuration_error.ts";

/**
 * The value of JSON text. Messages about mistakes show nothing of the text, which may hold secrets.
 *
 * @param text JSON, maybe behind a byte order mark
 * @param file where it stands, for messages
 * @throws ConfigurationError with line and column of the first mistake
 */
export function parseJson(text: string, file: string): unknown {
  const json = withoutMark(text);
  try {
    return JSON.parse(json);
  } catch {
    const errors: ParseError[] = [];
    parse(json, errors, { disallowComments: true });
    throw mistake(json, file, errors[0]!); // it takes nothing that the platform refuses
  }
}

/**
 * The value of JSON text that may have comments and trailing commas, as Deno takes them in its configuration.
 *
 * @param text JSON, maybe behind a byte order mark
 * @param file where it stands, for messages
 * @throws ConfigurationError with line and column of the first mistake
 */
export function parseJsonWithComments(text: string, file: string): unknown {
  const json = withoutMark(text);
  const errors: ParseError[] = [];
  const value: unknown = parse(json, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) throw mistake(json, file, first);
  return value;
}

/** A key that an object has twice. */
export interface DoubledKey {
  /** Keys that lead to it, itself included; indices of lists are left out. */
  readonly path: readonly string[];
  /** Where it stands again, counted from 1. */
  readonly line: number;
}

/**
 * Keys that stand in an object more than once: only the last one counts.
 *
 * @param text JSON that was found valid, maybe with comments
 */
export function doubledKeys(text: string): readonly DoubledKey[] {
  const doubled: DoubledKey[] = [];
  const open: Set<string>[] = [];
  visit(withoutMark(text), {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(...[key, , , line, , pathTo]) {
      const seen = open.at(-1)!; // properties stand in objects
      const path = pathTo().filter((step) => typeof step === "string");
      if (seen.has(key)) doubled.push({ path: [...path, key], line: line + 1 });
      seen.add(key);
    },
  });
  return doubled;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}

function mistake(json: string, file: string, error: ParseError): ConfigurationError {
  const before = json.slice(0, error.offset);
  const lines = before.split("\n");
  const expected = printParseErrorCode(error.error).replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`);
  const hint = hintFor(before, json.slice(error.offset));
  const text = `Not valid JSON: ${expected.toLowerCase()} in column ${lines.at(-1)!.length + 1}${hint}`;
  // with a column of its own the place would be shown with its line
  return new ConfigurationError(text, { file, line: lines.length });
}

/** What JavaScript allows and JSON does not. */
function hintFor(before: string, rest: string): string {
  if (rest.startsWith("'")) return ": names and texts stand in double quotes";
  if (/^\/[/*]/.test(rest)) return ": JSON has no comments";
  if (/^[}\]]/.test(rest) && /,\s*$/.test(before)) return ": no comma may stand before it";
  return /^[A-Za-z_$]/.test(rest) ? ": names and texts stand in double quotes" : "";
}
