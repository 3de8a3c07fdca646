/**
 * `deno task faults`: kills readers and writers of message channels, and processes that
 * activate drafts, and counts what was lost; replaces servers, takes the database away, sends more than there is
 * room for. Prints a table per channel;
 * the exit code is 1 when a promise did not hold.
 *
 * @module
 */

import { drainBacklog } from "./faults/backlog.ts";
import { findPostgres, killQueues } from "./faults/queues.ts";
import { brokerScenarios, type Scenario } from "./faults/broker_plans.ts";
import { BROKERS } from "./faults/broker_setups.ts";
import { foreignWriters, killReadersAndWriters, tornLines } from "./faults/file_channel.ts";
import { type OperationOptions, overload, soak, upgradeUnderLoad } from "./faults/operations.ts";
import { databaseAway, diskFull, poolExhausted, serverExhausted, wrongClock } from "./faults/outages.ts";
import { killActivations } from "./faults/drafts.ts";
import { killedWorkers } from "./faults/killed_workers.ts";
import type { FaultReport } from "./faults/harness.ts";
import type { PostgresPlace } from "./faults/shop_databases.ts";
import { taskArgs } from "./parse_args.ts";
import { stopLockHolders } from "./faults/stopped_reader.ts";

const FILE_CHANNEL: readonly Scenario[] = [
  (folder) =>
    killReadersAndWriters(folder, "readers and writers killed", {
      ...{
        writers: 3,
        messages: 6_000,
        groups: 2,
        kills: 42,
        withinMs: 14_000,
        segmentBytes: 64 * 1024,
        paceMs: 1,
      },
    }),
  (folder) => foreignWriters(folder, 3_000),
  (folder) =>
    killReadersAndWriters(folder, "slow handlers", {
      ...{ writers: 1, messages: 400, groups: 1, kills: 12, withinMs: 12_000, slowMs: 20 },
      ...{ killWriters: false },
    }),
  (folder) =>
    killReadersAndWriters(folder, "failing handlers", {
      ...{ writers: 1, messages: 1_000, groups: 1, kills: 5, withinMs: 5_000, failEvery: 50, slowMs: 5 },
      ...{ killWriters: false },
    }),
  (folder) => tornLines(folder, { kills: 10, bytes: 4 * 1024 * 1024 }),
  (folder) =>
    killReadersAndWriters(folder, "emitter killed, default development setup", {
      ...{ writers: 1, messages: 10_000, groups: 2, kills: 13, withinMs: 20_000 },
      ...{ killReaders: false, inDevelopment: true },
    }),
  (folder) =>
    stopLockHolders(folder, "SIGSTOP of the lock holder", {
      ...{ messages: 2_000, stops: 5, stopMs: 4_000, ackWaitMs: 1_500, slowMs: 5 },
    }),
];

const COLUMNS: readonly (keyof FaultReport)[] = [
  "scenario",
  "emitted",
  "acknowledged",
  "handledOnce",
  "lost",
  "pending",
  "phantom",
  "duplicates",
  "duplicateEffects",
  "outOfOrder",
  "kills",
  "seconds",
];

const BACKLOG = { rows: 100_000, endAt: 50_000, mostHealthMs: 50 };

const OUTBOX_AND_INBOX: readonly Scenario[] = [
  (folder) =>
    killQueues(folder, "outbox and inbox killed", {
      ...{ writers: 2, transactions: 4_000, dispatchers: 2, receivers: 2, kills: 60, withinMs: 12_000 },
    }),
  (folder) =>
    killQueues(folder, "killed between the steps", {
      ...{ writers: 2, transactions: 300, dispatchers: 1, receivers: 2, killRate: 0.01 },
    }),
  (folder) =>
    killQueues(folder, "stored by the receiver", {
      ...{ writers: 1, transactions: 300, dispatchers: 1, receivers: 2, killRate: 0.01, inboxed: true },
    }),
  (folder) => drainBacklog(folder, { ...BACKLOG, leastPerSecond: 5_000 }),
];

