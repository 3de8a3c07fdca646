/*
 * `fw serve --workers`: several processes at one port.
 */

import assert from "node:assert/strict";
import { mergedMetrics, serveWorkerMetrics } from "../../src/cli/worker_metrics.ts";
import { WorkerProcess } from "../../src/cli/worker_process.ts";
import { withProject } from "../deno/project.ts";
import { type RunningProcess, startCli, startProcess } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

const CONFIGURATION = {
  name: "shop",
  requires: { db: { kind: "sqlite", credentials: { url: "db.sqlite" } }, messaging: false, auth: "mocked" },
  odata: { respond_async: true },
  outbox: { leaseMs: 1_500 },
};

const FILES = {
  ".fwrc.json": JSON.stringify(CONFIGURATION),
  "srv/shop.cds": `
    entity db.Books { key ID : Integer; title : String; }
    service Shop {
      @odata.trackChanges entity Books as projection on db.Books;
      function pid() returns Integer;
    }`,
  "srv/shop.js": `import process from "node:process";
    export default (srv) => {
      srv.on("pid", () => process.pid);
      srv.before("CREATE", "Books", async ({ data }) => {
        if (data.title !== "slow") return;
        console.log("slow at " + process.pid);
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });
    };`,
};

/** Each request is on a connection of its own, which may go to any worker. */
async function ask(url: string, path: string, init: RequestInit = {}): Promise<Response> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const response = await fetch(`${url}/odata/v4/shop/${path}`, { ...init, client });
  return new Response(response.status === 204 ? null : await response.bytes(), {
    status: response.status,
    headers: response.headers,
  });
}

async function pidOf(url: string): Promise<number> {
  return (await (await ask(url, "pid()")).json()).value;
}

/** The processes that answer, of which there are to be so many. */
async function pids(url: string, count: number, but: readonly number[] = []): Promise<number[]> {
  const found = new Set<number>();
  for (let asked = 0; asked < 500 && found.size < count; asked++) {
    const pid = await pidOf(url);
    if (!but.includes(pid)) found.add(pid);
  }
  return [...found];
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(Deno.readTextFileSync(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}

async function areGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isThere)) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Runs something with workers. */
async function withWorkers(
  files: Readonly<Record<string, string>>,
  count: number,
  run: (given: { readonly url: string; readonly fw: RunningProcess }) => Promise<void>,
): Promise<void> {
  await withProject(files, async (folder) => {
    const fw = startCli("serve", folder, "--workers", String(count));
    try {
      const [, url] = await fw.waitFor(new RegExp(`${count} workers? listening on (http:\\S+)`));
      await run({ url: url!, fw });
    } finally {
      await fw.close();
    }
  });
}

Deno.test("workers answer at one port, one that is killed is started again, all end orderly", () =>
  withWorkers(FILES, 3, async ({ url, fw }) => {
    const first = await pids(url, 3);
    assert.equal(first.length, 3);
    const lines = [1, 2, 3].map((number) => new RegExp(`^\\[${number}\\] \\[odata\\]`, "m"));
    while (!lines.every((line) => line.test(fw.output()))) await pidOf(url);
    const [killed, ...others] = first;
    Deno.kill(killed!, "SIGKILL");
    await fw.waitFor(
      new RegExp(`Worker \\d \\(process ${killed}\\) has ended by SIGKILL, and is started again`),
    );
    const [, started] = await fw.waitFor(/Worker \d \(process (\d+)\) listens again/);
    assert.deepEqual(await pids(url, 1, first), [Number(started)]);
    fw.kill("SIGTERM");
    const { code, output } = await fw.ended;
    assert.equal(code, 0, output);
    assert.match(
      output,
      /^\[server\] - SIGTERM: requests under way are answered, new ones refused\n\[server\] - stopped$/m,
    );
    assert.deepEqual([...others, Number(started)].filter(isThere), []);
  }));

