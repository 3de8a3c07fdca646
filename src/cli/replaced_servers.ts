/**
 * Servers of a project in processes of their own, one after the other. The next one is always there, with everything
 * loaded, and waits for its turn; the one that is replaced answers until the next one does.
 *
 * @module
 */

import { projectRoot } from "../deno/project_root.ts";
import { readConfiguration } from "../deno/read_configuration.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { FrontPort, type PortPlace } from "./front_port.ts";
import { configurationOptions } from "./project_configuration.ts";
import { highlighted, writeBytes } from "./terminal_text.ts";

/** How long a server that was replaced goes on, for connections that are on their way to it. */
const LEAVING_MS = 50;

/** How long people wait to be told of the new one while the one that was replaced still answers. */
const ANSWERING_MS = 1000;

/** What a server says once it answers. */
const LISTENING = /(?<=server listening on http:\/\/localhost:)(\d+)/;

/** The servers, and the port at which the world finds them. */
export class ReplacedServers {
  readonly #folder: string;
  readonly #port: number | undefined;
  #current: ServerProcess;
  #next: ServerProcess | undefined;
  #front: { readonly port: FrontPort; readonly place: PortPlace } | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** The one that ends when the next one answers, and those that are about to end. */
  #replaced: ServerProcess | undefined;
  #left: Promise<unknown> = Promise.resolve();

  /**
   * Starts the first one.
   *
   * @param folder the project
   * @param port where the world finds it, instead of what the project says
   */
  constructor(folder: string, port: number | undefined) {
    this.#folder = folder;
    this.#port = port;
    this.#current = this.#spawn();
    void this.#current.serve("begin");
  }

  /**
   * Puts another server in the place of the one that is there, once it answers.
   *
   * @param reason the file that changed
   * @param isFresh whether the process that waits has begun with what has changed
   * @returns resolves once that server was told to serve
   */
  replace(reason: string, isFresh: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = this.#turn.then(async () => {
      console.log(`\n${reason} changed, starting again`);
      const before = this.#current;
      // one that has not come to listen does not do so any more
      if (!before.isListening) await before.end();
      if (isFresh) await this.#dropNext();
      const next = this.#next ?? this.#spawn();
      this.#next = undefined;
      this.#replaced = before.isListening ? before : undefined;
      await next.serve(before.isListening ? "join" : "begin");
      resolve();
      if (!before.isListening || await next.listens) {
        this.#current = next;
        return;
      }
      this.#replaced = undefined;
      console.log("The server that was there goes on serving");
      this.#prepare();
    });
    return promise;
  }

  /** Ends for good; gives the exit code. */
  async stop(): Promise<number> {
    await this.#turn;
    await this.#dropNext();
    await this.#left;
    const code = await this.#current.end();
    this.#front?.port.close();
    return code;
  }

  #spawn(): ServerProcess {
    return new ServerProcess(this.#folder, async (port) => {
      const shown = this.#show(port);
      await this.#endReplaced();
      this.#prepare();
      return shown;
    });
  }

  #prepare(): void {
    this.#next ??= this.#spawn();
  }

  async #dropNext(): Promise<void> {
    await this.#next?.end();
    this.#next = undefined;
  }

  /** Leads the world to a server, and gives the port where it is found. */
  #show(target: number): number {
    try {
      const place = this.#place();
      if (this.#front !== undefined && isSame(this.#front.place, place)) this.#front.port.handTo(target);
      else {
        this.#front?.port.close();
        this.#front = undefined;
        this.#front = { port: new FrontPort(place, target), place };
      }
      return this.#front.port.port;
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      console.error(`\n${highlighted("Cannot start:", "error")} ${error.message}`);
      return target;
    }
  }

  /** Connections that are kept alive end with the server they lead to: whoever asks after it was told gets the new one. */
  async #endReplaced(): Promise<void> {
    const replaced = this.#replaced;
    this.#replaced = undefined;
    if (replaced === undefined) return;
    await passed(LEAVING_MS);
    const ended = replaced.end();
    this.#left = Promise.all([this.#left, ended]);
    await Promise.race([ended, passed(ANSWERING_MS)]);
  }

  #place(): PortPlace {
    const { env, port } = readConfiguration(projectRoot(this.#folder));
    const server = (env.server ?? {}) as { readonly port?: number; readonly host?: string };
    return { port: this.#port ?? port ?? server.port ?? 4004, hostname: server.host ?? "127.0.0.1" };
  }
}

function passed(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function isSame(one: PortPlace, other: PortPlace): boolean {
  return one.port === other.port && one.hostname === other.hostname;
}

/** A process that serves when it is told to. */
class ServerProcess {
  /** False: it has ended before. */
  readonly listens: Promise<boolean>;
  isListening = false;
  readonly #process: Deno.ChildProcess;
  readonly #orders: WritableStreamDefaultWriter<Uint8Array>;

  /**
   * Starts the process.
   *
   * @param folder the project
   * @param show takes the port at which it listens, and gives the one that people are told
   */
  constructor(folder: string, show: (port: number) => Promise<number>) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-A",
        // measurements have a port that processes share
        "--unstable-net",
        ...configurationOptions(projectRoot(folder)),
        import.meta.resolve("./mod.ts"),
        "serve",
        folder,
        "--standby",
      ],
      // open as long as this process lives: a server ends with it
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#orders = this.#process.stdin.getWriter();
    this.listens = this.#relay(show);
  }

  /** Tells it to serve. */
  async serve(order: "begin" | "join"): Promise<void> {
    try {
      await this.#orders.write(encoded(`${order}\n`));
    } catch {
      // it has ended, which is noticed by its output
    }
  }

  /** Ends it, answering what is under way; gives the exit code. */
  async end(): Promise<number> {
    try {
      if (this.isListening) await this.#orders.close();
      else this.#process.kill("SIGTERM");
    } catch {
      // it has ended by itself: a wrong model stops the start, and the next change starts it again
    }
    return (await this.#process.status).code;
  }

  /** Hands on what it prints; resolves when it listens, or has ended. */
  #relay(show: (port: number) => Promise<number>): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    void (async () => {
      const decoder = new TextDecoder();
      let line = "";
      for await (const chunk of this.#process.stdout) {
        if (this.isListening) {
          writeBytes(chunk);
          continue;
        }
        line += decoder.decode(chunk, { stream: true });
        const end = line.lastIndexOf("\n") + 1;
        const [, port] = LISTENING.exec(line.slice(0, end)) ?? [];
        if (port !== undefined) {
          this.isListening = true;
          const shown = await show(Number(port));
          line = line.replace(LISTENING, String(shown));
          writeBytes(encoded(line));
          resolve(true);
        } else {
          writeBytes(encoded(line.slice(0, end)));
          line = line.slice(end);
        }
      }
      resolve(false);
    })();
    return promise;
  }
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
