/**
 * What words of other languages are in URLs of OData: of OData 2 and 3, SQL, JavaScript.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/** What a syntax error tells. */
export interface SyntaxProblem {
  /** Characters before the problem in the raw URL. */
  readonly offset: number;
  /** The text found; empty at the end. */
  readonly found: string;
  /** What may stand there, in words. */
  readonly expected?: string;
  /** A known name near to what was found. */
  readonly nearest?: string;
}

const FOUND_MAX = 40;

/**
 * Creates the error for text that the grammar does not allow.
 *
 * @param problem where it is and what would be right
 * @returns a 400
 */
export function syntaxError(problem: SyntaxProblem): ServiceError {
  const { found, expected } = problem;
  const nearest = meantBy(found) ?? problem.nearest;
  const text = found === ""
    ? "the end"
    : `"${found.length > FOUND_MAX ? found.slice(0, FOUND_MAX) + "…" : found}"`;
  let message = `Syntax error at offset ${problem.offset}: found ${text}`;
  if (expected !== undefined) message += `, expected ${expected}`;
  if (nearest !== undefined) message += `; did you mean "${nearest}"?`;
  return new ServiceError({ status: 400, code: "400", message });
}

/**
 * Creates the error.
 *
 * @param what what is too much
 * @param limit the most that is allowed
 * @param offset where, in the raw URL
 * @returns a 400
 */
export function limitError(what: string, limit: number, offset: number): ServiceError {
  return new ServiceError({
    status: 400,
    code: "400",
    message: `${what} at offset ${offset}, the limit is ${limit}`,
  });
}

const OPERATORS: Readonly<Record<string, string>> = {
  ...{ "=": "eq", "==": "eq", "===": "eq", "!=": "ne", "!==": "ne", "<>": "ne" },
  ...{ "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and", "||": "or", "!": "not" },
};

const WORDS: Readonly<Record<string, string>> = {
  $inlinecount: "$count=true",
  $where: "$filter",
  $limit: "$top",
  $offset: "$skip",
  $sort: "$orderby",
  $include: "$expand",
  substringof: "contains",
  len: "length",
  upper: "toupper",
  lower: "tolower",
  ceil: "ceiling",
  like: "contains(…)",
};

/**
 * The nearest of OData to a word or sign of another language.
 *
 * @param found the text of a URL, from the place on that cannot be read
 * @returns undefined for what is not known
 */
function meantBy(found: string): string | undefined {
  const sign = /^[=!<>&|]+/.exec(found)?.[0];
  if (sign !== undefined) return Object.hasOwn(OPERATORS, sign) ? OPERATORS[sign] : undefined;
  const text = /^"([^"]*)"$/.exec(found)?.[1];
  if (text !== undefined) return `'${text.replaceAll("'", "''")}'`;
  const [, prefix, value] = /^(datetime|datetimeoffset|time|guid)'([^']*)'$/i.exec(found) ?? [];
  if (prefix !== undefined) {
    return prefix.toLowerCase() === "datetime" && /T[\d:.]+$/.test(value!) ? `${value}Z` : value;
  }
  return Object.hasOwn(WORDS, found) ? WORDS[found] : undefined;
}
