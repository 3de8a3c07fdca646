/**
 * `deno task docs`: writes the reference pages of the manual from the code, and the manual as a site to `dist/docs`, with the
 * documentation of the API. With `--pages` only the reference pages.
 *
 * @module
 */

import { marked } from "marked";
import { referencePages } from "./docs/reference.ts";

const DOCS = "docs";
const SITE = "dist/docs";
const ENTRIES = ["mod.ts", "src/deno/mod.ts", "src/test/mod.ts"];

const STYLE =
  `:root{color-scheme:light dark;--line:light-dark(#d5dde6,#33404d);--link:light-dark(#0b5cad,#79b8ff)}
body{margin:0 auto;max-width:60rem;padding:1.5rem;font:16px/1.6 system-ui,sans-serif;background:light-dark(#fff,#10161d);color:light-dark(#1d2733,#e6edf3)}
a{color:var(--link)}img{max-width:100%;border:1px solid var(--line);border-radius:.5rem}
pre{padding:1rem;overflow:auto;border:1px solid var(--line);border-radius:.5rem}table{display:block;overflow:auto;border-collapse:collapse}
td,th{border:1px solid var(--line);padding:.3rem .6rem;text-align:left;vertical-align:top}`;

for (const [name, text] of Object.entries(referencePages())) {
  await Deno.writeTextFile(`${DOCS}/${name}`, text);
}
await run("fmt", "--quiet", DOCS);
if (!Deno.args.includes("--pages")) await writeSite();

async function writeSite(): Promise<void> {
  await Deno.remove(SITE, { recursive: true }).catch(() => {});
  for (const path of files(DOCS)) await writePage(path);
  await run("doc", "--html", "--name=fw", `--output=${SITE}/api`, ...ENTRIES);
  console.log(`wrote ${SITE}/index.html`);
}

async function writePage(path: string): Promise<void> {
  const target = `${SITE}/${path.slice(DOCS.length + 1)}`;
  await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
  if (!path.endsWith(".md")) return await Deno.copyFile(path, target);
  const text = await Deno.readTextFile(path);
  const [, title = "fw"] = /^# (.*)$/m.exec(text) ?? [];
  const body = (await marked.parse(text)).replace(/href="(?!https?:)([^"]*?)\.md(#[^"]*)?"/g, toPage);
  const up = "../".repeat(path.split("/").length - 2) || "./";
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · fw</title><style>${STYLE}</style></head>
<body><nav><a href="${up}index.html">fw</a> · <a href="${up}api/index.html">API</a></nav><main>${body}</main></body></html>
`;
  await Deno.writeTextFile(target.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html"), html);
}

/** Links between pages lead to their HTML. */
function toPage(_: string, path: string, fragment = ""): string {
  return `href="${path.replace(/README$/, "index")}.html${fragment}"`;
}

function files(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? files(`${folder}/${name}`) : [`${folder}/${name}`]
  );
}

async function run(...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args: [...args] }).output();
  if (!success) throw new Error(`deno ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
}
