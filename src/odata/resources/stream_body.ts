/**
 * Bodies that are streams (OData Protocol 11.4.7, 11.4.8).
 *
 * @module
 */

import type { Row } from "../../cqn/cqn.ts";
import type { LinkedElement } from "../../model/linked.ts";
import { readBytes, unsupportedMediaType } from "../../service/wire/read_body.ts";
import type { Exchange } from "../exchange.ts";
import { referenceOf } from "../payload/control_information.ts";

/**
 * The body as stream: its bytes, its type and its length, as far as elements hold them.
 *
 * @param exchange the exchange
 * @param element the element that holds the stream
 * @throws ServiceError 415 without type, 413
 */
export async function readStreamBody(exchange: Exchange, element: LinkedElement): Promise<Row> {
  const type = exchange.request.headers.get("content-type");
  if (!type) throw unsupportedMediaType();
  const { host, settings } = exchange.scope;
  const bytes = await readBytes(exchange.request, { ...settings.body, bytes: host.limits.streamBytes });
  const data: Row = { [element.name]: bytes };
  const typeElement = referenceOf(element["@Core.MediaType"]);
  if (typeElement !== undefined) data[typeElement] = type;
  const lengthElement = referenceOf(element["@odata.media.length"]);
  if (lengthElement !== undefined) data[lengthElement] = bytes.byteLength;
  return data;
}