/** Outbox and inbox on PostgreSQL, where it is there. */
async function postgresScenarios(): Promise<readonly Scenario[]> {
  const postgres = await findPostgres();
  if (!postgres) return [];
  return [
    (folder) =>
      killQueues(folder, "PostgreSQL, killed", {
        ...{ writers: 2, transactions: 1_000, dispatchers: 2, receivers: 2 },
        ...{ kills: 30, withinMs: 10_000, postgres },
      }),
    (folder) => drainBacklog(folder, { ...BACKLOG, leastPerSecond: 2_000, postgres }),
  ];
}

/** Activations of drafts, on PostgreSQL where it is there. */
async function draftScenarios(): Promise<readonly Scenario[]> {
  const postgres = await findPostgres();
  const beside: Scenario = (folder) =>
    killActivations(folder, "PostgreSQL, killed in activations", { kills: 60, postgres });
  return [
    (folder) => killActivations(folder, "killed in activations", { kills: 200 }),
    ...(postgres ? [beside] : []),
  ];
}

const SIZES = { clients: 3, paceMs: 20 };

/** A shop on PostgreSQL that is served by two processes. */
async function operationScenarios(): Promise<readonly Scenario[]> {
  const postgres = await findPostgres() as PostgresPlace | undefined;
  if (!postgres) return [];
  const after = (seconds: number): OperationOptions => ({ postgres, ...SIZES, seconds: secondsOr(seconds) });
  return [
    (folder) => upgradeUnderLoad(folder, after(300)),
    (folder) => upgradeUnderLoad(folder, { ...after(120), tenants: 20 }),
    (folder) => overload(folder, after(60)),
    (folder) =>
      killedWorkers(folder, {
        postgres,
        seconds: secondsOr(60),
        workers: 3,
        clients: 8,
        orders: 100,
        kills: secondsOr(60) / 3,
      }),
  ];
}

/** The same shop, whose database is not well for a third of the time. */
async function outageScenarios(): Promise<readonly Scenario[]> {
  const postgres = await findPostgres() as PostgresPlace | undefined;
  const options = { ...SIZES, seconds: secondsOr(90) };
  const sqlite: Scenario = (folder) => diskFull(folder, options, "sqlite");
  if (!postgres) return [sqlite];
  return [
    (folder) => databaseAway(folder, { postgres, ...options }, "refused"),
    (folder) => databaseAway(folder, { postgres, ...options }, "stalled"),
    (folder) => poolExhausted(folder, { postgres, ...options }),
    (folder) => serverExhausted(folder, options),
    (folder) => diskFull(folder, options, "postgres"),
    sqlite,
    (folder) => wrongClock(folder, options),
  ];
}

/** Mixed requests and messages for a long time. */
function soakScenario(): Scenario {
  const sizes = {
    clients: 8,
    paceMs: 50,
    seconds: secondsOr(3_600),
    messages: optionOr("messages", 1_000_000),
  };
  return (folder) => soak(folder, sizes);
}

const ARGUMENTS = taskArgs("deno task faults [section] [--only N] [--seconds N] [--messages N]");

/** A number of the command line. */
function optionOr(name: string, usual: number): number {
  const given = ARGUMENTS.options[name];
  if (given === undefined) return usual;
  const number = Number(given);
  if (Number.isInteger(number) && number > 0) return number;
  console.error(`--${name} is a whole number above 0`);
  Deno.exit(1);
}

const secondsOr = (usual: number) => optionOr("seconds", usual);

/** Scenarios of one table: lists that run side by side, each one after the other. */
interface Section {
  readonly title: string;
  scenarios(): Promise<readonly (readonly Scenario[])[]>;
}

