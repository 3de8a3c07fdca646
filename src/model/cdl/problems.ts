/**
 * Mistakes found while compiling: collected, so that one run shows more than the first.
 *
 * @module
 */

import { ConfigurationError } from "../../errors/configuration_error.ts";
import type { SourceLocation } from "../csn.ts";

const SHOWN = 20;

/** A list of mistakes that becomes one error. */
export class Problems {
  readonly #list: { readonly text: string; readonly location: SourceLocation }[] = [];

  /**
   * Notes a mistake.
   *
   * @param text what was found and what was expected
   * @param location where
   */
  add(text: string, location: SourceLocation): void {
    this.#list.push({ text, location });
  }

  /**
   * Notes a syntax error and keeps other errors for the caller.
   *
   * @param error what the parser threw
   * @param file the file it was parsing
   * @throws anything that is no `ConfigurationError`
   */
  catch(error: unknown, file: string): void {
    if (!(error instanceof ConfigurationError)) throw error;
    const { line = 1, column = 1 } = error;
    const place = `${file}:${line}:${column}: `;
    const text = error.message.startsWith(place) ? error.message.slice(place.length) : error.message;
    this.add(text, { file, line, col: column });
  }

  /**
   * Ends the compilation if there are mistakes.
   *
   * @throws {ConfigurationError} at the place of the first, naming the others
   */
  throwIfAny(): void {
    const [first, ...others] = this.#list;
    if (!first) return;
    const more = others.slice(0, SHOWN - 1).map(({ text, location }) => {
      return `\n${location.file}:${location.line}:${location.col}: ${text}`;
    });
    if (others.length >= SHOWN) more.push(`\nand ${others.length - SHOWN + 1} more`);
    const { file, line, col } = first.location;
    throw new ConfigurationError(first.text + more.join(""), { file, line, column: col });
  }
}
