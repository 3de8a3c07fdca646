/**
 * `fw explain '<URL or CQL>' [folder]`
 *
 * @module
 */

import { basicUsers, mockUsers, toUser } from "../auth/mock_users.ts";
import type { AuthenticationStrategy } from "../auth/strategy.ts";
import { User } from "../context/user.ts";
import { loadProject } from "../deno/load_project.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { nearestName } from "../util/nearest_name.ts";
import { type Command, UsageError } from "./parse_command.ts";

/** What `fw help explain` prints. */
export const EXPLAIN_HELP = `Usage: fw explain '<URL or CQL>' [folder] [options]

Tells why a query is answered as it is: what the URL means (tree and CQN), the restrictions of the user, the SQL, how the
database reads the rows, and what was planned or compiled before. The request of a URL really runs, in a process of its
own, which takes no messages and sends none; of CQL nothing is read.

  --user NAME      a mock user of the configuration; default: a privileged user, who has no restrictions
  --tenant ID      whose database, with multitenancy; default: that of the user
  --profile NAME   whose configuration
  --json           all of it, with tree and CQN, as JSON

Examples:
  fw explain '/odata/v4/catalog/Books?$filter=stock gt 10&$expand=author' --user alice
  fw explain 'SELECT from CatalogService.Books { title } where stock > 10'`;

/** A role that nobody has but the users of this command. */
const ROLE = "fw.explain";
const PATH = "/-/explain";

/** Explains a URL or a query. */
export async function explainCommand(
  { words: [what, folder = Deno.cwd()], options }: Command,
): Promise<number> {
  if (!what) {
    throw new UsageError("fw explain needs a URL or a query");
  }
  // they take values
  const { user, tenant } = options as { readonly user?: string; readonly tenant?: string };
  const strategy = asUser(folder, user, tenant);
  const env = {
    server: { explain: { requires: ROLE, path: PATH } },
    log: { levels: { default: "error" } },
  };
  const { runtime } = await loadProject(folder, { env, strategy, receives: false });
  try {
    const isUrl = /^(\/|https?:)/.test(what);
    const target = isUrl ? what : `${PATH}?query=${encodeURIComponent(what)}`;
    const headers = { prefer: "fw.explain" };
    const response = await runtime.fetch(new Request(new URL(target, "http://localhost"), { headers }));
    const text = await response.text();
    if (response.status === 400 && !isUrl && !/^\s*select\b/i.test(what)) {
      throw new UsageError(
        `Expected a path like "/odata/v4/…" or a query like "SELECT from …", but found "${what}"`,
      );
    }
    if (response.headers.get("preference-applied") !== "fw.explain") {
      console.error(response.ok ? "Nothing can be explained there" : `${response.status} ${messageOf(text)}`);
      return 1;
    }
    console.log(options.json === true ? text : described(JSON.parse(text)));
    return response.ok ? 0 : 1;
  } finally {
    await runtime.close();
  }
}

/** All requests are from one user: a mock user with the role, or one who may do everything. */
function asUser(
  folder: string,
  name: string | undefined,
  tenant: string | undefined,
): AuthenticationStrategy {
  const user = name === undefined ? new User.Privileged({ tenant }) : mockUserOf(folder, name, tenant);
  return {
    kind: ROLE,
    challenge: "Bearer",
    entersContext: true,
    authenticate: () => ({ user, tenant: user.tenant }),
  };
}

function mockUserOf(folder: string, name: string, tenant: string | undefined): User {
  const { env } = readConfiguration(folder);
  const users = env.requires.auth?.kind === "basic" ? basicUsers(env) : mockUsers(env);
  const user = users.get(name);
  if (user) return toUser({ ...user, roles: [...user.roles, ROLE], tenant: tenant ?? user.tenant }, env);
  const nearest = nearestName(name, [...users.keys()]);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  throw new ConfigurationError(`There is no mock user "${name}" in "fw.requires.auth.users"${hint}`);
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message ?? text;
  } catch {
    return text;
  }
}

/** What an explanation holds, as far as it is printed. */
interface Explanation {
  readonly request: string;
  readonly isPlanned?: boolean;
  readonly failed?: { readonly code: string; readonly message: string };
  readonly cql?: string;
  readonly restrictions?: { readonly access?: string; readonly permitted?: string };
  readonly queries: readonly {
    readonly cql: string;
    readonly sql?: string;
    readonly isCompiled?: boolean;
    readonly plan?: readonly string[];
  }[];
}

function described({ request, isPlanned, failed, cql, restrictions = {}, queries }: Explanation): string {
  const { access, permitted } = restrictions;
  const head = [
    `request    ${request}`,
    ...isPlanned === undefined ? [] : [`plan       ${isPlanned ? "kept from an earlier request" : "new"}`],
    ...failed === undefined ? [] : [`fails      ${failed.code} ${failed.message}`],
    ...cql === undefined ? [] : [`asks       ${cql}`],
    ...access === undefined ? [] : [`may read   ${access === "all" ? "all rows" : access}`],
    ...permitted === undefined ? [] : [`permitted  ${permitted}`],
  ];
  const body = queries.flatMap(({ cql, sql, isCompiled, plan = [] }) => [
    "",
    `query      ${cql}`,
    ...sql === undefined
      ? []
      : [`SQL        ${sql}`, `           ${isCompiled ? "compiled before" : "compiled anew"}`],
    ...plan.map((step, index) => `${index === 0 ? "reads by" : ""}`.padEnd(11) + step),
  ]);
  return [...head, ...queries.length === 0 ? ["", "Nothing is asked of the database"] : body].join("\n");
}
