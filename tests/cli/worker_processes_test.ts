/** Several workers as seen by the process that starts them: scripts of a shell stand for them. */

import assert from "node:assert/strict";
import { reportToStarter, WorkerProcess } from "../../src/cli/worker_process.ts";
import { serveByWorkers } from "../../src/cli/worker_processes.ts";
import { withProject } from "../deno/project.ts";
import { type Shown, unlessFailed, withShell } from "./shell_processes.ts";

/** What each script begins with: its folder, port and share. */
const ARGUMENTS = `shift $(($# - 5)); folder=$1; port=$3; share=$5; cd "$folder";`;
/** Says where it listens, and ends with its input. */
const SERVES = `${ARGUMENTS} echo "$share at $port"; printf '\\0listening {"port":4711}\\n'; cat; echo over;`;

interface Served extends Shown {
  readonly folder: string;
  readonly code: Promise<number>;
}

interface Given {
  readonly settings?: object;
  readonly count?: number;
  readonly port?: number;
}

/** Serves a project by workers. */
async function serving(
  script: string,
  { settings = {}, count = 2, port }: Given,
  use: (served: Served) => Promise<void>,
): Promise<void> {
  await withProject(
    { ".fwrc.json": JSON.stringify(settings) },
    (folder) =>
      withShell(script, async (shown) => {
        const code = serveByWorkers({ folder, count, port });
        await use({ ...shown, folder, code, waitFor: unlessFailed(shown.waitFor, code) });
      }),
  );
}

Deno.test("workers start one after the first, at the port it found, and end when they are told to", () =>
  serving(
    SERVES,
    { count: 3, port: 0 },
    async ({ waitFor, output, signal, code, started, listening, delays, folder }) => {
      await waitFor(/3 workers listening on http:\/\/localhost:4711 \(started in \d+ ms\)\n/);
      assert.match(
        output(),
        /^\[1\] begin at 0\n(\[2\] join at 4711\n\[3\] join at 4711\n|\[3\] join at 4711\n\[2\] join at 4711\n)\n3 workers/,
      );
      const [args] = started;
      assert.deepEqual(args.slice(0, 4), ["run", "-A", "--quiet", "--unstable-net"]);
      assert.deepEqual(args.slice(-6), ["serve", folder, "--port", "0", "--worker", "begin"]);
      assert.match(args.at(-7)!, /\/src\/cli\/mod\.ts$/);
      assert.deepEqual([started.length, listening()], [3, ["SIGINT", "SIGTERM"]]);
      signal("SIGINT");
      signal("SIGTERM");
      assert.equal(await code, 0);
      const told = output().split("\n").filter((line) => /^\[(server|\d)\]/.test(line)).slice(3);
      assert.deepEqual([told[0], told.slice(1, 4).sort(), told[4]], [
        "[server] - SIGINT: requests under way are answered, new ones refused",
        ["[1] over", "[2] over", "[3] over"],
        "[server] - stopped",
      ]);
      assert.deepEqual(listening(), []);
      assert.equal(delays.filter((ms) => ms === 12_000).length, 3, "ten seconds to answer, and two to end");
      assert.equal(started.length, 3, "none is started again");
    },
  ));

Deno.test("workers have as long to end as the configuration says, and the worst exit code counts", () => {
  const settings = { server: { port: 4713, drainMs: 40, shutdownMs: 5 } };
  const script = `${SERVES} [ $share = join ] && exit 4; exit 2`;
  return serving(script, { settings }, async ({ waitFor, signal, code, delays, started }) => {
    await waitFor(/2 workers/);
    assert.deepEqual(started.map((args) => args.at(-3)), ["4713", "4711"]);
    signal("SIGTERM");
    assert.equal(await code, 4);
    assert.equal(delays.filter((ms) => ms === 2_045).length, 2);
  });
});

Deno.test("where the first worker cannot start there are no others, and the exit code is that of a failure", async () => {
  for (const [exit, expected] of [[7, 7], [0, 1]]) {
    await serving(
      `echo so; echo no >&2; exit ${exit}`,
      {},
      async ({ code, output, errors, started, listening }) => {
        assert.equal(await code, expected);
        assert.deepEqual([errors(), started.length, listening()], ["[1] no\n", 1, []]);
        assert.match(output(), /^\[1\] so$/m);
      },
    );
  }
});

