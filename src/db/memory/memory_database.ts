/**
 * The memory engine: a plain evaluator over collections, the default at the edge (design 7).
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type {
  EntityRef,
  Expression,
  InsertBody,
  Query,
  QueryParams,
  Row,
  SelectBody,
  Xo,
} from "../../cqn/cqn.ts";
import { ServiceError } from "../../errors/service_error.ts";
import type { LinkedEntity, LinkedModel } from "../../model/linked.ts";
import type {
  Database,
  DatabaseOptions,
  DatabaseTransaction,
  InsertResult,
  QueryResult,
} from "../../service/database.ts";
import { contextVariable } from "../context_variable.ts";
import { baseEntity } from "./base_entity.ts";
import { compileOperand } from "./compile_expression.ts";
import { evaluateSelect } from "./evaluate_select.ts";
import { localizedRows } from "./localized_rows.ts";
import { validRows } from "./valid_rows.ts";
import type { EvaluationContext } from "./scope.ts";
import { DraftTables, type Table, Tables } from "./tables.ts";
import { deleteRow, insertRow, updateRow, upsertRow } from "./write_rows.ts";

/**
 * Creates a memory database.
 *
 * @param options the model
 */
export function createMemoryDatabase({ model }: DatabaseOptions): Database {
  let tables = new Tables();
  const fill = async (data: ReadonlyMap<string, readonly Row[]>) => {
    const release = await tables.lock();
    const draft = new DraftTables(tables.committed);
    for (const [name, rows] of data) {
      const entity = model.entity(name);
      if (!entity || draft.tables.get(name)?.size) continue;
      for (const row of rows) insertRow(entity, row, draft);
    }
    release(draft.tables);
  };
  return {
    kind: "memory",
    begin: (context) => new MemoryTransaction(model, tables, { context }),
    deploy: async (data) => await fill(data ?? new Map()),
    reset: async (data) => {
      tables = new Tables();
      await fill(data ?? new Map());
    },
    close: () => Promise.resolve(),
  };
}

/** What all parts of a transaction share. */
interface Changes {
  writing?: Promise<void>;
  draft?: DraftTables;
  release?: (changed?: ReadonlyMap<string, Table>) => void;
}

interface TransactionOptions {
  readonly context: EventContext;
  readonly changes?: Changes;
}

class MemoryTransaction implements DatabaseTransaction {
  readonly #model: LinkedModel;
  readonly #tables: Tables;
  readonly #context: EventContext;
  readonly #changes: Changes;

  constructor(model: LinkedModel, tables: Tables, options: TransactionOptions) {
    this.#model = model;
    this.#tables = tables;
    this.#context = options.context;
    this.#changes = options.changes ?? {};
  }

