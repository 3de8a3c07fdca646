/** An application with tokens for workerd; `/token` stands for the identity service. */

import { createRuntime } from "../../src/fw/create_runtime.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { Identity } from "../../src/test/identity/identity.ts";

const TEXT = `@requires: 'admin' service Admins { function who() returns String; }`;
const identity = new Identity({ kind: "oauth2" });

const runtime = createRuntime({
  model: compileCdl(["m.cds"], {
    readFile: (path) => path === "m.cds" ? TEXT : undefined,
    isFile: (path) => path === "m.cds",
  }),
  profiles: ["production"],
  kinds: { fetch: identity.fetch },
  env: {
    log: { levels: { default: "silent" } },
    requires: { auth: { kind: identity.kind, credentials: identity.credentials } },
  },
  handlers: { Admins: (srv) => void srv.on("who", (req) => req.user.id) },
});

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/token") return await runtime.fetch(request);
    const user = searchParams.get("user") ?? undefined;
    const algorithm = searchParams.get("algorithm") === "ES256" ? "ES256" : "RS256";
    return new Response(await identity.token({ user, roles: ["admin"], algorithm }));
  },
};
