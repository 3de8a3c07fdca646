/** The manual: what it shows can be read by what it is for, and its links lead somewhere. */

import assert from "node:assert/strict";
import ts from "typescript";
import { referencePages } from "../../scripts/docs/reference.ts";
import { sourceFiles } from "../../scripts/source_files.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { parseCommand } from "../../src/cli/parse_command.ts";
import { loadCompiler } from "../../src/deno/load_model.ts";
import { REPOSITORY } from "../deno/project.ts";
import { manualPages, snippets } from "./manual.ts";

Deno.test("links of the manual lead to files that are there, and to headings they have", () => {
  for (const { path, text } of manualPages()) {
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target!)) continue;
      const { pathname } = new URL(target!.replace(/#.*$/, ""), `file://${REPOSITORY}${path}`);
      assert.ok(exists(pathname), `${path}: ${target}`);
    }
  }
});

Deno.test("code that the manual links to has the name that the link shows", () => {
  let links = 0;
  for (const { path, text } of manualPages()) {
    for (const [, name, target] of text.matchAll(/\[`(\w+)`\]\(([^)\s]+\.ts)\)/g)) {
      const { pathname } = new URL(target!, `file://${REPOSITORY}${path}`);
      const declared = new RegExp(String.raw`\b(?:function|class|interface|const) ${name}\b`);
      assert.match(Deno.readTextFileSync(pathname), declared, `${path}: ${name}`);
      links++;
    }
  }
  assert.ok(links >= 20, String(links));
});

function exists(path: string): boolean {
  try {
    return Deno.statSync(path) !== undefined;
  } catch {
    return false;
  }
}

Deno.test("models in the manual are CDL", async () => {
  const compiler = await loadCompiler();
  const models = snippets("cds");
  assert.ok(models.length >= 4);
  for (const { page, text } of models) {
    // what they use of other files is not there
    if (/\bfrom '\.|^extend |using/.test(text) && !/@sap\/cds\/common/.test(text)) continue;
    if (/bookshop\.|hospital\./.test(text)) continue;
    assert.doesNotThrow(() => compiler.compileText(text), page);
  }
});

Deno.test("code in the manual is TypeScript", () => {
  for (const { page, text } of snippets("ts")) {
    const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true });
    assert.deepEqual(diagnostics.map(({ messageText }) => messageText), [], `${page}: ${text}`);
  }
});

Deno.test("commands in the manual are known, with their options", () => {
  const lines = snippets("sh").flatMap(({ page, text }) => text.split("\n").map((line) => ({ page, line })));
  const commands = lines.filter(({ line }) => /^fw |cli(?:\/mod\.ts)? \w/.test(line));
  assert.ok(commands.length >= 10, String(commands.length));
  for (const { page, line } of commands) {
    const words = line.replace(/^.*?(?:^fw|cli(?:\/mod\.ts)?) /, "").replace(/#.*$/, "").replace(
      /<[^>]*>/g,
      "x",
    ).trim();
    const { name, options } = parseCommand(words.split(/\s+/));
    const entry = COMMANDS[name];
    assert.ok(entry, `${page}: ${line}`);
    for (const option of Object.keys(options)) assert.ok(entry.options.includes(option), `${page}: ${line}`);
  }
});

Deno.test("every rule that the code cites by document and number is said in the manual", () => {
  const rules = new Set<string>();
  for (const part of Deno.readTextFileSync(`${REPOSITORY}docs/rules.md`).split("\n## ").slice(1)) {
    const [document] = part.split(":");
    for (const [, number] of part.matchAll(/^- \*\*([\d.]+)\*\*/gm)) rules.add(`${document} ${number}`);
  }
  const cited = new Set(
    sourceFiles("src").flatMap((file) => Deno.readTextFileSync(file).match(CITATION) ?? []),
  );
  assert.ok(cited.size > 50, String(cited.size));
  assert.deepEqual([...cited].filter((one) => !rules.has(one)), []);
});

/** `spec 2.5`, `auth 7`. */
const CITATION = /\b(?:spec|auth|csn-cqn|messaging|drafts|design|api|toolchain|behaviours) \d+(?:\.\d+)*/g;

Deno.test("the reference of keys, codes and limits is what the code says (deno task docs)", () => {
  for (const [name, text] of Object.entries(referencePages())) {
    const words = (page: string) => page.replace(/[\s|-]+/g, " ");
    assert.equal(words(Deno.readTextFileSync(`${REPOSITORY}docs/${name}`)), words(text), name);
  }
});
