/**
 * `fw.utils`: utilities for handlers and tests (api 1). Those of files are brought by the room `deno`.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { redact } from "../log/redact.ts";
import { runtimeOrBare } from "./bare_runtime.ts";

/** What takes files and paths; relative ones count from the root of the project. */
export interface FileUtilities {
  /** The module `node:path`. */
  readonly path: Readonly<Record<string, unknown>>;
  /** The module `node:fs`. */
  readonly fs: Readonly<Record<string, unknown>>;
  /** Prints a value. */
  inspect(value: unknown, options?: object): string;
  /** A path relative to the working directory. */
  local(path: string): string;
  /** Whether there is a file or folder. */
  exists(path: string): boolean;
  /** The path of a folder if there is one. */
  isdir(...path: readonly string[]): string | undefined;
  /** The path of a file if there is one. */
  isfile(...path: readonly string[]): string | undefined;
  /** Names of the files in a folder and the folders in it, which a filter accepts. */
  find(folder: string, filter?: (path: string) => boolean): string[];
  /** Reads a file: JSON as value, anything else as text. */
  read(path: string): Promise<unknown>;
  /** Writes a file, and makes its folders: text and bytes as they are, anything else as JSON. */
  write(path: string, data: unknown): Promise<void>;
  /** Writes to the file that `to` names. */
  write(data: unknown): { to(...path: readonly string[]): Promise<void> };
  /** Appends text to a file. */
  append(path: string, text: string): Promise<void>;
  /** Appends to the file that `to` names. */
  append(text: string): { to(...path: readonly string[]): Promise<void> };
  /** Copies a file or folder. */
  copy(from: string, to: string): Promise<void>;
  /** Copies to what `to` names. */
  copy(from: string): { to(...path: readonly string[]): Promise<void> };
  /** Reads and writes YAML. */
  readonly yaml: { parse(text: string): unknown; stringify(value: unknown): string };
  /** Makes a folder, and those that hold it. */
  mkdirp(...path: readonly string[]): Promise<string>;
  /** Removes a file. */
  rm(...path: readonly string[]): Promise<void>;
  /** Removes a folder with all that is in it, which must be there. */
  rmdir(...path: readonly string[]): Promise<void>;
  /** Removes a folder with all that is in it; one that is missing is fine. */
  rimraf(...path: readonly string[]): Promise<void>;
}

/** Utilities. */
export interface Utilities extends FileUtilities {
  /** A new UUID. */
  uuid(): string;
  /** A part of a URL decoded; undefined stays. */
  decodeURI(text: string): string;
  /** A part of a URL decoded; one that is none stays. */
  decodeURIComponent(text: string): string;
  /** A copy whose secrets are hidden. */
  redacted(value: unknown): unknown;
  /** Escape sequences by name that color text on terminals, backgrounds in `bg`; empty texts where there is none. */
  readonly colors: Readonly<Record<string, string>> & { readonly bg: Readonly<Record<string, string>> };
}

const FILE_NAMES: readonly (keyof FileUtilities)[] = [
  "path",
  "fs",
  "inspect",
  "local",
  "exists",
  "isdir",
  "isfile",
  "find",
  "read",
  "write",
  "append",
  "copy",
  "mkdirp",
  "yaml",
  "rm",
  "rmdir",
  "rimraf",
];

const held: { files: FileUtilities | undefined } = { files: undefined };

/** Brings the utilities of files. */
export function setFileUtilities(files: FileUtilities): void {
  held.files = files;
}

function filesOf(name: string): FileUtilities {
  if (held.files) return held.files;
  throw new ConfigurationError(`fw.utils.${name} needs a file system: load the project by ./deno`);
}

const FORMATS: Readonly<Record<string, number>> = {
  ...{ RESET: 0, BOLD: 1, BRIGHT: 1, DIMMED: 2, ITALIC: 3, UNDER: 4, BLINK: 5, FLASH: 6, INVERT: 7 },
};
const COLORS = ["BLACK", "RED", "GREEN", "YELLOW", "BLUE", "PINK", "CYAN", "LIGHT_GRAY"] as const;
const LIGHT = [
  "GRAY",
  "LIGHT_RED",
  "LIGHT_GREEN",
  "LIGHT_YELLOW",
  "LIGHT_BLUE",
  "LIGHT_PINK",
  "LIGHT_CYAN",
] as const;

/** The sequences of ECMA-48 by the names that existing code has for them. */
function colorsFor(isOn: boolean): Utilities["colors"] {
  const coded = (code: number) => isOn ? `\x1b[${code}m` : "";
  const scale = (from: number, names: readonly string[]) => names.map((name, at) => [name, coded(from + at)]);
  const text = [...scale(30, COLORS), ...scale(90, [...LIGHT, "WHITE"]), ["DEFAULT", coded(39)]];
  const ground = [
    ...scale(40, [...COLORS.slice(0, -1), "WHITE"]),
    ...scale(100, [...LIGHT, "LIGHT_WHITE"]),
    ["LIGHT_GRAY", coded(100)],
    ["DEFAULT", coded(49)],
  ];
  const formats = Object.entries(FORMATS).map(([name, code]) => [name, coded(code)]);
  return { ...Object.fromEntries([...formats, ...text]), bg: Object.fromEntries(ground) };
}

/** `fw.utils`. */
export const utilities: Utilities = Object.defineProperties(
  {
    uuid: () => crypto.randomUUID(),
    decodeURI: (text: string) => decodedBy(decodeURI, text),
    decodeURIComponent: (text: string) => decodedBy(decodeURIComponent, text),
    redacted: redact,
    get colors() {
      return colorsFor(runtimeOrBare().kinds.terminal?.().colours === true);
    },
  },
  Object.fromEntries(FILE_NAMES.map((name) => [name, { get: () => filesOf(name)[name], enumerable: false }])),
) as Utilities; // with the members just defined

function decodedBy(decode: (text: string) => string, text: string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}
