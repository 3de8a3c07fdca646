import assert from "node:assert/strict";
import { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { transactionOf } from "../../src/service/transactions/transaction.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import { asRequest, createHost, createService, type TestHost } from "./fixture.ts";

/** A service whose action `order` registers hooks that write into a log. */
function loggingService(log: string[], host: TestHost = createHost()): ApplicationService {
  return createService((srv) => {
    srv.on("order", (req) => {
      const { book, veto, fail } = req.data as { book: number; veto?: boolean; fail?: boolean };
      log.push(`on ${book}`);
      req.before("commit", () => {
        log.push(`commit ${book}`);
        if (veto) throw Object.assign(new Error("Vetoed"), { status: 409 });
      });
      req.on("succeeded", () => void log.push(`succeeded ${book}`));
      req.on("failed", () => void log.push(`failed ${book}`));
      req.on("done", () => void log.push(`done ${book}`));
      if (fail) req.reject(400, "Failed");
      return `ordered ${book}`;
    });
  }, host);
}

const order = (service: ApplicationService, data: object) => service.send("order", data);

Deno.test("Requests fire commit, succeeded and done, in this order [2.3.hooks] [6.1.succ] [6.1.done]", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  assert.equal(await order(service, { book: 1 }), "ordered 1");
  assert.deepEqual(log, ["on 1", "commit 1", "succeeded 1", "done 1"]);
});

Deno.test("Requests that fail fire failed and done [6.1.failed] [6.1.done]", async () => {
  const log: string[] = [];
  await assert.rejects(order(loggingService(log), { book: 1, fail: true }), { status: 400 });
  assert.deepEqual(log, ["on 1", "failed 1", "done 1"]);
});

Deno.test("A commit hook vetoes by throwing: the request fails [6.1.commit]", async () => {
  const log: string[] = [];
  await assert.rejects(order(loggingService(log), { book: 1, veto: true }), {
    status: 409,
    message: "Vetoed",
  });
  assert.deepEqual(log, ["on 1", "commit 1", "failed 1", "done 1"]);
});

Deno.test("Service.before('COMMIT') may veto [6.1.COMMIT]", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  service.before("COMMIT", () => {
    log.push("COMMIT");
    throw Object.assign(new Error("Service says no"), { status: 409 });
  });
  service.before("*", (req) => void log.push(`before ${req.event}`));
  await assert.rejects(order(service, { book: 1 }), { status: 409, message: "Service says no" });
  assert.deepEqual(log, ["before order", "on 1", "commit 1", "COMMIT", "failed 1", "done 1"]);
});

Deno.test("Service.before('COMMIT') may veto by recording errors", async () => {
  const service = loggingService([]);
  service.before("COMMIT", (req) => void req.error(409, "Recorded"));
  await assert.rejects(order(service, { book: 1 }), { code: "MULTIPLE_ERRORS" });
});

Deno.test("Hooks run when the whole top-level request is finished [6.1.top]", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  service.on("run", async () => {
    await order(service, { book: 1 });
    log.push("outer goes on");
  });
  service.after("run", () => void log.push("outer after"));
  await service.send("run");
  assert.deepEqual(log, ["on 1", "outer goes on", "outer after", "commit 1", "succeeded 1", "done 1"]);
});

Deno.test("In a change set hooks run once all requests are complete [6.1.cs.a]", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  await asRequest(service, async () => {
    await order(service, { book: 1 });
    await order(service, { book: 2 });
  });
  assert.deepEqual(log, [
    "on 1",
    "on 2",
    "commit 2",
    "commit 1",
    "succeeded 1",
    "succeeded 2",
    "done 1",
    "done 2",
  ]);
});

Deno.test("In a change set all fail if one fails [6.1.cs.b]", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  const run = asRequest(service, async () => {
    await order(service, { book: 1 });
    await order(service, { book: 2, fail: true });
  });
  await assert.rejects(run, { status: 400 });
  assert.deepEqual(log, ["on 1", "on 2", "failed 1", "failed 2", "done 1", "done 2"]);
});

Deno.test("After a veto in a change set the other commit hooks are skipped [6.1.cs.b]", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  const run = asRequest(service, async () => {
    await order(service, { book: 1 });
    await order(service, { book: 2, veto: true });
  });
  await assert.rejects(run, { status: 409 });
  assert.deepEqual(log, ["on 1", "on 2", "commit 2", "failed 1", "failed 2", "done 1", "done 2"]);
});

Deno.test("succeeded and done cannot veto: what they throw is logged, the answer stays [6.1.succ] [6.1.done]", async () => {
  const host = createHost();
  const log: string[] = [];
  const service = createService((srv) => {
    srv.on("order", (req) => {
      req.on("succeeded", () => {
        throw new Error("Too late");
      });
      req.on("done", async () => {
        await Promise.reject(new Error("Also too late"));
      });
      req.on("done", () => void log.push("done"));
      return "ok";
    });
  }, host);
  assert.equal(await service.send("order"), "ok");
  assert.deepEqual(log, ["done"]);
  assert.deepEqual(host.logged.map(([, error]) => (error as Error).message), ["Too late", "Also too late"]);
});

