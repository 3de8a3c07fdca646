/**
 * Speaks LSP with the process that editors start.
 *
 * @module
 */

import { REPOSITORY } from "../../deno/project.ts";

/** A conversation with a server. */
export interface LspClient {
  /** Asks, and waits for the answer. */
  ask(method: string, params: unknown): Promise<Answer>;
  /** Says something. */
  tell(method: string, params: unknown): void;
  /** The next diagnostics of a file. */
  diagnostics(uri: string): Promise<readonly Diagnostic[]>;
}

/** What a server answers. */
export interface Answer {
  // deno-lint-ignore no-explicit-any -- answers of LSP differ by method
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A mistake or a remark. */
export interface Diagnostic {
  readonly message: string;
  readonly severity: number;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

interface Message extends Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly uri: string; readonly diagnostics: readonly Diagnostic[] };
}

/** Starts `fw lsp` for a folder, and ends it as editors do; it must end with code 0. */
export async function withLsp(folder: string, use: (client: LspClient) => Promise<void>): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "-A", "--no-lock", "src/cli/mod.ts", "lsp", "--stdio", folder],
    cwd: REPOSITORY,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  const waiting = new Map<number, (answer: Answer) => void>();
  const told = new Map<string, (found: readonly Diagnostic[]) => void>();
  const reading = read(child.stdout, (message) => {
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    if (message.method === "textDocument/publishDiagnostics") {
      const { uri, diagnostics } = message.params!;
      told.get(uri)?.(diagnostics);
    }
  });
  let id = 0;
  const send = (message: unknown) => {
    const bytes = new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message as object }));
    const head = new TextEncoder().encode(`Content-Length: ${bytes.length}\r\n\r\n`);
    void writer.write(new Uint8Array([...head, ...bytes]));
  };
  const client: LspClient = {
    ask(method, params) {
      const own = ++id;
      const answered = new Promise<Answer>((resolve) => waiting.set(own, resolve));
      send({ id: own, method, params });
      return answered;
    },
    tell: (method, params) => send({ method, params }),
    diagnostics: (uri) => new Promise((resolve) => told.set(uri, resolve)),
  };
  try {
    await client.ask("initialize", { rootUri: `file://${folder}`, capabilities: {} });
    await use(client);
    await client.ask("shutdown", null);
    client.tell("exit", null);
    await writer.close();
    const { code } = await child.status;
    if (code !== 0) throw new Error(`fw lsp ended with code ${code}`);
  } finally {
    try {
      child.kill("SIGKILL");
    } catch {
      // it has ended
    }
    await child.status;
    await reading;
  }
}

async function read(stream: ReadableStream<Uint8Array>, take: (message: Message) => void): Promise<void> {
  let left = "";
  for await (const chunk of stream) {
    left += new TextDecoder("latin1").decode(chunk);
    while (true) {
      const head = /^Content-Length: (\d+)\r\n\r\n/.exec(left);
      if (!head || left.length < head[0].length + Number(head[1])) break;
      const body = left.slice(head[0].length, head[0].length + Number(head[1]));
      left = left.slice(head[0].length + Number(head[1]));
      take(JSON.parse(new TextDecoder().decode(Uint8Array.from(body, (char) => char.charCodeAt(0)))));
    }
  }
}
