/**
 * What the rules of database engines are tested with.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import type { Query, QueryParams, Row, SelectBody } from "../../src/cqn/cqn.ts";
import type { LinkedModel } from "../../src/model/linked.ts";
import type { Database, Rows } from "../../src/service/database.ts";
import { ROWS, testModel } from "../db/fixture.ts";

/** Creates an engine for a model. */
export type DatabaseUnderTest = (model: LinkedModel) => Database | Promise<Database>;

export interface Fixture {
  readonly db: Database;
  run(query: Query, params?: QueryParams): Promise<unknown>;
  rows(body: SelectBody, params?: QueryParams): Promise<Rows>;
  one(body: SelectBody): Promise<Row>;
}

export const BOOKS = { ref: ["my.Books"] };
const CONTEXT = {
  locale: "de",
  user: { id: "alice", attr: { city: ["Boston", "Rome"], town: ["Boston"], authors: ["2", "4"] } },
};

export async function fixture(create: DatabaseUnderTest): Promise<Fixture> {
  const db = await create(testModel());
  await db.deploy(ROWS);
  const run = async (query: Query, params?: QueryParams) => {
    const tx = db.begin(new EventContext(CONTEXT));
    try {
      const result = await tx.run(query, params);
      await tx.commit();
      return result;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  };
  const rows = async (body: SelectBody, params?: QueryParams) => await run({ SELECT: body }, params) as Rows;
  const one = async (body: SelectBody) => await run({ SELECT: { ...body, one: true } }) as Row;
  return { db, run, rows, one };
}

export function byKey(id: unknown) {
  return [{ ref: ["ID"] }, "=", { val: id as number }];
}

export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export async function expectError(
  result: Promise<unknown>,
  status: number,
  ...others: string[]
): Promise<void> {
  const [code, target] = others;
  await assert.rejects(result, (error: Error & { status?: number; code?: string; target?: string }) => {
    assert.equal(error.status, status);
    if (code) assert.equal(error.code, code);
    if (target) assert.equal(error.target, target);
    return true;
  });
}

export type Test = (rule: string, run: (fixture: Fixture) => Promise<void>) => void;

/** Registers tests of an engine, each with a database of its own. */
export function testsOf(name: string, create: DatabaseUnderTest): Test {
  return (rule, run) =>
    Deno.test(`${name}: ${rule}`, async () => {
      const made = await fixture(create);
      try {
        await run(made);
      } finally {
        await made.db.close();
      }
    });
}

export function column(name: string): { readonly ref: readonly string[] } {
  return { ref: [name] };
}
