/**
 * What work of the outbox failed with.
 *
 * @module
 */

const ERROR_LENGTH = 4_000;

/** What work failed with; undefined if it succeeded. */
export async function failureOf(work: Promise<unknown>): Promise<{ readonly reason: unknown } | undefined> {
  try {
    await work;
    return undefined;
  } catch (reason) {
    return { reason };
  }
}

/** An error that another attempt does not change. */
export function unrecoverable(message: string): Error {
  return Object.assign(new Error(message), { unrecoverable: true });
}

/** Whether another attempt would change nothing. */
export function isUnrecoverable(error: unknown): boolean {
  return (error as { unrecoverable?: unknown } | undefined)?.unrecoverable === true;
}

/** The text that is stored with a message. */
export function textOf(error: unknown): string {
  return (error instanceof Error ? error.stack ?? error.message : String(error)).slice(0, ERROR_LENGTH);
}
