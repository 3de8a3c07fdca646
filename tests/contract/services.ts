/**
 * Servers that tests need and do not start themselves.
 *
 * @module
 */

/** Where a server is expected, by name; the variable overrides the address. */
const SERVICES = {
  nats: { title: "NATS with JetStream", address: "127.0.0.1:4222", variable: "FW_TEST_NATS" },
  rabbitmq: { title: "RabbitMQ", address: "127.0.0.1:5672", variable: "FW_TEST_RABBITMQ" },
  postgres: { title: "PostgreSQL", address: "127.0.0.1:5432", variable: "FW_TEST_POSTGRES" },
  redis: { title: "Redis", address: "127.0.0.1:6379", variable: "FW_TEST_REDIS" },
} as const;

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
  const { title, variable, address: usual } = SERVICES[name];
  const address = Deno.env.get(variable) ?? usual;
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

async function answers(address: string): Promise<boolean> {
  const [hostname, port] = address.split(":");
  try {
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return true;
  } catch {
    return false;
  }
}

/** A name that no other test has. */
export function uniqueName(): string {
  return `fwtest-${crypto.randomUUID().slice(0, 13)}`;
}
