/**
 * One process of several that serve a project, or the fixture `reference`, until its input ends. It prints its port.
 *
 * @module
 */

import { startReference } from "../../scripts/fixtures/reference/start_reference.ts";
import { serveProject } from "../../src/deno/serve_project.ts";

/** What is served, and how. */
export interface ServedApplication {
  /** A folder; undefined: the fixture. */
  readonly folder: string | undefined;
  readonly env: Readonly<Record<string, unknown>>;
}

async function serve(
  { folder, env }: ServedApplication,
): Promise<{ port: number; stop: () => Promise<void> }> {
  if (folder !== undefined) {
    const server = await serveProject(folder, { port: 0, print: () => {}, variables: {}, env });
    return { port: Number(new URL(server.url).port), stop: () => server.stop() };
  }
  const runtime = await startReference(env);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, runtime.fetch);
  const stop = async () => {
    runtime.live?.streams.close();
    await server.shutdown();
    await runtime.close();
  };
  return { port: server.addr.port, stop };
}

if (import.meta.main) {
  const { port, stop } = await serve(JSON.parse(Deno.args[0]!));
  console.log(port);
  for await (const _ of Deno.stdin.readable);
  await stop();
  Deno.exit();
}
