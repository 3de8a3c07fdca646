import assert from "node:assert/strict";
import { withProject } from "../../deno/project.ts";
import { type LspClient, withLsp } from "./lsp_client.ts";

const SCHEMA = `namespace shop;

/** What is on the shelves. */
entity Books {
  key ID : Integer;
  /** Printed on the cover. */
  title  : String(40);
  author : Association to Authors;
}

entity Authors { key ID : Integer; name : String; }
`;

const SERVICE = `using { shop } from '../db/schema';

service CatService {
  entity Books as projection on shop.Books { ID, title };
}
`;

interface Open {
  readonly client: LspClient;
  readonly schema: string;
  readonly service: string;
}

function withModel(use: (open: Open) => Promise<void>): Promise<void> {
  return withProject(
    { "db/schema.cds": SCHEMA, "srv/cat.cds": SERVICE },
    (folder) =>
      withLsp(Deno.realPathSync(folder), async (client) => {
        const root = `file://${Deno.realPathSync(folder)}`;
        const open = { client, schema: `${root}/db/schema.cds`, service: `${root}/srv/cat.cds` };
        for (const [uri, text] of [[open.schema, SCHEMA], [open.service, SERVICE]]) {
          client.tell("textDocument/didOpen", { textDocument: { uri, languageId: "cds", version: 1, text } });
        }
        await use(open);
      }),
  );
}

/** The place of a text in a source. */
function at(uri: string, source: string, text: string) {
  const offset = source.indexOf(text);
  assert.ok(offset >= 0, text);
  const before = source.slice(0, offset).split("\n");
  return {
    textDocument: { uri },
    position: { line: before.length - 1, character: before.at(-1)!.length + 1 },
  };
}

const change = ({ client }: Open, uri: string, text: string) =>
  client.tell("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [{ text }] });

Deno.test("fw lsp tells mistakes while they are typed, suggests names, and clears them", () =>
  withModel(async (open) => {
    const { client, schema, service } = open;
    let told = client.diagnostics(service);
    change(open, service, SERVICE.replace("shop.Books {", "shop.Boks {"));
    const [found] = await told;
    assert.equal(found!.severity, 1);
    assert.match(found!.message, /Boks/);
    assert.equal(found!.range.start.line, 3);
    const { result: actions } = await client.ask("textDocument/codeAction", {
      textDocument: { uri: service },
      range: found!.range,
      context: { diagnostics: [found] },
    });
    assert.match(actions[0].title, /Books/);
    told = client.diagnostics(service);
    change(open, service, SERVICE);
    assert.deepEqual(await told, []);
    told = client.diagnostics(schema);
    change(open, schema, `${SCHEMA}entity {`);
    assert.match((await told)[0]!.message, /expected|name/i);
  }));

Deno.test("fw lsp hovers with doc comments, goes to definitions, finds references", () =>
  withModel(async ({ client, schema, service }) => {
    const ask = async (method: string, place: unknown) =>
      (await client.ask(`textDocument/${method}`, place)).result;
    const hover = await ask("hover", at(service, SERVICE, "Books {"));
    assert.match(hover.contents.value, /entity shop\.Books[\s\S]*What is on the shelves/);
    const element = await ask("hover", at(service, SERVICE, "title"));
    assert.match(element.contents.value, /Printed on the cover/);
    const definition = await ask("definition", at(service, SERVICE, "Books {"));
    assert.deepEqual([definition.uri, definition.range.start.line], [schema, 3]);
    const target = await ask("definition", at(schema, SCHEMA, "Authors;"));
    assert.equal(target.range.start.line, 10);
    const references = await ask("references", { ...at(schema, SCHEMA, "Books {"), context: {} });
    assert.deepEqual(references.map(({ uri }: { uri: string }) => uri).sort(), [schema, service]);
    assert.equal(await ask("hover", at(schema, SCHEMA, "namespace")), null);
  }));

Deno.test("fw lsp renames everywhere, and refuses what is no name", () =>
  withModel(async ({ client, schema, service }) => {
    const place = at(schema, SCHEMA, "title ");
    const { result } = await client.ask("textDocument/rename", { ...place, newName: "heading" });
    assert.equal(result.changes[schema].length, 1);
    const { error } = await client.ask("textDocument/rename", { ...place, newName: "no name" });
    assert.match(error!.message, /is no name/);
    const entity = await client.ask("textDocument/rename", {
      ...at(schema, SCHEMA, "Authors {"),
      newName: "Writers",
    });
    assert.equal(entity.result.changes[schema].length, 2);
    assert.equal(entity.result.changes[service], undefined);
  }));

Deno.test("fw lsp completes words, types, names and annotations, lays out, and outlines", () =>
  withModel(async (open) => {
    const { client, schema } = open;
    const labels = async (text: string, place: string) => {
      change(open, schema, text);
      const { result } = await client.ask("textDocument/completion", at(schema, text, place));
      return result.map(({ label }: { label: string }) => label);
    };
    const types = await labels(SCHEMA.replace("Integer;", ": ;"), ": ;");
    for (const name of ["String", "Association to", "Books"]) assert.ok(types.includes(name), name);
    assert.ok((await labels(SCHEMA, "entity Authors")).includes("service"));
    assert.ok((await labels(`@\n${SCHEMA}`, "@")).includes("@requires:"));
    change(open, schema, SCHEMA);
    const { result: symbols } = await client.ask("textDocument/documentSymbol", {
      textDocument: { uri: schema },
    });
    assert.deepEqual(symbols.map(({ name }: { name: string }) => name), ["shop.Books", "shop.Authors"]);
    assert.deepEqual(symbols[0].children.map(({ name }: { name: string }) => name), [
      "ID",
      "title",
      "author",
    ]);
    change(open, schema, "entity A {\nkey ID : Integer;   \n\n\n\n  name : String;\n}\n");
    const { result: [edit] } = await client.ask("textDocument/formatting", {
      textDocument: { uri: schema },
      options: {},
    });
    assert.equal(edit.newText, "entity A {\n  key ID : Integer;\n\n  name : String;\n}\n");
  }));

Deno.test("fw lsp survives every source that is broken in one place, and unknown methods", () =>
  withModel(async (open) => {
    const { client, schema } = open;
    for (let cut = 0; cut < SCHEMA.length; cut += 7) {
      for (const put of ["", "{", "'", "@", "/*"]) {
        const text = SCHEMA.slice(0, cut) + put + SCHEMA.slice(cut + 3);
        change(open, schema, text);
        const place = { textDocument: { uri: schema }, position: { line: 3, character: 8 } };
        for (const method of ["hover", "definition", "completion", "formatting"]) {
          const { error } = await client.ask(`textDocument/${method}`, place);
          assert.equal(error, undefined, text);
        }
      }
    }
    assert.equal((await client.ask("textDocument/nothing", {})).error!.code, -32601);
    assert.notEqual((await client.ask("textDocument/hover", {})).error, undefined);
  }));
