/**
 * The fault test of a broker that is away (`messaging` 9): messages of one key wait in the outbox and leave in order.
 *
 * @module
 */

import { createRuntime, SELECT } from "../../mod.ts";
import { denoKinds } from "../../src/deno/deno_kinds.ts";
import type { MessagingService } from "../../src/messaging/messaging_service.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import type { Csn } from "../../src/model/csn.ts";
import type { BrokerKind } from "./broker_setups.ts";
import { type FaultReport, until } from "./harness.ts";
import { pause } from "../../src/util/time.ts";
import { TcpProxy } from "./tcp_proxy.ts";

const MESSAGES = 20;
const DRAIN_MS = 60_000;
/** Time for one attempt to publish: shorter than the broker is away. */
const ATTEMPTS_MS = 2_000;
const EVENT = "Faults.happened";
const MODEL: Csn = {
  definitions: {
    Faults: { kind: "service" },
    [EVENT]: {
      kind: "event",
      elements: { ID: { key: true, type: "cds.Integer" }, n: { type: "cds.Integer" } },
    },
  },
};

/** How a broker is away. */
export interface AwayOptions {
  /** Where it listens. */
  readonly address: string;
  /** How long it cannot be reached. */
  readonly awayMs: number;
  /** Whether it is away when the application starts already. */
  readonly isAbsent?: boolean;
}

/**
 * Emits messages of one key while the broker is away, in an application with outbox that also receives them.
 *
 * @param broker the broker
 * @param options how it is away
 */
export async function keepWhileAway(
  broker: Pick<BrokerKind, "setUp">,
  { address, awayMs, isAbsent = false }: AwayOptions,
): Promise<FaultReport> {
  const startedAt = Date.now();
  const proxy = new TcpProxy(address);
  const name = `fwaway-${crypto.randomUUID().slice(0, 13)}`;
  const setup = await broker.setUp(address, name, ["faults"]);
  const entry = { ...setup.entry(proxy.address), timeoutMs: ATTEMPTS_MS };
  const runtime = createRuntime({
    model: MODEL,
    name: "faults",
    kinds: denoKinds,
    env: {
      requires: {
        auth: { kind: "dummy" },
        db: { kind: "sqlite", credentials: { url: ":memory:" } },
        messaging: entry,
      },
      log: { levels: { default: "silent" } },
    },
  });
  try {
    if (isAbsent) proxy.refuse();
    await runtime.start();
    const messaging = await runtime.connect("messaging") as MessagingService;
    const got: number[] = [];
    messaging.on(EVENT, ({ data }) => void got.push((data as { n: number }).n));
    await messaging.exchange.settled();
    const { status } = await runtime.fetch(new Request("http://localhost/health"));
    await messaging.emit(EVENT, { ID: 7, n: 0 });
    const waiting = async () => (await runtime.db!.run(SELECT.from(OUTBOX_MESSAGES)) as unknown[]).length;
    if (!isAbsent) {
      // A message may be handled before its sender knows that it is stored.
      for (const end = Date.now() + DRAIN_MS; await waiting() > 0 && Date.now() < end;) await pause(20);
      await until(() => got.length > 0, DRAIN_MS);
      proxy.refuse();
    }
    for (let n = 1; n <= MESSAGES; n++) {
      await messaging.emit(EVENT, { ID: 7, n });
      await pause(awayMs / MESSAGES);
    }
    const kept = await waiting() - (isAbsent ? 1 : 0);
    proxy.admit();
    await until(() => new Set(got).size > MESSAGES, DRAIN_MS);
    const dead = await runtime.queue!.deadLetters();
    const scenario = isAbsent ? "broker absent at start" : "broker away";
    return judge(scenario, got, { waiting: kept, dead: dead.length, health: status, startedAt });
  } finally {
    await runtime.close();
    await setup.clean();
    await proxy.close();
  }
}

function judge(
  scenario: string,
  got: readonly number[],
  run: {
    readonly waiting: number;
    readonly dead: number;
    readonly health: number;
    readonly startedAt: number;
  },
): FaultReport {
  const distinct = [...new Set(got)];
  const lost = MESSAGES + 1 - distinct.length;
  const outOfOrder = distinct.filter((n, i) => i > 0 && n < distinct[i - 1]!).length;
  const faults = [
    ...lost > 0 ? [`${lost} messages lost`] : [],
    ...outOfOrder > 0 ? [`${outOfOrder} messages out of order`] : [],
    ...run.dead > 0 ? [`${run.dead} dead letters`] : [],
    ...run.waiting !== MESSAGES ? [`${run.waiting} messages waited, expected ${MESSAGES}`] : [],
    ...run.health !== 200 ? [`/health answered ${run.health}`] : [],
  ];
  return {
    scenario,
    emitted: MESSAGES + 1,
    acknowledged: MESSAGES + 1,
    handledOnce: distinct.length,
    lost,
    phantom: 0,
    duplicates: got.length - distinct.length,
    outOfOrder,
    kills: 1,
    seconds: Math.round((Date.now() - run.startedAt) / 100) / 10,
    faults,
  };
}
