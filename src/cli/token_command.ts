/**
 * `fw token [service-key.json or folder]` (spec 5.3)
 *
 * @module
 */

import {
  boundIdentity,
  type ClientKeyPair,
  readTokenCredentials,
  type TokenCredentials,
} from "../auth/token_client/token_credentials.ts";
import { TokenClient, type TokenGrant } from "../auth/token_client/token_client.ts";
import { TokenRequestError, type TokenResponse } from "../auth/token_client/token_response.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { createDenoSender } from "../deno/send_request.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { existingFolder } from "./project_files.ts";
import type { Command } from "./parse_command.ts";
import { makeFolder, readTextIfExists, removeIfExists, writeText } from "../deno/text_files.ts";

/** What `fw help token` prints. */
export const TOKEN_HELP = `Usage: fw token [service-key.json | folder] [options]

Fetches a token from the identity service that a service key belongs to, or the binding of the project in a folder
(default: here), and prints it: TOKEN=$(fw token key.json)

  --user NAME          for a named user; without it the token is one of a technical user
  --password-stdin     read the password of the user from standard input; default: the variable FW_TOKEN_PASSWORD
  --grant GRANT        client_credentials or password; default: password with --user, else client_credentials
  --kind KIND          oidc or oauth2; default: what the credentials tell
  --export             print "export ACCESS_TOKEN=..." for the shell
  --pem FOLDER         also write certificate.pem and key.pem, readable by you only

Ends with 0 when a token was printed, 1 when none came, 2 when the command is wrong. A certificate authority of your
own is trusted by DENO_CERT=authority.pem. Service keys and tokens belong to one person: share neither, and delete a
key that was made for a test when the test is over.

Examples: fw token key.json
          fw token --user alice@example.com --password-stdin < password.txt`;

/** The terminal, as far as this command uses it; tests pass their own. */
export interface TokenTerminal {
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes a line to standard error. */
  hint(line: string): void;
  /** Whether standard output is read by a person. */
  readonly isPerson: boolean;
  /** Everything that comes on standard input. */
  readInput(): Promise<string>;
  /** Value of an environment variable. */
  variable(name: string): string | undefined;
}

const TERMINAL: TokenTerminal = {
  print: (line) => console.log(line),
  hint: (line) => console.error(line),
  get isPerson() {
    return Deno.stdout.isTerminal();
  },
  readInput: () => new Response(Deno.stdin.readable).text(),
  variable: (name) => Deno.env.get(name),
};

/** A word of the command that cannot be followed: exit code 2. */
class UsageError extends Error {}

/** Prints a token. */
export async function tokenCommand(command: Command, terminal: TokenTerminal = TERMINAL): Promise<number> {
  const sender = createDenoSender();
  try {
    const credentials = await credentialsOf(command);
    const grant = await grantOf(command, terminal);
    const folder = command.options.pem;
    if (typeof folder === "string") await writePem(folder, credentials);
    const token = await new TokenClient({ credentials, fetch: sender.send }).fetch(grant);
    terminal.print(command.options.export ? `export ACCESS_TOKEN=${token.access_token}` : token.access_token);
    if (terminal.isPerson) {
      nextSteps(token, credentials, typeof folder === "string" ? folder : ".").forEach(terminal.hint);
    }
    return 0;
  } catch (error) {
    if (error instanceof UsageError) terminal.hint(`${error.message}; see fw help token`);
    else if (error instanceof TokenRequestError) terminal.hint(describe(error));
    else if (error instanceof ConfigurationError) terminal.hint(error.message);
    else throw error;
    return error instanceof UsageError ? 2 : 1;
  } finally {
    sender.close();
  }
}

async function credentialsOf({ words, options }: Command): Promise<TokenCredentials> {
  const { kind } = options;
  if (kind !== undefined && kind !== "oidc" && kind !== "oauth2") {
    throw new UsageError(`Expected oidc or oauth2 after --kind, but found "${kind}"`);
  }
  if (words.length > 1) throw new UsageError(`Expected one file or folder, but found ${words.length}`);
  const [place = Deno.cwd()] = words;
  if (place.endsWith(".json")) return readTokenCredentials(readServiceKey(place), kind);
  return boundIdentity(readConfiguration(await existingFolder(place)).env.requires.auth, kind);
}

