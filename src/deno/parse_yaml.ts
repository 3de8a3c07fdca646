/**
 * Reading YAML that people have written, and writing some.
 *
 * @module
 */

import { parse as parseUntyped } from "@std/yaml/parse";
import { stringify as stringifyUntyped } from "@std/yaml/stringify";
import { ConfigurationError } from "../errors/configuration_error.ts";

// the package has no types under this name
const parse: (text: string) => unknown = parseUntyped;
const stringify: (value: unknown, options: object) => string = stringifyUntyped;

/**
 * A value as YAML text; members without value are left out.
 *
 * @param value plain data
 */
export function writeYaml(value: unknown): string {
  return stringify(value, { skipInvalid: true });
}

/**
 * The value of YAML text; an empty one is an object without members. Messages about mistakes show nothing of the text,
 * which may hold secrets.
 *
 * @param text YAML, maybe behind a byte order mark
 * @param file where it stands, for messages
 * @throws ConfigurationError with the line of the first mistake
 */
export function parseYaml(text: string, file: string): unknown {
  const tab = lineWithTab(text);
  if (tab !== undefined) {
    throw new ConfigurationError("Not valid YAML: lines are indented by spaces, not by tabs", {
      file,
      line: tab,
    });
  }
  try {
    return parse(text.replace(/^\uFEFF/, "")) ?? {};
  } catch (error) {
    const line = /at line (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw new ConfigurationError("Not valid YAML", {
      file,
      line: line === undefined ? undefined : Number(line),
    });
  }
}

/** The first line that a tab indents, which the parser takes for one that is not indented; JSON may have such lines. */
function lineWithTab(text: string): number | undefined {
  if (/^\s*[[{]/.test(text)) return undefined;
  const at = text.split("\n").findIndex((line) => /^\t+[^\s#]/.test(line));
  return at < 0 ? undefined : at + 1;
}