Deno.test("what clients come back for is answered by all workers, and says what became of one that was killed", () =>
  withWorkers(FILES, 2, async ({ url, fw }) => {
    const post = (ID: number, title: string, headers = {}) =>
      ask(url, "Books", {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ ID, title }),
      });
    const tracked = await ask(url, "Books", { headers: { prefer: "track-changes" } });
    const { "@odata.deltaLink": link } = await tracked.json();
    assert.equal((await post(1, "quick")).status, 201);
    for (let count = 0; count < 10; count++) {
      const { value } = await (await ask(url, link)).json();
      assert.deepEqual(value, [{ ID: 1, title: "quick" }]);
    }
    const accepted = await post(2, "slow", { prefer: "respond-async" });
    assert.equal(accepted.status, 202);
    const monitor = accepted.headers.get("location")!;
    const [, pid] = await fw.waitFor(/^\[\d\] slow at (\d+)$/m);
    for (let count = 0; count < 10; count++) assert.equal((await ask(url, monitor)).status, 202);
    Deno.kill(Number(pid), "SIGKILL");
    const headers = { "odata-maxversion": "4.01", "accept": "application/json" };
    let answer: Response;
    do {
      await new Promise((resolve) => setTimeout(resolve, 100));
      // connections that the killed one had not taken are reset
      answer = await ask(url, monitor, { headers }).catch(() => new Response(null, { status: 202 }));
    } while (answer.status === 202);
    const { error } = await answer.json();
    assert.deepEqual([answer.headers.get("asyncresult"), error.code], ["503", "ASYNC_REQUEST_LOST"]);
    assert.equal((await ask(url, "Books(2)")).status, 404);
  }));

Deno.test("a worker that is caught in a loop is killed, one that has much to do is not", async () => {
  const loops = `export default (srv) => {
    srv.on("pid", () => { for (const end = Date.now() + 1_500; Date.now() < end;); return 1; });
    srv.before("CREATE", "Books", () => { for (;;); });
  };`;
  await withProject({ ...FILES, "srv/shop.js": loops }, async (folder) => {
    const lines: string[] = [];
    const worker = new WorkerProcess(
      { folder, port: 0, share: "begin", silenceMs: 4_000 },
      (line) => lines.push(line),
    );
    const { port } = (await worker.listening)!;
    const url = `http://127.0.0.1:${port}`;
    for (let count = 0; count < 4; count++) assert.equal(await pidOf(url), 1);
    const caught = ask(url, "Books", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ID: 1 }),
    });
    await assert.rejects(caught);
    assert.equal((await worker.status).signal, "SIGKILL");
    assert.ok(worker.killedAfterMs! >= 4_000);
    assert.ok(lines.every((line) => !line.includes("\0")));
  });
});

Deno.test("workers end when the process is killed that has started them", () =>
  withWorkers(FILES, 2, async ({ url, fw }) => {
    const workers = await pids(url, 2);
    fw.kill("SIGKILL");
    await fw.ended;
    await areGone(workers);
    await assert.rejects(fetch(url));
  }));

