/** What the language server answers (LSP 3.17), apart from how messages come and go. */

import assert from "node:assert/strict";
import { LanguageServer, pathOf, toOffset, toPosition } from "../../../src/cli/editor/language_server.ts";
import { withProject } from "../../deno/project.ts";

const SCHEMA = `namespace shop;

/** What is on the shelves. */
entity Books : Named {
  key ID : Integer;
  /** Printed. */
  title : String(40);
  author : Association to Authors;
  writer : String = author.name;
  tags : array of String;
  size : { width : Integer; };
  ![odd name] : Boolean;
}

entity Authors { key ID : Integer; name : String; books : Association to many Books on books.author = $self; }
aspect Named { nick : String; }
type Label : String(10);
event Sold { book : Integer; }
action close();
`;
const SERVICE = `using { shop } from '../db/schema';

service Cat {
  entity Books as projection on shop.Books { ID, title as heading };
  entity Writers as select from shop.Authors { ID, name };
  function best() returns Integer;
}
`;

interface Open {
  readonly server: LanguageServer;
  readonly schema: string;
  readonly service: string;
  readonly folder: string;
}

const withServer = (use: (open: Open) => void) =>
  withProject({ "db/schema.cds": SCHEMA, "srv/cat #1.cds": SERVICE }, (given) => {
    const folder = Deno.realPathSync(given);
    const server = new LanguageServer(folder);
    const [schema, service] = [`file://${folder}/db/schema.cds`, `file://${folder}/srv/cat%20%231.cds`];
    assert.deepEqual(server.diagnostics(), []);
    use({ server, schema, service, folder });
    return Promise.resolve();
  });

/** The place of a text in a source, some characters behind its start. */
function at(uri: string, text: string, { behind = 1, source }: { behind?: number; source?: string } = {}) {
  const whole = source ?? (uri.includes("schema") ? SCHEMA : SERVICE);
  const offset = whole.indexOf(text);
  assert.ok(offset >= 0, text);
  return { textDocument: { uri }, position: toPosition(whole, offset + behind) };
}

/** The text that a range spans. */
function spanned(source: string, { start, end }: { start: Place; end: Place }): string {
  return source.slice(toOffset(source, start), toOffset(source, end));
}

interface Place {
  readonly line: number;
  readonly character: number;
}
interface Found {
  readonly uri: string;
  readonly range: { readonly start: Place; readonly end: Place };
}

Deno.test("hovers tell kind or type, and doc comments", () =>
  withServer(({ server, schema, service }) => {
    const hover = (place: Parameters<LanguageServer["hover"]>[0]) => {
      const { contents: { kind, value }, range } = server.hover(place) as {
        readonly contents: { readonly kind: string; readonly value: string };
        readonly range: Found["range"];
      };
      assert.equal(kind, "markdown");
      const uri = place.textDocument.uri;
      return [value.replace(/^```cds\n(.*)\n```/, "$1"), spanned(uri === schema ? SCHEMA : SERVICE, range)];
    };
    assert.deepEqual(hover(at(schema, "Books :")), ["entity shop.Books\n\nWhat is on the shelves.", "Books"]);
    assert.deepEqual(hover(at(service, "shop.Books", { behind: 6 })), [
      "entity shop.Books\n\nWhat is on the shelves.",
      "Books",
    ]);
    const elements: Readonly<Record<string, string>> = {
      "title :": "shop.Books:title : String\n\nPrinted.",
      "author :": "shop.Books:author : Association to shop.Authors",
      "tags :": "shop.Books:tags : array of …",
      "size :": "shop.Books:size : { … }",
      "![odd": "shop.Books:odd name : Boolean",
      "books :": "shop.Authors:books : Association to shop.Books",
    };
    for (const [text, shown] of Object.entries(elements)) assert.equal(hover(at(schema, text))[0], shown);
    assert.deepEqual(hover(at(schema, "author.name")), [elements["author :"], "author"]);
    assert.deepEqual(hover(at(schema, "author.name", { behind: 8 })), ["shop.Authors:name : String", "name"]);
    assert.deepEqual(hover(at(service, "title as")), [elements["title :"], "title"]);
    assert.deepEqual(hover(at(service, "name }")), ["shop.Authors:name : String", "name"]);
    assert.deepEqual(hover(at(schema, "Books :", { behind: 0 }))[1], "Books");
    assert.deepEqual(hover(at(schema, "Books :", { behind: 5 }))[1], "Books");
    assert.equal(server.hover(at(schema, "namespace")), null);
    assert.equal(server.hover(at(schema, "Integer")), null);
    assert.equal(server.hover(at("file:///none/schema.cds", "Books")), null);
  }));

