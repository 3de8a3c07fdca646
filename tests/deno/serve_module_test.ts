/** How a server listens, tells of itself and ends, whatever project it serves. */

import assert from "node:assert/strict";
import type { Project } from "../../src/deno/load_project.ts";
import {
  type ModuleServeOptions,
  outdatedModel,
  type RunningServer,
  serveModule,
} from "../../src/deno/serve_project.ts";
import type { RuntimeOptions } from "../../src/fw/runtime.ts";
import { printedBy, withProject } from "./project.ts";

const SILENT = { levels: { default: "silent" } };

/** A service that answers, and no database. */
function moduleWith(
  env: Readonly<Record<string, unknown>> = {},
  more: Partial<RuntimeOptions> = {},
): RuntimeOptions {
  return {
    name: "shop",
    model: {
      definitions: {
        Shop: { kind: "service" },
        "Shop.hello": { kind: "function", returns: { type: "cds.String" } },
      },
    },
    handlers: { Shop: (srv) => void srv.on("hello", () => "hi") },
    ...more,
    env: { log: SILENT, ...env, requires: { db: false, ...env.requires as object } },
  };
}

/** Serves while something runs. */
async function serving(
  module: RuntimeOptions,
  options: ModuleServeOptions,
  test: (server: RunningServer) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const server = await serveModule(module, { hostname: "127.0.0.1", ...options });
  try {
    await test(server);
  } finally {
    await server.stop();
    await server.finished;
  }
}

const hello = async (url: string) => (await (await fetch(`${url}/odata/v4/shop/hello()`)).json()).value;
const portOf = ({ url }: RunningServer) => Number(new URL(url).port);

/** A port that is free. */
function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}

/** Replaces functions of the platform while something runs. */
async function withPlatform(functions: Partial<typeof Deno>, run: () => Promise<void>): Promise<void> {
  const names = Object.keys(functions) as (keyof typeof Deno)[];
  const before = names.map((name) => [name, Deno[name]] as const);
  Object.assign(Deno, functions);
  try {
    await run();
  } finally {
    Object.assign(Deno, Object.fromEntries(before));
  }
}

/** Servers that listen, and whether they share their ports: this process may not. */
async function withServers(listened: unknown[], run: () => Promise<void>): Promise<void> {
  const { serve } = Deno;
  const told = (
    { reusePort, ...options }: Deno.ServeTcpOptions,
    handler: Deno.ServeHandler<Deno.NetAddr>,
  ) => {
    listened.push(reusePort);
    return serve(options, handler);
  };
  await withPlatform({ serve: told as typeof serve }, run);
}

const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("a server listens where its options say, else the variable PORT, else its configuration", async () => {
  const [own, variable, configured] = [freePort(), freePort(), freePort()];
  const module = moduleWith({ server: { port: configured, host: "127.0.0.1" } });
  const before = Deno.env.get("PORT");
  const listensAt = async (options: ModuleServeOptions): Promise<number> => {
    let port = 0;
    await serving(module, { print: () => {}, ...options }, async (server) => {
      port = portOf(server);
      assert.equal(await hello(server.url), "hi");
    });
    return port;
  };
  try {
    Deno.env.set("PORT", String(variable));
    assert.equal(await listensAt({ port: own }), own);
    assert.equal(await listensAt({}), variable);
    Deno.env.delete("PORT");
    assert.equal(await listensAt({}), configured);
  } finally {
    if (before === undefined) Deno.env.delete("PORT");
    else Deno.env.set("PORT", before);
  }
});

Deno.test("a server listens at the address that its options or its configuration name", async () => {
  for (const [hostname, host] of [["127.0.0.1", "::1"], [undefined, "127.0.0.1"]]) {
    let address: unknown;
    const module = moduleWith({ server: { host } });
    const boot = (runtime: { events: { on(event: string, listener: (given: never) => void): void } }) =>
      runtime.events.on("listening", ({ server, url }: { server: { addr: Deno.NetAddr }; url: string }) => {
        address = [server.addr.hostname, url === `http://localhost:${server.addr.port}`];
      });
    await serving({ ...module, boot: boot as unknown as RuntimeOptions["boot"] }, {
      port: 0,
      hostname,
      print: () => {},
    });
    assert.deepEqual(address, ["127.0.0.1", true]);
  }
});

