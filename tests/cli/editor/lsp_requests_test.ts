/** Thirty requests of each kind to the language server, in a model whose right answers follow from its text. */

import assert from "node:assert/strict";
import { editorTokens, namePaths } from "../../../src/cli/editor/cdl_tokens.ts";
import { withProject } from "../../deno/project.ts";
import { type LspClient, withLsp } from "./lsp_client.ts";

const COUNT = 30;
const numbers = Array.from({ length: COUNT }, (_, i) => i + 1);
const next = (i: number) => i % COUNT + 1;

const SCHEMA = `namespace shop;

${
  numbers.map((i) =>
    `/** Thing number ${i}. */
entity Thing${i} {
  key ID : Integer;
  /** Label number ${i}. */
  label${i} : String(${i}) @title: 'label${i}';
  next${i} : Association to Thing${next(i)};
  copy${i} : String = next${i}.label${next(i)};
}
`
  ).join("\n")
}`;

const SERVICE = `using { shop } from '../db/schema';

service Things {
${
  numbers.map((i) => `  entity Shown${i} as projection on shop.Thing${i} { ID, label${i} as text${i} };`)
    .join("\n")
}
}
`;

interface Place {
  readonly line: number;
  readonly character: number;
}

/** Where an offset of a text is. */
function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before.at(-1)!.length };
}

/** Where a word stands in code: not in comments and strings. */
function placesOf(text: string, word: string): readonly Place[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|'[^'\n]*'/g, (skipped) => skipped.replace(/[^\n]/g, " "));
  return [...code.matchAll(new RegExp(`\\b${word}\\b`, "g"))].map(({ index }) => placeOf(text, index));
}

interface Open {
  readonly client: LspClient;
  readonly schema: string;
  readonly service: string;
  /** Asks about the place of a word, the first unless another is named. */
  ask(method: string, uri: string, word: string, more?: object): Promise<Answered>;
}

// deno-lint-ignore no-explicit-any -- answers of LSP differ by method
type Answered = any;

function withModel(use: (open: Open) => Promise<void>): Promise<void> {
  return withProject(
    { "db/schema.cds": SCHEMA, "srv/things.cds": SERVICE },
    (folder) =>
      withLsp(Deno.realPathSync(folder), async (client) => {
        const root = `file://${Deno.realPathSync(folder)}`;
        const [schema, service] = [`${root}/db/schema.cds`, `${root}/srv/things.cds`];
        for (const [uri, text] of [[schema, SCHEMA], [service, SERVICE]]) {
          client.tell("textDocument/didOpen", { textDocument: { uri, languageId: "cds", version: 1, text } });
        }
        await use({
          client,
          schema,
          service,
          ask: async (method, uri, word, { nth = 0, ...more }: { nth?: number } = {}) => {
            const position = placesOf(uri === schema ? SCHEMA : SERVICE, word)[nth];
            assert.ok(position, word);
            const params = { textDocument: { uri }, position, ...more };
            const { result, error } = await client.ask(`textDocument/${method}`, params);
            assert.equal(error, undefined, word);
            return result;
          },
        });
      }),
  );
}

/** Places of a word in both sources, as the answers of LSP name them. */
function everywhere({ schema, service }: Open, word: string): readonly unknown[] {
  return [[schema, SCHEMA], [service, SERVICE]].flatMap(([uri, text]) =>
    placesOf(text!, word).map((start) => ({
      uri,
      range: { start, end: { ...start, character: start.character + word.length } },
    }))
  );
}

const sorted = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();

Deno.test("fw lsp hovers over entities and elements, wherever they are named", () =>
  withModel(async ({ schema, service, ask }) => {
    for (const i of numbers) {
      for (const [uri, word] of [[schema, `Thing${i}`], [service, `Thing${i}`]] as const) {
        const { contents } = await ask("hover", uri, word);
        assert.equal(contents.value, `\`\`\`cds\nentity shop.Thing${i}\n\`\`\`\n\nThing number ${i}.`);
      }
      for (const [uri, nth] of [[schema, 0], [schema, 1], [service, 0]] as const) {
        const { contents } = await ask("hover", uri, `label${i}`, { nth });
        assert.match(
          contents.value,
          new RegExp(`shop\\.Thing${i}:label${i} : .*\n\`\`\`\n\nLabel number ${i}\\.$`),
        );
      }
    }
  }));

