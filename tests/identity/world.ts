/**
 * All that takes part in an end-to-end test: identity services, an application behind its proxy, clients.
 *
 * @module
 */

import { createRuntime, type Implementations } from "../../mod.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { Certificate } from "../../src/test/mod.ts";
import { startProxy } from "./tls_proxy.ts";
import { type Answer, ask, type Call, CDL, type ServiceName, SERVICES } from "./application.ts";
import { credentialsOf, type Identities, startIdentities } from "./identities.ts";

const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? CDL : undefined,
  isFile: (path) => path === "m.cds",
});

/** Everything that runs. */
export interface World extends Identities {
  /** Lines of the log so far. */
  readonly lines: readonly string[];
  /** Asks a service of the application who is calling. */
  call(service: ServiceName, call?: Call): Promise<Answer>;
  /** Sets the clock of this process forward. */
  pass(ms: number): void;
}

/** What the application is bound to. */
export type Bound = "oidc" | "oauth2" | "both";

/** What differs from the usual configuration. */
export interface Settings {
  /** Members of `security.authentication`. */
  readonly authentication?: object;
  /** How long the application waits for a document of an identity service. */
  readonly keySetMs?: number;
  /** The address of the proxy that the application trusts; default: that of the one before it. */
  readonly trusted?: string;
  /** Credentials of the service that `Callers` asks. */
  readonly peer?: (identities: Identities) => object;
}

/** So long does the application wait: servers of tests run on machines that have much else to do. */
const PATIENCE_MS = 30_000;

/**
 * Runs a test in a world of its own, and ends all that was started.
 *
 * @param bound the identity services in use
 * @param run the test
 * @param settings configuration that differs
 */
export async function withWorld(
  bound: Bound,
  run: (world: World) => Promise<void>,
  { authentication = {}, keySetMs = PATIENCE_MS, trusted = "127.0.0.1", peer }: Settings = {},
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const clock = movableClock();
  stack.defer(clock.restore);
  const lines: string[] = [];
  stack.defer(captureConsole(lines));
  const identities = await startIdentities(stack);
  const { network, authority, certificate, send } = identities;
  const runtime = createRuntime({
    model: MODEL,
    profiles: ["production"],
    env: {
      log: { levels: { default: "debug" } },
      requires: {
        auth: authOf(bound, certificate),
        ...(peer ? { Peer: { kind: "odata", credentials: peer(identities) } } : {}),
        db: false,
        messaging: false,
        multitenancy: true,
      },
      server: { trusted_proxies: [trusted] },
      security: { authentication },
      limits: { keySetMs, tokenRequestMs: PATIENCE_MS },
    },
    handlers: {
      ...Object.fromEntries(Object.keys(SERVICES).map((name) => [name, answerWhoami])),
      Callers: (srv) =>
        void srv.on("whoami", async () => {
          const remote = await runtime.connect("Peer");
          return await remote.send({ method: "GET", path: "whoami()" });
        }),
    },
    kinds: { fetch: send },
  });
  stack.defer(() => runtime.close());
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, runtime.fetch);
  stack.defer(() => server.shutdown());
  stack.defer(await startProxy(server.addr.port, { network, authority }));
  await run({ ...identities, lines, pass: clock.pass, call: (service, call) => ask(network, service, call) });
}

function authOf(bound: Bound, certificate: Certificate): object {
  const credentials = credentialsOf(certificate);
  if (bound !== "both") return { kind: bound, credentials: credentials[bound] };
  return { kind: ["oidc", "oauth2"], credentials };
}

const answerWhoami: Implementations[string] = (srv) =>
  void srv.on(
    "whoami",
    ({ user, tenant, headers }) =>
      JSON.stringify(
        { id: user.id, tenant, certificate: headers["x-forwarded-client-cert"] },
      ),
  );

/** A clock that can be set forward: key sets, tokens and pauses all look at it. */
function movableClock(): { readonly pass: (ms: number) => void; readonly restore: () => void } {
  const { now } = Date;
  let ahead = 0;
  Date.now = () => now() + ahead;
  return { pass: (ms) => void (ahead += ms), restore: () => void (Date.now = now) };
}

function captureConsole(lines: string[]): () => void {
  const names = ["log", "debug", "info", "warn", "error"] as const;
  const original = names.map((name) => console[name]);
  for (const name of names) console[name] = (...values: unknown[]) => void lines.push(values.join(" "));
  return () => names.forEach((name, index) => console[name] = original[index]!);
}
