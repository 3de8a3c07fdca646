/**
 * One side of `deno task bench http` as a process of its own: `ours`, on the database that is named behind it as JSON, or
 * `by-hand`. It prints its port, and answers at `/-/cpu` how many microseconds of processor time it has taken.
 *
 * @module
 */

import process from "node:process";
import { startApplication } from "./application.ts";
import { applicationByHand } from "./application_by_hand.ts";

type Handler = (request: Request) => Response | Promise<Response>;

async function main(side: string, db: string | undefined): Promise<void> {
  const answer: Handler = side === "ours"
    ? (await startApplication(db === undefined ? undefined : JSON.parse(db))).fetch
    : applicationByHand();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    if (!request.url.endsWith("/-/cpu")) return answer(request);
    const { user, system } = process.cpuUsage();
    return Response.json(user + system);
  });
  console.log((server.addr as Deno.NetAddr).port);
}

if (import.meta.main) await main(Deno.args[0] ?? "ours", Deno.args[1]);
