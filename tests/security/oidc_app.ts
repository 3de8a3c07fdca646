/** An application behind the OIDC service and a proxy that ends TLS, for the security cases of bound tokens. */

import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { User } from "../../src/context/user.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { createCertificate, createIdentity, type Identity, type TokenOptions } from "../../src/test/mod.ts";
import type { SendRequest } from "../../src/auth/token_client/token_credentials.ts";
import { identityFetch } from "../../src/test/identity/identity_environment.ts";
import { captureConsole } from "./app.ts";

const TEXT = `
@requires: 'authenticated-user' service Members { function who() returns String; }
@requires: 'system-user' service Systems { function who() returns String; }
@requires: 'internal-user' service Internals { function who() returns String; }
@requires: 'reader' service Readers { function who() returns String; }`;
const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? TEXT : undefined,
  isFile: (path) => path === "m.cds",
});

/** Address of the proxy. */
export const PROXY = "10.0.0.1";
export const CLIENT = await createCertificate({ subject: "CN=client" });
const APP = await createCertificate({ subject: "CN=app" });

/** What differs from the usual application. */
export interface OidcSetting {
  readonly auth?: object;
  /** The other identity service, in hybrid operation. */
  readonly oauth2?: Identity;
  readonly authentication?: object;
  readonly requires?: object;
  readonly server?: object;
  readonly limits?: object;
  /** Sends requests to identity services; default: `identity.fetch`. */
  readonly fetch?: SendRequest;
}

/** A request. */
export interface Sent {
  /** Where its token differs from a valid one of alice, bound to `CLIENT`. */
  readonly token?: TokenOptions;
  /** The token itself. */
  readonly text?: string;
  /** Header of the certificate; default: that of `CLIENT`. `null`: none. */
  readonly certificate?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Address it comes from; default: the proxy. */
  readonly peer?: string;
  readonly service?: string;
  /** Host that the proxy forwards. */
  readonly host?: string;
}

/** The application while a test runs. */
export interface OidcApp {
  readonly identity: Identity;
  /** Lines of the log so far. */
  readonly lines: readonly string[];
  send(sent?: Sent): Promise<Response>;
  status(sent?: Sent): Promise<number>;
  /** The user and the tenant that a request gives. */
  user(sent?: Sent): Promise<{ readonly user: User; readonly tenant: string | undefined }>;
}

/** The identity service: `accounts.example.com` and the hosts one label below. */
export function accounts(): Identity {
  return createIdentity({
    kind: "oidc",
    url: "https://tenant.accounts.example.com",
    clientId: "app-client",
    certificate: APP,
  });
}

/** The OAuth 2.0 service: `authentication.example.com`. */
export function authorization(): Identity {
  return createIdentity({
    kind: "oauth2",
    url: "https://tenant.authentication.example.com",
    clientId: "sb-app!t1",
    appName: "app!t1",
  });
}

/** Runs a test with the application, in production. */
export async function withOidc(setting: OidcSetting, run: (app: OidcApp) => Promise<void>): Promise<void> {
  const identity = accounts();
  const { oauth2 } = setting;
  const identities = oauth2 ? [identity, oauth2] : [identity];
  const seen: { user: User; tenant: string | undefined }[] = [];
  const lines: string[] = [];
  const restore = captureConsole(lines);
  const runtime = createRuntime({
    model: MODEL,
    profiles: ["production"],
    kinds: { fetch: setting.fetch ?? identityFetch(identities) },
    env: {
      log: { levels: { default: "debug" } },
      server: { trusted_proxies: [PROXY], ...setting.server },
      security: { authentication: { ...setting.authentication } },
      // keys are made while they are asked for, which may take long on a busy machine
      limits: { keySetMs: 60_000, tokenRequestMs: 60_000, ...setting.limits },
      requires: {
        auth: {
          ...oauth2
            ? {
              kind: ["oidc", "oauth2"],
              credentials: { oidc: identity.credentials, oauth2: oauth2.credentials },
            }
            : { kind: "oidc", credentials: identity.credentials },
          ...setting.auth,
        },
        ...setting.requires,
      },
    },
    handlers: Object.fromEntries(
      ["Members", "Systems", "Internals", "Readers"].map((name) => [
        name,
        (srv) =>
          void srv.on("who", ({ user, tenant }) => {
            seen.push({ user, tenant });
            return user.id;
          }),
      ]),
    ),
  });
  const send = async ({ token, text, certificate, headers, peer, service, host }: Sent = {}) => {
    const bearer = text ??
      await identity.token({ user: "alice", certificate: CLIENT, algorithm: "ES256", ...token });
    const request = new Request(`http://localhost/odata/v4/${service ?? "members"}/who()`, {
      headers: {
        authorization: `Bearer ${bearer}`,
        ...certificate === null ? {} : { "x-forwarded-client-cert": certificate ?? CLIENT.header },
        ...host === undefined ? {} : { "x-forwarded-host": host },
        ...headers,
      },
    });
    return await runtime.fetch(request, {
      remoteAddr: { transport: "tcp", hostname: peer ?? PROXY, port: 1 },
    });
  };
  const status = async (sent?: Sent) => {
    const response = await send(sent);
    await response.body?.cancel();
    return response.status;
  };
  const user = async (sent?: Sent) => {
    const before = seen.length;
    const found = await status(sent);
    if (seen.length === before) throw new Error(`answered with ${found}`);
    return seen.at(-1)!;
  };
  try {
    await run({ identity, lines, send, status, user });
  } finally {
    await runtime.close();
    restore();
  }
}