Deno.test("a server says that it listens when all who wait for that are through", async () => {
  const log: string[] = [];
  const boot = (runtime: { events: { on(event: string, listener: () => unknown): void } }) =>
    runtime.events.on("listening", async () => {
      log.push("begun");
      await pause(5);
      log.push("ended");
    });
  const print = (line: string) => void (/^\nserver listening/.test(line) && log.push("told"));
  const module = { ...moduleWith(), boot: boot as unknown as RuntimeOptions["boot"] };
  await serving(module, { port: 0, print }, () => Promise.resolve(void log.push("serves")));
  assert.deepEqual(log, ["begun", "ended", "told", "serves"]);
});

Deno.test("a server tells what it serves and where, and how long its start took", async () => {
  const lines: string[] = [];
  let url = "";
  await serving(moduleWith(), { port: 0, print: (line) => void lines.push(line) }, (server) => {
    url = server.url;
    return Promise.resolve();
  });
  assert.match(lines[0]!, /^shop \(profile /);
  assert.ok(
    lines.some((line) =>
      /^serving Shop \{ at: \/odata\/v4\/shop, .* impl: a module of the bundle \}$/.test(line)
    ),
  );
  const [, told, ms] = /^\nserver listening on (\S+) \(started in (\d+) ms\)$/.exec(lines.at(-1)!)!;
  assert.equal(told, url);
  assert.ok(Number(ms) < 60_000);
});

Deno.test("lines stand at the terminal, or in the log where that is JSON, without those that are empty", async () => {
  const printed = async (log: object) => {
    const { output } = await printedBy(async () => {
      await serving(moduleWith({ log }), { port: 0 });
      return 0;
    });
    return output.trim().split("\n");
  };
  const plain = await printed(SILENT);
  assert.ok(plain.includes(""));
  assert.match(plain.at(-1)!, /^server listening on /);
  const lines = (await printed({ format: "json" })).map((line) => JSON.parse(line));
  assert.ok(lines.every(({ msg }) => msg !== "" && msg === msg.trim()));
  assert.ok(lines.some(({ msg, level }) => level === "info" && /^server listening on /.test(msg)));
});

Deno.test("a port that is in use, and an address of another machine, stop the start; the runtime ends", async () => {
  let ended = 0;
  const boot = (runtime: { events: { on(event: string, listener: () => void): void } }) =>
    runtime.events.on("shutdown", () => ended++);
  const module = moduleWith({}, { boot: boot as unknown as RuntimeOptions["boot"] });
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  const start = (options: ModuleServeOptions) => serving(module, { print: () => {}, ...options });
  const inUse = `Port ${port} is in use: choose another by PORT or "fw.server.port"`;
  await assert.rejects(start({ port }), { name: "ConfigurationError", message: inUse });
  assert.equal(ended, 1);
  await assert.rejects(start({ port: 0, hostname: "192.0.2.1" }), {
    name: "ConfigurationError",
    message: /^Cannot listen on port 0 of 192\.0\.2\.1 \("fw\.server\.host"\): \S/,
  });
  assert.equal(ended, 2);
  await assert.rejects(start({ port: 70_000 }), (error: Error) => error.name !== "ConfigurationError");
  assert.equal(ended, 3);
});

Deno.test("workers share a port that was free for the first; they are told where they listen, and print no line of it", async () => {
  const module = moduleWith({ server: { live: false } });
  const places: unknown[] = [];
  const listened: unknown[] = [];
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const listening = (where: unknown) => void places.push(where);
  await withServers(listened, async () => {
    await serving(module, { port: 0, print, share: "begin", listening }, async (server) => {
      const port = portOf(server);
      assert.deepEqual(places.splice(0), [{ port, metricsPort: undefined }]);
      assert.ok(lines.some((line) => line.startsWith("serving Shop")));
      assert.ok(lines.splice(0).every((line) => !line.includes("listening on")));
      await assert.rejects(serving(module, { port, share: "begin", listening, print }), /is in use/);
      assert.deepEqual(listened, [true]);
    });
    await serving(module, { port: 0, print, share: "join", listening });
    assert.deepEqual([places.length, lines, listened.splice(0)], [1, [], [true, true]]);
    // a process of its own does not share where requests go
    await serving(module, { port: 0, print, share: "join" });
    await serving(module, { port: 0, print });
    assert.deepEqual(listened, [false, false]);
  });
});

Deno.test("what workers cannot share stops their start, and the runtime ends", async () => {
  let ended = 0;
  const boot = (runtime: { events: { on(event: string, listener: () => void): void } }) =>
    runtime.events.on("shutdown", () => ended++);
  const module = moduleWith({ requires: { db: { kind: "memory" } } }, {
    boot: boot as unknown as RuntimeOptions["boot"],
  });
  await assert.rejects(serving(module, { port: 0, listening: () => {} }), /Several workers need a database/);
  assert.equal(ended, 1);
  await serving(module, { port: 0, print: () => {} });
});

/** What an endpoint answers. */
async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}

