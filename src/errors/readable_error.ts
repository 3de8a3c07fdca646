/**
 * Thrown values whose members throw: proxies, getters.
 *
 * @module
 */

/**
 * What was thrown, or a plain error in its place where nothing can be read of it: whoever looks at such a value fails
 * instead of what it is about.
 *
 * @param thrown any value
 */
export function readableError(thrown: unknown): unknown {
  if ((typeof thrown !== "object" && typeof thrown !== "function") || thrown === null) return thrown;
  try {
    const { message, name, stack, cause } = thrown as Partial<Error>;
    String([message, name, stack, typeof cause]);
    // the members of what is no error are never looked at
    if (thrown instanceof Error) Object.values(thrown);
    return thrown;
  } catch {
    return unreadable();
  }
}

/**
 * Makes something of a thrown value, or of a plain error where that fails.
 *
 * @param thrown any value
 * @param make takes what was thrown
 */
export function fromReadable<T>(thrown: unknown, make: (error: unknown) => T): T {
  try {
    return make(thrown);
  } catch {
    return make(unreadable());
  }
}

function unreadable(): Error {
  return new Error("What was thrown cannot be read: its members throw, too");
}
