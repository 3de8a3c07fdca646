/**
 * The resource `$batch`.
 *
 * @module
 */

import { type Answer, type Exchange, finishAnswer } from "../exchange.ts";
import { notAllowed } from "../methods.ts";
import { type Format, negotiateFormat } from "../headers/accept.ts";
import { mediaTypeOf, unsupportedMediaType, withBytes, withText } from "../../service/wire/read_body.ts";
import { andThen, type MaybePromise } from "../../util/maybe_promise.ts";
import { type BatchPart, checkParts } from "./batch_part.ts";
import { parseJsonBatch } from "./parse_json_batch.ts";
import { parseMultipart } from "./parse_multipart.ts";
import { type PartHandler, runBatch } from "./run_batch.ts";
import { type PartAnswer, writeJsonBatch, writeMultipart } from "./write_batch.ts";

/** Whether a URL below the service root is that of the batch. */
export function isBatchUrl(rawUrl: string): boolean {
  return /^(?:\$|%24)batch(?:[?#]|$)/i.test(rawUrl);
}

/**
 * Answers a batch.
 *
 * @param exchange the request
 * @param handle answers one part, or throws
 * @throws ServiceError when the batch as a whole cannot be run
 */
export function handleBatch(exchange: Exchange, handle: PartHandler): MaybePromise<Answer> {
  if (exchange.headerError !== undefined) throw exchange.headerError;
  if (exchange.method === "OPTIONS") {
    return finishAnswer(exchange, { status: 204, headers: { allow: "POST, OPTIONS" } });
  }
  if (exchange.method !== "POST") throw notAllowed(["POST", "OPTIONS"]);
  const contentType = exchange.request.headers.get("content-type");
  const mediaType = mediaTypeOf(contentType);
  const isMultipart = mediaType === "multipart/mixed";
  const format = outputFormat(exchange, isMultipart);
  const run = (parts: BatchPart[]) => runParts(exchange, parts, { handle, isMultipart, format });
  const { request, scope: { settings, host } } = exchange;
  if (isMultipart) {
    return withBytes(
      request,
      settings.body,
      (bytes) => run(parseMultipart(bytes, contentType ?? "", host.limits)),
    );
  }
  if (mediaType !== "application/json") throw unsupportedMediaType();
  return withText(request, settings.body, (text) => run(parseJsonBatch(text, host.limits)));
}

function outputFormat(exchange: Exchange, isMultipart: boolean): Format {
  const accept = exchange.request.headers.get("accept");
  return negotiateFormat(accept, undefined, isMultipart ? ["multipart", "json"] : ["json", "multipart"]);
}

/** How a batch is run and answered. */
interface BatchHandling {
  readonly handle: PartHandler;
  readonly isMultipart: boolean;
  /** The format of the answer. */
  readonly format: Format;
}

function runParts(
  exchange: Exchange,
  parts: BatchPart[],
  { handle, isMultipart, format }: BatchHandling,
): MaybePromise<Answer> {
  checkParts(parts, exchange.scope.host.limits.batchParts);
  const answers = runBatch(exchange, parts, {
    handle,
    continueOnError: exchange.preferences.continueOnError ?? !isMultipart,
    joinFailedGroups: format.kind === "multipart",
  });
  return andThen(answers, (given) => batchAnswer(exchange, given, format));
}

function batchAnswer(exchange: Exchange, answers: readonly PartAnswer[], format: Format): Answer {
  const { scope: { settings: { messagesHeader } }, preferences } = exchange;
  const applied = preferences.continueOnError === undefined ? [] : ["continue-on-error"];
  if (format.kind === "json") {
    const body = writeJsonBatch(answers, messagesHeader);
    return finishAnswer(exchange, { status: 200, contentType: "application/json", body, applied });
  }
  const boundary = `batch_${crypto.randomUUID()}`;
  const body = writeMultipart(answers, messagesHeader, boundary);
  const contentType = `multipart/mixed;boundary=${boundary}`;
  return finishAnswer(exchange, { status: 200, contentType, body, applied });
}