Deno.test("measurements and states have a port of their own where one is configured", async () => {
  const port = freePort();
  const options = { port: 0, print: () => {} };
  await serving(moduleWith({ server: { host: "127.0.0.1", metrics: { port } } }), options, async (server) => {
    const own = `http://127.0.0.1:${port}`;
    const text = await (await fetch(`${own}/metrics`)).text();
    assert.match(text, /^# /m);
    const statuses = ["/metrics?x=1", "/health", "/ready", "/", "/odata/v4/shop/hello()", "/metrics/x"].map((
      path,
    ) => statusOf(own + path));
    assert.deepEqual(await Promise.all(statuses), [200, 200, 200, 404, 404, 404]);
    assert.equal(await statusOf(`${server.url}/metrics`), 404);
  });
  await assert.rejects(fetch(`http://127.0.0.1:${port}/metrics`));
});

Deno.test("processes share the port of measurements where one takes over from the other", async () => {
  const port = freePort();
  const module = moduleWith({ server: { host: "127.0.0.1", metrics: { port } } });
  const options = { port: 0, print: () => {} };
  const listened: unknown[] = [];
  await withServers(listened, async () => {
    for (const share of ["begin", "join", undefined] as const) await serving(module, { ...options, share });
    assert.deepEqual(listened, [false, true, false, true, false, false]);
    using _other = Deno.listen({ port, hostname: "127.0.0.1" });
    await assert.rejects(
      serving(module, { ...options, share: "begin" }),
      new RegExp(`Port ${port} is in use`),
    );
  });
});

Deno.test("a worker tells its measurements at any port of this machine", async () => {
  const port = freePort();
  const module = moduleWith({ server: { live: false, metrics: { port } } });
  let metricsPort: number | undefined;
  await serving(
    module,
    { port: 0, print: () => {}, listening: (where) => metricsPort = where.metricsPort },
    async () => {
      assert.notEqual(metricsPort, port);
      assert.equal(await statusOf(`http://127.0.0.1:${metricsPort}/metrics`), 200);
      await assert.rejects(fetch(`http://127.0.0.1:${port}/metrics`));
    },
  );
});

/** A module whose answer is given later, and what is asked of the process meanwhile. */
function slow(server: object, levels = SILENT.levels) {
  const { promise: answer, resolve: release } = Promise.withResolvers<string>();
  const { promise: under, resolve: begin } = Promise.withResolvers<void>();
  const module = moduleWith({ server, log: { levels } }, {
    handlers: { Shop: (srv) => void srv.on("hello", () => (begin(), answer)) },
  });
  return { module, under, release };
}

Deno.test("a server that ends answers requests under way and closes its runtime, once", async () => {
  const { module, under, release } = slow({});
  let ended = 0;
  await serving(module, { port: 0, print: () => {} }, async ({ runtime, url, stop, finished }) => {
    runtime.events.on("shutdown", () => void ended++);
    const answered = hello(url);
    await under;
    const [first, second] = [stop(), stop()];
    let isOver = false;
    void first.then(() => isOver = true);
    await pause(10);
    assert.deepEqual([isOver, ended], [false, 0]);
    release("late");
    assert.equal(await answered, "late");
    await Promise.all([first, second, finished]);
    assert.equal(ended, 1);
    await assert.rejects(fetch(url));
  });
});

Deno.test("a server that ends is not ready for a while, in which it answers", async () => {
  const module = moduleWith({ server: { drainMs: 100 } });
  await serving(module, { port: 0, print: () => {} }, async ({ url, stop, runtime }) => {
    assert.equal(await statusOf(`${url}/ready`), 200);
    const start = performance.now();
    const stopped = stop();
    assert.deepEqual([await statusOf(`${url}/ready`), await hello(url)], [503, "hi"]);
    await stopped;
    assert.ok(performance.now() - start >= 95);
    assert.ok(runtime);
  });
});

Deno.test("signals of the platform end a server, which says so, and are heard no more then", async () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const listeners = new Map<string, () => void>();
    const functions = {
      addSignalListener: (name: Deno.Signal, listener: () => void) => void listeners.set(name, listener),
      removeSignalListener: (name: Deno.Signal, listener: () => void) => {
        assert.equal(listeners.get(name), listener);
        listeners.delete(name);
      },
    };
    await withPlatform(functions, async () => {
      const { output } = await printedBy(async () => {
        const module = moduleWith({ log: { levels: { default: "info" } } });
        const { finished } = await serveModule(module, { port: 0, hostname: "127.0.0.1", print: () => {} });
        assert.deepEqual([...listeners.keys()], ["SIGINT", "SIGTERM"]);
        listeners.get(signal)!();
        await finished;
        await pause();
        return 0;
      });
      assert.match(
        output,
        new RegExp(`${signal}: requests under way are answered, new ones refused[^]*stopped`),
      );
      assert.equal(listeners.size, 0);
    });
  }
});

