/**
 * `fw lsp [folder]`: the language server, which speaks over standard input and output.
 *
 * @module
 */

import { LanguageServer, type PlaceParams } from "./editor/language_server.ts";
import { VERSION } from "../fw/version.ts";
import { CAPABILITIES } from "./editor/language_server.ts";
import type { Command } from "./parse_command.ts";
import { jsonOr } from "../util/json_text.ts";
import { writeBytes } from "./terminal_text.ts";

/** What `fw help lsp` prints. */
export const LSP_HELP = `Usage: fw lsp [folder]

The language server for models (.cds): diagnostics, completion, hover, definition, references, rename, format, outline,
quick fixes. Editors start it and speak LSP with it over standard input and output; "docs/vscode" does so.

Example: fw lsp my-shop`;

/** Changes within this time are compiled together. */
const SETTLE_MS = 30;
const UNKNOWN_METHOD = -32601;
const FAILED = -32803;
const NOT_JSON = -32700;

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
}

/** Speaks until the editor says `exit` or closes its end. */
export async function lspCommand({ words }: Command): Promise<number> {
  const session = new Session(Deno.realPathSync(words[0] ?? Deno.cwd()));
  for await (const text of messages(Deno.stdin.readable)) {
    if (text === undefined) {
      session.send({
        id: null,
        error: { code: NOT_JSON, message: "Expected a Content-Length and valid JSON" },
      });
    } else if (session.take(text) === "exit") break;
  }
  return session.isShutDown ? 0 : 1;
}

/** What one editor says and hears. */
class Session {
  isShutDown = false;
  #server: LanguageServer;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: string) {
    this.#server = new LanguageServer(root);
  }

  /** Takes a message; what is asked is answered, whatever it is. */
  take({ id, method, params }: Message): "exit" | undefined {
    if (method === "exit") {
      clearTimeout(this.#timer);
      return "exit";
    }
    if (method === undefined) return undefined;
    try {
      const result = this.#answer(method, params as never);
      if (id !== undefined && result === undefined) {
        this.send({ id, error: { code: UNKNOWN_METHOD, message: `There is no method ${method}` } });
      } else if (id !== undefined) this.send({ id, result });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (id !== undefined) this.send({ id, error: { code: FAILED, message } });
    }
    return undefined;
  }

  #answer(method: string, params: never): unknown {
    const server = this.#server;
    const [, what = ""] = /^textDocument\/(\w+)$/.exec(method) ?? [];
    if (/^did/.test(what)) return this.#note(what, params);
    const answers: Readonly<Record<string, () => unknown>> = {
      initialize: () => this.#initialize(params),
      shutdown: () => {
        this.isShutDown = true;
        return null;
      },
      "textDocument/completion": () => server.completion(params),
      "textDocument/hover": () => server.hover(params),
      "textDocument/definition": () => server.definition(params),
      "textDocument/references": () => server.references(params),
      "textDocument/rename": () => server.rename(params),
      "textDocument/formatting": () => server.formatting(params),
      "textDocument/documentSymbol": () => server.documentSymbol(params),
      "textDocument/codeAction": () => server.codeAction(params),
    };
    // a question about a model needs the one that is typed
    if (this.#timer !== undefined && method in answers) this.#report();
    return Object.hasOwn(answers, method) ? answers[method]!() : undefined;
  }

  #initialize(
    { rootUri, rootPath }: { readonly rootUri?: string | null; readonly rootPath?: string | null },
  ) {
    const root = rootUri ? decodeURIComponent(new URL(rootUri).pathname) : rootPath;
    if (root) this.#server = new LanguageServer(root.replace(/\/$/, ""));
    return { capabilities: CAPABILITIES, serverInfo: { name: "fw", version: VERSION } };
  }

  #note(what: string, { textDocument: { uri, text }, contentChanges }: PlaceParams & {
    readonly textDocument: { readonly uri: string; readonly text?: string };
    readonly contentChanges?: readonly { readonly text: string }[];
  }): void {
    if (what === "didOpen") this.#server.change(uri, text);
    if (what === "didChange") this.#server.change(uri, contentChanges?.at(-1)?.text);
    if (what === "didClose") this.#server.change(uri, undefined);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#report(), SETTLE_MS);
  }

  #report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const params of this.#server.diagnostics()) {
      this.send({ method: "textDocument/publishDiagnostics", params });
    }
  }

  send(message: Readonly<Record<string, unknown>>): void {
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const head = new TextEncoder().encode(`Content-Length: ${bytes.length}\r\n\r\n`);
    writeBytes(head);
    writeBytes(bytes);
  }
}

/** Fields, and the empty line behind them (LSP 3.17, base protocol). */
const HEAD = /^(?:[\w-]+:[^\r\n]*\r\n)+\r\n/;
/** What may be the beginning of such a head. */
const BEGINNING = /^(?:[\w-]+:[^\r\n]*\r\n)*(?:[\w-]*|[\w-]+:[^\r\n]*)\r?$/;
const FIELD = /content-(?:length|type):/i;
const MOST_HEAD_BYTES = 4096;

/** The messages of a stream: a head with their length, JSON; undefined for what is none, up to the next head. */
async function* messages(stream: ReadableStream<Uint8Array>): AsyncGenerator<Message | undefined> {
  let left = new Uint8Array();
  for await (const chunk of stream) {
    const joined = new Uint8Array(left.length + chunk.length);
    joined.set(left);
    joined.set(chunk, left.length);
    left = joined;
    while (true) {
      const text = new TextDecoder("latin1").decode(left.subarray(0, MOST_HEAD_BYTES));
      const [head] = HEAD.exec(text) ?? [];
      if (head === undefined) {
        if (text.length < MOST_HEAD_BYTES && BEGINNING.test(text)) break;
        const next = text.slice(1).search(FIELD) + 1;
        left = next > 0 ? left.slice(next) : new Uint8Array();
        yield undefined;
        continue;
      }
      const [, length = "0"] = /content-length: *(\d+)/i.exec(head) ?? [];
      const end = head.length + Number(length);
      if (end > left.length) break;
      const body = left.slice(head.length, end); // nothing where its length is missing, which is no JSON
      left = left.slice(end);
      yield jsonOr(new TextDecoder().decode(body), undefined) as Message | undefined;
    }
  }
}
