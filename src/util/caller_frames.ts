/**
 * Stacks that name the code of the application.
 *
 * @module
 */

/** Frames of a stack at most; the frames between a query and its database are more than the usual ten. */
const FRAMES = 50;
/** The root of this package; in a bundle nobody can tell its frames from others. */
const OWN = import.meta.url?.endsWith("/util/caller_frames.ts")
  ? new URL("../", import.meta.url).href
  : undefined;
/** Frames of the platform and of packages. */
const FOREIGN = /\((?:ext|node|native):|at (?:ext|node):|<anonymous>\)?$|\/node_modules\/|\/npm\/|\(native\)/;

/**
 * Puts the frames of the application in front of all others in the stack of an error. Those that the stack is too short for are
 * taken from here: the caller is still waiting.
 *
 * @param error what was thrown while the caller waited
 * @returns the same error
 */
export function withCallerFrames(error: unknown): unknown {
  if (!(error instanceof Error) || typeof error.stack !== "string") return error;
  const { head, frames } = splitStack(error.stack, error.message);
  const all = frames.some(isApplication) ? frames : [...frames, ...framesHere().filter(isApplication)];
  const ordered = callersFirst(all);
  if (ordered[0] === frames[0]) return error;
  try {
    error.stack = [head, ...ordered].join("\n");
  } catch {
    // a frozen error keeps its stack
  }
  return error;
}

/**
 * Frames of the application in front of all others.
 *
 * @param frames of a stack
 */
export function callersFirst(frames: readonly string[]): readonly string[] {
  return [...frames.filter(isApplication), ...frames.filter((frame) => !isApplication(frame))];
}

/**
 * Frames of the application, and how many others there are; all frames where none is of the application.
 *
 * @param frames of a stack
 * @param isCause whether it is of a cause, of which no frames are shown then
 */
export function applicationFrames(frames: readonly string[], isCause = false): readonly string[] {
  const own = frames.filter(isApplication);
  const others = frames.length - own.length;
  if (others === 0 || (own.length === 0 && !isCause)) return frames;
  return [...own, `    ... and ${others} of the framework and the platform: FW_STACK=full shows them`];
}

/**
 * The frame of the application that is nearest to whoever asks: `at order (file:///srv/shop.ts:7:3)`. It is written when it
 * is read, as the text of a stack costs more than several queries.
 */
export function applicationFrame(): () => string | undefined {
  const stack = stackHere();
  return () => framesOf(stack).find(isApplication)?.trim();
}

/** File and line of that frame: `/srv/shop.ts:7`; undefined where only this package and others are on the stack. */
export function applicationPlace(): string | undefined {
  const place = placeIn(applicationFrame()() ?? "");
  return place && `${place.file}:${place.line}`;
}

/** A place in code; line and column count from 1. */
export interface CodePlace {
  /** Path, or URL of what was not loaded from a file. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Where the code of the application threw an error.
 *
 * @param error what was thrown
 * @returns undefined where no frame of its stack is one of the application
 */
export function thrownAt({ stack = "", message }: Error): CodePlace | undefined {
  return placeIn(splitStack(stack, message).frames.find(isApplication) ?? "");
}

/**
 * The place that a line ends with, as frames of stacks and messages of the platform do.
 *
 * @param line `at order (file:///srv/shop.ts:7:3)`
 */
export function placeIn(line: string): CodePlace | undefined {
  const found = /((?:file|https?):\S+?|\/\S*?):(\d+):(\d+)\)?$/.exec(line);
  if (!found) return undefined;
  const [, url, number, column] = found;
  const file = url!.startsWith("file:") ? decodeURIComponent(new URL(url!).pathname) : url!;
  return { file, line: Number(number), column: Number(column) };
}

function framesHere(): readonly string[] {
  return framesOf(stackHere());
}

interface Stack {
  readonly stack?: string;
}

function stackHere(): Stack {
  const limit = Error.stackTraceLimit;
  const holder: { stack?: string } = {};
  try {
    Error.stackTraceLimit = FRAMES;
    Error.captureStackTrace(holder, stackHere);
  } finally {
    Error.stackTraceLimit = limit;
  }
  return holder;
}

function framesOf({ stack = "" }: Stack): readonly string[] {
  return stack.split("\n").filter((line) => /^\s+at /.test(line));
}

function isApplication(frame: string): boolean {
  return OWN !== undefined && !frame.includes(OWN) && !FOREIGN.test(frame);
}

/** A stack in parts. */
interface StackParts {
  /** Name and message; the message may have several lines. */
  readonly head: string;
  /** One line each, without line breaks. */
  readonly frames: readonly string[];
}

/**
 * Tells the frames of a stack from the message in front of them, which may look like frames itself.
 *
 * @param stack what an error says
 * @param message of the error
 */
export function splitStack(stack: string, message: string): StackParts {
  const at = stack.indexOf(message);
  const headEnd = at < 0 ? 0 : at + message.length;
  const lines = stack.slice(headEnd).split("\n");
  let first = lines.length;
  while (first > 1 && /^\s+at /.test(lines[first - 1])) first--;
  return {
    head: stack.slice(0, headEnd) + lines.slice(0, first).join("\n"),
    frames: lines.slice(first),
  };
}
