/**
 * The test kit under the names that tests of existing projects use (api 10): `const { GET, expect } = cds.test(folder)`.
 *
 * @module
 */

import { setLatestRuntime } from "../fw/current.ts";
import { moveTo, projectPlace } from "../fw/project_place.ts";
import { setTestKit, type TestKit } from "../fw/test_kit.ts";
import { type Facade, fw } from "../fw/facade.ts";
import type { Runtime } from "../fw/runtime.ts";
import { type AxiosAnswer, type AxiosLike, type AxiosSettings, createAxios } from "./axios_like.ts";
import { type CapturedLog, captureLog } from "./capture_log.ts";
import { assert, type ChaiAssert, type Should, should } from "./expect/chai_assert.ts";
import { type Expect, expect } from "./expect/expect.ts";
import { modelFilesIn, projectFolder } from "./project_words.ts";
import { requestArguments } from "./request_arguments.ts";
import { TestClient } from "./test_client.ts";
import { plugInTested, testedEnvironment, testedProject } from "./tested_project.ts";

/** Registers hooks; the runner of the test file has them as globals. */
interface HookGlobals {
  readonly beforeAll?: (hook: () => unknown) => void;
  readonly afterAll?: (hook: () => unknown) => void;
  readonly afterEach?: (hook: () => unknown) => void;
}

/** A request: path and more, or a template. Answers of 4xx and 5xx reject, as those of axios do. */
export type KitRequest = <T = unknown>(
  path: string | TemplateStringsArray,
  ...more: readonly unknown[]
) => Promise<AxiosAnswer<T>>;

/** The data of the tested project. */
export interface KitData {
  /** Restores the initial rows. */
  reset(): Promise<void>;
  /** Restores the initial rows before each test. */
  autoReset(): void;
}

/** A tested project. It starts before its first test, or with its first request, and ends with the last test. */
export class ProjectTest {
  /** Requests in the style of axios. */
  readonly axios: AxiosLike;
  /** The initial rows. */
  readonly data: KitData = {
    reset: async () => await (await this.client()).data.reset(),
    autoReset: () => {
      const hooks = globalThis as { readonly beforeEach?: (hook: () => unknown) => void };
      hooks.beforeEach?.(() => this.data.reset());
    },
  };
  /** Assertions in the styles of chai and jest. */
  readonly expect: Expect = expect;
  /** Assertions as functions. */
  readonly assert: ChaiAssert = assert;
  /** The parts of chai that tests take. */
  readonly chai: { readonly expect: Expect; readonly assert: ChaiAssert; readonly should: () => Should } = {
    expect,
    assert,
    should,
  };
  /** Reads. */
  readonly GET: KitRequest;
  /** Reads headers. */
  readonly HEAD: KitRequest;
  /** Asks what is possible. */
  readonly OPTIONS: KitRequest;
  /** Creates, or calls an action. */
  readonly POST: KitRequest;
  /** Replaces. */
  readonly PUT: KitRequest;
  /** Changes. */
  readonly PATCH: KitRequest;
  /** Deletes. */
  readonly DELETE: KitRequest;
  /** The same as `DELETE`, beside that of queries. */
  readonly DEL: KitRequest;
  /** Settings of all requests. */
  defaults: AxiosSettings = { headers: {} };
  #folder: string | undefined;
  #words: readonly string[] = [];
  #client: Promise<TestClient> | undefined;
  #server: Deno.HttpServer<Deno.NetAddr> | undefined;

  /** Begins a test; `run` says of what. */
  constructor() {
    // deno-lint-ignore no-this-alias -- an object literal has a `this` of its own
    const kit = this;
    this.axios = createAxios({
      get defaults() {
        return kit.defaults;
      },
      set defaults(value) {
        kit.defaults = value;
      },
      send: async (method, path, { body, settings }) => {
        const client = await this.client();
        return await client.send(method, path, { body, settings: { ...this.defaults, ...settings } });
      },
    });
    const request =
      (method: "get" | "head" | "options" | "post" | "put" | "patch" | "delete"): KitRequest => (
        ...given
      ) => {
        const [path, ...more] = requestArguments(given);
        return this.axios[method](path, ...more as [AxiosSettings]);
      };
    this.GET = request("get");
    this.HEAD = request("head");
    this.OPTIONS = request("options");
    this.POST = request("post");
    this.PUT = request("put");
    this.PATCH = request("patch");
    this.DELETE = this.DEL = request("delete");
  }

  /** This, for tests that take it apart. */
  get test(): this {
    return this;
  }

  /** Assertions on values that may have no members; all others have the member `should` from now on. */
  get should(): Should {
    return should();
  }

  /** The facade. */
  get cds(): Facade {
    return fw;
  }