Deno.test("definitions, references and other names are found in all sources", () =>
  withServer(({ server, schema, service }) => {
    const whereIs = (uri: string, text: string, behind?: number) => {
      const found = server.definition(at(uri, text, { behind })) as Found;
      const source = found.uri === schema ? SCHEMA : SERVICE;
      const end = { ...found.range.start, character: found.range.start.character + 5 };
      assert.deepEqual(found.range.end, found.range.start);
      return [found.uri, spanned(source, { start: found.range.start, end })];
    };
    assert.deepEqual(whereIs(service, "shop.Books", 6), [schema, "Books"]);
    assert.deepEqual(whereIs(schema, "Authors;"), [schema, "Autho"]);
    assert.deepEqual(whereIs(schema, "author.name", 8), [schema, "name "]);
    assert.deepEqual(whereIs(service, "Books as"), [service, "Books"]);
    assert.equal(server.definition(at(schema, "namespace")), null);
    const texts = (found: unknown) =>
      (found as readonly Found[]).map(({ uri, range }) => {
        const source = uri === schema ? SCHEMA : SERVICE;
        return `${uri === schema ? "db" : "srv"} ${range.start.line} ${spanned(source, range)}`;
      });
    assert.deepEqual(texts(server.references(at(schema, "title :"))), ["db 6 title", "srv 3 title"]);
    assert.deepEqual(texts(server.references(at(schema, "Authors {"))), [
      ...["db 7 Authors", "db 14 Authors", "srv 4 Authors"],
    ]);
    assert.deepEqual(texts(server.references(at(service, "Books as"))), ["srv 3 Books"]);
    assert.deepEqual(server.references(at(schema, "namespace")), []);
    const { changes } = server.rename({ ...at(schema, "title :"), newName: "größe_1" }) as {
      readonly changes: Readonly<
        Record<string, readonly { readonly newText: string; readonly range: Found["range"] }[]>
      >;
    };
    assert.deepEqual(Object.keys(changes), [schema, service]);
    assert.deepEqual(changes[service]!.map(({ newText, range }) => [newText, spanned(SERVICE, range)]), [
      ["größe_1", "title"],
    ]);
    for (const newName of ["1a", "a b", "", "a-b"]) {
      assert.throws(
        () => server.rename({ ...at(schema, "title :"), newName }),
        /is no name: expected letters/,
      );
    }
  }));

Deno.test("a name that is imported alone leads to the one definition that ends so", () =>
  withProject({
    "db/a.cds": "namespace a; entity Only { key ID : Integer; } entity Both { key ID : Integer; }",
    "db/b.cds": "namespace b; entity Both { key ID : Integer; }",
    "srv/s.cds": "using { a.Only, a.Both } from '../db/a';\nusing from '../db/b';\n" +
      "service S { entity E as projection on Only; entity F as projection on Both; }",
  }, (given) => {
    const folder = Deno.realPathSync(given);
    const source = Deno.readTextFileSync(`${folder}/srv/s.cds`);
    const server = new LanguageServer(folder);
    assert.deepEqual(server.diagnostics(), []);
    const target = (name: string) =>
      (server.definition(
        at(`file://${folder}/srv/s.cds`, `on ${name}`, { behind: 4, source }),
      ) as Found | null)?.uri;
    assert.equal(target("Only"), `file://${folder}/db/a.cds`);
    assert.equal(target("Both"), undefined, "one of two is not guessed");
    return Promise.resolve();
  }));

