/**
 * Servers that tests need and do not start themselves.
 *
 * @module
 */

import { answers, serviceAddress, SERVICES } from "../../scripts/test_services.ts";

/** A server for tests. */
export interface TestService {
  /** `host:port`. */
  readonly address: string;
  /** Whether it answers; tests that need it are ignored otherwise. */
  readonly isThere: boolean;
}

/**
 * Looks whether a server answers. Where it does not, the reason is printed and a test that is ignored stands for those
 * that need it; with `FW_REQUIRE_SERVICES=1` that test fails.
 *
 * @param name the server
 */
export async function findService(name: keyof typeof SERVICES): Promise<TestService> {
  const { title, variable } = SERVICES[name];
  const address = serviceAddress(name);
  const isThere = await answers(address);
  if (!isThere) {
    const reason =
      `${title} does not answer at ${address} (${variable}); see CONTRIBUTING.md, "Services for tests"`;
    const isRequired = Deno.env.get("FW_REQUIRE_SERVICES") === "1";
    if (!isRequired) console.warn(`Tests are skipped: ${reason}`);
    Deno.test({
      name: `needs a service: ${title}`,
      ignore: !isRequired,
      fn: () => {
        throw new Error(reason);
      },
    });
  }
  return { address, isThere };
}

/** A name that no other test has. */
export function uniqueName(): string {
  return `fwtest-${crypto.randomUUID().slice(0, 13)}`;
}