Deno.test("requests that take longer than fw.server.shutdownMs are cut off: the process ends with code 1", async () => {
  const { module, under, release } = slow({ shutdownMs: 20 }, { default: "error" });
  const codes: unknown[] = [];
  await withPlatform({ exit: ((code: number) => void codes.push(code)) as typeof Deno.exit }, async () => {
    const { output } = await printedBy(async () => {
      await serving(module, { port: 0, print: () => {} }, async ({ url, stop }) => {
        const answered = hello(url);
        await under;
        const stopped = stop();
        await pause(60);
        assert.deepEqual(codes, [1]);
        release("late");
        await Promise.all([answered, stopped]);
      });
      return 0;
    });
    assert.match(output, /Requests under way were cut off after 20 ms \("fw\.server\.shutdownMs"\)/);
  });
  codes.length = 0;
  await withPlatform({ exit: ((code: number) => void codes.push(code)) as typeof Deno.exit }, async () => {
    await serving(moduleWith({ server: { shutdownMs: 20 } }), { port: 0, print: () => {} });
    await pause(40);
    assert.deepEqual(codes, []);
  });
});

Deno.test("code that ends the runtime ends the server, with the exit code that it names", async () => {
  const before = Deno.exitCode;
  try {
    for (const [code, expected] of [[undefined, 3], [0, 0], [4, 4]] as const) {
      Deno.exitCode = 3;
      await serving(moduleWith(), { port: 0, print: () => {} }, async ({ runtime, url, finished }) => {
        await runtime.onExit!(code);
        await finished;
        assert.equal(Deno.exitCode, expected);
        await assert.rejects(fetch(url));
      });
    }
  } finally {
    Deno.exitCode = before;
  }
});

Deno.test("a rejection that nobody waited for is logged while the server runs, and ends nothing", async () => {
  const dispatch = () => {
    const reason = new Error("forgotten");
    const promise = Promise.resolve();
    const event = new PromiseRejectionEvent("unhandledrejection", { promise, reason, cancelable: true });
    globalThis.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const { output } = await printedBy(async () => {
    await serving(moduleWith({ log: { levels: { default: "error" } } }), { port: 0, print: () => {} }, () => {
      assert.equal(dispatch(), true);
      return Promise.resolve();
    });
    dispatch();
    return 0;
  });
  assert.equal(output.split("forgotten").length, 2, output);
  assert.match(output, /A promise that nobody waited for was rejected:[^]*forgotten/);
});

Deno.test("a compiled model that is older than a source beside it is told, and only that", async () => {
  const files = { "gen/csn.json": "{}", "db/a.cds": "", "srv/b.cds": "" };
  const cases: readonly (readonly [times: readonly number[], models: readonly string[], source?: string])[] =
    [
      [[20, 10, 10], ["gen/csn.json"]],
      [[20, 20, 20], ["gen/csn.json"]],
      [[20, 30, 10], ["gen/csn.json"], "db/a.cds"],
      [[20, 10, 30], ["gen/csn.json"], "srv/b.cds"],
      [[20, 30, 30], ["gen/csn.json", "db/a.cds"]],
      [[20, 30, 30], ["srv/b.cds"]],
      [[20, 30, 30], []],
    ];
  await withProject(files, (folder) => {
    for (const [times, models, source] of cases) {
      Object.keys(files).forEach((name, i) => Deno.utimeSync(`${folder}/${name}`, times[i]!, times[i]!));
      const modelFiles = models.map((name) => `${folder}/${name}`);
      const project = { folder, modelFiles, runtime: { env: { folders: {} } } } as unknown as Project;
      const expected = source &&
        `gen/csn.json, from which production starts, is older than ${source}: "fw build" writes it anew`;
      assert.equal(outdatedModel(project), expected, String([times, models]));
    }
  });
});
