/**
 * The parts of a runtime with somebody who watches: each stands in front of the part itself, so that a runtime that nobody
 * watches has nothing of it.
 *
 * @module
 */

import { type AuthenticationStrategy, decoratedStrategy } from "../auth/strategy.ts";
import type { SendRequest } from "../auth/token_client/token_credentials.ts";
import type { Query, SelectQuery } from "../cqn/cqn.ts";
import type { WebHandler } from "../http/pipeline.ts";
import type { Channel } from "../messaging/channel.ts";
import { decoratedChannel } from "../messaging/decorated_channel.ts";
import type { Database, DatabaseTransaction, Rows } from "../service/database.ts";
import { JsonRows } from "../service/database.ts";
import {
  type Attributes,
  errorType,
  type HistogramName,
  type Span,
  type Telemetry,
  timed,
} from "../telemetry/telemetry.ts";
import { decoratedDatabase, decoratedTransaction } from "./decorated_database.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * A web handler whose requests are spans, children of what the caller's headers name.
 *
 * @param handler answers
 * @param telemetry who watches
 * @param routeOf the route that a path belongs to: one of few
 */
export function observedHandler(
  handler: WebHandler,
  telemetry: Telemetry,
  routeOf: (pathname: string) => string,
): WebHandler {
  return (request, info) => {
    const { pathname, protocol } = new URL(request.url);
    const route = routeOf(pathname);
    const method = METHODS.has(request.method) ? request.method : "_OTHER";
    const attributes: Attributes = {
      ...{ "http.request.method": method, "http.route": route, "url.scheme": protocol.slice(0, -1) },
    };
    const parent = (name: string) => request.headers.get(name) ?? undefined;
    const start = performance.now();
    return telemetry.span(`${method} ${route}`, { kind: "server", attributes, parent }, async (span) => {
      const response = await handler(request, info);
      const status = { "http.response.status_code": response.status };
      span.set(status);
      if (response.status >= 500) span.fail(String(response.status));
      const seconds = (performance.now() - start) / 1000;
      telemetry.record("http.server.request.duration", seconds, { ...attributes, ...status });
      return response;
    });
  };
}

/** A strategy whose decisions are spans. */
export function observedStrategy(
  strategy: AuthenticationStrategy,
  telemetry: Telemetry,
): AuthenticationStrategy {
  const attributes = { "fw.auth.kind": strategy.kind };
  return decoratedStrategy(
    strategy,
    (request, context, client) =>
      telemetry.span("authenticate", { attributes }, () => strategy.authenticate(request, context, client)),
  );
}

/** Sends requests as spans, which the other side sees as the parents of its own. */
export function observedSender(send: SendRequest, telemetry: Telemetry): SendRequest {
  return (request, keyPair) => {
    const { hostname } = new URL(request.url);
    const attributes = { "http.request.method": request.method, "server.address": hostname };
    return telemetry.span(request.method, { kind: "client", attributes }, (span) => {
      const traced = new Request(request);
      for (const [name, value] of Object.entries(telemetry.headers())) traced.headers.set(name, value);
      const ended = (seconds: number, more: Attributes) =>
        telemetry.record("http.client.request.duration", seconds, { ...attributes, ...more });
      let status = 0;
      return timed(async () => {
        const response = await send(traced, keyPair);
        status = response.status;
        span.set({ "http.response.status_code": status });
        if (status >= 400) span.fail(String(status));
        return response;
      }, (seconds, error) =>
        ended(
          seconds,
          error ? { "error.type": errorType(error.thrown) } : { "http.response.status_code": status },
        ));
    });
  };
}

/** An engine whose statements are spans: with entity and number of rows, never with values. */
export function observedDatabase(database: Database, telemetry: Telemetry): Database {
  const { kind, claim } = database;
  const watch = { telemetry, system: kind === "postgres" ? "postgresql" : kind };
  return decoratedDatabase(database, {
    begin: (context) => observedTransaction(database.begin(context), watch),
    claim: claim &&
      ((request) => operate(["CLAIM", request.entity], watch, () => claim.call(database, request))),
  });
}

/** Whom statements are told, and of which system. */
interface Watch {
  readonly telemetry: Telemetry;
  readonly system: string;
}

