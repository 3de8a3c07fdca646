/**
 * The service document (JSON Format 5).
 *
 * @module
 */

import type { LinkedEntity } from "../../model/linked.ts";
import type { Answer } from "../answer.ts";
import { type Exchange, finishAnswer, type ProtocolScope } from "../exchange.ts";
import { negotiateFormat } from "../headers/accept.ts";
import { isUnmodified } from "../headers/etag.ts";
import { contentTag } from "../../util/content_tag.ts";
import { entitySetName } from "../names.ts";
import type { Plan } from "../plan/plan.ts";

/** Answers GET of the service root. */
export function readServiceDocument(exchange: Exchange, plan: Plan): Answer {
  const format = negotiateFormat(exchange.request.headers.get("accept"), plan.format, ["json"]);
  const tag = contentTag(JSON.stringify(documentItems(exchange.scope)));
  const headers = { ETag: `W/"${tag}"` };
  if (isUnmodified(exchange.preconditions, tag)) return finishAnswer(exchange, { status: 304, headers });
  const control = format.metadata === "none"
    ? []
    : [`"@odata.context":"$metadata"`, `"@odata.metadataEtag":${JSON.stringify(headers.ETag)}`];
  const body = `{${[...control, `"value":${JSON.stringify(documentItems(exchange.scope))}`].join(",")}}`;
  return finishAnswer(exchange, { status: 200, contentType: format.contentType, body, headers });
}

/** Sets and singletons of a service. */
export function documentItems(scope: ProtocolScope): { name: string; url: string; kind?: string }[] {
  return [...scope.definition.entities].filter(isExposed).map((entity) => {
    const name = entitySetName(entity);
    return { name, ...(entity["@odata.singleton"] ? { kind: "Singleton" } : {}), url: name };
  });
}

function isExposed(entity: LinkedEntity): boolean {
  return entity["@cds.api.ignore"] !== true;
}
