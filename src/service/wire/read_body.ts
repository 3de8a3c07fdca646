/**
 * The bytes of a request body, bounded while reading.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { Deadlines } from "../../util/deadlines.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { WireRequest } from "./wire_request.ts";
import { concatBytes } from "../../util/bytes.ts";

const ENCODER = new TextEncoder();
/** Several times as fast as the strict one, which decides where it has replaced something. */
const DECODER = new TextDecoder();
const STRICT_DECODER = new TextDecoder("utf-8", { fatal: true });
const REPLACEMENT = "\uFFFD";

/** Bounds of a body. */
export interface BodyLimits {
  /** Largest body allowed. */
  readonly bytes: number;
  /** The time until it has arrived. */
  readonly deadlines: Deadlines;
}

/**
 * Reads a body, and stops as soon as it is too long or takes too long. What was compressed is counted as it is inflated.
 *
 * @param request the request
 * @param limits bounds of the body
 * @returns the bytes, at once where all of the body is known
 * @throws ServiceError 413 when the body is longer, 408 when it is late, 400 when it breaks off, 415 when it is encoded in
 *   a way we do not know
 */
export function readBytes(
  request: WireRequest,
  limits: BodyLimits,
): MaybePromise<Uint8Array<ArrayBuffer>> {
  return withBytes(request, limits, (bytes) => bytes);
}

/**
 * Reads a body like `readBytes`, and goes on with the bytes as soon as they are there: each promise in between would cost
 * another turn of the event loop.
 *
 * @param request the request
 * @param limits bounds of the body
 * @param use gets the bytes; it runs in the context of the caller only where that has entered it
 * @returns what it gives
 */
export function withBytes<T>(
  request: WireRequest,
  limits: BodyLimits,
  use: (bytes: Uint8Array<ArrayBuffer>) => MaybePromise<T>,
): MaybePromise<T> {
  const declared = request.headers.get("content-length");
  if (Number(declared ?? 0) > limits.bytes) throw tooLarge(limits.bytes);
  const inflate = inflaterOf(request.headers.get("content-encoding"));
  // a stream is read chunk by chunk where its length is not known
  if (request.bytes && declared !== null && !inflate) return withKnown(request.bytes(), limits, use);
  const { body } = request;
  if (body instanceof ReadableStream) {
    return readStream(inflate ? body.pipeThrough(inflate) : body, limits).then(use);
  }
  if (inflate) throw unsupportedMediaType();
  return use(bounded(typeof body === "string" ? ENCODER.encode(body) : body ?? new Uint8Array(), limits));
}

function bounded(bytes: Uint8Array<ArrayBuffer>, limits: BodyLimits): Uint8Array<ArrayBuffer> {
  if (bytes.byteLength > limits.bytes) throw tooLarge(limits.bytes);
  return bytes;
}

/** A body that is no longer than its sender said, as servers make sure. */
function withKnown<T>(
  arriving: Promise<Uint8Array<ArrayBuffer>>,
  limits: BodyLimits,
  use: (bytes: Uint8Array<ArrayBuffer>) => MaybePromise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const deadline = limits.deadlines.start(() => reject(tooLate()));
    arriving.then((bytes) => {
      if (!deadline.stop()) return;
      try {
        const used = use(bounded(bytes, limits));
        // to be resolved by a promise takes another turn
        if (used instanceof Promise) used.then(resolve, reject);
        else resolve(used);
      } catch (error) {
        reject(error);
      }
    }, (error) => {
      if (deadline.stop()) reject(unreadable(error));
    });
  });
}

/** What undoes a content coding (RFC 9110 8.4.1); undefined where there is none. */
function inflaterOf(header: string | null): DecompressionStream | undefined {
  const coding = (header ?? "").trim().toLowerCase();
  if (coding === "" || coding === "identity") return undefined;
  if (coding === "gzip" || coding === "x-gzip") return new DecompressionStream("gzip");
  if (coding === "deflate") return new DecompressionStream("deflate");
  throw unsupportedMediaType();
}

async function readStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limits: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = body.getReader();
  let isLate = false;
  const deadline = limits.deadlines.start(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  });
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.byteLength;
      if (length > limits.bytes) {
        await reader.cancel().catch(() => {});
        throw tooLarge(limits.bytes);
      }
      chunks.push(value);
    }
  } catch (error) {
    throw unreadable(error);
  } finally {
    deadline.stop();
  }
  if (isLate) throw tooLate();
  return concatBytes(chunks);
}

/**
 * Reads a body as UTF-8 text.
 *
 * @param request the request
 * @param limits bounds of the body
 * @throws ServiceError 413 when the body is longer, 408 when it is late, 415 when its content type names another
 *   encoding of characters, 400 when it is not UTF-8
 */
export function readText(request: WireRequest, limits: BodyLimits): MaybePromise<string> {
  assertUtf8(request.headers.get("content-type"));
  return withText(request, limits, (text) => text);
}

/**
 * Reads a body like `readText`, and goes on with the text as soon as it is there. The caller has looked at the content
 * type: `assertUtf8`.
 *
 * @param request the request
 * @param limits bounds of the body
 * @param use gets the text; it runs in the context of the caller only where that has entered it
 * @returns what it gives
 */
export function withText<T>(
  request: WireRequest,
  limits: BodyLimits,
  use: (text: string) => MaybePromise<T>,
): MaybePromise<T> {
  return withBytes(request, limits, (bytes) => use(decode(bytes)));
}

function decode(bytes: Uint8Array): string {
  const text = DECODER.decode(bytes);
  if (!text.includes(REPLACEMENT)) return text;
  try {
    return STRICT_DECODER.decode(bytes);
  } catch (error) {
    throw new ServiceError({ status: 400, message: "The request body is not UTF-8", cause: error });
  }
}

/** The media type of a `Content-Type` header: lower case, without parameters; empty if there is none. */
export function mediaTypeOf(header: string | null): string {
  if (header === "application/json") return header;
  return (header ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/**
 * Refuses a content type whose `charset` is neither UTF-8 nor its subset ASCII: JSON between systems is UTF-8 (RFC 8259,
 * section 8.1).
 *
 * @param header the content type
 * @throws ServiceError 415
 */
export function assertUtf8(header: string | null): void {
  if (!header?.includes(";")) return;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(header)?.[1];
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw unsupportedMediaType("in UTF-8", header);
  }
}

/**
 * The error for a content type that the resource does not take.
 *
 * @param expected what it takes; without it the message is that of the status
 * @param found what was sent; web clients send `text/plain;charset=UTF-8` for texts whose type nobody has given
 */
export function unsupportedMediaType(expected?: string, found = ""): ServiceError {
  const message = expected === undefined || found === "" || found === "text/plain;charset=UTF-8"
    ? "Unsupported Media Type"
    : `The content type must be ${expected}, but is ${found.slice(0, SHOWN)}`;
  return new ServiceError({ status: 415, message });
}

/** Characters of a content type that an error repeats. */
const SHOWN = 100;

function unreadable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError({ status: 400, message: "The request body could not be read", cause: error });
}

function tooLate(): ServiceError {
  return new ServiceError({ status: 408, message: "The request body took too long to arrive" });
}

/** The error for a body of more bytes than allowed. */
export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError({ status: 413, message: `The request body exceeds ${limitBytes} bytes` });
}
