/**
 * Services that run elsewhere and are called over HTTP by OData or REST (api 10).
 *
 * @module
 */

import { sendByFetch, type SendRequest } from "../../auth/token_client/token_credentials.ts";
import type { Query, QueryParams, Row, SelectBody } from "../../cqn/cqn.ts";
import type { EventName } from "../../cqn/checked_names.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import type { DraftEntity } from "../../service/drafts/draft_calls.ts";
import { materializeQuery } from "../../service/requests/materialize_query.ts";
import { METHOD_EVENTS, sendArguments, type SendProperties } from "../../service/requests/send_properties.ts";
import { Service, type ServiceOptions } from "../../service/service.ts";
import { ServiceRequest } from "../../service/requests/service_request.ts";
import { LocalProjection } from "./local_projection.ts";
import { projectedSelect, projectedWrite } from "./projected_query.ts";
import { RemoteCalls } from "./remote_calls.ts";
import {
  discardRemoteDraft,
  draftQuery,
  editRemote,
  newRemoteDraft,
  saveRemoteDraft,
} from "./remote_paths.ts";
import type { DestinationResolver } from "./remote_connection.ts";
import { notPossible } from "./remote_expression.ts";
import { countName } from "./remote_read.ts";
import { stepName } from "../../cqn/steps.ts";
import { querySource } from "../../cqn/is_query.ts";

/** What a remote service is made from. */
export interface RemoteServiceOptions extends ServiceOptions {
  /** Sends requests; default: `fetch`. */
  readonly fetch?: SendRequest;
  /** Looks up destinations. */
  readonly destinations?: DestinationResolver;
}

/**
 * A service called over HTTP. Queries, operations and requests by path are sent when no `on` handler answers them;
 * failures are errors of status 502 whose details only the log and `error.cause` have.
 */
export class RemoteService extends Service {
  /**
   * Creates a service.
   *
   * @param options name, runtime, definition, and the configuration entry with `credentials.url` or `credentials.destination`
   * @throws ConfigurationError when there is neither
   */
  constructor(options: RemoteServiceOptions) {
    super(options);
    const { name, host } = this;
    const { fetch = sendByFetch, destinations } = options;
    CALLS.set(this, new RemoteCalls(this, { name, options: this.options, host, fetch, destinations }));
  }

  /**
   * Sends a request: by event or operation, by query, or by HTTP method and path, which go out as they are.
   *
   * @param given name of an event or operation, or all in one object
   * @param data its data, or a path
   * @param headers its headers; behind a path its data
   */
  override async send<D, R = unknown>(
    given: string | EventName<D, R> | SendProperties,
    data?: D,
    headers?: Readonly<Record<string, unknown>>,
  ): Promise<R> {
    const request = sendArguments(given, data, headers);
    if (!request.method || request.path === undefined) return await super.send(request) as R;
    const method = request.method.toUpperCase();
    const properties = {
      event: METHOD_EVENTS[method] ?? method,
      method,
      path: request.path,
      data: request.data ?? {},
    };
    const { context } = this;
    const req = new ServiceRequest({ ...properties, headers: request.headers ?? {}, context });
    return await this.dispatch(req) as R; // what the other service answers is not checked
  }

  /**
   * Runs queries; those on local projections of entities of this service are sent as queries on these entities.
   *
   * @param query a query, or several
   * @param params values of its parameters
   */
  override async run(query: Query | readonly Query[], params?: QueryParams): Promise<unknown> {
    if (isSeveral(query)) return await super.run(query, params);
    const statement = draftQuery(params ? materializeQuery(query, params) : query, this);
    const local = localEntity(this, statement);
    if (!local || !this.definition || "SET" in statement) return await super.run(statement);
    if (!LocalProjection.of(local, this.definition)) {
      throw notPossible(`A path that begins at "${local.name}", which is not of "${this.name}",`);
    }
    if ("SELECT" in statement) {
      const { SELECT } = statement;
      const { select, passed = [] } = projectedSelect(SELECT, local, this.definition) ?? { select: SELECT };
      for (const one of passed) {
        if (await super.run({ SELECT: one }) === null) return noRows(SELECT);
      }
      return await super.run({ SELECT: select });
    }
    const write = projectedWrite(statement, local, this.definition);
    return write ? write.result(await super.run(write.query)) : await super.run(statement);
  }

  /** Makes a new draft in the other system; gives its keys. */
  new(entity: DraftEntity, data: Row = {}): Promise<Row> {
    return newRemoteDraft(this, entity, data);
  }

  /** Makes a draft of an active instance in the other system; gives the draft. */
  edit(entity: DraftEntity, keys: Row): Promise<Row> {
    return editRemote(this, entity, keys);
  }

  /** Activates a draft in the other system; gives its keys. */
  save(entity: DraftEntity, keys: Row): Promise<Row> {
    return saveRemoteDraft(this, entity, keys);
  }

  /** Discards a draft in the other system. */
  discard(entity: DraftEntity, keys: Row): Promise<unknown> {
    return discardRemoteDraft(this, entity, keys);
  }

  /** Sends a request that no handler answered. */
  override async handleGeneric(req: ServiceRequest): Promise<unknown> {
    return await callsOf(this).answer(req);
  }
}

/** What sends the requests of services. */
const CALLS: WeakMap<object, RemoteCalls> = new WeakMap();

/** What sends the requests of a service, or of an object that `tx` has made of it. */
function callsOf(service: RemoteService): RemoteCalls {
  for (let one: object = service;; one = Object.getPrototypeOf(one)) {
    const calls = CALLS.get(one);
    if (calls) return calls;
  }
}

/** The result of a query that finds nothing. */
function noRows({ one, columns }: SelectBody): unknown {
  const countAs = countName(columns);
  if (countAs === undefined) return one ? null : [];
  return one ? { [countAs]: 0 } : [{ [countAs]: 0 }];
}

function isSeveral(query: Query | readonly Query[]): query is readonly Query[] {
  return Array.isArray(query);
}

/** The entity at the begin of the path of a query. */
function localEntity(service: RemoteService, query: Query): LinkedEntity | undefined {
  const source = querySource(query);
  const root = typeof source === "string" ? source : source && "ref" in source ? source.ref[0] : undefined;
  return root === undefined ? undefined : service.model.entity(service.qualify(stepName(root)));
}
