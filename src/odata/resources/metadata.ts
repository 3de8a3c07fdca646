/**
 * The metadata document (CSDL XML and JSON 4.01, OData Protocol 11.1.2).
 *
 * @module
 */

import { ServiceError } from "../../errors/service_error.ts";
import type { Answer } from "../answer.ts";
import type { Exchange } from "../exchange.ts";
import type { Plan } from "../plan/plan.ts";

/** Answers GET of `$metadata`. */
export function readMetadata(_exchange: Exchange, _plan: Plan): Promise<Answer> {
  throw new ServiceError({ status: 501, message: "$metadata is not supported" });
}
