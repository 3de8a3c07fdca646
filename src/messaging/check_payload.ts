/**
 * Payloads of declared events.
 *
 * @module
 */

import { ServiceError } from "../errors/service_error.ts";
import type { LinkedElements } from "../model/linked.ts";
import type { Service } from "../service/service.ts";
import { payloadViolations } from "../service/validation/validate_input.ts";
import type { EventDefinition } from "./event_topic.ts";

/**
 * What is wrong with a payload, as the configuration of the messaging service wants to know it: with `payloads: "log"` (the
 * default) it goes to the log only, with `"pass"` nobody looks.
 *
 * @param service the messaging service
 * @param data the payload
 * @param definition definition of the event, if it is declared
 * @returns the fault of a payload that is to be rejected
 */
export function payloadFault(
  { host, options, name }: Service,
  data: unknown,
  definition: EventDefinition | undefined,
): string | undefined {
  const { payloads = "log" } = options;
  if (payloads === "pass" || !definition?.elements) return undefined;
  // elements of linked definitions
  const violations = payloadViolations(data, definition.elements as LinkedElements, host);
  if (violations.length === 0) return undefined;
  const list = violations.map(({ target, code }) => target ? `${target} (${code})` : String(code)).join(", ");
  const fault = `The payload of ${definition.name} does not match its declaration: ${list}`;
  if (payloads === "reject") return fault;
  host.log("messaging").warn(`${name}: ${fault}`);
  return undefined;
}

/** The error of an emitter whose payload is rejected. */
export function badPayload(message: string): ServiceError {
  return new ServiceError({ status: 500, code: "BAD_PAYLOAD", message, unrecoverable: true });
}
