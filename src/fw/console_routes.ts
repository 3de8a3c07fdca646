/**
 * The page at `/` and the console behind it: who gets it, and what it is told beside the services (design 15, row 4).
 *
 * @module
 */

import { shownUsers } from "../auth/mock_users.ts";
import { currentContext } from "../context/store.ts";
import { ServiceError } from "../errors/service_error.ts";
import { CONSOLE_PATH, type ConsoleFiles } from "../http/front_ends.ts";
import { renderWelcomePage, type ServedService, type WelcomeOptions } from "../http/welcome_page.ts";
import { MessagingService } from "../messaging/messaging_service.ts";
import { recentMessagesOf } from "../messaging/recent_messages.ts";
import { contentTag } from "../util/content_tag.ts";
import { addLetterRoutes } from "./dead_letters_of.ts";
import type { RouteContext, RouteHandler } from "./app_router.ts";
import { managementRoles, type ManagementSettings } from "./management.ts";
import type { RuntimeParts } from "./runtime_parts.ts";
import { isMultitenant } from "./tenant_databases.ts";

/** Where the console deals with dead letters; not below its files, which everybody may read in development. */
const LETTERS_PATH = "/-/dead-letters";
/** Where the console finds the last messages. */
const MESSAGES_PATH = "/-/messages";
const PLAIN_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";
const CONSOLE_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
  "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'";

/** Who sees the console: everybody, as in development, or users with one of some roles. */
type Admitted = "everybody" | readonly string[];

/**
 * Adds the page at `/` and `/index.html`, where it is switched on and no front end has that place, and the console.
 *
 * @param runtime the runtime
 * @throws ConfigurationError for a console in production that is for everybody
 */
export function addFirstPage(runtime: RuntimeParts): void {
  const { index } = (runtime.env.server ?? {}) as { readonly index?: boolean };
  const admitted = admittedTo(runtime);
  if (admitted !== undefined) addConsole(runtime, admitted);
  const pages = runtime.kinds.frontEnds?.pages() ?? [];
  if (pages.includes("index.html") || !(index || admitted)) return;
  const page = admitted ? guarded(admitted, () => consolePage(runtime, ".")) : () => plainPage(runtime);
  runtime.app.get("/", page);
  runtime.app.get("/index.html", page);
}

/** Whether there is a console that shows the last messages: with several tenants they are those of all. */
export function showsMessages(runtime: RuntimeParts): boolean {
  return admittedTo(runtime) !== undefined && !isMultitenant(runtime.env);
}

/** In production the console is off, unless the configuration names roles for it. */
function admittedTo({ env, kinds, production }: RuntimeParts): Admitted | undefined {
  const { console: given, server } = env as {
    readonly console?: boolean | ManagementSettings;
    readonly server?: { readonly index?: boolean };
  };
  const isOn = given ?? (server?.index === true && !production);
  if (isOn === false || kinds.console === undefined) return undefined;
  const settings = typeof given === "object" ? given : {};
  if (settings.requires === undefined && !production) return "everybody";
  return managementRoles("fw.console", settings, "use the console in production");
}

function guarded(admitted: Admitted, handle: RouteHandler): RouteHandler {
  if (admitted === "everybody") return handle;
  return (context) => {
    assertRole(admitted);
    return handle(context);
  };
}

function assertRole(roles: readonly string[]): void {
  const user = currentContext()?.user;
  if (roles.some((role) => user?.is(role))) return;
  throw new ServiceError({ status: 403, cause: new Error(`The console needs: ${roles.join(", ")}`) });
}

function addConsole(runtime: RuntimeParts, admitted: Admitted): void {
  const { app, kinds } = runtime;
  let loading: Promise<ConsoleFiles> | undefined;
  const load = () => loading ??= Promise.resolve(kinds.console!());
  app.get(`${CONSOLE_PATH}/`, guarded(admitted, () => consolePage(runtime, "../..")));
  app.get(`${CONSOLE_PATH}/info.json`, guarded(admitted, () => Response.json(describeRuntime(runtime))));
  app.get(
    `${CONSOLE_PATH}/sources.json`,
    guarded(admitted, async () => Response.json({ value: await kinds.modelSources?.() ?? [] })),
  );
  app.get(
    `${CONSOLE_PATH}/:file`,
    guarded(admitted, async (context) => fileAnswer(await load(), context)),
  );
  // who reads the messages of others must have logged in
  const readers = admitted === "everybody" ? ["authenticated-user"] : admitted;
  if (showsMessages(runtime)) {
    const list = () => Response.json({ value: recentMessagesOf(runtime).list() });
    app.get(MESSAGES_PATH, guarded(readers, list));
  }
  addLetterRoutes(runtime, LETTERS_PATH, readers);
}

