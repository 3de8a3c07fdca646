/**
 * Suite `roundtrip`: replays the recorded requests while each query and condition reaches the database as the tree that
 * `from_cqn` reads and as the CQN that `to_cqn` writes of it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { fromQuery, fromXo } from "../../src/algebra/from_cqn.ts";
import { toQuery, toXo } from "../../src/algebra/to_cqn.ts";
import type { Query, SelectQuery, SetQuery, Xo } from "../../src/cqn/cqn.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { Database, DatabaseTransaction } from "../../src/service/database.ts";
import { runHttpSuite } from "./http.ts";
import type { SuiteResult } from "./suite_result.ts";

/** Queries and conditions by their text, with what is wrong with them. */
type Seen = Map<string, string | undefined>;

/**
 * Runs all recorded cases over SQLite.
 *
 * @param casesDir folder that holds `cap/`
 */
export async function runRoundTripSuite(casesDir: string): Promise<SuiteResult> {
  const seen: Seen = new Map();
  const sqlite = async () => {
    const create = await denoKinds.databases!.sqlite!();
    return async (options: Parameters<typeof create>[0]) => withWayBack(await create(options), seen);
  };
  const kinds = { ...denoKinds, databases: { ...denoKinds.databases, sqlite } };
  const { passed, total, failed } = await runHttpSuite(casesDir, { kinds });
  const wrong = [...seen].flatMap(([text, problem]) => problem === undefined ? [] : [`${text}: ${problem}`]);
  return {
    suite: "roundtrip",
    passed: seen.size - wrong.length,
    total: seen.size,
    failed: wrong,
    apart: { requests: { passed, total } },
    notes: [`recorded cases answered with them: ${passed}/${total}`, ...failed],
  };
}

function withWayBack(db: Database, seen: Seen): Database {
  const begin = db.begin.bind(db);
  db.begin = (context) => rewritten(begin(context), seen);
  return db;
}

function rewritten(tx: DatabaseTransaction, seen: Seen): DatabaseTransaction {
  const { run, readJson, openCursor, within } = tx;
  tx.run = (query, params) => run.call(tx, anyAgain(query, seen), params);
  tx.readJson = readJson && ((query, params) => readJson.call(tx, again(query, seen), params));
  tx.openCursor = openCursor &&
    ((query, params, options) => openCursor.call(tx, again(query, seen), params, options));
  tx.within = within && ((context) => {
    const inner = within.call(tx, context);
    return inner === tx ? tx : rewritten(inner, seen);
  });
  return tx;
}

function anyAgain(query: Query, seen: Seen): Query {
  if ("SELECT" in query || "SET" in query) return again(query, seen);
  if ("UPDATE" in query) return { UPDATE: { ...query.UPDATE, ...whereAgain(query.UPDATE, seen) } };
  if ("DELETE" in query) return { DELETE: { ...query.DELETE, ...whereAgain(query.DELETE, seen) } };
  return query;
}

function again<Q extends SelectQuery | SetQuery>(query: Q, seen: Seen): Q {
  const tree = fromQuery(query);
  const made = toQuery(tree);
  compare(query, seen, () => assert.deepEqual(fromQuery(made), tree));
  return made as Q; // a select stays one, as does a set
}

function whereAgain({ where }: { readonly where?: readonly Xo[] }, seen: Seen): { where?: readonly Xo[] } {
  const tree = fromXo(where);
  if (tree === undefined) return {};
  const made = toXo(tree);
  compare(where, seen, () => assert.deepEqual(fromXo(made), tree));
  return { where: made };
}

function compare(given: unknown, seen: Seen, check: () => void): void {
  const text = JSON.stringify(given, (_name, value) => typeof value === "bigint" ? `${value}` : value);
  try {
    check();
    if (!seen.has(text)) seen.set(text, undefined);
  } catch (error) {
    seen.set(text, String(error));
  }
}
