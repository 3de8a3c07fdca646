/**
 * `deno task fixture`: serves a test fixture, mock users on;
 * `POST /-/reset` restores the initial data.
 *
 * @module
 */

import { startFixture } from "./fixtures/start_fixture.ts";
import { taskArgs } from "./parse_args.ts";

const { options, rest } = taskArgs(
  "deno task fixture <bookshop|conf|reference|rules|draft|draft-…> [--port N] [--cases DIR]",
);
const casesDir = String(options.cases ?? "../shared/conformance");
const name = rest[0] ?? "bookshop";
const port = Number(options.port ?? 4004);
const fixture = await startFixture(name, `${casesDir}/cap/models`);
const server = Deno.serve({ port, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
  if (new URL(request.url).pathname !== "/-/reset") return await fixture.fetch(request);
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  await fixture.reset();
  return new Response(null, { status: 204 });
});
console.log(`fixture ${name} listening on http://127.0.0.1:${server.addr.port}`);
for (const root of fixture.serviceRoots) console.log(`  ${root || "/"}`);
