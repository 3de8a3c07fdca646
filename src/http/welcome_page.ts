/**
 * The page at `/`: every service, entity, operation and `$metadata` as a link (design 15, row 4).
 *
 * @module
 */

import type { LinkedEntity, LinkedOperation, LinkedService } from "../model/linked.ts";
import { CONSOLE_PATH } from "./front_ends.ts";
import { unqualified } from "../util/unqualified.ts";

/** CSS of the page, light and dark. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5d6b7a; --line: #dfe5ec; --card: #ffffff; --page: #f4f6f9; --link: #0b5cad; --mark: #e8f1fb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa8b7; --line: #2c3743; --card: #18212b; --page: #10161d; --link: #79b8ff; --mark: #1e3348; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2.5rem 1.5rem 4rem; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 2rem; letter-spacing: -0.02em; }
h2 { margin: 0 0 .75rem; font-size: 1.15rem; }
header p, footer p { margin: .25rem 0 1.75rem; color: var(--soft); }
.version { color: var(--soft); font-size: 1rem; font-weight: 400; }
main { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); align-items: start; }
section, footer { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem 1.5rem; }
footer { margin-top: 1.25rem; }
footer p { margin-bottom: .75rem; }
a { color: var(--link); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
.root { margin: 0 0 .75rem; overflow-wrap: anywhere; }
.side { margin-left: .5rem; font-size: .875rem; }
.protocol, .kind { display: inline-block; padding: 0 .5rem; border-radius: .4rem; background: var(--mark); font-size: .75rem; color: var(--soft); }
.badge { margin-left: .25rem; padding: .1rem .5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .75rem; font-weight: 400; color: var(--soft); }
ul { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .35rem .9rem; }
.operations { margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
code { padding: 0 .35rem; border-radius: .3rem; background: var(--mark); }
`;

/** What the page shows. */
export interface WelcomeOptions {
  readonly title: string;
  readonly version?: string;
  /** Each served service with its paths. */
  readonly services: readonly ServedService[];
  /** Paths of the pages of front ends, without leading slash. */
  readonly pages?: readonly string[];
  /** Names of mock users, where mocked authentication is on. */
  readonly users?: readonly { readonly name: string; readonly roles: readonly string[] }[];
  /** The root of the application, seen from the page; default: `.`. */
  readonly base?: string;
  /** Whether the files of the console are served: they make an application of the page. */
  readonly hasConsole?: boolean;
}

/** A service with the protocols and paths it is served at. */
export interface ServedService {
  readonly service: LinkedService;
  readonly endpoints: readonly { readonly protocol: string; readonly path: string }[];
}

/**
 * Renders the page.
 *
 * @returns a complete HTML document, which is of use without its script
 */
export function renderWelcomePage(options: WelcomeOptions): string {
  const { base = ".", hasConsole = false } = options;
  const version = options.version ? `<span class="version">${escapeHtml(options.version)}</span>` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(options.title)}</title>
${hasConsole ? renderConsole(`${base}${CONSOLE_PATH}`) : `<style>${STYLE}</style>`}
</head>
<body>
<header><h1>${escapeHtml(options.title)} ${version}</h1>
<p>The services of this application and what they offer.</p></header>
<main>${renderPages(options.pages ?? [], base)}${
    options.services.map((one) => renderService(one, base)).join("\n")
  }</main>
${renderUsers(options.users ?? [])}
</body>
</html>
`;
}

function renderConsole(files: string): string {
  return `<link rel="icon" href="${files}/icon.svg">
<link rel="stylesheet" href="${files}/style.css">
<script type="module" src="${files}/main.js"></script>`;
}

function renderPages(pages: readonly string[], base: string): string {
  if (pages.length === 0) return "";
  const items = pages.map((path) =>
    `<li><a href="${base}/${path.split("/").map(encodeURIComponent).join("/")}">/${escapeHtml(path)}</a></li>`
  );
  return `<section><h2>Pages</h2>\n<ul>${items.join("")}</ul></section>\n`;
}

function renderService({ service, endpoints }: ServedService, base: string): string {
  const restricted = "@requires" in service || "@restrict" in service;
  const badge = restricted
    ? `<span class="badge" title="${escapeHtml(rolesOf(service))}">restricted</span>`
    : "";
  return `<section><h2>${escapeHtml(service.name)} ${badge}</h2>
${
    endpoints.map(({ protocol, path }) => renderEndpoint(service, protocol, base + path)).join("\n")
  }</section>`;
}

/** Links are relative: a proxy in front may add to the path. */
function renderEndpoint(service: LinkedService, protocol: string, path: string): string {
  const root = escapeHtml(path);
  const metadata = protocol === "odata"
    ? ` <a class="side" href="${root}/$metadata">$metadata</a>
 <a class="side" href="${root}/$metadata?$format=json">as JSON</a>`
    : "";
  const openapi = protocol === "odata" || protocol === "rest"
    ? ` <a class="side" href="${root}/openapi.json">OpenAPI</a>`
    : "";
  const all = [...service.entities];
  const drafts = new Set(all.map((entity) => entity.drafts?.name)); // they are reached through their entity
  const entities = all.filter(({ name }) => !name.endsWith(".texts") && !drafts.has(name));
  const operations = [...service.operations];
  return `<p class="root"><span class="protocol">${escapeHtml(protocol)}</span>
<a href="${root}">${root.replace(/^[.]+(?:\/[.]+)*/, "")}</a>${metadata}${openapi}</p>
<ul>${entities.map((entity) => renderEntity(entity, root)).join("")}</ul>
${operations.length > 0 ? `<ul class="operations">${operations.map(renderOperation).join("")}</ul>` : ""}`;
}

function renderEntity(entity: LinkedEntity, root: string): string {
  const set = entity.$localName.replaceAll(".", "_");
  const href = `${root}/${escapeHtml(set)}`;
  const first = entity["@odata.singleton"] ? href : `${href}?$top=10`;
  return `<li><a href="${first}">${escapeHtml(set)}</a></li>`;
}

function renderOperation(operation: LinkedOperation): string {
  const parameters = [...operation.params].map((parameter) => parameter.name).join(", ");
  const name = unqualified(operation.name);
  return `<li><span class="kind">${operation.kind}</span> ${escapeHtml(`${name}(${parameters})`)}</li>`;
}

function renderUsers(users: NonNullable<WelcomeOptions["users"]>): string {
  if (users.length === 0) return "";
  const items = users.map(({ name, roles }) =>
    `<li><code>${escapeHtml(name)}</code>${roles.length > 0 ? ` ${escapeHtml(roles.join(", "))}` : ""}</li>`
  );
  return `<footer><h2>Mock users</h2><p>HTTP basic authentication, any password unless one is configured.</p>
<ul>${items.join("")}</ul></footer>`;
}

function rolesOf(service: LinkedService): string {
  const requires = service["@requires"];
  return Array.isArray(requires) ? requires.join(", ") : String(requires ?? "see @restrict");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]);
}
