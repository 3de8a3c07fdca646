/**
 * States of collections as rows beside the outbox: any process answers who comes back. Times are those of the database.
 *
 * @module
 */

import type { Expression, Query, QueryParams, Row, SelectBody, SelectQuery, Xo } from "../../cqn/cqn.ts";
import type { EngineRunner } from "../../service/own_work.ts";
import { SNAPSHOTS } from "../kept_for_clients.ts";
import type { FoundSnapshot, SeriesSize, SnapshotRow, SnapshotStore } from "./snapshot_store.ts";

/** Where rows are. */
export interface StoredSnapshotsOptions {
  /** Runs queries on the table. */
  readonly run: EngineRunner;
  /** Name of the application: others may share the table. */
  readonly application: string;
  /** Name of the service. */
  readonly service: string;
}

/** Keeps states in a table. */
export class StoredSnapshots implements SnapshotStore {
  readonly #options: StoredSnapshotsOptions;

  /** @param options what runs queries; whose states they are */
  constructor(options: StoredSnapshotsOptions) {
    this.#options = options;
  }

  async add(row: SnapshotRow): Promise<void> {
    const { application: appid, service } = this.#options;
    await this.#run({ INSERT: { into: SNAPSHOTS, entries: [{ ...row, appid, service }] } });
  }

  async find(token: string): Promise<FoundSnapshot | undefined> {
    return await this.#options.run(async (engine) => {
      const found = await engine.run(BY_TOKEN, this.#own({ token })) as Row | null;
      if (found === null) return undefined;
      const { at, now, ...row } = found;
      const base = row.base === null
        ? undefined
        : await engine.run(BY_TOKEN, this.#own({ token: row.base })) as Row | null;
      return {
        row: row as unknown as SnapshotRow,
        base: base?.data as string | undefined,
        ageMs: agedMs(now, at),
      };
    });
  }

  async renew(token: string): Promise<void> {
    const data = { at: NOW };
    await this.#run({ UPDATE: { entity: SNAPSHOTS, with: data, where: IS_TOKEN } }, this.#own({ token }));
  }

  async sizes(): Promise<readonly SeriesSize[]> {
    const rows = await this.#run(SIZES, this.#own()) as Row[];
    return rows.map(({ series, owner, length, at, now }) => ({
      ...{ series: String(series), owner: String(owner), length: Number(length), ageMs: agedMs(now, at) },
    }));
  }

  async forget(series: readonly string[]): Promise<void> {
    await this.#run({ DELETE: { from: SNAPSHOTS, where: IS_OF_SERIES } }, this.#own({ series }));
  }

  async forgetUpTo(series: string, number: number): Promise<void> {
    const states = await this.#run(STATES, this.#own({ series: [series] })) as Row[];
    const bases = new Set(states.filter((row) => Number(row.number) > number).map(({ base }) => base));
    const tokens = states.filter((row) => Number(row.number) <= number && !bases.has(row.ID)).map(({ ID }) =>
      ID
    );
    if (tokens.length === 0) return;
    await this.#run({ DELETE: { from: SNAPSHOTS, where: IS_ONE_OF } }, this.#own({ tokens }));
  }

  #run(query: Query, params?: QueryParams): Promise<unknown> {
    return this.#options.run((engine) => engine.run(query, params));
  }

  #own(params: Row = {}): QueryParams {
    const { application, service } = this.#options;
    return { ...params, application, service };
  }
}

function agedMs(now: unknown, at: unknown): number {
  return Date.parse(String(now)) - Date.parse(String(at));
}

/** The time of the database: those of processes may differ. */
const NOW: Expression = Object.freeze({ func: "current_timestamp" });

/** Templates: engines compile frozen queries once. */
const IS_OWN: readonly Xo[] = Object.freeze([
  ...[{ ref: ["appid"] }, "=", { ref: ["application"], param: true }] as const,
  ...["and", { ref: ["service"] }, "=", { ref: ["service"], param: true }] as const,
]);
const IS_TOKEN: readonly Xo[] = is(["ID"], "=", "token");
const IS_ONE_OF: readonly Xo[] = is(["ID"], "in", "tokens");
const IS_OF_SERIES: readonly Xo[] = is(["series"], "in", "series");

function is(ref: readonly [string], operator: "=" | "in", param: string): readonly Xo[] {
  return Object.freeze([{ ref }, operator, { ref: [param], param: true as const }, "and", ...IS_OWN]);
}

function select(body: Omit<SelectBody, "from">): SelectQuery {
  return Object.freeze({ SELECT: { from: { ref: [SNAPSHOTS] }, ...body } });
}

const BY_TOKEN: SelectQuery = select({
  one: true,
  columns: [
    ...["ID", "series", "number", "base", "owner", "place", "length", "sinceBase", "data", "at"].map((
      name,
    ) => ({
      ref: [name] as const,
    })),
    { func: "current_timestamp", as: "now" },
  ],
  where: IS_TOKEN,
});
const SIZES: SelectQuery = select({
  columns: [
    ...[{ ref: ["series"] }, { ref: ["owner"] }] as const,
    { func: "sum", args: [{ ref: ["length"] }], as: "length" },
    { func: "max", args: [{ ref: ["at"] }], as: "at" },
    { func: "current_timestamp", as: "now" },
  ],
  where: IS_OWN,
  groupBy: [{ ref: ["series"] }, { ref: ["owner"] }],
  orderBy: [{ func: "max", args: [{ ref: ["at"] }], sort: "desc" }],
});
const STATES: SelectQuery = select({
  columns: [{ ref: ["ID"] }, { ref: ["number"] }, { ref: ["base"] }],
  where: IS_OF_SERIES,
});
