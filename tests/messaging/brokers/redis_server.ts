/**
 * What speaks the protocol of Redis and answers as a test says.
 *
 * @module
 */

import { type AddressInfo, createServer, type Socket } from "node:net";

/** An answer as the protocol writes it. */
function resp(value: unknown): string {
  if (value === null || value === undefined) return "*-1\r\n";
  if (value instanceof Error) return `-${value.message}\r\n`;
  if (typeof value === "number") return `:${value}\r\n`;
  if (Array.isArray(value)) return `*${value.length}\r\n${value.map(resp).join("")}`;
  return `$${String(value).length}\r\n${value}\r\n`;
}

/** The commands in what a client sent, whole ones. */
function commandsIn(text: string): string[][] {
  const parts = text.split("\r\n");
  const commands: string[][] = [];
  for (let at = 0; parts[at]?.startsWith("*");) {
    const count = Number(parts[at]!.slice(1));
    commands.push(Array.from({ length: count }, (_, n) => parts[at + 2 + 2 * n]!));
    at += 1 + 2 * count;
  }
  return commands;
}

/**
 * Begins to answer at a free port.
 *
 * @param answer gives what a command is answered with; an error is told as such
 */
export async function redisServer(
  answer: (command: readonly string[]) => unknown,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let answered = Promise.resolve();
    socket.on("error", () => {}).on("data", (data) => {
      for (const command of commandsIn(String(data))) {
        answered = answered.then(async () => {
          const isInfo = command[0]!.toLowerCase() === "info";
          const text = resp(isInfo ? "redis_version:7.2.0" : await answer(command));
          if (!socket.destroyed) socket.write(text);
        });
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}
