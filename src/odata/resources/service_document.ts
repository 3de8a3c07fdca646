/**
 * The service document (JSON Format 5).
 *
 * @module
 */

import { serviceDocument } from "../../model/service_document.ts";
import { type Answer, type Exchange, finishAnswer } from "../exchange.ts";
import { formatFor } from "../headers/accept.ts";
import { isUnmodified } from "../headers/etag.ts";
import { metadataDocument } from "./metadata.ts";
import type { Plan } from "../plan/plan.ts";

/** Answers GET of the service root. */
export function readServiceDocument(exchange: Exchange, plan: Plan): Answer {
  const format = formatFor(exchange, plan.format, ["json"]);
  const { tag } = metadataDocument(exchange, "xml");
  const headers = { etag: `W/"${tag}"` };
  if (isUnmodified(exchange.preconditions, tag)) return finishAnswer(exchange, { status: 304, headers });
  const control = format.metadata === "none"
    ? []
    : [`"@odata.context":"$metadata"`, `"@odata.metadataEtag":${JSON.stringify(headers.etag)}`];
  const body = `{${
    [...control, `"value":${JSON.stringify(serviceDocument(exchange.scope.definition))}`].join(",")
  }}`;
  return finishAnswer(exchange, { status: 200, contentType: format.contentType, body, headers });
}