Deno.test("what may stand at a place depends on what stands before the word that was begun", () =>
  withServer(({ server, schema }) => {
    const labels = (text: string) => {
      const source = `${SCHEMA}${text}`;
      server.change(schema, source);
      const position = toPosition(source, source.length);
      const found = server.completion({ textDocument: { uri: schema }, position }) as readonly {
        readonly label: string;
        readonly kind: number;
        readonly insertText?: string;
        readonly detail?: string;
      }[];
      return new Map(found.map((one) => [one.label, one]));
    };
    for (const begun of ["entity X { key ID : ", "entity X { key ID : Int"]) {
      const found = labels(begun);
      assert.deepEqual(found.get("Association to many"), {
        ...{ label: "Association to many", kind: 14, insertText: "Association to many " },
      });
      assert.equal(found.get("Integer")?.kind, 14);
      assert.deepEqual(found.get("Label"), { label: "Label", kind: 7, detail: "type shop.Label" });
      assert.deepEqual(found.get("title"), { label: "title", kind: 5 });
      assert.ok(!found.has("service"));
    }
    for (
      const begun of [
        "extend ",
        "annotate Bo",
        "entity X as projection on ",
        "a : Association to ",
        "using { x } from ",
      ]
    ) {
      const found = labels(begun);
      assert.deepEqual(
        [found.has("Books"), found.has("Integer"), found.has("service")],
        [true, false, false],
        begun,
      );
    }
    for (const begun of ["", "ser", "entity "]) {
      const found = labels(begun);
      assert.deepEqual([found.has("service"), found.has("Books"), found.has("@requires:")], [
        true,
        true,
        false,
      ], begun);
    }
    for (const begun of ["@", "@ ", "@read", "@cds.per"]) {
      const found = labels(begun);
      assert.deepEqual(found.get("@requires:"), { label: "@requires:", kind: 10, insertText: "@requires: " });
      assert.ok(!found.has("service"), begun);
    }
    for (const begun of ["// se", "/* se", "annotate Books with @title: 'se"]) {
      assert.equal(labels(begun).size, 0, begun);
    }
    assert.ok(labels("annotate Books with @title: ''").size > 0, "behind a text");
    assert.deepEqual(server.completion(at("file:///none/schema.cds", "Books")), []);
  }));

Deno.test("outlines show what a source declares, by kinds of LSP", () =>
  withServer(({ server, schema, service, folder }) => {
    const outline = (uri: string) =>
      (server.documentSymbol({ textDocument: { uri } }) as readonly {
        readonly name: string;
        readonly kind: number;
        readonly range: Found["range"];
        readonly selectionRange: Found["range"];
        readonly children: readonly { readonly name: string; readonly kind: number }[];
      }[]).map(({ name, kind, range, selectionRange, children }) => {
        assert.deepEqual(range, selectionRange);
        assert.equal(range.end.character, range.start.character + name.length);
        return [name, kind, range.start.line, children.map((one) => `${one.name} ${one.kind}`).join(" ")];
      });
    assert.deepEqual(outline(schema), [
      ["shop.Books", 5, 3, "ID 8 title 8 author 8 writer 8 tags 8 size 8 odd name 8"],
      ["shop.Authors", 5, 14, "ID 8 name 8 books 8"],
      ["shop.Named", 11, 15, "nick 8"],
      ["shop.Label", 26, 16, ""],
      ["shop.Sold", 24, 17, "book 8"],
      ["shop.close", 12, 18, ""],
    ]);
    assert.deepEqual(outline(service).map(([name, kind]) => [name, kind]), [
      ["Cat", 2],
      ["Cat.Books", 5],
      ["Cat.Writers", 5],
      ["Cat.best", 12],
    ]);
    assert.deepEqual(outline(`file://${folder}/db/other.cds`), []);
  }));

