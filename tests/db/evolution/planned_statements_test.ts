/**
 * What deployments do, as text: the statements from one version of a model to the next, what they would cost, and what is
 * left for later. The cases stand in `cases/deployments.json`; other tests run them on databases.
 */

import assert from "node:assert/strict";
import { SQLITE_CHANGES } from "../../../src/db/evolution/sqlite_changes.ts";
import { POSTGRES_CHANGES } from "../../../src/db/evolution/postgres_changes.ts";
import { type DeploymentOptions, planDeployment } from "../../../src/db/evolution/plan_deployment.ts";
import type { ExistingColumn, TableCatalog } from "../../../src/db/evolution/table_catalog.ts";
import { POSTGRES } from "../../../src/db/render/postgres_dialect.ts";
import { SQLITE } from "../../../src/db/render/sqlite_dialect.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import CASES from "./cases/deployments.json" with { type: "json" };

/** A step from one version to the next. */
interface Case {
  readonly title: string;
  /** Models, the last of which is deployed at the end. */
  readonly versions: readonly string[];
  /** Tables that were made by hand, with types of columns by their names. */
  readonly byHand?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What is in the rows: `rows`, `null`, `longer`. */
  readonly holds?: readonly string[];
  readonly options?: Partial<Pick<DeploymentOptions, "surplus" | "online" | "foreignKeys" | "dryRun">>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** A database that takes a plan for done. */
class PlannedCatalog implements TableCatalog {
  readonly held: string[] = [];
  readonly #known: Map<string, boolean> = new Map();
  readonly #byHand: NonNullable<Case["byHand"]>;
  readonly #holds: readonly string[];
  #deployed: string | undefined;

  constructor({ byHand = {}, holds = [] }: Case) {
    this.#byHand = byHand;
    this.#holds = holds;
    for (const name of Object.keys(byHand)) this.#known.set(name, false);
  }

  tables() {
    return Promise.resolve([...this.#known].map(([name, isView]) => ({ name, isView })));
  }

  columns(table: string): Promise<readonly ExistingColumn[]> {
    return Promise.resolve(
      Object.entries(this.#byHand[table] ?? {}).map(([name, type]) => {
        const sql = type.replace(/ (?:NOT NULL|DEFAULT)/g, "");
        return { name, sql, notNull: type.includes("NOT NULL"), hasDefault: type.includes("DEFAULT") };
      }),
    );
  }

  deployed(): Promise<string | undefined> {
    return Promise.resolve(this.#deployed);
  }

  hasRows(): Promise<boolean> {
    return Promise.resolve(this.#holds.includes("rows"));
  }

  hasNull(): Promise<boolean> {
    return Promise.resolve(this.#holds.includes("null"));
  }

  hasLonger(_table: string, _column: string, characters: number): Promise<boolean> {
    return Promise.resolve(this.#holds.includes(`longer than ${characters}`));
  }

  hold(tables: readonly string[]): Promise<void> {
    return Promise.resolve(void this.held.push(...tables));
  }

  run(sql: string, values?: readonly (string | number)[]): Promise<void> {
    const [, made, kind, name] = /^(CREATE|DROP) (TABLE|VIEW)(?: IF NOT EXISTS)? "([^"]+)"/.exec(sql) ?? [];
    const [, from, to] = /^ALTER TABLE "([^"]+)" RENAME TO "([^"]+)"/.exec(sql) ?? [];
    if (made === "CREATE") this.#known.set(name!, kind === "VIEW");
    if (made === "DROP") this.#known.delete(name!);
    if (from !== undefined) {
      this.#known.delete(from);
      this.#known.set(to!, false);
    }
    if (values?.length) this.#deployed = String(values[0]);
    return Promise.resolve();
  }
}

const ENGINES = {
  sqlite: { dialect: SQLITE, statements: SQLITE_CHANGES },
  postgres: { dialect: POSTGRES, statements: POSTGRES_CHANGES },
} as const;

/** The last step of a case on an engine. */
async function lastPlan(one: Case, engine: keyof typeof ENGINES): Promise<Record<string, unknown>> {
  const catalog = new PlannedCatalog(one);
  const { foreignKeys = true, online = false, ...last } = one.options ?? {};
  const models = one.versions.map((text) => linkModel(parseCdl(text)));
  let plan: Record<string, unknown> = {};
  for (const [at, model] of models.entries()) {
    const options = { ...ENGINES[engine], foreignKeys, online, ...at === models.length - 1 && last };
    catalog.held.length = 0;
    const { statements, losses, obstacles, later } = await planDeployment(catalog, model, options);
    for (const { sql, values } of statements) await catalog.run(sql, values);
    const states = statements.flatMap(({ values = [] }) => values.map((text) => JSON.parse(String(text))));
    assert.deepEqual(states.map((state) => "later" in state), states.map(() => later.length > 0));
    const texts = statements.flatMap(({ sql, values }) => values ? [] : sql);
    const found = { held: [...catalog.held], losses, obstacles, later };
    plan = {
      statements: texts,
      ...Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0)),
    };
  }
  return JSON.parse(JSON.stringify(plan));
}

Deno.test("a table that was made by hand takes no name of a view: nothing is planned", async () => {
  const text = "entity Rows { key ID : Integer; } entity Shown as select from Rows { ID };";
  for (const engine of Object.keys(ENGINES) as (keyof typeof ENGINES)[]) {
    for (const name of ["Shown", "shown"]) {
      const one = { title: "", versions: [text], byHand: { [name]: { ID: "int" } }, expected: {} };
      await assert.rejects(lastPlan(one, engine), {
        name: "ConfigurationError",
        message: /The table of "Shown" is a table in the database, but a view in the model/,
      });
    }
  }
});

for (const one of CASES as readonly Case[]) {
  Deno.test(one.title, async () => {
    for (const engine of Object.keys(ENGINES) as (keyof typeof ENGINES)[]) {
      assert.deepEqual(await lastPlan(one, engine), one.expected[engine], engine);
    }
  });
}
