/**
 * Services.
 *
 * @module
 */

import type { LinkedService } from "../model/linked.ts";
import type { ServiceRequestProperties } from "./service_request.ts";

/** A service: handlers, phases, emit, send, run. */
export interface Service {
  readonly name: string;
  /** The definition in the model, if there is one. */
  readonly definition?: LinkedService;
  dispatch(request: ServiceRequestProperties): Promise<unknown>;
}
