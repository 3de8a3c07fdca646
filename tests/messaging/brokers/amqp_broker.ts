/**
 * A broker of AMQP 1.0 in this process.
 *
 * @module
 */

import type { Container } from "rhea";
import { rhea } from "../../../src/messaging/brokers/amqp/amqp_message.ts";

/**
 * Runs a test with a broker, which takes and gives nothing by itself.
 *
 * @param prepare adds what the broker does
 * @param run the test, with the URL of the broker
 */
export async function withAmqpBroker(
  prepare: (broker: Container) => void,
  run: (url: string) => Promise<void>,
): Promise<void> {
  const broker = rhea.create_container();
  broker.on("disconnected", () => {});
  prepare(broker);
  const options = { port: 0, host: "127.0.0.1", receiver_options: { autoaccept: false } };
  const server = broker.listen(options as never);
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const sockets = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => {
    socket.setNoDelay(true); // what is sent apart arrives apart
    sockets.add(socket);
  });
  const { port } = server.address() as { port: number };
  try {
    await run(`amqp://127.0.0.1:${port}`);
  } finally {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  }
}
