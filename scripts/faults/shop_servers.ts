/**
 * A shop as users would have it: a project in a folder, served by processes of `fw serve`, whose orders are
 * told through the outbox and handled by whichever process gets them.
 *
 * @module
 */

import { pause } from "../../src/util/time.ts";
import { freePort } from "./server_command.ts";
import type { ShopDatabase } from "./shop_databases.ts";

const CLI = new URL("../../src/cli/mod.ts", import.meta.url).pathname;
const CONFIGURATION = new URL("../../deno.json", import.meta.url).pathname;
/** How long a process may take to get ready. */
const START_MS = 120_000;

/** What is particular to a run. */
export interface ShopOptions {
  readonly database: ShopDatabase;
  /** Folder of messages; default: beside the project. */
  readonly box?: string;
  readonly tenants?: readonly string[];
  /** Below `fw`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether the model is the next one: an element has another name, and there is one more. */
  readonly isNext?: boolean;
}

function modelOf(isNext: boolean): string {
  const amount = isNext
    ? "@fw.renamedFrom: 'quantity' amount : Integer; remark : String;"
    : "quantity : Integer;";
  return `
    namespace shop;
    entity Orders { key ID : UUID; item : String; ${amount} }
    entity Effects { key ID : UUID; order : UUID; }
    service Shop {
      entity Orders as projection on shop.Orders;
      entity Effects as projection on shop.Effects;
      event ordered { order : UUID; }
      action orderAll(IDs : many UUID);
    }`;
}

/** An own handler of the service would run with the request: that of the channel gets what has left the outbox. */
const HANDLERS = `import fw from "@fw/runtime";
export default async (srv) => {
  srv.after("CREATE", "Orders", (_, req) => srv.emit("ordered", { order: req.data.ID }));
  srv.on("orderAll", async (req) => {
    await INSERT.into("shop.Orders").entries(req.data.IDs.map((ID) => ({ ID, item: "book" })));
    for (const order of req.data.IDs) await srv.emit("ordered", { order });
  });
  const messaging = await fw.connect.to("messaging");
  messaging.on("shop.Shop.ordered", async (req) => {
    await INSERT.into("shop.Effects").entries({ ID: crypto.randomUUID(), order: req.data.order });
  });
};
`;

/**
 * Writes the project.
 *
 * @param folder where to
 * @param options what is particular
 */
export function writeShop(
  folder: string,
  { database, box = `${folder}/../box`, tenants, settings, isNext = false }: ShopOptions,
): void {
  const users = Object.fromEntries(
    (tenants ?? [undefined]).map((tenant, n) => [`user${n}`, tenant === undefined ? {} : { tenant }]),
  );
  const configuration = {
    name: "shop",
    ...settings,
    requires: {
      auth: { kind: "mocked", users: users },
      db: database.settings,
      messaging: {
        kind: "file-based-messaging",
        file: box,
        concurrency: 32,
        ...tenants && { tenantHeader: "x-tenant" },
      },
      ...tenants ? { multitenancy: true } : {},
    },
    log: { levels: { default: "warn" } },
  };
  for (const sub of ["db", "srv"]) Deno.mkdirSync(`${folder}/${sub}`, { recursive: true });
  Deno.writeTextFileSync(`${folder}/deno.json`, JSON.stringify({ fw: configuration }));
  Deno.writeTextFileSync(`${folder}/srv/shop.cds`, modelOf(isNext));
  Deno.writeTextFileSync(`${folder}/srv/shop.js`, HANDLERS);
}

/** What a process says about itself. */
export interface ServerSizes {
  /** Resident memory, in MB. */
  readonly memory: number;
  readonly files: number;
}

/** A process that serves the shop. */
export class ShopServer {
  readonly origin: string;
  readonly #process: Deno.ChildProcess;

  private constructor(process: Deno.ChildProcess, port: number) {
    this.#process = process;
    this.origin = `http://127.0.0.1:${port}`;
  }

  /**
   * Starts a process and waits until it is ready.
   *
   * @param folder the project
   * @param log gets what it prints
   */
  static async start(folder: string, log: string): Promise<ShopServer> {
    const port = freePort();
    const serve = ["run", "-A", "--no-check", "--quiet", "--config", CONFIGURATION, CLI, "serve", folder];
    const process = new Deno.Command("sh", {
      args: ["-c", 'exec "$@" >>"$LOG" 2>&1', "sh", Deno.execPath(), ...serve, "--port", String(port)],
      env: { LOG: log, NO_COLOR: "1" },
    }).spawn();
    const server = new ShopServer(process, port);
    const end = Date.now() + START_MS;
    while (await server.readiness() !== 200) {
      if (Date.now() > end) throw new Error(`A server does not get ready: ${Deno.readTextFileSync(log)}`);
      await pause(100);
    }
    return server;
  }

  /** The status of `/ready`, 0 where nobody answers. */
  async readiness(): Promise<number> {
    try {
      const response = await fetch(`${this.origin}/ready`, { signal: AbortSignal.timeout(5_000) });
      await response.body?.cancel();
      return response.status;
    } catch {
      return 0;
    }
  }

  /** Its memory and open files. */
  sizes(): ServerSizes {
    const { pid } = this.#process;
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    const memory = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    return { memory, files: [...Deno.readDirSync(`/proc/${pid}/fd`)].length };
  }

  /** Ends it as operators do, and waits until it has ended. */
  async stop(): Promise<number> {
    try {
      this.#process.kill("SIGTERM");
    } catch {
      // it has ended already
    }
    return (await this.#process.status).code;
  }
}
