/**
 * Promises that nobody waits for.
 *
 * @module
 */

import type { Logger } from "../log/logger.ts";

/**
 * Logs rejected promises that nobody has handled, which would end the process otherwise: what a handler forgets to await
 * must not stop the requests of others.
 *
 * @param log takes the errors
 * @returns ends this
 */
export function logRejections(log: Pick<Logger, "error">): () => void {
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    log.error("A promise that nobody waited for was rejected:", event.reason);
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  return () => globalThis.removeEventListener("unhandledrejection", onRejection);
}