function observedTransaction(transaction: DatabaseTransaction, watch: Watch): DatabaseTransaction {
  const { within, readJson, openCursor, enqueue, define, sql } = transaction;
  return decoratedTransaction(transaction, {
    run: (query, params) => operate(namesOf(query), watch, () => transaction.run(query, params)),
    within: within && ((context) => observedTransaction(within.call(transaction, context), watch)),
    readJson: readJson &&
      ((query, params) => operate(namesOf(query), watch, () => readJson.call(transaction, query, params))),
    openCursor: openCursor &&
      ((query, params, options) =>
        operate(namesOf(query), watch, () => openCursor.call(transaction, query, params, options))),
    enqueue: enqueue &&
      ((entity, row) => operate(["INSERT", entity], watch, () => enqueue.call(transaction, entity, row))),
    define: define &&
      ((query) => operate([Object.keys(query)[0]!, ""], watch, () => define.call(transaction, query))),
    sql: sql && ((text, values) => operate(["SQL", ""], watch, () => sql.call(transaction, text, values))),
  });
}

/** `SELECT` and the entity, which is empty where there is none. */
type Names = readonly [operation: string, entity: string];

/** Runs a statement as a span. */
function operate<T>([operation, entity]: Names, { telemetry, system }: Watch, run: () => T): T {
  const attributes: Attributes = {
    ...{ "db.system.name": system, "db.operation.name": operation },
    ...entity === "" ? {} : { "db.collection.name": entity },
  };
  const name = entity === "" ? operation : `${operation} ${entity}`;
  return telemetry.span(
    name,
    { kind: "client", attributes, isPart: true },
    (span) =>
      timed(() => counted(run(), span), record(telemetry, "db.client.operation.duration", attributes)),
  );
}

/** Records how long something took, and the type of its error where it failed. */
function record(
  telemetry: Telemetry,
  name: HistogramName,
  attributes: Attributes,
): (seconds: number, error?: { readonly thrown: unknown }) => void {
  return (seconds, error) =>
    telemetry.record(
      name,
      seconds,
      error ? { ...attributes, "error.type": errorType(error.thrown) } : attributes,
    );
}

/** Tells how many rows a statement gave. */
function counted<T>(result: T, span: Span): T {
  if (result instanceof Promise) return result.then((value) => counted(value, span)) as T;
  const rows = rowsOf(result);
  if (rows !== undefined) span.set({ "db.response.returned_rows": rows });
  return result;
}

function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return (result as Rows).length;
  if (result instanceof JsonRows) return result.rows;
  return typeof result === "number" ? result : undefined;
}

/** `SELECT` and the entity that it begins with. */
function namesOf(query: Query): Names {
  const operation = Object.keys(query).find((name) => /^[A-Z]+$/.test(name)) ?? "QUERY";
  const { from, into, entity } =
    (query as unknown as Readonly<Record<string, Record<string, unknown>>>)[operation] ??
      {};
  return [operation, entityOf(from ?? into ?? entity)];
}

function entityOf(source: unknown): string {
  if (typeof source === "string") return source;
  const { ref, SELECT } = (source ?? {}) as { readonly ref?: readonly unknown[] } & Partial<SelectQuery>;
  if (SELECT) return entityOf(SELECT.from);
  const first = ref?.[0];
  return typeof first === "string"
    ? first
    : String((first as { readonly id?: unknown } | undefined)?.id ?? "");
}

/** A channel whose messages carry the trace that they were published in, unless they have one of their own. */
export function observedChannel(channel: Channel, telemetry: Telemetry): Channel {
  const attributesOf = (operation: string, topic: string): Attributes => ({
    ...{ "messaging.system": channel.kind, "messaging.operation.name": operation },
    "messaging.destination.name": topic,
  });
  return decoratedChannel(channel, {
    publish(messages) {
      const { topic, headers } = messages[0];
      const attributes = attributesOf("send", topic);
      const options = {
        ...{ kind: "producer", parent: carried(headers) } as const,
        attributes: { ...attributes, "messaging.batch.message_count": messages.length },
      };
      return telemetry.span(
        `send ${topic}`,
        options,
        () =>
          timed(
            () => channel.publish(messages),
            record(telemetry, "messaging.client.operation.duration", attributes),
          ),
      );
    },
    subscribe: (subscription, onDelivery) =>
      channel.subscribe(subscription, (delivery) => {
        const { topic, headers } = delivery.message;
        const attributes = attributesOf("process", topic);
        const options = { kind: "consumer", attributes, parent: carried(headers) } as const;
        return telemetry.span(`process ${topic}`, options, () =>
          timed(
            () => onDelivery(delivery),
            record(telemetry, "messaging.process.duration", attributes),
          ));
      }),
  });
}

function carried(headers: Readonly<Record<string, unknown>>): (name: string) => string | undefined {
  return (name) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
}