async function grantOf({ options }: Command, terminal: TokenTerminal): Promise<TokenGrant> {
  const { user, grant = user === undefined ? "client_credentials" : "password" } = options;
  if (grant !== "password" && grant !== "client_credentials") {
    throw new UsageError(`Expected client_credentials or password after --grant, but found "${grant}"`);
  }
  if (grant === "client_credentials") {
    if (user !== undefined) {
      throw new UsageError("The grant client_credentials is for no user: leave --user out");
    }
    return { type: "client_credentials" };
  }
  if (typeof user !== "string") throw new UsageError("The grant password needs --user");
  const password = options["password-stdin"]
    ? (await terminal.readInput()).replace(/\r?\n$/, "")
    : terminal.variable("FW_TOKEN_PASSWORD");
  if (password) return { type: "password", username: user, password };
  throw new UsageError(
    "Expected the password in FW_TOKEN_PASSWORD, or on standard input with --password-stdin",
  );
}

async function writePem(folder: string, { keyPair }: TokenCredentials): Promise<void> {
  if (!keyPair) throw new UsageError("These credentials have no certificate for --pem to write");
  await writePemFiles(folder, keyPair);
}

/** What went wrong, and what a person can do about it. */
function describe({ message, code, cause }: TokenRequestError): string {
  const advice: Readonly<Record<string, string>> = {
    invalid_client: "the client id, secret or certificate is wrong, or the service key was deleted",
    unauthorized: "the client id, secret or certificate is wrong, or the service key was deleted",
    invalid_grant: "the user or the password is wrong",
    unauthorized_client: "this client may not use this grant",
  };
  const known = code !== undefined && Object.hasOwn(advice, code) ? advice[code] : undefined;
  const reason = known ?? rootMessage(cause);
  return reason ? `${message}: ${reason}` : message;
}

/** What stands at the end of the causes: `fetch` itself says no more than that it failed. */
function rootMessage(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return rootMessage(cause.cause) ?? cause.message;
}

/** Lines for a person: how long the token lives, and how it is sent (spec 5.3.5). */
function nextSteps(token: TokenResponse, { kind }: TokenCredentials, folder: string): readonly string[] {
  const certificate = kind === "oidc" ? ` --cert ${folder}/certificate.pem --key ${folder}/key.pem` : "";
  const host = kind === "oidc" ? "<application>.cert.<domain>" : "<application>.<domain>";
  return [
    "",
    `expires in ${token.expires_in} s; send it with`,
    `  curl${certificate} -H "Authorization: Bearer $TOKEN" https://${host}/`,
  ];
}

/**
 * The content of a service key file. Lines before the object, as the platform's command line prints them, are skipped.
 *
 * @param file its path
 * @throws ConfigurationError when there is no such file, or no JSON object in it
 */
function readServiceKey(file: string): unknown {
  const text = readTextIfExists(file);
  if (text === undefined) throw new ConfigurationError("No such file", { file });
  try {
    return JSON.parse(text.slice(Math.max(text.indexOf("{"), 0)));
  } catch {
    // The reason would show parts of the text.
    throw new ConfigurationError("Not valid JSON", { file });
  }
}

/**
 * Writes `certificate.pem` and `key.pem`, readable by their owner only; files of these names are replaced.
 *
 * @param folder where to; it is created if it is missing
 * @param keyPair what they hold
 * @throws ConfigurationError when folder or files cannot be written
 */
async function writePemFiles(folder: string, { certificate, key }: ClientKeyPair): Promise<void> {
  await makeFolder(folder, { mode: 0o700 });
  for (const [name, text] of [["certificate.pem", certificate], ["key.pem", key]] as const) {
    const path = `${folder}/${name}`;
    // a new file, so that neither the mode nor the readers of an old one hold for it
    await removeIfExists(path);
    await writeText(path, text, { mode: 0o600, createNew: true });
  }
}
