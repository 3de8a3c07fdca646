/**
 * Remarks about models at the terminal.
 *
 * @module
 */

import { inferModel } from "../model/infer_model.ts";
import { modelWarnings } from "../model/warnings/model_warnings.ts";
import type { Csn, SourceLocation } from "../model/csn.ts";
import { describePlace } from "./describe_mistakes.ts";
import { highlighted } from "./terminal_text.ts";

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