Deno.test("fw lsp leads from each use to the declaration", () =>
  withModel(async ({ schema, service, ask }) => {
    for (const i of numbers) {
      const { uri, range } = await ask("definition", service, `Thing${i}`);
      const declared = SCHEMA.slice(0, SCHEMA.indexOf(`entity Thing${i} `)).split("\n").length - 1;
      assert.deepEqual([uri, range.start.line], [schema, declared]);
      for (const word of [`label${i}`, `next${i}`]) {
        const found = await ask("definition", schema, word, { nth: 1 % placesOf(SCHEMA, word).length });
        assert.deepEqual(
          found.range.start.line,
          SCHEMA.slice(0, SCHEMA.indexOf(`  ${word} :`)).split("\n").length - 1,
        );
      }
    }
  }));

Deno.test("fw lsp finds all references, and renames exactly these", () =>
  withModel(async (open) => {
    const { schema, ask } = open;
    for (const i of numbers) {
      for (const word of [`Thing${i}`, `label${i}`, `next${i}`]) {
        const found = await ask("references", schema, word, { context: { includeDeclaration: true } });
        assert.deepEqual(sorted(found), sorted(everywhere(open, word)), word);
        const { changes } = await ask("rename", schema, word, { newName: `Other${i}` });
        const edits = Object.entries(changes as Record<string, { range: unknown; newText: string }[]>)
          .flatMap(([uri, edits]) =>
            edits.map(({ range, newText }) => {
              assert.equal(newText, `Other${i}`);
              return { uri, range };
            })
          );
        assert.deepEqual(sorted(edits), sorted(everywhere(open, word)), word);
      }
    }
  }));

Deno.test("fw lsp completes at each place, outlines, and lays out", () =>
  withModel(async ({ client, schema, service, ask }) => {
    for (const i of numbers) {
      const found = await ask("completion", schema, `Thing${next(i)}`);
      assert.ok(found.some(({ label }: { label: string }) => label === `Thing${i}`), `Thing${i}`);
    }
    for (
      const [uri, names] of [
        [schema, numbers.map((i) => `shop.Thing${i}`)],
        [service, ["Things", ...numbers.map((i) => `Things.Shown${i}`)]],
      ] as const
    ) {
      const { result } = await client.ask("textDocument/documentSymbol", { textDocument: { uri } });
      assert.deepEqual(result.map(({ name }: { name: string }) => name), names);
    }
    for (const i of numbers) {
      const text = SERVICE.replace(`  entity Shown${i} `, `${" ".repeat(i % 5 + 3)}entity Shown${i} `);
      client.tell("textDocument/didChange", {
        textDocument: { uri: service, version: i + 1 },
        contentChanges: [{ text }],
      });
      const { result } = await client.ask("textDocument/formatting", { textDocument: { uri: service } });
      assert.equal(result[0].newText, SERVICE, text);
    }
  }));

Deno.test("fw lsp tells each mistake at its place, and proposes what was meant", () =>
  withModel(async ({ client, service }) => {
    for (const i of numbers) {
      const text = SERVICE.replace(`shop.Thing${i} `, `shop.Tihng${i} `);
      const told = client.diagnostics(service);
      client.tell("textDocument/didChange", {
        textDocument: { uri: service, version: i + 1 },
        contentChanges: [{ text }],
      });
      const [found, ...more] = await told;
      assert.equal(more.length, 0);
      const start = found!.range.start;
      assert.equal(start.line, placesOf(text, `Tihng${i}`)[0]!.line);
      const { result } = await client.ask("textDocument/codeAction", {
        textDocument: { uri: service },
        range: found!.range,
        context: { diagnostics: [found] },
      });
      const { range, newText } = result[0].edit.changes[service][0];
      const lines = text.split("\n");
      const line = lines[range.start.line]!;
      lines[range.start.line] = line.slice(0, range.start.character) + newText +
        line.slice(range.end.character);
      assert.equal(lines.join("\n"), SERVICE, found!.message);
    }
  }));

Deno.test("namePaths() finds dotted names among signs, numbers, texts and comments", () => {
  const paths = namePaths(editorTokens("entity a.b.c : d { x = 'e.f' + 1; } // g.h"));
  const found = paths.map(({ parts }) => parts.map(({ text }) => text).join("."));
  assert.deepEqual(found, ["entity", "a.b.c", "d", "x"]);
});
