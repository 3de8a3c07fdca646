/**
 * What is done to each broker.
 *
 * @module
 */

import { answers, serviceAddress, SERVICES } from "../test_services.ts";
import { type BrokerPlan, disturbBroker } from "./brokers.ts";
import type { BrokerKind } from "./broker_setups.ts";
import type { FaultReport } from "./harness.ts";
import { keepWhileAway } from "./broker_away.ts";
import { NotStartable } from "./local_server.ts";

/** How long a broker cannot be reached; longer than the pauses between attempts. */
const AWAY_MS = 30_000;
/** How long it is not there yet; longer than a start waits for it. */
const ABSENT_MS = 8_000;

/** A scenario; no report, with the reason on the terminal, if it cannot be played here. */
export type Scenario = (folder: string) => Promise<FaultReport | undefined>;

/**
 * The scenarios of a broker; none, with the reason, where its server is not there.
 *
 * @param broker the broker
 * @returns lists of scenarios that may run side by side, those of one list one after the other
 * @throws Error if it is not there with `FW_REQUIRE_SERVICES=1`
 */
export async function brokerScenarios(broker: BrokerKind): Promise<readonly (readonly Scenario[])[]> {
  const address = serviceAddress(broker.service);
  if (!await answers(address)) {
    const reason = `${SERVICES[broker.service].title} does not answer at ${address}`;
    if (Deno.env.get("FW_REQUIRE_SERVICES") === "1") throw new Error(reason);
    console.log(`${broker.kind} is skipped: ${reason}`);
    return [];
  }
  const base = { messages: 700, kills: 8, cuts: 3, withinMs: 5_000 };
  const plans: readonly BrokerPlan[] = [
    base,
    { ...base, messages: 300, kills: 5, cuts: 1, withinMs: 3_000, isInboxed: true },
    { ...base, messages: 1_500, kills: 0, cuts: 0, withinMs: 1_000, killsServer: true },
  ];
  return [
    plans.map((plan) => (folder: string) => disturbIfPossible(folder, broker, plan)),
    [() => keepWhileAway(broker, { address, awayMs: AWAY_MS })],
    [() => keepWhileAway(broker, { address, awayMs: ABSENT_MS, isAbsent: true })],
  ];
}

async function disturbIfPossible(
  folder: string,
  broker: BrokerKind,
  plan: BrokerPlan,
): Promise<FaultReport | undefined> {
  try {
    return await disturbBroker(folder, broker, plan);
  } catch (error) {
    if (!(error instanceof NotStartable)) throw error;
    console.log(`${broker.kind}, server killed, is left out: ${error.message}`);
    return undefined;
  }
}
