/**
 * What is done to each broker.
 *
 * @module
 */

import { answers, serviceAddress, SERVICES } from "../test_services.ts";
import { type BrokerPlan, disturbBroker } from "./brokers.ts";
import type { BrokerKind } from "./broker_setups.ts";
import type { FaultReport } from "./harness.ts";
import { canStart } from "./local_server.ts";

/**
 * The scenarios of a broker; none, with the reason, where its server is not there.
 *
 * @param broker the broker
 * @throws Error if it is not there with `FW_REQUIRE_SERVICES=1`
 */
export async function brokerScenarios(
  broker: BrokerKind,
): Promise<readonly ((folder: string) => Promise<FaultReport>)[]> {
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
    ...await canStart(broker.service)
      ? [{ ...base, messages: 500, kills: 0, cuts: 0, withinMs: 1_500, killsServer: true }]
      : [],
  ];
  return plans.map((plan) => (folder) => disturbBroker(folder, broker, plan));
}
