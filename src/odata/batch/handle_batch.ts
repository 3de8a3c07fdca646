/**
 * The resource `$batch`.
 *
 * @module
 */

import type { Answer } from "../answer.ts";
import { type Exchange, finishAnswer } from "../exchange.ts";
import { notAllowed } from "../methods.ts";
import { type Format, negotiateFormat } from "../headers/accept.ts";
import { mediaTypeOf, readBytes, readText, unsupportedMediaType } from "../../service/read_body.ts";
import { type BatchPart, checkParts } from "./batch_part.ts";
import { parseJsonBatch } from "./parse_json_batch.ts";
import { parseMultipart } from "./parse_multipart.ts";
import { type PartHandler, runBatch } from "./run_batch.ts";
import { writeJsonBatch, writeMultipart } from "./write_batch.ts";

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
export async function handleBatch(exchange: Exchange, handle: PartHandler): Promise<Answer> {
  if (exchange.headerError !== undefined) throw exchange.headerError;
  if (exchange.method === "OPTIONS") {
    return finishAnswer(exchange, { status: 204, headers: { Allow: "POST, OPTIONS" } });
  }
  if (exchange.method !== "POST") throw notAllowed(["POST", "OPTIONS"]);
  const isMultipart = mediaTypeOf(exchange.request.headers.get("content-type")) === "multipart/mixed";
  const format = outputFormat(exchange, isMultipart);
  const parts = await readParts(exchange, isMultipart);
  checkParts(parts, exchange.scope.host.limits.batchParts);
  const preference = exchange.preferences.continueOnError;
  const answers = await runBatch(exchange, parts, {
    handle,
    continueOnError: preference ?? !isMultipart,
    joinFailedGroups: format.kind === "multipart",
  });
  const { messagesHeader } = exchange.scope.settings;
  const applied = preference === undefined ? [] : ["continue-on-error"];
  if (format.kind === "json") {
    const body = writeJsonBatch(answers, messagesHeader);
    return finishAnswer(exchange, { status: 200, contentType: "application/json", body, applied });
  }
  const boundary = `batch_${crypto.randomUUID()}`;
  const body = writeMultipart(answers, messagesHeader, boundary);
  const contentType = `multipart/mixed;boundary=${boundary}`;
  return finishAnswer(exchange, { status: 200, contentType, body, applied });
}

function outputFormat(exchange: Exchange, isMultipart: boolean): Format {
  const accept = exchange.request.headers.get("accept");
  return negotiateFormat(accept, undefined, isMultipart ? ["multipart", "json"] : ["json", "multipart"]);
}

async function readParts(exchange: Exchange, isMultipart: boolean): Promise<BatchPart[]> {
  const { request, scope } = exchange;
  const contentType = request.headers.get("content-type") ?? "";
  if (isMultipart) return parseMultipart(await readBytes(request, scope.settings.body), contentType);
  if (mediaTypeOf(contentType) !== "application/json") throw unsupportedMediaType();
  return parseJsonBatch(await readText(request, scope.settings.body), scope.host.limits.jsonDepth);
}
