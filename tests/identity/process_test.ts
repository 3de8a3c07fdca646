/** A project in production as its operators run it: bindings, a server process, tokens from the command line. */

import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { startProcess, urlOf } from "../deno/project_processes.ts";
import { ask, CDL } from "./application.ts";
import { credentialsOf, startIdentities } from "./identities.ts";
import { PASSWORD } from "./grants.ts";
import { startProxy } from "./tls_proxy.ts";

const PACKAGE = {
  name: "bound",
  version: "1.0.0",
  fw: {
    requires: { db: false, messaging: false },
    server: { trusted_proxies: ["127.0.0.1"] },
    limits: { keySetMs: 30_000 },
  },
};

const HANDLERS = `import fw from "@fw/runtime";
export class Members extends fw.ApplicationService {
  override init() {
    this.on("whoami", (req) => JSON.stringify({ id: req.user.id }));
    return super.init();
  }
}
export { Members as Persons, Members as Systems, Members as Internals, Members as Admins, Members as Public, Members as Callers };
`;

Deno.test("a bound project accepts what fw token prints, of each service under its own rules [5.1.oidc] [5.1.hybrid] [5.3.5]", async () => {
  await using stack = new AsyncDisposableStack();
  const { network, authority, certificate } = await startIdentities(stack);
  const { oidc, oauth2 } = credentialsOf(certificate);
  // in one line, as platforms write them
  const key = JSON.parse(JSON.stringify(oidc).replaceAll("\\n", "\\\\n"));
  const files = {
    "package.json": JSON.stringify(PACKAGE),
    "srv/services.cds": CDL,
    "srv/services.ts": HANDLERS,
    "authority.pem": authority.pem,
    "key.json": JSON.stringify({ credentials: key }),
  };
  await withProject(files, async (folder) => {
    const variables = {
      HTTPS_PROXY: network.proxyUrl,
      DENO_CERT: `${folder}/authority.pem`,
      FW_TOKEN_PASSWORD: PASSWORD,
      VCAP_SERVICES: JSON.stringify({
        identity: [{ name: "oidc", label: "identity", credentials: key }],
        xsuaa: [{ name: "oauth2", label: "xsuaa", credentials: oauth2 }],
      }),
    };
    const cli = (...words: string[]) => startProcess({ args: ["src/cli/mod.ts", ...words], variables });
    const server = cli("serve", folder, "--profile", "production");
    stack.defer(server.close);
    const printed = async (...words: string[]) => {
      const { code, output } = await cli("token", ...words).ended;
      assert.equal(code, 0, output);
      return output.trim();
    };
    const [bound, scoped] = await Promise.all([
      printed(`${folder}/key.json`, "--user", "alice"),
      printed(folder, "--kind", "oauth2", "--user", "alice"),
    ]);
    stack.defer(await startProxy(Number(new URL(await urlOf(server)).port), { network, authority }));
    const whoami = await ask(network, "Members", { token: bound, certificate });
    assert.equal(whoami.caller?.id, "alice", whoami.text + server.output());
    assert.equal((await ask(network, "Members", { token: bound })).status, 401);
    assert.equal((await ask(network, "Admins", { token: bound, certificate })).status, 403);
    assert.equal((await ask(network, "Admins", { token: scoped })).caller?.id, "alice");
    assert.equal((await ask(network, "Members")).status, 401);
    assert.ok(!server.output().includes(bound) && !server.output().includes(scoped));
  });
});
