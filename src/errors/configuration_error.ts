/**
 * Mistakes of the developer that stop the start.
 *
 * @module
 */

/** Where a mistake was found. Lines and columns count from 1. */
export interface ErrorPlace {
  /** Path of the file. */
  readonly file?: string;
  /** Line, counted from 1. */
  readonly line?: number;
  /** Column, counted from 1. */
  readonly column?: number;
}

/** A wrong configuration, model or initial data: stops the start with file, line and what was expected. */
export class ConfigurationError extends Error {
  /** Path of the file. */
  readonly file: string | undefined;
  /** Line, counted from 1. */
  readonly line: number | undefined;
  /** Column, counted from 1. */
  readonly column: number | undefined;

  /**
   * Creates an error.
   *
   * @param message what was found and what was expected
   * @param place file, line and column; they are put in front of the message
   * @param options the cause
   */
  constructor(message: string, place: ErrorPlace = {}, options?: ErrorOptions) {
    const at = [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
    super(at ? `${at}: ${message}` : message, options);
    this.name = "ConfigurationError";
    this.file = place.file;
    this.line = place.line;
    this.column = place.column;
  }
}
