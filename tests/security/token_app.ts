/** An application behind the OAuth 2.0 service, for the security cases of tokens. */

import assert from "node:assert/strict";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import type { User } from "../../src/context/user.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { createIdentity, createSigningKeys, type Identity } from "../../src/test/mod.ts";

const TEXT = `
@requires: 'authenticated-user' service Members { function who() returns String; action act() returns String; }
@requires: 'admin' service Admins { function who() returns String; }
@requires: 'system-user' service Systems { function who() returns String; }
@requires: 'internal-user' service Internals { function who() returns String; }
@requires: 'any' service Open { @requires: 'any' function who() returns String; }
service Plain { function who() returns String; }`;
const MODEL = compileCdl(["m.cds"], {
  readFile: (path) => path === "m.cds" ? TEXT : undefined,
  isFile: (path) => path === "m.cds",
});

/** Keys of the identity services of all tests of a file, which take long to make. */
export const KEYS: CryptoKeyPair = await createSigningKeys("RS256");

/** The identity service of the application `bookshop!t1`. */
export const bookshop = (): Identity =>
  createIdentity({ kind: "oauth2", appName: "bookshop!t1", keys: KEYS });

/** What differs from the usual application. */
export interface TokenSetting {
  readonly identity?: Identity;
  /** Stands in place of `fw.requires.auth`. */
  readonly auth?: object;
  readonly requires?: object;
  readonly security?: object;
  readonly limits?: object;
  /** Default: silent. */
  readonly log?: object;
  /** Sends requests to the identity service; default: `identity.fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly profiles?: readonly string[];
}

/** The application while a test runs. */
export interface TokenApp {
  readonly identity: Identity;
  /** Calls `GET <service>/who()` with a token, or with other headers. */
  get(service: string, token?: string | Record<string, string>): Promise<Response>;
  /** Status of such a call. */
  status(token?: string | Record<string, string>, service?: string): Promise<number>;
  /** The user that a token gives. */
  user(token: string): Promise<User>;
  /** Any call. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** Runs a test with the application, in production. */
export async function withTokens(
  setting: TokenSetting,
  run: (app: TokenApp) => Promise<void>,
): Promise<void> {
  const identity = setting.identity ?? bookshop();
  const users: User[] = [];
  const who = (req: { user: User; tenant?: string }) => {
    users.push(req.user);
    return `${req.user.id} ${req.tenant}`;
  };
  const runtime = createRuntime({
    model: MODEL,
    profiles: setting.profiles ?? ["production"],
    kinds: { fetch: setting.fetch ?? identity.fetch },
    env: {
      log: setting.log ?? { levels: { default: "silent" } },
      requires: {
        auth: { kind: identity.kind, credentials: identity.credentials, ...setting.auth },
        ...setting.requires,
      },
      security: setting.security,
      // keys are made while they are asked for, which may take long on a busy machine
      limits: { keySetMs: 60_000, ...setting.limits },
    },
    handlers: Object.fromEntries(
      ["Members", "Admins", "Systems", "Internals", "Open", "Plain"].map((name) => [
        name,
        (srv) => void srv.on(["who", "act"], who),
      ]),
    ),
  });
  const send = (path: string, init?: RequestInit) =>
    runtime.fetch(new Request(`http://localhost${path}`, init));
  const get = (service: string, token?: string | Record<string, string>) =>
    send(`/odata/v4/${service}/who()`, {
      headers: typeof token === "string" ? { authorization: `Bearer ${token}` } : token,
    });
  const status = async (token?: string | Record<string, string>, service = "members") => {
    const response = await get(service, token);
    await response.body?.cancel();
    return response.status;
  };
  const user = async (token: string) => {
    assert.equal(await status(token), 200);
    return users.at(-1)!;
  };
  try {
    await run({ identity, get, status, user, send });
  } finally {
    await runtime.close();
  }
}