const FILES: Section = { title: "file-based-messaging", scenarios: () => Promise.resolve([FILE_CHANNEL]) };
const QUEUES: Section = {
  title: "outbox and inbox",
  scenarios: async () => [OUTBOX_AND_INBOX, await postgresScenarios()],
};
const OPERATIONS: Section = { title: "operations", scenarios: async () => [await operationScenarios()] };
const OUTAGES: Section = { title: "outages", scenarios: async () => [await outageScenarios()] };
/** Runs for an hour: only where it is asked for. */
const SOAK: Section = { title: "soak", scenarios: () => Promise.resolve([[soakScenario()]]) };
const DRAFTS: Section = { title: "drafts", scenarios: async () => [await draftScenarios()] };
/**
 * Sections of one list run one after the other, the lists side by side: brokers mostly wait, while the file channel and
 * the databases need the processors.
 */
const LANES: readonly (readonly Section[])[] = [
  [FILES, QUEUES, DRAFTS, OPERATIONS, OUTAGES],
  ...BROKERS.map((broker) => [{ title: broker.kind, scenarios: () => brokerScenarios(broker) }]),
];

/**
 * All sections but `soak`, or those whose names begin so;
 * `--only` is the number of a scenario in its section, `--seconds` the duration of each of operations, outages and soak.
 */
async function main(): Promise<boolean> {
  const [only = ""] = ARGUMENTS.rest;
  const lanes = only === SOAK.title ? [[SOAK]] : LANES;
  const titles = lanes.flat().map(({ title }) => title);
  if (!titles.some((title) => title.startsWith(only))) {
    console.error(`No section begins with "${only}"; there are: ${titles.join(", ")}`);
    return false;
  }
  const kept = await Promise.all(lanes.map(async (sections) => {
    let isKept = true;
    for (const section of sections.filter(({ title }) => title.startsWith(only))) {
      isKept = await runSection(section) && isKept;
    }
    return isKept;
  }));
  return kept.every(Boolean);
}

/** Runs a section and prints its table; returns whether all promises held. */
async function runSection({ title, scenarios }: Section): Promise<boolean> {
  const lists = await scenarios();
  const reports = await Promise.all(lists.map((list) => runAll(title, list)));
  return print(title, reports.flat());
}

/** Runs scenarios one after the other. */
async function runAll(title: string, scenarios: readonly Scenario[]): Promise<readonly FaultReport[]> {
  const reports: FaultReport[] = [];
  const only = ARGUMENTS.options.only === undefined ? undefined : optionOr("only", 1);
  for (const scenario of only === undefined ? scenarios : scenarios.slice(only - 1, only)) {
    const folder = Deno.makeTempDirSync();
    try {
      const report = await scenario(folder);
      if (report) reports.push(report);
      if (report) tellProgress(`${title}: ${report.scenario}, ${report.seconds} s`);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  }
  return reports;
}

/** A line for those who wait; files and pipes get the tables only. */
function tellProgress(line: string): void {
  if (Deno.stderr.isTerminal()) console.error(`${Math.round(performance.now() / 1000)} s  ${line}`);
}

/** Prints a table in one piece; returns whether all promises held. */
function print(title: string, reports: readonly FaultReport[]): boolean {
  if (reports.length === 0) return true;
  const rows = [
    COLUMNS.map(String),
    ...reports.map((report) => COLUMNS.map((name) => String(report[name] ?? "-"))),
  ];
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const lines = rows.map((row) =>
    row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])).join("  ")
  );
  const figures = reports.flatMap(({ scenario, figures = [] }) =>
    figures.map((one) => `${scenario}: ${one}`)
  );
  console.log([title, ...lines, ...figures].join("\n"));
  const faults = reports.flatMap(({ scenario, faults }) => faults.map((fault) => `${scenario}: ${fault}`));
  for (const fault of faults) console.error(`${title}: ${fault}`);
  return faults.length === 0;
}

if (import.meta.main) Deno.exit(await main() ? 0 : 1);
