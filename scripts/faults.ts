/**
 * `deno task faults`: kills readers and writers of message channels and counts what was lost. Prints a table per channel;
 * the exit code is 1 when a promise did not hold.
 *
 * @module
 */

import { findPostgres, killQueues } from "./faults/queues.ts";
import { brokerScenarios } from "./faults/broker_plans.ts";
import { BROKERS } from "./faults/broker_setups.ts";
import { foreignWriters, killReadersAndWriters, tornLines } from "./faults/file_channel.ts";
import type { FaultReport } from "./faults/harness.ts";

type Scenario = (folder: string) => Promise<FaultReport>;

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
];

const COLUMNS: readonly (keyof FaultReport)[] = [
  "scenario",
  "emitted",
  "acknowledged",
  "handledOnce",
  "lost",
  "phantom",
  "duplicates",
  "duplicateEffects",
  "outOfOrder",
  "kills",
  "seconds",
];

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
];

/** Outbox and inbox on PostgreSQL, where it is there. */
async function postgresScenarios(): Promise<readonly Scenario[]> {
  const postgres = await findPostgres();
  if (!postgres) return [];
  return [(folder) =>
    killQueues(folder, "PostgreSQL, killed", {
      ...{
        writers: 2,
        transactions: 1_000,
        dispatchers: 2,
        receivers: 2,
        kills: 30,
        withinMs: 10_000,
        postgres,
      },
    })];
}

/** What was found, and what it is about. */
interface Section {
  readonly title: string;
  readonly reports: readonly FaultReport[];
}

/** `deno task faults [channel]`: all channels, or those whose names begin so. */
async function main(): Promise<boolean> {
  const only = Deno.args.find((argument) => argument !== "--") ?? "";
  const isWanted = (title: string) => title.startsWith(only);
  let isKept = true;
  for (
    const [title, scenarios] of [["file-based-messaging", FILE_CHANNEL], [
      "outbox and inbox",
      [...OUTBOX_AND_INBOX, ...isWanted("outbox and inbox") ? await postgresScenarios() : []],
    ]] as const
  ) {
    if (isWanted(title)) isKept = print({ title, reports: await runAll(scenarios) }) && isKept;
  }
  const brokers = BROKERS.filter(({ kind }) => isWanted(kind));
  // Side by side: they mostly wait.
  const sections = await Promise.all(brokers.map(async (broker) => {
    return { title: broker.kind, reports: await runAll(await brokerScenarios(broker)) };
  }));
  return sections.map(print).every(Boolean) && isKept;
}

/** Runs scenarios one after the other. */
async function runAll(scenarios: readonly Scenario[]): Promise<readonly FaultReport[]> {
  const reports: FaultReport[] = [];
  for (const scenario of scenarios) {
    const folder = Deno.makeTempDirSync();
    try {
      reports.push(await scenario(folder));
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  }
  return reports;
}

/** Prints a table; returns whether all promises held. */
function print({ title, reports }: Section): boolean {
  if (reports.length === 0) return true;
  console.log(title);
  const rows = [
    COLUMNS.map(String),
    ...reports.map((report) => COLUMNS.map((name) => String(report[name] ?? "-"))),
  ];
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  for (const row of rows) {
    console.log(row.map((cell, i) => i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])).join("  "));
  }
  const faults = reports.flatMap(({ scenario, faults }) => faults.map((fault) => `${scenario}: ${fault}`));
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}

if (import.meta.main) Deno.exit(await main() ? 0 : 1);