Deno.test("the log of workers is one of JSON lines where it is JSON, and measurements are those of all", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  const settings = {
    ...CONFIGURATION,
    log: { format: "json" },
    server: { metrics: { port }, host: "127.0.0.1" },
  };
  await withProject({ ...FILES, ".fwrc.json": JSON.stringify(settings) }, async (folder) => {
    const fw = startProcess({ args: ["src/cli/mod.ts", "serve", folder, "--workers", "2"] });
    try {
      const [, url] = await fw.waitFor(/2 workers listening on (http:\/\/[^ ]+)/);
      await pids(url!, 2);
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      for (const number of [1, 2]) {
        assert.match(
          text,
          new RegExp(`^http_server_request_duration_seconds_count\\{worker="${number}",`, "m"),
        );
      }
      assert.equal(text.match(/^# TYPE http_server_request_duration_seconds /gm)?.length, 1);
      assert.equal((await fetch(`http://127.0.0.1:${port}/ready`).then(discarded)).status, 200);
      assert.equal((await fetch(`http://127.0.0.1:${port}/odata/v4/shop/Books`).then(discarded)).status, 404);
      fw.kill("SIGTERM");
      const { code, output } = await fw.ended;
      assert.equal(code, 0, output);
      const lines = output.trim().split("\n").map((line) =>
        JSON.parse(line) as { worker?: number; msg: string }
      );
      assert.deepEqual([...new Set(lines.map(({ worker }) => worker))].sort(), [1, 2, undefined]);
      assert.ok(
        lines.some(({ worker, msg }) => worker === undefined && msg.startsWith("2 workers listening")),
      );
    } finally {
      await fw.close();
    }
  });
});

async function discarded(response: Response): Promise<Response> {
  await response.body?.cancel();
  return response;
}

Deno.test("workers with a database in memory, and a wrong model, end the start with one sentence", async () => {
  const { db: _db, ...requires } = CONFIGURATION.requires;
  for (
    const [file, text, expected] of [
      [
        ".fwrc.json",
        JSON.stringify({ ...CONFIGURATION, requires }),
        /Several workers need a database that they share/,
      ],
      ["srv/shop.cds", "entity db.Books {", /Cannot start: .*shop\.cds/],
    ] as const
  ) {
    await withProject({ ...FILES, [file]: text }, async (folder) => {
      const fw = startCli("serve", folder, "--workers", "3");
      const { code, output } = await fw.ended;
      assert.equal(code, 1, output);
      assert.match(output, expected);
      assert.equal(output.match(/Cannot start/g)?.length, 1, output);
      assert.doesNotMatch(output, /started again/);
    });
  }
});

Deno.test("--workers takes a number of processes", async () => {
  for (const wrong of ["0", "-1", "many", "1.5", "1000"]) {
    const { code, output } = await runCommand("serve", "shop", `--workers=${wrong}`);
    assert.deepEqual([code, output], [
      2,
      `Expected a number from 1 to 256 as --workers, but found "${wrong}" (fw help serve)\n`,
    ]);
  }
});

Deno.test("texts of OpenMetrics become one, whose samples say their worker", () => {
  const one = `# HELP requests Requests
# TYPE requests counter
requests_total{path="/a b{}",n="1"} 5
requests_total{} 1
# TYPE waiting gauge
waiting 2
# EOF
`;
  const other = `# HELP requests Requests
# TYPE requests counter
requests_total{path="/c"} 7 1700000000.5
# TYPE more gauge
more 1
# EOF
`;
  assert.equal(
    mergedMetrics([{ number: 1, text: one }, { number: 2, text: other }]),
    `# HELP requests Requests
# TYPE requests counter
requests_total{worker="1",path="/a b{}",n="1"} 5
requests_total{worker="1"} 1
requests_total{worker="2",path="/c"} 7 1700000000.5
# TYPE waiting gauge
waiting{worker="1"} 2
# TYPE more gauge
more{worker="2"} 1
# EOF
`,
  );
  assert.equal(mergedMetrics([]), "# EOF\n");
});

Deno.test("one port tells the measurements of all workers, and whether one of them is there", async () => {
  const serving = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const worker = Deno.serve(serving, (request) => {
    const { pathname } = new URL(request.url);
    return new Response(pathname === "/metrics" ? "# TYPE up gauge\nup 8\n" : `it is ${pathname}`);
  });
  const metricsPort = worker.addr.port;
  const workers = [[1, {}], [2, { metricsPort }]] as unknown as [number, WorkerProcess][];
  const all = serveWorkerMetrics({ metrics: { port: 0 }, host: "127.0.0.1" }, () => workers)!;
  const none = serveWorkerMetrics({ metrics: { port: 0 }, host: "127.0.0.1" }, () => [workers[0]!])!;
  const ask = async ({ addr }: Deno.HttpServer, path: string) => {
    const response = await fetch(`http://127.0.0.1:${(addr as Deno.NetAddr).port}${path}`);
    return [response.status, await response.text()];
  };
  try {
    const [status, text] = await ask(all, "/metrics");
    assert.equal(status, 200);
    assert.match(String(text), /^up\{worker="2"\} 8$/m);
    assert.deepEqual(await ask(all, "/health"), [200, "it is /health"]);
    assert.deepEqual(await ask(all, "/ready"), [200, "it is /ready"]);
    assert.deepEqual(await ask(all, "/other"), [404, ""]);
    assert.deepEqual(await ask(none, "/health"), [503, ""]);
  } finally {
    for (const one of [all, none, worker]) await one.shutdown();
  }
});
