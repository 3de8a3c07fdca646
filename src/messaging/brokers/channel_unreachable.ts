/**
 * A broker that cannot be reached.
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";

/**
 * The error of a broker that did not answer in time: the message may have been stored, and is published again later.
 *
 * @param broker what did not answer; without credentials
 * @param cause what the client said
 * @returns an error with code `CHANNEL_UNREACHABLE`
 */
export function channelUnreachable(broker: string, cause?: unknown): ServiceError {
  const message = `${broker} does not answer`;
  return new ServiceError({ status: 503, code: "CHANNEL_UNREACHABLE", message, cause, unreachable: true });
}

/** The error of a channel that was closed on purpose: the message stays in the outbox for the next process. */
export function closedError(): ServiceError {
  return new ServiceError({ status: 503, message: "The channel is closed", unreachable: true });
}
