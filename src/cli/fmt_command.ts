/**
 * `fw fmt [file or folder ...] [--check]`
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";
import { listFiles, listFolders, readText, writeText } from "../deno/text_files.ts";
import { formatCdl } from "./editor/format_cdl.ts";
import type { Command } from "./parse_command.ts";
import { counted } from "../util/counted.ts";

/** What `fw help fmt` prints. */
export const FMT_HELP = `Usage: fw fmt [file or folder ...] [--check]

Lays out models (.cds): indentation, blanks at ends of lines, empty lines. Comments and texts stay as they are.

  --check    changes nothing, names files that would change, and ends with code 1 if there are any

Example: fw fmt db srv --check`;

const PASSED_OVER = /^(?:node_modules|gen|dist|\..*)$/;

/** Formats the models of a project, or those that are named. */
export async function fmtCommand({ words, options }: Command): Promise<number> {
  const files = (words.length === 0 ? ["."] : words).flatMap(modelsAt);
  let changed = 0;
  for (const file of files) {
    const text = readText(file);
    const formatted = formatCdl(text);
    if (formatted === text) continue;
    changed++;
    console.log(options.check ? `${file} is not formatted: fw fmt ${file}` : file);
    if (!options.check) await writeText(file, formatted);
  }
  console.log(`${counted(files.length, "file")}, ${changed} ${options.check ? "to format" : "formatted"}`);
  return options.check && changed > 0 ? 1 : 0;
}

function modelsAt(path: string): readonly string[] {
  let isFolder: boolean;
  try {
    isFolder = Deno.statSync(path).isDirectory;
  } catch {
    throw new ConfigurationError(`${path}: There is no such file or folder`);
  }
  if (!isFolder) return [path];
  const inner = listFolders(path).filter((name) => !PASSED_OVER.test(name));
  return [...listFiles(path, ".cds"), ...inner.flatMap((name) => modelsAt(`${path}/${name}`))];
}