Deno.test("mistakes are marked at the words they are about, cleared when they are gone, and can be mended", () =>
  withServer(({ server, schema, service }) => {
    const told = () =>
      server.diagnostics().map(({ uri, diagnostics }) => [
        uri === schema ? "db" : "srv",
        ...(diagnostics as readonly (Diagnostic)[]).map(({ message, severity, source, range }) => [
          spanned(server.workspace.text(pathOf(uri))!, range),
          ...[severity, source, message.split(/[;:,]/)[0]],
        ]),
      ]);
    const wrong = SERVICE.replace("shop.Books {", "shop.Boks {");
    server.change(service, wrong);
    const [[where, [marked, severity, source, message]]] = told() as [
      [string, [string, number, string, string]],
    ];
    assert.deepEqual([where, marked, severity, source], ["srv", "shop.Boks", 1, "fw"]);
    assert.match(message, /Boks/);
    const [diagnostic] = server.diagnostics()[0]!.diagnostics as readonly Diagnostic[];
    const actions = (message: string) =>
      server.codeAction({
        textDocument: { uri: service },
        context: { diagnostics: [{ ...diagnostic!, message }] },
      }) as readonly { readonly title: string; readonly kind: string; readonly edit: unknown }[];
    assert.deepEqual(
      actions('did you mean "shop.Books"?').map(({ title, kind, edit }) => [title, kind, edit]),
      [[
        ...["Replace with shop.Books", "quickfix"],
        { changes: { [service]: [{ range: diagnostic!.range, newText: "shop.Books" }] } },
      ]],
    );
    const start = { line: 3, character: wrong.split("\n")[3]!.indexOf("Boks") };
    const range = { start, end: { ...start, character: start.character + 4 } };
    const near = (uri: string, one = range) =>
      (server.codeAction({
        textDocument: { uri },
        context: { diagnostics: [{ message: "no such entity", range: one }] },
      }) as readonly { readonly title: string }[]).map(({ title }) => title);
    assert.deepEqual(near(service), ["Replace with Books"]);
    const known = { start: { line: 3, character: 9 }, end: { line: 3, character: 14 } };
    assert.deepEqual(near(service, known), [], "the name is right");
    assert.deepEqual(near("file:///none.cds"), []);
    server.change(service, undefined);
    assert.deepEqual(told(), [["srv"]]);
    assert.deepEqual(told(), []);
    server.change(schema, `${SCHEMA}entity {`);
    const [[file, [sign]]] = told() as [[string, [string]]];
    assert.deepEqual([file, sign], ["db", "{"]);
    assert.equal(
      (server.hover(at(service, "Books as")) as { contents: { value: string } }).contents.value.includes(
        "entity Cat.Books",
      ),
      true,
    );
  }));

interface Diagnostic {
  readonly message: string;
  readonly severity: number;
  readonly source: string;
  readonly range: Found["range"];
}

Deno.test("a mistake is marked at the path that its message names, else at its first word", () =>
  withServer(({ server, schema }) => {
    const table: readonly (readonly [text: string, marked: string])[] = [
      ["shop.late books;", "shop"],
      ["entity E { key ID : my.Int; }", "my.Int"],
      ["entity E as projection on none.at.all;", "none.at.all"],
      ["entity E as select from Books { ID as a.b };", "."],
      ["using shop.Books from './none';", "'./none'"],
    ];
    for (const [text, marked] of table) {
      const source = `${SCHEMA}${text}`;
      server.change(schema, source);
      const [found] = server.diagnostics().flatMap(({ diagnostics }) => diagnostics as readonly Diagnostic[]);
      assert.equal(found && spanned(source, found.range), marked, text);
    }
  }));