  /** Waits. */
  readonly sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  /**
   * Tests a project.
   *
   * @param words a folder or package; or the words of a command: `serve`, model files, options
   */
  run(...words: readonly string[]): this {
    const [first, ...more] = words;
    this.#words = more;
    projectPlace.cli = { command: "serve", argv: first === "serve" ? more : ["all"], options: {} };
    if (first !== undefined && first !== "serve" && first !== "run") this.in(first);
    this.#folder = projectPlace.root;
    Object.assign(fw.options, { in_memory: true, from: ["*"] });
    const { beforeAll, afterAll } = globalThis as HookGlobals;
    beforeAll?.(async () => setLatestRuntime((await this.client()).runtime));
    afterAll?.(() => this.close());
    return this;
  }

  /**
   * Says where the project is.
   *
   * @param folder folder, relative to the current root, or the name of a package
   * @param more folders in it
   */
  in(folder?: string, ...more: readonly string[]): this {
    if (folder === undefined) return this;
    moveTo(projectFolder([folder, ...more], projectPlace.root ?? Deno.cwd()));
    return this;
  }

  /** The client, whose runtime has started. */
  client(): Promise<TestClient> {
    return this.#client ??= this.#start();
  }

  async #start(): Promise<TestClient> {
    const folder = this.#folder ?? projectPlace.root ?? Deno.cwd();
    moveTo(folder);
    const modelFiles = modelFilesIn(this.#words, folder);
    const environment = projectPlace.environment ??= testedEnvironment(folder);
    const project = { folder, modelFiles, environment };
    await plugInTested(project);
    const runtime: Runtime = testedProject(project);
    await runtime.start();
    await runtime.events.emit("listening", { server: this.server, url: this.url });
    return new TestClient(runtime);
  }

  /** Ends the project. */
  async close(): Promise<void> {
    const [client, server] = [this.#client, this.#server];
    this.#client = this.#server = undefined;
    await server?.shutdown();
    await (await client?.catch(() => undefined))?.close();
  }

  /** A server on a free port, for requests that go another way than through this kit; it begins when it is asked for. */
  get server(): { readonly address: () => { readonly port: number }; readonly close: () => Promise<void> } {
    const listen = () =>
      this.#server ??= Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        async (request, info) => (await this.client()).runtime.fetch(request, info),
      );
    return { address: () => listen().addr, close: () => this.close() };
  }

  /** The address of the server. */
  get url(): string {
    return `http://localhost:${this.server.address().port}`;
  }

  /** Ends when the project has started: `await cds.test()` of a loop that reads and prints. */
  then(resolve: (started: { readonly server: unknown; readonly url: string }) => unknown): void {
    this.client().then(() => resolve({ server: this.server, url: this.url }));
  }

  /** Captures what is written to the console while the tests of the suite run. */
  log(): CapturedLog {
    const { beforeAll, afterAll, afterEach } = globalThis as HookGlobals;
    let captured: CapturedLog | undefined = beforeAll ? undefined : captureLog();
    beforeAll?.(() => void (captured ??= captureLog()));
    afterEach?.(() => captured?.clear());
    const release = () => {
      captured?.release();
      captured = undefined;
    };
    afterAll?.(release);
    return {
      get output() {
        return captured?.output ?? "";
      },
      clear: () => captured?.clear(),
      release,
      [Symbol.dispose]: release,
    };
  }

  /** Says nothing more: the log of a tested project shows errors only. */
  silent(): this {
    return this;
  }

  /**
   * Counts the calls of a method.
   *
   * @param holder the object
   * @param name name of the method
   */
  spy(holder: object, name: string): { called: number; restore(): void } {
    const members = holder as Record<string, unknown>;
    const original = members[name] as (...args: readonly unknown[]) => unknown;
    const spy = Object.assign(function (this: unknown, ...args: readonly unknown[]) {
      spy.called++;
      return original.apply(this, [...args]);
    }, { called: 0, restore: () => void (members[name] = original) });
    members[name] = spy;
    return spy;
  }
}

/** `fw.test(folder)`; what a test has stands behind the name as well: `fw.test.in(folder)`, `fw.test.expect`. */
export type FwTest = ((...words: readonly string[]) => ProjectTest) & ProjectTest;

/** Tests a project. */
export const fwTest: FwTest & TestKit = kitOf((...words) => new ProjectTest().run(...words));
setTestKit(fwTest);
projectPlace.readEnvironment = testedEnvironment;

function kitOf(start: (...words: readonly string[]) => ProjectTest): FwTest & TestKit {
  let shared = new ProjectTest();
  const names = [...Object.keys(shared), ...Object.getOwnPropertyNames(ProjectTest.prototype)]
    .filter((name) => name !== "constructor" && name !== "then");
  for (const name of names) {
    Object.defineProperty(start, name, {
      configurable: true,
      get() {
        const value = shared[name as keyof ProjectTest];
        if (name !== "in" && name !== "run") {
          return typeof value === "function" && name in ProjectTest.prototype
            ? (value as (...args: readonly unknown[]) => unknown).bind(shared)
            : value;
        }
        // each call begins a test of its own
        return (...words: readonly string[]) => (shared = new ProjectTest())[name](...words);
      },
    });
  }
  // tests wrap the kit, and take the methods of its class along
  Object.setPrototypeOf(start, ProjectTest.prototype);
  return Object.assign(start, { Test: ProjectTest }) as unknown as FwTest & TestKit; // with the members just defined
}