Deno.test("a worker that ends is started again, later each time, until it has run for a while", () => {
  const script = `${ARGUMENTS} [ $share = join ] && { echo x >> ends; n=$(wc -l < ends); ` +
    `[ $n = 1 ] && exit 3; [ $n = 2 ] && kill -9 $$; }; printf '\\0listening {"port":1}\\n'; cat`;
  return serving(script, {}, async ({ waitFor, output, signal, code, started }) => {
    await waitFor(/Worker 2 \(process \d+\) listens again/);
    const lines = output().split("\n").filter((line) => line.startsWith("[server]"));
    assert.deepEqual(lines.map((line) => line.replace(/process \d+/, "process")), [
      "[server] - ERROR Worker 2 (process) has ended with code 3, and is started again in 100 ms",
      "[server] - ERROR Worker 2 (process) has ended by SIGKILL, and is started again in 200 ms",
      "[server] - Worker 2 (process) listens again",
    ]);
    assert.equal(started.length, 4);
    signal("SIGTERM");
    assert.equal(await code, 0);
  });
});

Deno.test("a worker that waits to be started again is not, once all are told to end", () => {
  const script = `${ARGUMENTS} printf '\\0listening {"port":1}\\n'; [ $share = join ] && exit 5; cat`;
  return serving(script, {}, async ({ waitFor, signal, code, started, output }) => {
    await waitFor(/started again in 100 ms/);
    signal("SIGTERM");
    assert.equal(await code, 5);
    assert.equal(started.length, 2);
    assert.doesNotMatch(output(), /listens again/);
  });
});

Deno.test("workers that are started while all are told to end are told so, too", () => {
  const script = `${ARGUMENTS} echo "$share"; [ $share = begin ] && cat; ` +
    `printf '\\0listening {"port":1}\\n'; timeout 5 cat || exit 9; echo over`;
  return serving(script, {}, async ({ waitFor, signal, code, output, started }) => {
    await waitFor(/\[1\] begin/);
    signal("SIGTERM");
    assert.equal(await code, 0);
    assert.equal(started.length, 2);
    assert.match(output(), /\[2\] over\n/);
    assert.doesNotMatch(output(), /workers? listening/);
  });
});

Deno.test("a log of JSON lines holds nothing else, and says of each line whose it is", () => {
  const script = `${ARGUMENTS} echo '{"msg":"a"}'; echo plain; printf '\\0listening {"port":1}\\n'; cat`;
  return serving(
    script,
    { settings: { log: { format: "json" } }, count: 1 },
    async ({ waitFor, output, signal, code }) => {
      await waitFor(/1 worker listening/);
      signal("SIGTERM");
      assert.equal(await code, 0);
      const lines = output().trim().split("\n");
      assert.deepEqual(lines.slice(0, 2), ['{"worker":1,"msg":"a"}', "[1] plain"]);
      assert.deepEqual(lines.slice(2).map((line) => JSON.parse(line).msg.replace(/\d+ ms/, "n ms")), [
        "1 worker listening on http://localhost:1 (started in n ms)",
        "SIGTERM: requests under way are answered, new ones refused",
        "stopped",
      ]);
    },
  );
});

Deno.test("measurements of workers stand at one port as long as they run", async () => {
  const headers = { "content-type": "application/openmetrics-text" };
  const worker = Deno.serve(
    { port: 0, onListen: () => {} },
    () => new Response("# TYPE a counter\na 1\n# EOF\n", { headers }),
  );
  const free = Deno.listen({ port: 0 });
  const { port } = free.addr;
  free.close();
  const script = `${ARGUMENTS} printf '\\0listening {"port":1,"metricsPort":${worker.addr.port}}\\n'; cat`;
  const settings = { server: { host: "127.0.0.1", metrics: { port } } };
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text(), response.headers.get("content-type")];
  };
  await serving(script, { settings }, async ({ waitFor, signal, code }) => {
    await waitFor(/2 workers/);
    assert.deepEqual(await ask("/metrics"), [
      200,
      '# TYPE a counter\na{worker="1"} 1\na{worker="2"} 1\n# EOF\n',
      headers["content-type"],
    ]);
    assert.deepEqual([(await ask("/ready"))[0], (await ask("/other"))[0]], [200, 404]);
    signal("SIGTERM");
    await code;
    await assert.rejects(ask("/metrics"), TypeError);
  });
  await serving("exit 1", { settings }, async ({ code }) => {
    assert.equal(await code, 1);
    await assert.rejects(ask("/metrics"), TypeError);
  });
  await worker.shutdown();
});

/** What a worker that is a script writes, by whether it is an error. */
async function linesOf(script: string, silenceMs = 60_000, use?: (worker: WorkerProcess) => void) {
  const lines: string[] = [];
  let ended: Deno.CommandStatus | undefined;
  let worker: WorkerProcess | undefined;
  await withProject({}, (folder) =>
    withShell(script, async () => {
      worker = new WorkerProcess({ folder, port: 1, share: "join", silenceMs }, (line, isError) => {
        lines.push(isError ? `! ${line}` : line);
      });
      use?.(worker);
      ended = await worker.status;
    }));
  return { lines, ended: ended!, worker: worker! };
}

