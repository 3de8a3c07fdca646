/**
 * Messages on their way to handlers.
 *
 * @module
 */

import { ServiceEvent } from "../service/requests/service_event.ts";

/** An event that came from a channel. */
export class ReceivedEvent extends ServiceEvent {
  /** Tells handlers of a messaging service that the message came in; that of an emitted one has no such member. */
  readonly inbound = true as const;
}
