/**
 * A service whose news clients follow.
 *
 * @module
 */

import type { Service } from "../../mod.ts";
import type { App, RunningApp } from "../service/rules/on_engines.ts";

const CDL = `
entity db.Items { key ID: Integer; name: String; owner: String; }
@protocol: ['odata', 'rest', 'hcql']
@requires: 'authenticated-user'
service News {
  @odata.trackChanges
  entity Items as projection on db.Items;
  @odata.trackChanges
  @restrict: [{ grant: '*', where: (owner = $user) }]
  entity OwnItems as projection on db.Items;
  entity PlainItems as projection on db.Items;
  event Told { n: Integer; text: String; inner { a: Integer; }; }
  @requires: 'boss'
  event Secret { n: Integer; }
  @restrict: [{ to: 'boss' }, { grant: 'READ', to: 'authenticated-user', where: (owner = $user and size < 10) },
    { grant: 'Parcels', to: 'courier' }]
  event Parcels { owner: String; size: Integer; }
  action tell(n: Integer, text: String);
  action fail(n: Integer);
  action hide(n: Integer);
  action ship(owner: String, size: Integer);
}
@requires: 'any'
service Square { @requires: 'any' event Shouted { n: Integer; } event Whispered { n: Integer; }
  @requires: 'any' event Gehört { n: Integer; } }
@protocol: 'none'
service Inner { event Quiet { n: Integer; } }
`;

function handle(srv: Service): void {
  srv.on("tell", async ({ data }) => {
    await srv.emit("Told", { ...data as object, inner: { a: 1, b: 2 }, internal: "no client gets this" });
  });
  srv.on("fail", async (req) => {
    await srv.emit("Told", req.data);
    req.reject(409, "undone");
  });
  srv.on("hide", (req) => srv.emit("Secret", req.data));
  srv.on("ship", (req) => srv.emit("Parcels", req.data));
}

/** The application; some limits may be others. */
export function newsApp(limits: Readonly<Record<string, number>> = {}): App {
  return {
    cdl: CDL,
    handlers: { News: handle },
    data: { "db.Items": [{ ID: 1, name: "one", owner: "alice" }, { ID: 2, name: "two", owner: "bob" }] },
    env: {
      limits,
      security: {
        mock: { users: { alice: { roles: ["boss"] }, carl: { roles: ["courier"] }, bob: {}, eve: {} } },
      },
    },
  };
}

/** Calls an action. */
export async function tell(
  { send }: Pick<RunningApp, "send">,
  action: string,
  data: unknown,
): Promise<number> {
  const { status, text } = await send("POST", `/odata/v4/news/${action}`, data, { user: "alice" });
  if (status >= 500) throw new Error(text);
  return status;
}
