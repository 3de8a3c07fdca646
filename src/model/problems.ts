import { ConfigurationError, type ErrorPlace } from "../errors/configuration_error.ts";
import type { SourceLocation } from "./csn.ts";

/** A list of mistakes that becomes one error; of those at the same place only the first counts. */
export class Problems {
  readonly #list: ConfigurationError[] = [];
  readonly #places: Set<string> = new Set();

  /**
   * Notes a mistake.
   *
   * @param text what was found and what was expected
   * @param location where
   */
  add(text: string, { file, line, col }: SourceLocation): void {
    this.catch(new ConfigurationError(text, { file, line, column: col }));
  }

  /**
   * Notes an error that was thrown.
   *
   * @param error what was thrown
   * @throws anything that is no `ConfigurationError`
   */
  catch(error: unknown): void {
    if (!(error instanceof ConfigurationError)) throw error;
    const { file, line, column, text } = error;
    const place = line === undefined ? text : `${file}:${line}:${column}`;
    if (this.#places.has(place)) return;
    this.#places.add(place);
    this.#list.push(error);
  }

  /**
   * Takes a step and notes the mistake that it finds.
   *
   * @param step throws a `ConfigurationError` for a mistake
   * @returns whether there was none
   */
  attempt(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      this.catch(error);
      return false;
    }
  }

  /**
   * Ends the compilation if there are mistakes.
   *
   * @throws {ConfigurationError} at the place of the first, naming the others
   */
  throwIfAny(): void {
    const [first, ...others] = this.#list;
    if (!first) return;
    const { file, line, column, text } = first;
    throw new ConfigurationError(text, { file, line, column }, { cause: first.cause, others });
  }
}

interface Placed {
  readonly parent?: object;
  readonly $location?: SourceLocation;
}

/**
 * The place of a definition, or of the definition that holds an element.
 *
 * @param item a linked definition or element
 * @returns empty for models that were compiled before
 */
export function placeOf(item: object | undefined): ErrorPlace {
  for (let current = item as Placed | undefined; current; current = current.parent as Placed | undefined) {
    const { $location: place } = current;
    if (place) return { file: place.file, line: place.line, column: place.col };
  }
  return {};
}
