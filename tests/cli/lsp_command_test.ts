/** How messages of editors come and go (LSP 3.17, base protocol), in this process. */

import assert from "node:assert/strict";
import { lspCommand } from "../../src/cli/lsp_command.ts";
import { withProject } from "../deno/project.ts";
import { withShell } from "./shell_processes.ts";

interface Message {
  readonly jsonrpc: string;
  readonly id?: number | string | null;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly params?: { readonly uri: string; readonly diagnostics: readonly { readonly message: string }[] };
}

interface Editor {
  readonly folder: string;
  /** Sends bytes as they are. */
  raw(text: string): void;
  /** Sends a message. */
  say(message: object): void;
  /** Ends the input. */
  close(): void;
  /** Waits for the next message. */
  next(): Promise<Message>;
  readonly code: Promise<number>;
}

const framed = (text: string) => `Content-Length: ${new TextEncoder().encode(text).length}\r\n\r\n${text}`;

/** Speaks as an editor with the command. */
async function editing(
  files: Readonly<Record<string, string>>,
  use: (editor: Editor) => Promise<void>,
): Promise<void> {
  await withProject(files, async (folder) => {
    await withShell("", async ({ waitFor, output }) => {
      const input = new TransformStream<Uint8Array, Uint8Array>();
      const writer = input.writable.getWriter();
      Object.defineProperty(Deno.stdin, "readable", { value: input.readable, configurable: true });
      const raw = (text: string) => void writer.write(new TextEncoder().encode(text));
      let read = 0;
      try {
        const code = lspCommand({ name: "lsp", words: [folder], options: {} });
        await use({
          folder: Deno.realPathSync(folder),
          raw,
          code,
          say: (message) => raw(framed(JSON.stringify({ jsonrpc: "2.0", ...message }))),
          close: () => void writer.close(),
          next: async () => {
            const head = /^Content-Length: (\d+)\r\n\r\n/;
            const rest = () => output().slice(read);
            await waitFor(new RegExp(`^[^]{${read}}Content-Length: \\d+\r\n\r\n`));
            const [whole, length] = head.exec(rest())!;
            const end = read + whole.length + Number(length);
            await waitFor(new RegExp(`^[^]{${end}}`));
            const body = Uint8Array.from(
              output().slice(read + whole.length, end),
              (one) => one.charCodeAt(0),
            );
            read = end;
            return JSON.parse(new TextDecoder().decode(body));
          },
        });
      } finally {
        Reflect.deleteProperty(Deno.stdin, "readable");
      }
    });
  });
}

const MODEL = { "db/schema.cds": "entity Bücher { key ID : Integer; title : Strin; }" };

Deno.test("an editor is told what the server can do, and what goes wrong (LSP 3.17, response message)", () =>
  editing({}, async ({ say, next, code }) => {
    say({ id: 1, method: "initialize", params: {} });
    const { jsonrpc, id, result } = await next();
    assert.deepEqual([jsonrpc, id], ["2.0", 1]);
    assert.deepEqual(Object.keys(result as object), ["capabilities", "serverInfo"]);
    assert.equal((result as { serverInfo: { name: string } }).serverInfo.name, "fw");
    say({ id: "a", method: "textDocument/nothing" });
    assert.deepEqual(await next(), {
      ...{ jsonrpc: "2.0", id: "a" },
      error: { code: -32601, message: "There is no method textDocument/nothing" },
    });
    say({ id: 2, method: "toString" });
    assert.equal((await next()).error?.code, -32601);
    say({ id: 3, method: "textDocument/hover", params: {} });
    const { error } = await next();
    assert.deepEqual([error?.code, typeof error?.message], [-32803, "string"]);
    say({ method: "textDocument/hover", params: {} });
    say({ method: "nothing" });
    say({ id: 4, result: null });
    say({ id: 5, method: "shutdown" });
    assert.deepEqual(await next(), { jsonrpc: "2.0", id: 5, result: null }, "notifications get no answer");
    say({ method: "exit" });
    assert.equal(await code, 0);
  }));

Deno.test("nobody is told of mistakes before a source is opened or stored", () =>
  editing(MODEL, async ({ say, next, close, folder }) => {
    const uri = `file://${folder}/db/schema.cds`;
    const textDocument = { uri };
    say({ id: 1, method: "initialize", params: {} });
    say({ id: 2, method: "textDocument/documentSymbol", params: { textDocument } });
    assert.deepEqual([(await next()).id, (await next()).id], [1, 2]);
    say({ method: "textDocument/didSave", params: { textDocument } });
    say({ id: 3, method: "textDocument/documentSymbol", params: { textDocument } });
    assert.match((await next()).params!.diagnostics[0].message, /Strin/);
    assert.equal((await next()).id, 3);
    close();
  }));

Deno.test("an editor that goes away without a word leaves a failure", () =>
  editing({}, async ({ say, next, close, code }) => {
    say({ id: 1, method: "initialize", params: {} });
    await next();
    close();
    assert.equal(await code, 1);
  }));

