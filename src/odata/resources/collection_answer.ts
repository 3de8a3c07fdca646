import { type Answer, type Exchange, finishAnswer } from "../exchange.ts";
import type { Format } from "../headers/accept.ts";
import { contextOf } from "../payload/context_url.ts";
import { writeCount } from "../payload/control_information.ts";
import { jsonObject } from "../payload/write_value.ts";

/** What a collection consists of whose items are written already. */
export interface CollectionParts {
  /** The context URL. */
  readonly context: string;
  readonly count?: number | undefined;
  readonly texts: readonly string[];
  readonly nextLink?: string | undefined;
  /** Preferences that were applied. */
  readonly applied?: readonly string[];
}

/** The answer with a collection. */
export function collectionAnswer(exchange: Exchange, format: Format, collection: CollectionParts): Answer {
  const { context, count, texts, nextLink, applied } = collection;
  const members = [contextOf(format, context)];
  if (count !== undefined) members.push(`"@odata.count":${writeCount(count, format)}`);
  members.push(`"value":[${texts.join(",")}]`);
  if (nextLink !== undefined) members.push(`"@odata.nextLink":${JSON.stringify(nextLink)}`);
  const body = jsonObject(members);
  return finishAnswer(exchange, { status: 200, contentType: format.contentType, body, applied });
}
