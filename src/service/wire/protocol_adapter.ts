/**
 * The extension point of protocols.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { Query, QueryParams, SelectQuery, Xo } from "../../cqn/cqn.ts";
import type { MaybePromise } from "../../util/maybe_promise.ts";
import type { ServiceHost } from "../host.ts";
import type { Service } from "../service.ts";
import type { WireRequest } from "./wire_request.ts";

/** What a protocol answers; the pipeline makes a `Response` of it, with the headers that all answers have. */
export interface WireAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Names in lower case and values; only `set-cookie` may come more than once. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** The body; ignored where the method or the status has none. */
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** In place of the body: parts that are made as the client takes them. Whoever does not send it cancels it. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Serves one service by one protocol. */
export interface ProtocolAdapter {
  /** `odata` or `rest`. */
  readonly kind: string;
  /**
   * Whether it enters the context by itself (`runWithContext`) where something may ask for the current one later;
   * otherwise all it does runs in the context.
   */
  readonly entersContext?: true;
  /**
   * Answers a request to the service. The user of the context is known; the restriction of the service is checked
   * here, before the URL is parsed.
   *
   * @param request the request
   * @param context its context, with `http`, which has the web request
   * @param path the raw (not decoded) URL below the root of the service: `Books(1)?$select=ID`, without leading slash
   */
  handle(request: WireRequest, context: EventContext, path: string): MaybePromise<Response | WireAnswer>;
  /**
   * What the URL of a GET request means, for those who ask why it is answered as it is; optional.
   *
   * @param context its context
   * @param path the raw URL below the root of the service
   */
  explain?(context: EventContext, path: string): UrlExplanation;
  /** Whether the plan of a URL of that shape is kept from an earlier GET request; optional. */
  isPlanned?(context: EventContext, path: string): boolean;
  /** Forgets what it keeps for clients: the initial rows are restored. */
  forget?(): MaybePromise<void>;
  /** Whether something of a tenant goes on behind its answers; optional. */
  isBusy?(tenant: string): boolean;
  /** Ends what goes on behind its answers: the process ends, and databases are about to be closed. */
  close?(): MaybePromise<void>;
}

/** What a URL means. */
export interface UrlExplanation {
  /** The syntax tree. */
  readonly tree: unknown;
  /** The query that the service is asked; undefined for what reads no rows. */
  readonly query?: SelectQuery;
  /** Values of its parameters. */
  readonly params?: QueryParams;
  /** The same with the restrictions of the user; the same object where there are none. */
  readonly permitted?: Query;
  /** What the user may read of the entity addressed: everything, nothing, or rows that meet a condition. */
  readonly access?: "all" | "none" | readonly Xo[];
}

/** What an adapter is made from. */
export interface ProtocolOptions {
  /** The service. */
  readonly service: Service;
  /** The runtime. */
  readonly host: ServiceHost;
  /** Path of the service root, without trailing slash: `/odata/v4/catalog`. */
  readonly root: string;
}

/** Creates an adapter; an entry of the table of protocols. */
export type ProtocolFactory = (options: ProtocolOptions) => ProtocolAdapter;
