import { createDelete, type Delete, type DeleteBuilder } from "../cqn/builders/delete.ts";
import type { EntityArgument, UntypedEntity } from "../cqn/builders/entity_argument.ts";
import {
  createInsert,
  createUpsert,
  type Insert,
  type InsertBuilder,
  type Upsert,
  type UpsertBuilder,
} from "../cqn/builders/insert.ts";
import { type ColumnList, createSelect, type Select, type SelectBuilder } from "../cqn/builders/select.ts";
import { createUpdate, type Update, type UpdateBuilder } from "../cqn/builders/update.ts";
import type { Query, Row } from "../cqn/cqn.ts";
import { isTemplate } from "../cqn/builders/parse_text.ts";
import { isQuery } from "../cqn/is_query.ts";
import type { EntityName, Input } from "../cqn/checked_names.ts";
import type { LinkedBase, LinkedModel } from "../model/linked.ts";
import type { SendProperties } from "./requests/send_properties.ts";

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

  /** Starts an INSERT of rows: `insert(rows).into(entity)`, or `insert(entity).entries(rows)`. */
  insert(...given: readonly (Row | readonly Row[] | EntityArgument)[]): InsertBuilder<Row, unknown> {
    const { INSERT } = serviceQueries(this);
    const [first, ...rows] = given;
    return (isSource(first)
      ? INSERT.into(first, ...rows as Row[])
      : INSERT(...given as Row[])) as InsertBuilder<
        Row,
        unknown
      >; // see create
  }

  /** Starts an UPSERT of rows: `upsert(rows).into(entity)`, or `upsert(entity).entries(rows)`. */
  upsert(...given: readonly (Row | readonly Row[] | EntityArgument)[]): UpsertBuilder<Row, unknown> {
    const { UPSERT } = serviceQueries(this);
    const [first, ...rows] = given;
    return (isSource(first)
      ? UPSERT.into(first, ...rows as Row[])
      : UPSERT(...given as Row[])) as UpsertBuilder<
        Row,
        unknown
      >; // see create
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

  /**
   * Starts a SELECT of an entity, as `read` does; what is no entity of the service is a path, to which GET is sent at once.
   *
   * @param path an entity, or a path: always one behind a slash
   * @param more key and columns; for a path its data
   */
  get(path: string, ...more: readonly unknown[]): Promise<unknown>;
  /** Starts a SELECT of an entity. */
  get(entity: EntityArgument, ...more: readonly unknown[]): SelectBuilder<unknown>;
  get(path: EntityArgument, ...more: readonly unknown[]): SelectBuilder<unknown> | Promise<unknown> {
    return isEntity(this, path)
      ? this.read(path, ...more)
      : sendTo(this, { method: "GET", path, data: more[0] });
  }

  /** Starts an INSERT into an entity, as `create` does, or sends POST to a path. */
  post(path: string, ...more: readonly unknown[]): Promise<unknown>;
  /** Starts an INSERT into an entity. */
  post(entity: EntityArgument, ...more: readonly unknown[]): InsertBuilder<Row, unknown>;
  post(path: EntityArgument, ...more: readonly unknown[]): InsertBuilder<Row, unknown> | Promise<unknown> {
    if (!isEntity(this, path)) return sendTo(this, { method: "POST", path, data: more[0] });
    return this.create(path as UntypedEntity, ...more as readonly Row[]); // typed or not
  }

  /** Starts an UPDATE of an entity, as `update` does, or sends PUT to a path. */
  put(path: string, ...more: readonly unknown[]): Promise<unknown>;
  /** Starts an UPDATE of an entity. */
  put(entity: EntityArgument, ...more: readonly unknown[]): UpdateBuilder;
  put(path: EntityArgument, ...more: readonly unknown[]): UpdateBuilder | Promise<unknown> {
    return isEntity(this, path)
      ? updateBy(this, path, more)
      : sendTo(this, { method: "PUT", path, data: more[0] });
  }

  /** Starts an UPDATE of an entity, as `update` does, or sends PATCH to a path. */
  patch(path: string, ...more: readonly unknown[]): Promise<unknown>;
  /** Starts an UPDATE of an entity. */
  patch(entity: EntityArgument, ...more: readonly unknown[]): UpdateBuilder;
  patch(path: EntityArgument, ...more: readonly unknown[]): UpdateBuilder | Promise<unknown> {
    return isEntity(this, path)
      ? updateBy(this, path, more)
      : sendTo(this, { method: "PATCH", path, data: more[0] });
  }
}

/** Whether an argument in place of rows names the entity that they are of. */
function isSource(given: unknown): given is UntypedEntity {
  return typeof given === "string" || isTemplate([given]) ||
    (typeof given === "object" && given !== null && "elements" in given &&
      String(given) === (given as object as LinkedBase).name);
}

/** Whether a path is the name of an entity, or its definition. */
function isEntity(service: ServiceCalls, path: EntityArgument): boolean {
  return typeof path !== "string" || service.model.entity(service.qualify(path)) !== undefined;
}

function updateBy(service: ServiceCalls, entity: EntityArgument, key: readonly unknown[]): UpdateBuilder {
  return service.update(entity as UntypedEntity, ...key); // typed or not
}

interface RestCall {
  readonly method: string;
  readonly path: EntityArgument;
  readonly data: unknown;
}

function sendTo(service: ServiceCalls, { method, path, data }: RestCall): Promise<unknown> {
  return service.send({ method, path: String(path), data });
}

/** What bound queries need of their service. */
export interface QueryTarget {
  /** The linked model. */
  readonly model: LinkedModel;
  /** The full name of an entity that is named in the terms of the service. */
  qualify(name: string): string;
  /** Runs a query. */
  run(query: Query): Promise<unknown>;
}

/** Starts of queries that run on one service. */
export interface ServiceQueries {
  /** Starts a SELECT. */
  readonly SELECT: Select;
  /** Starts an INSERT. */
  readonly INSERT: Insert;
  /** Starts an UPSERT. */
  readonly UPSERT: Upsert;
  /** Starts an UPDATE. */
  readonly UPDATE: Update;
  /** Starts a DELETE. */
  readonly DELETE: Delete;
}

/**
 * Starts of queries that run on a service when they are awaited.
 *
 * @param service the service, or one bound to a transaction
 */
export function serviceQueries(service: QueryTarget): ServiceQueries {
  const binding = {
    run: (query: Query) => service.run(query),
    resolve: (name: string) => service.model.entity(service.qualify(name)),
  };
  return {
    SELECT: createSelect(binding),
    INSERT: createInsert(binding),
    UPSERT: createUpsert(binding),
    UPDATE: createUpdate(binding),
    DELETE: createDelete(binding),
  };
}
