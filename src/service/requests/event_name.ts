/**
 * Names of events as `emit`, `send` and `schedule` take them.
 *
 * @module
 */

/** An event or message as `emit` takes it. */
export interface EmitProperties {
  /** Name of the event or operation. */
  readonly event: string;
  /** The payload. */
  readonly data?: unknown;
  /** Headers of the message. */
  readonly headers?: Readonly<Record<string, unknown>>;
}

/**
 * The name of an event or operation.
 *
 * @param event its name, definition, or what carries its typed name
 * @throws TypeError for anything else
 */
export function eventName(event: unknown): string {
  const name = typeof event === "object" && event !== null
    ? (event as { readonly name?: unknown }).name
    : event;
  if (typeof name === "string" && name !== "") return name;
  const found = event === null ? "null" : event === "" ? "an empty text" : typeof event;
  throw new TypeError(`The name of an event is expected, but found ${found}`);
}
