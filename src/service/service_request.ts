/**
 * Events and requests as handlers see them (spec 2.2, 2.3).
 *
 * @module
 */

import type { EventContext, HttpRequest, HttpResponse } from "../context/event_context.ts";
import type { Query, QueryParams, RefExpression, Row } from "../cqn/cqn.ts";
import type { LinkedEntity, LinkedOperation } from "../model/linked.ts";

/** What a request is made from. Protocol adapters give all that the URL and body tell. */
export interface ServiceRequestProperties {
  /** `CREATE`, `READ`, `UPDATE`, `DELETE`, `UPSERT`, the local name of an operation or event. */
  readonly event: string;
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly query?: Query;
  /** Values of the parameters of `query`, if it is a template. */
  readonly queryParams?: QueryParams;
  readonly target?: LinkedEntity;
  /** Canonical path with navigation: `CatalogService.Books/author`. */
  readonly path?: string;
  /** Keys of the path in URL order: `[{ID}, {title, edition}]`. */
  readonly params?: readonly Row[];
  readonly subject?: RefExpression;
  /** The operation, for actions and functions. */
  readonly operation?: LinkedOperation;
  /** Request and response of a batch part; default: those of the context. */
  readonly req?: HttpRequest;
  readonly res?: HttpResponse;
  /** The context it inherits from; default: the current one. */
  readonly context?: EventContext;
  /**
   * Set by an adapter that can pass JSON text on: the generic READ handler may then answer `JsonRows` of the
   * database instead of objects, if no other handler sees the result.
   */
  readonly acceptsJson?: boolean;
}