  within(context: EventContext): MemoryTransaction {
    if (context === this.#context) return this;
    return new MemoryTransaction(this.#model, this.#tables, { context, changes: this.#changes });
  }

  async run(query: Query, params: QueryParams = {}): Promise<QueryResult> {
    if ("SELECT" in query) return this.#select(query.SELECT, params);
    if ("SET" in query) throw new ServiceError({ status: 501, message: "The memory database has no UNION" });
    const draft = await this.#write();
    if ("INSERT" in query) return this.#insert(query.INSERT, draft, insertRow);
    if ("UPSERT" in query) return this.#insert(query.UPSERT, draft, upsertRow);
    if ("UPDATE" in query) {
      const { entity, where, data, with: expressions } = query.UPDATE;
      const target = this.#matching(entity, where, params);
      const scope = { entity: target.entity };
      const computed = Object.entries(expressions ?? {}).map(([name, expression]) =>
        [name, compileOperand(expression as Expression, scope)] as const
      );
      const context = this.#evaluation(params);
      for (const row of target.rows) {
        const values = Object.fromEntries(computed.map(([name, evaluate]) => [name, evaluate(row, context)]));
        updateRow(target.entity, row, { data: target.toBase({ ...data, ...values }), draft });
      }
      return target.rows.length;
    }
    const target = this.#matching(query.DELETE.from, query.DELETE.where, params);
    for (const row of target.rows) deleteRow(target.entity, row, draft);
    return target.rows.length;
  }

  commit(): Promise<void> {
    this.#end(this.#changes.draft?.tables);
    return Promise.resolve();
  }

  rollback(): Promise<void> {
    this.#end();
    this.#changes.draft = undefined;
    return Promise.resolve();
  }

  #end(changed?: ReadonlyMap<string, Table>): void {
    this.#changes.release?.(changed);
    this.#changes.release = undefined;
  }

  async #write(): Promise<DraftTables> {
    const changes = this.#changes;
    await (changes.writing ??= this.#tables.lock().then((release) => {
      changes.release = release;
      changes.draft = new DraftTables(this.#tables.committed);
    }));
    changes.draft!.context = this.#context;
    return changes.draft!;
  }

  #select(select: SelectBody, params: QueryParams): QueryResult {
    const rows = evaluateSelect(select, this.#model, this.#evaluation(params, select));
    return select.one ? rows[0] ?? null : rows;
  }

  #insert(
    body: InsertBody,
    draft: DraftTables,
    write: (entity: LinkedEntity, row: Row, draft: DraftTables) => unknown,
  ): InsertResult {
    const { entity, toBase } = baseEntity(this.#entityOf(body.into));
    const rows = entriesOf(body).map(toBase);
    for (const row of rows) write(entity, row, draft);
    const keys = rows.map((row) => Object.fromEntries(entity.$flatKeys.map(({ name }) => [name, row[name]])));
    return {
      affectedRows: rows.length,
      valueOf: () => rows.length,
      [Symbol.iterator]: () => keys[Symbol.iterator](),
    };
  }

  /** Rows of the base table that the condition, which speaks of the projection, matches. */
  #matching(
    ref: EntityRef,
    where: readonly Xo[] | undefined,
    params: QueryParams,
  ): { entity: LinkedEntity; rows: Row[]; toBase: (row: Row) => Row } {
    const projection = this.#entityOf(ref);
    const { entity, toBase } = baseEntity(projection);
    const from = typeof ref === "string" ? { ref: [ref] } : ref;
    const found = evaluateSelect(
      { from, where, columns: ["*"] },
      this.#model,
      this.#evaluation(params, { history: true }),
    ).map(toBase);
    const table = this.#currentTables().get(entity.name) ?? new Map();
    const names = entity.$flatKeys.map(({ name }) => name);
    const wanted = new Set(found.map((row) => JSON.stringify(names.map((name) => String(row[name] ?? "")))));
    return { entity, rows: [...table].filter(([key]) => wanted.has(key)).map(([, row]) => row), toBase };
  }

  #entityOf(ref: EntityRef): LinkedEntity {
    const steps = typeof ref === "string" ? [ref] : ref.ref;
    let entity: LinkedEntity | undefined;
    for (const step of steps) {
      const name = typeof step === "string" ? step : step.id;
      entity = entity ? entity.elements[name]?.$target : this.#model.entity(name);
      if (!entity) throw new ServiceError({ status: 400, message: `There is no entity "${name}"` });
    }
    return entity!;
  }

  #currentTables(): ReadonlyMap<string, Table> {
    return this.#changes.draft?.tables ?? this.#tables.committed;
  }

  #evaluation(
    params: QueryParams,
    { localized, history }: Pick<SelectBody, "localized" | "history"> = {},
  ): EvaluationContext {
    const tables = this.#currentTables();
    const views = new Map<LinkedEntity, readonly Row[]>();
    const locale = localized ? this.#context.locale : undefined;
    const all: EvaluationContext = {
      params,
      variable: (path) => contextVariable(path, this.#context) ?? null,
      rows: (entity) => {
        let rows = views.get(entity);
        if (!rows) {
          if (locale !== undefined && entity["@cds.localized"] === false) {
            rows = this.#evaluation(params, { history: true }).rows(entity);
          } else if (entity.$select) rows = evaluateSelect(entity.$select, this.#model, all);
          else rows = localizedRows(entity, tables, locale);
          views.set(entity, rows);
        }
        return rows;
      },
    };
    // What is valid is decided outside of views.
    return history ? all : { ...all, rows: (entity) => validRows(entity, all.rows(entity), all) };
  }
}

function entriesOf(body: InsertBody): readonly Row[] {
  if (body.entries) return body.entries;
  const { columns, rows, values } = body;
  const tuples = rows ?? (values ? [values] : undefined);
  if (!columns || !tuples) {
    throw new ServiceError({ status: 501, message: "The memory database does not insert this" });
  }
  return tuples.map((tuple) => Object.fromEntries(columns.map((column, i) => [column, tuple[i]])));
}