Deno.test("succeeded, failed and done run outside of the transaction [6.1.succ] [6.1.failed]", async () => {
  const open: boolean[] = [];
  const service = createService((srv) => {
    srv.on("order", (req) => {
      req.before("commit", () => void open.push(transactionOf(req) !== undefined));
      req.on("succeeded", () => void open.push(transactionOf(req) !== undefined));
      req.on("done", () => void open.push(transactionOf(req) !== undefined));
      req.on("failed", () => void open.push(transactionOf(req) !== undefined));
      if ((req.data as { fail?: boolean }).fail) throw new Error("Failed");
    });
  });
  await service.send("order", {});
  assert.deepEqual(open.splice(0), [true, false, false]);
  await assert.rejects(service.send("order", { fail: true }));
  assert.deepEqual(open, [false, false]);
});

Deno.test("After a commit hooks get the results of their request, after a failure its error [6.1.succ] [6.1.failed]", async () => {
  const got: unknown[][] = [];
  const service = createService((srv) => {
    srv.on("order", (req) => {
      for (const event of ["succeeded", "failed", "done"] as const) {
        req.on(event, (value) => void got.push([event, value]));
      }
      if ((req.data as { fail?: boolean }).fail) throw new Error("Failed");
      return "ordered";
    });
  });
  await service.send("order", {});
  assert.deepEqual(got.splice(0), [["succeeded", "ordered"], ["done", "ordered"]]);
  await assert.rejects(service.send("order", { fail: true }));
  assert.deepEqual(got.map(([event, error]) => [event, (error as Error).message]), [
    ["failed", "Failed"],
    ["done", "Failed"],
  ]);
});

Deno.test("A hook of the end waits for the one before it, and who sent the request for all of them [6.1.succ] [6.1.done]", async () => {
  const log: string[] = [];
  const service = createService((srv) => {
    srv.on("order", (req) => {
      for (
        const [event, name] of [["done", "last"], ["succeeded", "first"], ["succeeded", "second"]] as const
      ) {
        req.on(event, async () => {
          log.push(`${name} begins`);
          await new Promise((go) => setTimeout(go, 1));
          log.push(`${name} ends`);
        });
      }
    });
  });
  await service.send("order");
  assert.deepEqual(log, ["first", "second", "last"].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

Deno.test("Commit hooks run in reverse order of registration, the others in order", async () => {
  const log: number[] = [];
  const service = createService((srv) => {
    srv.on("order", (req) => {
      for (const number of [1, 2, 3]) {
        req.before("commit", () => void log.push(-number));
        req.on("succeeded", () => void log.push(number));
      }
    });
  });
  await service.send("order");
  assert.deepEqual(log, [-3, -2, -1, 1, 2, 3]);
});

Deno.test("A commit hook may send requests whose hooks run, too", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  service.on("run", (req) => void req.before("commit", () => order(service, { book: 1 })));
  await service.send("run");
  assert.deepEqual(log, ["on 1", "commit 1", "succeeded 1", "done 1"]);
});

Deno.test("Hooks registered before dispatch run, too", async () => {
  const log: string[] = [];
  const service = createService((srv) => srv.on("order", () => "ok"));
  const req = new ServiceRequest({ event: "order" });
  req.before("commit", () => void log.push("commit"));
  req.on("done", () => void log.push("done"));
  await service.dispatch(req);
  assert.deepEqual(log, ["commit", "done"]);
});

Deno.test("Work deferred until after the commit runs before succeeded, never after a rollback", async () => {
  const log: string[] = [];
  const service = loggingService(log);
  service.before("order", (req) => transactionOf(req)!.afterCommit(() => void log.push("deferred")));
  await order(service, { book: 1 });
  await assert.rejects(order(service, { book: 2, veto: true }));
  assert.deepEqual(log, [
    "on 1",
    "commit 1",
    "deferred",
    "succeeded 1",
    "done 1",
    "on 2",
    "commit 2",
    "failed 2",
    "done 2",
  ]);
});

Deno.test("Handlers of an emitted event run inside the transaction of the emitter", async () => {
  let same = false;
  const service = createService((srv) => {
    srv.on("ordered", (msg) => {
      msg.before("commit", () => {
        throw new Error("Vetoed by the receiver");
      });
    });
    srv.on("order", async (req) => {
      const transaction = transactionOf(req);
      srv.on("ordered", (msg) => void (same = transactionOf(msg) === transaction));
      await srv.emit("ordered", {});
    });
  });
  await assert.rejects(service.send("order"), { message: "Vetoed by the receiver" });
  assert.ok(same);
});

Deno.test("Service.on('error') sees a veto before the answer", async () => {
  const service = loggingService([]);
  service.on("error", (error: Error) => void (error.message += "!"));
  await assert.rejects(order(service, { book: 1, veto: true }), { message: "Vetoed!" });
});