Deno.test("lines of a worker are handed on but for those that say how it is", async () => {
  const { lines, ended, worker } = await linesOf(
    `printf 'a\\nb'; printf '\\0listening {"port":7,"metricsPort":8}\\n'; printf '\\0alive\\nc\\0alive\\nd'; exit 3`,
  );
  assert.deepEqual(lines, ["a", "b", "c", "d"]);
  assert.deepEqual(await worker.listening, { port: 7, metricsPort: 8 });
  assert.deepEqual([ended.code, worker.metricsPort, worker.killedAfterMs], [3, 8, undefined]);
  assert.ok(worker.pid > 1);
  const silent = await linesOf("echo oops >&2; printf 'and more' >&2");
  assert.deepEqual([silent.lines, await silent.worker.listening, silent.worker.metricsPort], [
    ...[["! oops", "! and more"], undefined, undefined],
  ]);
});

Deno.test("a line of a worker that does not end comes in pieces of a megabyte", async () => {
  const { lines } = await linesOf("head -c 1500000 /dev/zero | tr '\\0' x");
  assert.equal(lines.join("").length, 1_500_000);
  assert.ok(lines.length >= 2 && lines[0].length > 1024 * 1024, `${lines.map(({ length }) => length)}`);
  assert.deepEqual(
    (await linesOf("head -c 1048000 /dev/zero | tr '\\0' x; echo; echo y")).lines.map(({ length }) => length),
    [
      ...[1_048_000, 1],
    ],
  );
});

Deno.test("a worker that does not end in time is killed, and one that ends is not waited for", async () => {
  const stuck = await linesOf("exec sleep 60", 60_000, (worker) => worker.end(20));
  assert.deepEqual([stuck.ended.signal, stuck.worker.killedAfterMs], ["SIGKILL", undefined]);
  const { ended } = await linesOf("cat; exit 4", 60_000, (worker) => worker.end(60_000));
  assert.deepEqual([ended.code, ended.signal], [4, null]);
});

Deno.test("a worker that is silent for too long is killed, and one that was asleep together with us is not", async () => {
  const { setInterval: repeat } = globalThis;
  Object.assign(globalThis, { setInterval: (work: () => void, ms: number) => repeat(work, ms / 100) });
  try {
    const silent = await linesOf(`printf '\\0listening {"port":1}\\n'; exec sleep 60`, 30);
    assert.equal(silent.ended.signal, "SIGKILL");
    assert.ok(silent.worker.killedAfterMs! >= 30 && silent.worker.killedAfterMs! < 10_000);
    const lively = await linesOf(
      `printf '\\0listening {"port":1}\\n'; for i in 1 2 3 4 5 6; do sleep 0.05; printf '\\0alive\\n'; done; exit 6`,
      2_000,
    );
    assert.deepEqual([lively.ended.code, lively.worker.killedAfterMs], [6, undefined]);
  } finally {
    Object.assign(globalThis, { setInterval: repeat });
  }
});

Deno.test("a worker tells where it listens, and each second that it is alive", () =>
  withShell("", ({ output }) => {
    const { setInterval: repeat } = globalThis;
    const timers: [() => void, number][] = [];
    const { unrefTimer } = Deno;
    const freed: unknown[] = [];
    Object.assign(globalThis, { setInterval: (work: () => void, ms: number) => timers.push([work, ms]) });
    Object.assign(Deno, { unrefTimer: (id: number) => freed.push(id) });
    try {
      reportToStarter({ port: 1, metricsPort: 2 });
      assert.equal(output(), '\0listening {"port":1,"metricsPort":2}\n');
      timers[0][0]();
      assert.match(output(), /\}\n\0alive\n$/);
      assert.deepEqual([timers[0][1], freed], [1_000, [1]]);
    } finally {
      Object.assign(globalThis, { setInterval: repeat });
      Object.assign(Deno, { unrefTimer });
    }
    return Promise.resolve();
  }));

Deno.test("the port of measurements is free again before the exit code is known", async () => {
  const settings = { server: { metrics: { port: 4714 } } };
  for (const [script, isStarted] of [["exit 3", false], [SERVES, true]] as const) {
    const { serve } = Deno;
    let isFree = false;
    const shutdown = async () => {
      await new Promise((resolve) => setTimeout(resolve));
      isFree = true;
    };
    Object.assign(Deno, { serve: () => ({ shutdown }) });
    try {
      await serving(script, { settings, count: 1 }, async ({ code, waitFor, signal }) => {
        if (isStarted) {
          await waitFor(/1 worker listening/);
          signal("SIGTERM");
        }
        assert.equal(await code, isStarted ? 0 : 3);
        assert.ok(isFree);
      });
    } finally {
      Object.assign(Deno, { serve });
    }
  }
});