function fileAnswer(files: ConsoleFiles, { req }: RouteContext): Response {
  const file = files.get(req.param("file") ?? "");
  if (!file) throw new ServiceError({ status: 404 });
  const etag = `"${contentTag(file.text)}"`;
  const headers = { "content-type": file.type, "cache-control": "no-cache", etag };
  if (req.header("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(file.text, { headers });
}

function consolePage(runtime: RuntimeParts, base: string): Response {
  return page(renderWelcomePage({ ...welcomeOptions(runtime), base, hasConsole: true }), CONSOLE_POLICY);
}

function plainPage(runtime: RuntimeParts): Response {
  return page(renderWelcomePage(welcomeOptions(runtime)), PLAIN_POLICY);
}

function page(html: string, policy: string): Response {
  const headers = { "content-type": "text/html; charset=utf-8", "content-security-policy": policy };
  return new Response(html, { headers });
}

function welcomeOptions(runtime: RuntimeParts): WelcomeOptions {
  return {
    title: runtime.name,
    version: runtime.version,
    services: servedServices(runtime),
    pages: runtime.kinds.frontEnds?.pages(),
    users: isMocked(runtime) ? shownUsers(runtime.env) : [],
  };
}

function servedServices(runtime: RuntimeParts): readonly ServedService[] {
  return [...new Set(runtime.endpoints.map((endpoint) => endpoint.service))].map((service) => ({
    service: service.definition!,
    endpoints: runtime.endpoints.filter((endpoint) => endpoint.service === service),
  }));
}

function isMocked({ env, production }: RuntimeParts): boolean {
  return env.requires.auth?.kind === "mocked" && !production;
}

/** What the console shows beside what services tell: who may do what, whom one can be, what carries messages. */
function describeRuntime(runtime: RuntimeParts): Readonly<Record<string, unknown>> {
  const user = currentContext()?.user;
  return {
    title: runtime.name,
    version: runtime.version,
    isMocked: isMocked(runtime),
    users: isMocked(runtime) ? shownUsers(runtime.env) : [],
    user: user?.is("authenticated-user") ? { id: user.id, roles: user.roles } : null,
    services: servedServices(runtime).map(describeService),
    pages: runtime.kinds.frontEnds?.pages() ?? [],
    letters: `.${LETTERS_PATH}`,
    messages: `.${MESSAGES_PATH}`,
    channels: Object.values(runtime.services).flatMap((service) =>
      service instanceof MessagingService
        ? [{ name: service.name, kind: service.options.kind, group: service.group }]
        : []
    ),
  };
}

function describeService({ service, endpoints }: ServedService): Readonly<Record<string, unknown>> {
  const restricted = [...service.entities, ...service.operations].filter(isRestricted);
  return {
    name: service.name,
    doc: service.doc,
    endpoints: endpoints.map(({ protocol, path }) => ({ protocol, path })),
    requires: service["@requires"],
    events: [...service.events].map(({ name }) => name.slice(service.name.length + 1)),
    restrictions: Object.fromEntries(
      restricted.map((one) => [one.name.slice(service.name.length + 1), rolesOf(one)]),
    ),
  };
}

function isRestricted(definition: object): boolean {
  return "@requires" in definition || "@restrict" in definition;
}

/** Names of the roles that restrictions of a definition name. */
function rolesOf(definition: object): readonly unknown[] {
  const { "@requires": requires = [], "@restrict": grants = [] } = definition as Record<string, unknown>;
  const entries = [grants].flat() as readonly { readonly to?: unknown }[];
  return [...new Set([requires, ...entries.map(({ to }) => to ?? "authenticated-user")].flat())];
}