Deno.test("messages come in any pieces, with any heads (LSP 3.17, base protocol)", () =>
  editing({}, async ({ raw, next, close }) => {
    const text = framed(`{"id":1,"method":"täst"}`);
    for (const one of text.slice(0, 40)) raw(one);
    raw(
      text.slice(40) + framed("{") + "Content-Type: x\r\n\r\n" +
        framed(`{"id":2,"method":"b"}`).replace("Content-Length", "X: y\r\ncontent-length"),
    );
    assert.equal((await next()).error?.message, "There is no method täst");
    for (let wrong = 0; wrong < 2; wrong++) {
      assert.deepEqual(await next(), {
        jsonrpc: "2.0",
        id: null,
        error: { code: -32700, message: "Expected a Content-Length and valid JSON" },
      });
    }
    assert.equal((await next()).id, 2);
    close();
  }));

Deno.test("what has no head is told at once, and passed over up to the next one", () =>
  editing({}, async ({ raw, next, close }) => {
    const NONE = [
      '{"id":1,"method":"a"}\n',
      '{"id":1}Content-Type: x',
      "Content-Length: 9\n\n",
      "\r\n\r\n",
      `X: ${"y".repeat(5000)}`,
      "Content-Length 9\r\n\r\n",
    ];
    for (const text of NONE) {
      raw(text);
      assert.equal((await next()).error?.code, -32700, text.slice(0, 30));
      if (text.endsWith("x")) raw("\r\n");
      raw(framed('{"id":2,"method":"b"}'));
      assert.equal((await next()).id, 2, text.slice(0, 30));
    }
    close();
  }));

Deno.test("mistakes are told once nothing is typed any more, and before the next answer", () =>
  editing(MODEL, async ({ say, next, code, folder }) => {
    const uri = `file://${folder}/db/schema.cds`;
    const textDocument = { uri };
    say({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, text: "entity A { key ID : Integr; }" } },
    });
    const { method, params } = await next();
    assert.deepEqual([method, params?.uri], ["textDocument/publishDiagnostics", uri]);
    assert.match(params!.diagnostics[0].message, /"Integr".*"Integer"/);
    const contentChanges = [{ text: "entity A {" }, { text: "entity A { key ID : Integer; }" }];
    say({ method: "textDocument/didChange", params: { textDocument, contentChanges } });
    say({
      id: 1,
      method: "textDocument/hover",
      params: { textDocument, position: { line: 0, character: 7 } },
    });
    assert.deepEqual((await next()).params, { uri, diagnostics: [] });
    assert.match(JSON.stringify((await next()).result), /entity A/);
    say({ id: 2, method: "textDocument/documentSymbol", params: { textDocument } });
    assert.equal(((await next()).result as { name: string }[])[0].name, "A");
    say({
      id: 3,
      method: "textDocument/completion",
      params: { textDocument, position: { line: 0, character: 0 } },
    });
    assert.ok(((await next()).result as unknown[]).length > 20);
    const position = { line: 0, character: 7 };
    say({ id: 4, method: "textDocument/definition", params: { textDocument, position } });
    assert.equal(((await next()).result as { uri: string }).uri, uri);
    say({ id: 5, method: "textDocument/references", params: { textDocument, position } });
    assert.equal(((await next()).result as unknown[]).length, 1);
    say({ id: 6, method: "textDocument/rename", params: { textDocument, position, newName: "B" } });
    assert.deepEqual(Object.keys(((await next()).result as { changes: object }).changes), [uri]);
    say({ id: 7, method: "textDocument/formatting", params: { textDocument } });
    assert.ok(((await next()).result as unknown[]).length === 1);
    say({ id: 8, method: "textDocument/codeAction", params: { textDocument, context: { diagnostics: [] } } });
    assert.deepEqual((await next()).result, []);
    say({ method: "textDocument/didClose", params: { textDocument } });
    const again = await next();
    assert.match(again.params!.diagnostics[0].message, /Strin/, "what is stored counts");
    say({ method: "exit" });
    assert.equal(await code, 1, "nobody told it to shut down");
  }));

Deno.test("an editor names the folder by URI or path, or takes that of the command", () =>
  withProject(
    { "a b/db/other.cds": "entity Other { key ID : Integer; }" },
    (other) =>
      editing(MODEL, async ({ say, next, close, folder }) => {
        const asked = async (root: object, path: string) => {
          say({ id: 1, method: "initialize", params: root });
          await next();
          say({ id: 2, method: "workspace/nothing" });
          await next();
          const textDocument = { uri: `file://${path}` };
          say({ method: "textDocument/didSave", params: { textDocument } });
          say({ id: 3, method: "textDocument/documentSymbol", params: { textDocument } });
          for (;;) {
            const { id, result } = await next();
            if (id === 3) return (result as { name: string }[]).map(({ name }) => name);
          }
        };
        const path = `${Deno.realPathSync(other)}/a b`;
        const file = `${path}/db/other.cds`.replace(" ", "%20");
        assert.deepEqual(
          await asked({ rootUri: `file://${path.replace(" ", "%20")}/`, rootPath: folder }, file),
          ["Other"],
        );
        assert.deepEqual(await asked({ rootUri: null, rootPath: `${path}/` }, file), ["Other"]);
        assert.deepEqual(await asked({ rootUri: `file://${folder}` }, `${folder}/db/schema.cds`), ["Bücher"]);
        assert.deepEqual(await asked({}, `${folder}/db/schema.cds`), ["Bücher"]);
        close();
      }),
  ));