Deno.test("sources that were never right are understood one by one, as stored where what is typed is wrong", () =>
  withProject({ "db/a.cds": "entity A { key ID : Integer; }", "db/b.cds": "entity {" }, (folder) => {
    const root = Deno.realPathSync(folder);
    const server = new LanguageServer(root);
    const [{ uri, diagnostics }] = server.diagnostics() as [ReturnType<LanguageServer["diagnostics"]>[0]];
    assert.deepEqual([uri, diagnostics.length], [`file://${root}/db/b.cds`, 1]);
    const symbols = (name: string) =>
      (server.documentSymbol({ textDocument: { uri: `file://${root}/db/${name}.cds` } }) as readonly {
        readonly name: string;
      }[]).map(({ name }) => name);
    assert.deepEqual([symbols("a"), symbols("b")], [["A"], []]);
    server.change(`file://${root}/db/a.cds`, "entity A { key ID : Integer; } entity");
    const typed = new LanguageServer(root);
    typed.change(`file://${root}/db/a.cds`, "entity A {");
    typed.diagnostics();
    assert.deepEqual(Object.keys(typed.workspace.model.definitions ?? {}), ["A"]);
    const fresh = new LanguageServer(root);
    fresh.change(`file://${root}/db/new.cds`, "/** New. */ entity New { key ID : Integer; }");
    fresh.change(`file://${root}/db/wrong.cds`, "entity {");
    fresh.diagnostics();
    const { definitions = {} } = fresh.workspace.model;
    assert.deepEqual([Object.keys(definitions), definitions.New.doc], [["A", "New"], "New."]);
    return Promise.resolve();
  }));

Deno.test("a project without sources has no mistakes, and what was typed last stays until there are others", () =>
  withProject({}, (folder) => {
    const root = Deno.realPathSync(folder);
    const server = new LanguageServer(root);
    const names = () => Object.keys(server.workspace.model.definitions ?? {});
    assert.deepEqual([server.diagnostics(), names()], [[], []]);
    server.change(`file://${root}/db/a.cds`, "entity A { key ID : Integer; }");
    assert.deepEqual([server.diagnostics(), names()], [[], ["A"]]);
    server.change(`file://${root}/db/a.cds`, undefined);
    assert.deepEqual([server.diagnostics(), names()], [[], ["A"]]);
    return Promise.resolve();
  }));

Deno.test("layouts replace a whole source, and only where something changes", () =>
  withServer(({ server, schema }) => {
    const textDocument = { uri: schema };
    server.change(schema, "entity A { key ID : Integer;\n\n\n}\n");
    const [edit] = server.formatting({ textDocument }) as readonly {
      readonly range: unknown;
      readonly newText: string;
    }[];
    assert.deepEqual(edit!.range, { start: { line: 0, character: 0 }, end: { line: 4, character: 0 } });
    server.change(schema, edit!.newText);
    assert.deepEqual(server.formatting({ textDocument }), []);
    assert.equal(server.formatting({ textDocument: { uri: "file:///none.cds" } }), null);
  }));

Deno.test("positions are offsets and back, also behind the end", () => {
  const text = "ab\ncd\n";
  assert.deepEqual([0, 2, 3, 5, 6].map((offset) => toPosition(text, offset)), [
    { line: 0, character: 0 },
    { line: 0, character: 2 },
    { line: 1, character: 0 },
    { line: 1, character: 2 },
    { line: 2, character: 0 },
  ]);
  for (const offset of [0, 1, 2, 3, 4, 5, 6]) assert.equal(toOffset(text, toPosition(text, offset)), offset);
  assert.equal(toOffset(text, { line: 9, character: 0 }), 6);
  assert.equal(toOffset(text, { line: 1, character: 9 }), 6);
  assert.deepEqual([pathOf("file:///a%20b/c.cds"), pathOf("cds/foundation")], [
    "/a b/c.cds",
    "cds/foundation",
  ]);
});
