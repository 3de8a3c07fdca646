/**
 * `deno task processes`: what clients do, against three processes on one PostgreSQL of which each request goes to the next:
 * client libraries and user interfaces, the recordings of the suite `http`, the clauses of OData; then workers are killed.
 *
 * @module
 */

import { findPostgres } from "./faults/queues.ts";
import type { PostgresPlace } from "./faults/shop_databases.ts";

const PROCESSES = "3";
const TEST = ["test", "--lock=deno.lock", "--no-check", "-A", "--parallel"];

interface Part {
  readonly title: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function partsOn({ host, port, user, database }: PostgresPlace): readonly Part[] {
  return [
    {
      title: "recordings",
      args: ["run", "--lock=deno.lock", "-A", "scripts/check_floor.ts", "http"],
      env: {
        FIXTURE_PROCESSES: PROCESSES,
        FIXTURE_DB: "postgres",
        FIXTURE_DB_URL: `postgres://${user}@${host}:${port}/${database}`,
      },
    },
    {
      title: "clauses of OData",
      args: [...TEST, "tests/odata/conformance_test.ts", "tests/reference"],
      env: { TEST_REFERENCE_PROCESSES: PROCESSES },
    },
    { title: "clients", args: [...TEST, "tests/clients"], env: { TEST_CLIENTS_PROCESSES: PROCESSES } },
    {
      title: "workers killed",
      args: ["run", "--lock=deno.lock", "-A", "scripts/faults.ts", "operations", "--only", "4"],
    },
  ];
}

async function main(): Promise<number> {
  const postgres = await findPostgres() as PostgresPlace | undefined;
  if (!postgres) {
    console.log("skipped: PostgreSQL is not there (CONTRIBUTING.md, Services for tests)");
    return 0;
  }
  const failed: string[] = [];
  for (const { title, args, env } of partsOn(postgres)) {
    console.log(`== ${title}`);
    const { code } = await new Deno.Command(Deno.execPath(), { args: [...args], env: { ...env } }).spawn()
      .status;
    if (code !== 0) failed.push(title);
  }
  console.log(failed.length === 0 ? "all held" : `failed: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
}

Deno.exitCode = await main();
