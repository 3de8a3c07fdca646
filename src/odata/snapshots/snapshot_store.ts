/**
 * Where states of collections are kept for clients.
 *
 * @module
 */

import type { MaybePromise } from "../../util/maybe_promise.ts";

/** One state of a collection that a client follows. */
export interface SnapshotRow {
  /** The token of the client; nobody can guess it. */
  readonly ID: string;
  /** The first state of the client that follows; the same for all states behind it. */
  readonly series: string;
  /** Its place in the series. */
  readonly number: number;
  /** The state that `data` tells the difference from; null: `data` are all rows. */
  readonly base: string | null;
  /** Whose it is. */
  readonly owner: string;
  /** The collection. */
  readonly place: string;
  /** Characters of `data`. */
  readonly length: number;
  /** Characters of all differences from `base` up to this one. */
  readonly sinceBase: number;
  /** Text of rows. */
  readonly data: string;
}

/** A state and what it is based on. */
export interface FoundSnapshot {
  readonly row: SnapshotRow;
  /** Text of all rows of the state that it tells the difference from. */
  readonly base?: string;
  /** Milliseconds since it was kept or renewed. */
  readonly ageMs: number;
}

/** What a client that follows a collection takes. */
export interface SeriesSize {
  readonly series: string;
  readonly owner: string;
  /** Characters of its states. */
  readonly length: number;
  /** Milliseconds since the last of them was kept or renewed. */
  readonly ageMs: number;
}

/** Keeps states of the collections of one service. */
export interface SnapshotStore {
  /** Keeps a state. */
  add(row: SnapshotRow): MaybePromise<void>;
  /** The state of a token, and all rows of its base. */
  find(token: string): MaybePromise<FoundSnapshot | undefined>;
  /** A state is as young as a new one. */
  renew(token: string): MaybePromise<void>;
  /** All that is kept, that of the youngest state first. */
  sizes(): MaybePromise<readonly SeriesSize[]>;
  /** Forgets series. */
  forget(series: readonly string[]): MaybePromise<void>;
  /** Forgets the states of a series up to a place in it, but for those that later ones are based on. */
  forgetUpTo(series: string, number: number): MaybePromise<void>;
}

/** Keeps states in this process. */
export class MemorySnapshots implements SnapshotStore {
  /** By token, the youngest last. */
  readonly #rows: Map<string, { readonly row: SnapshotRow; readonly at: number }> = new Map();

  add(row: SnapshotRow): void {
    this.#rows.set(row.ID, { row, at: Date.now() });
  }

  find(token: string): FoundSnapshot | undefined {
    const found = this.#rows.get(token);
    if (found === undefined) return undefined;
    const { row, at } = found;
    const base = row.base === null ? undefined : this.#rows.get(row.base)?.row.data;
    return { row, base, ageMs: Date.now() - at };
  }

  renew(token: string): void {
    const known = this.#rows.get(token)?.row;
    this.#rows.delete(token);
    if (known) this.add(known);
  }

  sizes(): readonly SeriesSize[] {
    const sizes = new Map<string, SeriesSize>();
    const now = Date.now();
    for (const { row: { series, owner, length }, at } of [...this.#rows.values()].reverse()) {
      const known = sizes.get(series);
      sizes.set(
        series,
        known ? { ...known, length: known.length + length } : { series, owner, length, ageMs: now - at },
      );
    }
    return [...sizes.values()];
  }

  forget(series: readonly string[]): void {
    for (const [token, { row }] of this.#rows) if (series.includes(row.series)) this.#rows.delete(token);
  }

  forgetUpTo(series: string, number: number): void {
    const all = [...this.#rows.values()].map(({ row }) => row).filter((row) => row.series === series);
    const bases = new Set(all.filter((row) => row.number > number).map(({ base }) => base));
    for (const row of all) if (row.number <= number && !bases.has(row.ID)) this.#rows.delete(row.ID);
  }

  /** Forgets everything. */
  clear(): void {
    this.#rows.clear();
  }
}
