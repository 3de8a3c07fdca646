/**
 * The fault tests of brokers (`messaging` 9): clients killed, connections cut and stalled, the server killed.
 *
 * @module
 */

import { serviceAddress } from "../test_services.ts";
import type { BrokerKind } from "./broker_setups.ts";
import { entries, type FaultReport, judge, until, untilDrained, withEffects, Worker } from "./harness.ts";
import { pause } from "../../src/util/time.ts";
import { startServer } from "./local_server.ts";
import { TcpProxy } from "./tcp_proxy.ts";
import type { WorkerTask } from "./worker.ts";

const TOPIC = "Faults.happened";
/** Time without progress after which messages count as not handled. */
const DRAIN_MS = 40_000;
/** Messages that a consumer may have at hand when it dies or loses its connection. */
const BATCH = 320;

/** How large a run is. */
export interface BrokerPlan {
  /** Messages of each of two writers. */
  readonly messages: number;
  /** Kills of readers and writers, at random. */
  readonly kills: number;
  /** Connections cut, all at once. */
  readonly cuts: number;
  readonly withinMs: number;
  /** The server is a process of its own, which is killed and started again once. */
  readonly killsServer?: boolean;
  /** Readers have an inbox. */
  readonly isInboxed?: boolean;
}

/**
 * Two writers, each with a key of its own, a group of two instances and one of one instance, all behind a proxy.
 *
 * @param folder an empty folder
 * @param broker the broker
 * @param plan sizes
 */
export async function disturbBroker(
  folder: string,
  broker: BrokerKind,
  plan: BrokerPlan,
): Promise<FaultReport> {
  const startedAt = Date.now();
  const server = plan.killsServer ? await startServer(broker.service, folder) : undefined;
  const address = server?.address ?? serviceAddress(broker.service);
  const proxy = new TcpProxy(address);
  const name = `fwfaults-${crypto.randomUUID().slice(0, 13)}`;
  const setup = await broker.setUp(address, name, ["g0", "g1"]);
  try {
    const workers = startWorkers(folder, setup.entry(proxy.address), plan);
    const isPublishing = () =>
      workers.writers.every(({ task }) => entries(task.journal, "a").length < plan.messages);
    let isInTime = true;
    const killServer = server && (async () => {
      isInTime = isPublishing();
      await server.restart();
    });
    await disturb([...workers.readers, ...workers.writers], proxy, { ...plan, killServer });
    await Promise.all(workers.writers.map(({ ended }) => ended));
    const journals = workers.writers.map(({ task }) => task.journal);
    const groups = [...new Set(workers.readers.map(({ task }) => task.journal))];
    await untilDrained(journals, groups, DRAIN_MS);
    await Promise.all(workers.readers.map((reader) => reader.stop()));
    const killed = [...workers.readers, ...workers.writers].reduce((sum, { kills }) => sum + kills, 0);
    const kills = killed + plan.cuts + (server ? 1 : 0);
    const pending = await setup.pending?.();
    const run = { writers: journals, groups, kills, startedAt, batch: BATCH, pending };
    const report = judge(scenarioOf(plan), run);
    if (!isInTime) return { ...report, faults: [...report.faults, "Nobody published when the server died"] };
    return plan.isInboxed ? withEffects(report, [`${folder}/g0.db`, `${folder}/g1.db`]) : report;
  } finally {
    await setup.clean();
    await proxy.close();
    await server?.stop();
  }
}

function scenarioOf({ killsServer, isInboxed }: BrokerPlan): string {
  if (killsServer) return "server killed";
  return isInboxed ? "clients killed, with inbox" : "clients killed, connections cut";
}

function startWorkers(folder: string, broker: WorkerTask["broker"], plan: BrokerPlan) {
  const common = { box: "", topic: TOPIC, broker: { ...broker!, format: "cloudevents" } };
  const writers = [0, 1].map((n) =>
    new Worker({
      ...{ ...common, role: "writer", name: `w${n}`, journal: `${folder}/w${n}.journal` },
      ...{ count: plan.messages, bytes: 100, paceMs: 1 },
    })
  );
  // The instances of a group write one journal: the order of its lines is that in which they handled.
  const readers = ["g0", "g0", "g1"].map((group) =>
    new Worker({
      ...{ ...common, role: "reader", name: group, journal: `${folder}/${group}.journal` },
      ...plan.isInboxed ? { database: `${folder}/${group}.db` } : {},
    })
  );
  return { writers, readers };
}

/** Kills, cuts and one stall at random times; or the death of the server alone. */
async function disturb(
  victims: readonly Worker[],
  proxy: TcpProxy,
  plan: BrokerPlan & { readonly killServer?: () => Promise<void> },
): Promise<void> {
  const steps: (() => unknown)[] = [
    ...Array.from({ length: plan.kills }, (_, kill) => () => {
      const order = victims.map((_, n) => victims[(kill + n) % victims.length]);
      return until(() => order.some((victim) => victim.hasProgressed && victim.kill()), 3_000);
    }),
    ...Array.from({ length: plan.cuts }, () => () => proxy.cut()),
    plan.killServer ?? (async () => {
      proxy.stall();
      await pause(1_000);
      proxy.resume();
    }),
  ];
  // All start before anything happens to them.
  await until(() => victims.every(({ hasProgressed }) => hasProgressed), 15_000);
  for (const step of steps.toSorted(() => Math.random() - 0.5)) {
    await pause(plan.withinMs / steps.length);
    await step();
  }
}
