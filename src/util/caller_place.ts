/**
 * Where an application called this package.
 *
 * @module
 */

/** A frame of a stack: place, line. */
const FRAME = /^\s+at (?:.*\()?((?:file|https?):.+?):(\d+):\d+\)?$/;
/** Frames of a stack at most: those between the call and here are more than the usual ten. */
const FRAMES = 50;

/**
 * File and line of the call of an application that led here.
 *
 * @returns undefined where only this package and others are on the stack
 */
export function callerPlace(): { readonly file: string; readonly line: number } | undefined {
  const limit = Error.stackTraceLimit;
  const holder: { stack?: string } = {};
  try {
    Error.stackTraceLimit = FRAMES;
    Error.captureStackTrace(holder, callerPlace);
  } finally {
    Error.stackTraceLimit = limit;
  }
  // A bundle may not know where it comes from.
  const { url: here } = import.meta as { readonly url?: string };
  if (here === undefined) return undefined;
  const own = new URL("../", here).href;
  for (const frame of (holder.stack ?? "").split("\n")) {
    const [, url, line] = FRAME.exec(frame) ?? [];
    if (url === undefined || url.startsWith(own) || /\/node_modules\/|\/npm\//.test(url)) continue;
    return {
      file: url.startsWith("file:") ? decodeURIComponent(new URL(url).pathname) : url,
      line: Number(line),
    };
  }
  return undefined;
}
