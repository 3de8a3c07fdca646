/**
 * Mistakes with the lines they are in.
 *
 * @module
 */

import { readTextIfExists } from "../deno/text_files.ts";
import { ConfigurationError, type ErrorPlace } from "../errors/configuration_error.ts";
import { isServiceError } from "../errors/service_error.ts";
import { inferModel } from "../model/infer_model.ts";
import { modelWarnings } from "../model/warnings/model_warnings.ts";
import type { Csn, SourceLocation } from "../model/csn.ts";
import { highlighted } from "./terminal_text.ts";

/** Lines longer than this are shown in part: they were made by a machine. */
const LINE_LENGTH = 160;

/** States of PostgreSQL that say no to whoever connects: password, database, permission, number of connections. */
const NO_ENTRY = /^(?:28|3D|42501|53|57P)/;

/**
 * Why a command ends that does what it was told: mistakes of the configuration and the model, and databases and brokers
 * that cannot be reached.
 *
 * @param error what was thrown
 * @returns undefined for any other error, whose stack is of interest
 */
export function describeFailure(error: unknown): string | undefined {
  if (error instanceof ConfigurationError) return describeMistakes(error);
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  const isUnreachable = isServiceError(error) && error.status === 503;
  const isRefused = typeof code === "string" && error.name === "PostgresError" && NO_ENTRY.test(code);
  return isUnreachable || isRefused ? reasonsOf(error).join(": ") : undefined;
}

/** The messages of an error and of what it comes from. */
function reasonsOf(error: Error): readonly string[] {
  const further = error.cause instanceof Error ? reasonsOf(error.cause) : [];
  return error.message === "" || further.includes(error.message) ? further : [error.message, ...further];
}

/**
 * All mistakes of an error, each with its line and a caret below what is meant.
 *
 * @param error what was thrown
 */
function describeMistakes(error: ConfigurationError): string {
  return [error, ...error.others].map((one) => describePlace(one.text, one)).join("\n");
}

/**
 * A message with its place, the line there, and a caret below what is meant.
 *
 * @param text the message
 * @param place where; without a file that can be read, only the message is given
 */
function describePlace(text: string, { file, line, column }: ErrorPlace): string {
  const at = [file, line, column].filter((part) => part !== undefined).join(":");
  const message = at ? `${at}: ${text}` : text;
  if (file === undefined || line === undefined || column === undefined) return message;
  const source = readTextIfExists(file)?.split(/\r?\n/)[line - 1];
  if (source === undefined) return message;
  const start = column > LINE_LENGTH ? column - LINE_LENGTH / 2 : 0;
  const shown = source.slice(start, start + LINE_LENGTH);
  const before = shown.slice(0, column - 1 - start).replace(/[^\t]/g, " ");
  const [word] = /^(?:[\w$]+|!\[[^\]]*\]|'[^']*'|.)?/.exec(shown.slice(column - 1 - start)) ?? [""];
  const number = String(line);
  const margin = " ".repeat(number.length);
  return `${message}\n  ${number} | ${shown}\n  ${margin} | ${before}${"^".repeat(Math.max(word.length, 1))}`;
}

/**
 * Prints a remark.
 *
 * @param text what was found
 * @param location where
 */
export function printWarning(text: string, location?: SourceLocation): void {
  const place = location && { file: location.file, line: location.line, column: location.col };
  console.error(`${highlighted("Warning:", "warning")} ${describePlace(text, place ?? {})}`);
}

/**
 * Prints what a sound model says but hardly means.
 *
 * @param parsed the model as it came from the compiler
 */
export function printWarnings(parsed: Csn): void {
  for (const { text, location } of modelWarnings(parsed, inferModel(parsed))) printWarning(text, location);
}
