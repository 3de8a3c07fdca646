/**
 * Answers and errors of REST.
 *
 * @module
 */

import { fromReadable } from "../errors/normalize_error.ts";
import { sanitizeError } from "../errors/sanitize_error.ts";
import { type Answer, type AnswerParts, type Exchange, finishAnswer } from "../odata/exchange.ts";
import { hasErrorBody, readFailure } from "../odata/error_answer.ts";
import { stringify } from "../odata/payload/write_value.ts";

const JSON_TYPE = "application/json";

/** An answer with messages and what handlers set, without headers of OData, and without annotations. */
export function restAnswer(exchange: Exchange, parts: AnswerParts): Answer {
  const { annotations: _annotations, ...preferences } = exchange.preferences;
  const answer = finishAnswer({ ...exchange, preferences }, parts);
  answer.headers.delete("OData-Version");
  return answer;
}

/** An answer with JSON text. */
export function jsonAnswer(
  exchange: Exchange,
  body: string,
  parts: Omit<AnswerParts, "body" | "contentType" | "status"> & { readonly status?: number } = {},
): Answer {
  const status = parts.status ?? exchange.http?.res.statusCode ?? 200;
  return restAnswer(exchange, { ...parts, status, contentType: JSON_TYPE, body });
}

/**
 * The answer for a failed request.
 *
 * @param exchange the request
 * @param error what was thrown
 */
export function restErrorAnswer(exchange: Exchange, error: unknown): Answer {
  return fromReadable(error, (readable) => answerOf(exchange, readable));
}

function answerOf(exchange: Exchange, error: unknown): Answer {
  const { error: normalized, headers } = readFailure(exchange, error, "rest");
  const { status } = normalized;
  if (!hasErrorBody(status)) return { status, headers, body: null };
  headers.set("Content-Type", JSON_TYPE);
  return { status, headers, body: stringify({ error: sanitizeError(normalized, "rest") }) };
}
