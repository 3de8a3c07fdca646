/**
 * Servers that tests, fault tests and benchmarks need and do not start themselves.
 *
 * @module
 */

/** Where a server is expected, by name; the variable overrides the address. */
export const SERVICES = {
  nats: { title: "NATS with JetStream", address: "127.0.0.1:4222", variable: "TEST_NATS" },
  rabbitmq: { title: "RabbitMQ", address: "127.0.0.1:5672", variable: "TEST_RABBITMQ" },
  postgres: { title: "PostgreSQL", address: "127.0.0.1:5432", variable: "TEST_POSTGRES" },
  redis: { title: "Redis", address: "127.0.0.1:6379", variable: "TEST_REDIS" },
} as const;

/**
 * The address of a server: that of its variable, else the usual one.
 *
 * @param name the server
 */
export function serviceAddress(name: keyof typeof SERVICES): string {
  const { variable, address } = SERVICES[name];
  return Deno.env.get(variable) ?? address;
}

/** Whether somebody listens at an address. */
export async function answers(address: string): Promise<boolean> {
  const [hostname, port] = address.split(":");
  try {
    (await Deno.connect({ hostname, port: Number(port) })).close();
    return true;
  } catch {
    return false;
  }
}
