/**
 * Calling a service by fluent queries and in the style of REST (`api` 4).
 *
 * @module
 */

import type { DeleteBuilder } from "../cqn/builders/delete.ts";
import type { EntityArgument, UntypedEntity } from "../cqn/builders/entity_argument.ts";
import type { InsertBuilder } from "../cqn/builders/insert.ts";
import type { ColumnList, SelectBuilder } from "../cqn/builders/select.ts";
import type { UpdateBuilder } from "../cqn/builders/update.ts";
import type { UpsertBuilder } from "../cqn/builders/upsert.ts";
import type { Query, Row } from "../cqn/cqn.ts";
import { isQuery } from "../cqn/is_query.ts";
import type { EntityName, Input } from "../cqn/typed_names.ts";
import type { LinkedModel } from "../model/linked.ts";
import type { SendProperties } from "./requests/send_properties.ts";
import { serviceQueries } from "./service_queries.ts";

/** What calls a service: queries that run on it when awaited, and requests by HTTP method and path. */
export abstract class ServiceCalls {
  /** The linked model. */
  abstract get model(): LinkedModel;
  /** Sends a synchronous request. */
  abstract send(request: SendProperties): Promise<unknown>;
  /** Runs a query. */
  abstract run(query: Query): Promise<unknown>;
  /** The full name of an entity that is named in the terms of this service. */
  abstract qualify(name: string): string;

  /** Starts a SELECT on this service, of an entity whose name carries the type of its rows. */
  read<T extends object>(entity: EntityName<T>, ...columns: readonly ColumnList[]): SelectBuilder<T[], T>;
  /** Starts a SELECT on this service, of one row by its key. */
  read<T extends object>(
    entity: EntityName<T>,
    key: unknown,
    ...columns: readonly ColumnList[]
  ): SelectBuilder<T | null, T>;
  /** Starts a SELECT on this service: entity, key and columns as for `SELECT.from`. */
  read(entity: EntityArgument, ...more: readonly unknown[]): SelectBuilder<Row[]>;
  read(entity: EntityArgument, ...more: readonly unknown[]): SelectBuilder<Row[]> {
    return serviceQueries(this).SELECT.from(entity, ...more);
  }

  /** Starts the question whether there is a row: `if (await srv.exists("Books", 201))`, or with `where`. */
  exists(entity: EntityArgument, ...key: readonly unknown[]): SelectBuilder<Row | null> {
    return serviceQueries(this).SELECT.one.from(entity, ...key).columns(1);
  }

  /** Starts an INSERT into an entity of this service whose name carries the type of its rows. */
  create<T extends object>(
    entity: EntityName<T>,
    ...entries: readonly (Input<T> | readonly Input<T>[])[]
  ): InsertBuilder<T, unknown>;
  /** Starts an INSERT into an entity of this service. */
  create(entity: UntypedEntity, ...entries: readonly (Row | readonly Row[])[]): InsertBuilder<Row, unknown>;
  create(
    entity: EntityArgument,
    ...entries: readonly (Row | readonly Row[])[]
  ): InsertBuilder<Row, unknown> {
    const query = serviceQueries(this).INSERT.into(entity as UntypedEntity, ...entries); // typed or not
    return query as InsertBuilder<Row, unknown>; // handlers of the service say what it gives
  }

  /** Starts an INSERT of rows: `insert(rows).into(entity)`. */
  insert(...entries: readonly (Row | readonly Row[])[]): InsertBuilder<Row, unknown> {
    return serviceQueries(this).INSERT(...entries) as InsertBuilder<Row, unknown>; // see create
  }

  /** Starts an UPSERT of rows: `upsert(rows).into(entity)`. */
  upsert(...entries: readonly (Row | readonly Row[])[]): UpsertBuilder<Row, unknown> {
    return serviceQueries(this).UPSERT(...entries) as UpsertBuilder<Row, unknown>; // see create
  }

  /** Starts an UPDATE on this service, of an entity whose name carries the type of its rows. */
  update<T extends object>(entity: EntityName<T>, ...key: readonly unknown[]): UpdateBuilder<T>;
  /** Starts an UPDATE on this service. */
  update(entity: UntypedEntity, ...key: readonly unknown[]): UpdateBuilder;
  update(entity: EntityArgument, ...key: readonly unknown[]): UpdateBuilder {
    return serviceQueries(this).UPDATE(entity, ...key);
  }

  /** Starts a DELETE on this service; with a path like `Books/201` or `Books(201)` it is sent at once. */
  delete(entity: EntityArgument, ...key: readonly unknown[]): DeleteBuilder | Promise<unknown> {
    if (typeof entity === "string" && /[/(]/.test(entity)) {
      return this.send({ method: "DELETE", path: entity });
    }
    return serviceQueries(this).DELETE(entity, ...key);
  }

  /**
   * Reads rows, and acts on each.
   *
   * @param query a query, or the entity whose rows are meant
   * @param act acts on a row
   */
  async foreach(query: EntityArgument | Query, act: (row: Row) => unknown): Promise<void> {
    const rows = await (isQuery(query) ? this.run(query) : this.read(query)) as readonly Row[] | Row | null;
    for (const row of [rows ?? []].flat()) await act(row);
  }

  /** Sends GET: a path, or an entity to read, which may be followed by a key and columns. */
  async get(path: EntityArgument, data?: unknown, ...columns: readonly unknown[]): Promise<unknown> {
    const isEntity = typeof path !== "string" || this.model.entity(this.qualify(path)) !== undefined;
    return await (isEntity && data !== undefined
      ? this.read(path, data, ...columns)
      : sendTo(this, { method: "GET", path, data }));
  }

  /** Sends POST: a path or entity, and the data. */
  post(path: EntityArgument, data?: unknown): Promise<unknown> {
    return sendTo(this, { method: "POST", path, data });
  }

  /** Sends PUT. */
  put(path: EntityArgument, data?: unknown): Promise<unknown> {
    return sendTo(this, { method: "PUT", path, data });
  }

  /** Sends PATCH. */
  patch(path: EntityArgument, data?: unknown): Promise<unknown> {
    return sendTo(this, { method: "PATCH", path, data });
  }
}

interface RestCall {
  readonly method: string;
  readonly path: EntityArgument;
  readonly data: unknown;
}

async function sendTo(service: ServiceCalls, { method, path, data }: RestCall): Promise<unknown> {
  const name = typeof path === "string" ? path : (path as { name?: string }).name;
  if (name === undefined) throw new TypeError("A path or an entity is expected");
  return await service.send({ method, path: name, data });
}
