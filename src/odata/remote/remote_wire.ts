/**
 * How the kinds of remote services differ: the text of URLs, the form of bodies.
 *
 * @module
 */

import type { LinkedEntity } from "../../model/linked.ts";
import type { ODataRelativeUri } from "../url/ast.ts";
import { printUrl } from "../url/print_url.ts";
import { writeRemoteBody } from "./remote_payload.ts";
import { fromV2Body, toV2Body } from "./v2/v2_body.ts";
import { printV2Url } from "./v2/v2_url.ts";

/** What is written and read. */
export interface RemoteWire {
  /** Text of a URL below the root of the service. */
  readonly print: (url: ODataRelativeUri) => string;
  /** JSON text of rows, of one row, or of parameters. */
  readonly write: (data: unknown, entity?: LinkedEntity) => string;
  /** The body of an answer as OData 4 has it; `operation` is the name of what was called. */
  readonly read: (body: unknown, operation?: string) => unknown;
  /** The method that changes some members of a row. */
  readonly change: string;
  /** Whether parameters of all operations stand in the URL. */
  readonly callsByUrl: boolean;
}

const V4: RemoteWire = {
  print: printUrl,
  write: writeRemoteBody,
  read: (body) => body,
  change: "PATCH",
  callsByUrl: false,
};

const V2: RemoteWire = {
  print: printV2Url,
  write: toV2Body,
  read: fromV2Body,
  change: "MERGE",
  callsByUrl: true,
};

/** What is written for a kind of service. */
export function wireOf(kind: unknown): RemoteWire {
  return kind === "odata-v2" ? V2 : V4;
}
