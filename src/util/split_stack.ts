/**
 * Stacks of errors.
 *
 * @module
 */

/** A stack in parts. */
export interface StackParts {
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
  const at = message === "" ? -1 : stack.indexOf(message);
  const headEnd = at < 0 ? 0 : at + message.length;
  const lines = stack.slice(headEnd).split("\n");
  let first = lines.length;
  while (first > 1 && /^\s+at /.test(lines[first - 1])) first--;
  return {
    head: stack.slice(0, headEnd) + lines.slice(0, first).join("\n"),
    frames: lines.slice(first),
  };
}
