/**
 * Mistakes of the developer that stop the start.
 *
 * @module
 */

import { maskLogins } from "../util/mask_logins.ts";

/** Where a mistake was found. Lines and columns count from 1. */
export interface ErrorPlace {
  /** Path of the file. */
  readonly file?: string;
  /** Line, counted from 1. */
  readonly line?: number;
  /** Column, counted from 1. */
  readonly column?: number;
}

/** What stands behind an error and beside it. */
export interface ConfigurationErrorOptions extends ErrorOptions {
  /** Further mistakes. */
  readonly others?: readonly ConfigurationError[];
}

/** How many further mistakes a message names. */
const OTHERS_SHOWN = 19;

/** A wrong configuration, model or initial data: stops the start with file, line and what was expected. */
export class ConfigurationError extends Error {
  /** Path of the file. */
  readonly file: string | undefined;
  /** Line, counted from 1. */
  readonly line: number | undefined;
  /** Column, counted from 1. */
  readonly column: number | undefined;
  /** What was found, without place and without the other mistakes. */
  readonly text: string;
  /** Mistakes that were found besides this one; the message names them. */
  readonly others: readonly ConfigurationError[];

  /**
   * Creates an error.
   *
   * @param message what was found and what was expected
   * @param place file, line and column; they are put in front of the message
   * @param options the cause, and other mistakes that were found with this one
   */
  constructor(message: string, place: ErrorPlace = {}, options: ConfigurationErrorOptions = {}) {
    const { others = [], ...rest } = options;
    const at = [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
    // what was found may be the URL of a database
    const text = maskLogins(message);
    const own = at ? `${at}: ${text}` : text;
    const shown = others.slice(0, OTHERS_SHOWN).map((other) => `\n${other.message}`);
    if (others.length > OTHERS_SHOWN) shown.push(`\nand ${others.length - OTHERS_SHOWN} more`);
    super(own + shown.join(""), rest);
    this.text = text;
    this.others = others;
    this.name = "ConfigurationError";
    this.file = place.file;
    this.line = place.line;
    this.column = place.column;
  }
}
