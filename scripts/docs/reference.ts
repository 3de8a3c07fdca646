/**
 * Pages of the manual that are written from the code: configuration keys, error codes, limits.
 *
 * @module
 */

import { SCHEMA } from "../../src/config/schema.ts";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import type { SchemaNode } from "../../src/config/validate.ts";
import { ERROR_CODES } from "../../src/errors/codes.ts";

/** Deeper keys have names that applications choose. */
const DEPTH = 5;

/** The pages by their path below `docs/`. */
export function referencePages(): Readonly<Record<string, string>> {
  return {
    "reference/configuration.md": configurationPage(),
    "reference/errors.md": errorsPage(),
    "reference/limits.md": limitsPage(),
  };
}

function configurationPage(): string {
  const comments = commentsOf("src/config/openid_schema.ts", "src/config/schema.ts");
  const rows = keysOf(SCHEMA, ["fw"]).map(({ path, node }) => {
    const name = path[path.length - 1]!;
    return [`\`${path.join(".")}\``, valuesOf(node), comments[name] ?? ""];
  });
  return page("Configuration keys", [
    "What may stand below `fw` in `deno.json`, `package.json` or `.fwrc.json`. `<name>` is a name that you choose.",
    "An unknown key stops the start with its place and the nearest known name.",
  ], table(["Key", "Value", "Meaning"], rows));
}

interface Key {
  readonly path: readonly string[];
  readonly node: SchemaNode;
}

function keysOf(node: SchemaNode, path: readonly string[]): readonly Key[] {
  if (path.length > DEPTH) return [];
  const members = Object.entries(node.members ?? {}).flatMap(([name, member]) => {
    const own = [...path, name];
    return [{ path: own, node: member }, ...keysOf(member, own)];
  });
  const others = node.others === undefined ? [] : keysOf(node.others, [...path, "<name>"]);
  return [...members, ...others];
}

function valuesOf({ types, values, range, form }: SchemaNode): string {
  if (values) return values.map((value) => `\`"${value}"\``).join(", ");
  const text = types.map((type) => type === "array" ? "list" : type === "null" ? "`null`" : type).join(", ");
  if (form) return `${text}: ${form.text}`;
  return range && range[1] < Number.MAX_SAFE_INTEGER ? `${text} from ${range[0]} to ${range[1]}` : text;
}

/** Doc comments by the name of the member behind them, unless several members have that name. */
function commentsOf(...files: readonly string[]): Record<string, string> {
  const read = (file: string) => Deno.readTextFileSync(new URL(`../../${file}`, import.meta.url));
  // what stands behind interfaces are values, without comments
  const text = files.map(read).map((one) => one.replace(/^export const DEFAULT_LIMITS[\s\S]*$/m, "")).join(
    "\n",
  );
  const declared = [...text.matchAll(/^\s*(?:readonly )?(\w+)\??[:,]/gm)].map(([, name]) => name);
  const found = text.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:readonly )?(\w+)\??[:,]/g);
  const isUnique = (name: string) => declared.filter((one) => one === name).length === 1;
  return Object.fromEntries(
    [...found].filter(([, , name]) => isUnique(name!)).map(([, comment, name]) => [name!, oneLine(comment!)]),
  );
}

function oneLine(comment: string): string {
  return comment.replace(/^\s*\*/gm, " ").replace(/\s+/g, " ").trim();
}

function errorsPage(): string {
  const rows = [...ERROR_CODES.values()].map((
    { code, status, explanation },
  ) => [`\`${code}\``, String(status), explanation]);
  return page("Error codes", [
    "`error.code` of answers, which clients match on; texts may change and are translated.",
    "`error.target` names the element, `error.details` holds several errors of one request.",
  ], table(["Code", "Status", "When"], rows));
}

function limitsPage(): string {
  const comments = commentsOf("src/config/limits.ts");
  const rows = Object.entries(DEFAULT_LIMITS).map(([name, value]) => [
    `\`fw.limits.${name}\``,
    String(value),
    comments[name] ?? "",
  ]);
  return page("Limits", [
    "Everything a client can grow has a limit. The error names it, and the configuration sets another.",
  ], table(["Key", "Default", "Meaning"], rows));
}

function page(title: string, intro: readonly string[], body: string): string {
  return `# ${title}\n\n<!-- written by \`deno task docs\` from the code -->\n\n${
    intro.join(" ")
  }\n\n${body}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
