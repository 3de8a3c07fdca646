import assert from "node:assert/strict";
import { currentContext } from "../../src/context/store.ts";
import { normalizeError } from "../../src/errors/normalize_error.ts";
import { ServiceError } from "../../src/errors/service_error.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import { ServiceEvent } from "../../src/service/requests/service_event.ts";
import { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { NO_SPAN, type Span, type SpanOptions, type Telemetry } from "../../src/telemetry/telemetry.ts";
import { asRequest, createHost, createService } from "./fixture.ts";

const later = (ms = 2) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("Service runs before, on, after in this order [6.1.phase]", async () => {
  const log: string[] = [];
  const service = createService((srv) => {
    srv.after("order", () => void log.push("after"));
    srv.on("order", () => void log.push("on"));
    srv.before("order", async () => {
      await later();
      log.push("before");
    });
  });
  await service.send("order");
  assert.deepEqual(log, ["before", "on", "after"]);
});

Deno.test("Service runs the handlers of before and after in parallel", async () => {
  for (const phase of ["before", "after"] as const) {
    const log: string[] = [];
    const service = createService((srv) => {
      srv.on("order", () => "done");
      srv[phase as "before"]("order", async () => {
        log.push("first starts");
        await later();
        log.push("first ends");
      });
      srv[phase as "before"]("order", () => void log.push("second"));
    });
    await service.send("order");
    assert.deepEqual(log, ["first starts", "second", "first ends"], phase);
  }
});

Deno.test("Service runs on handlers of a request as a chain of next()", async () => {
  const log: string[] = [];
  const service = createService((srv) => {
    srv.on("order", async (_req, next) => {
      log.push("first");
      return `<${await next()}>`;
    });
    srv.on("order", () => "second");
    srv.on("order", () => void log.push("never"));
  });
  assert.equal(await service.send("order"), "<second>");
  assert.deepEqual(log, ["first"]);
});

Deno.test("Service takes what an on handler returns like reply() does, and prefers it [2.3.reply.b]", async () => {
  const results = async (handler: (req: ServiceRequest) => unknown) =>
    await createService((srv) => srv.on("order", handler)).send("order");
  assert.equal(await results((req) => req.reply("replied")), "replied");
  assert.equal(await results(() => "returned"), "returned");
  assert.equal(await results((req) => (req.reply("replied"), "returned")), "returned");
  assert.equal(await results(() => null), null);
});

Deno.test("Service lets after handlers change results in place", async () => {
  const service = createService((srv) => {
    srv.on("order", () => ({ a: 1 }));
    srv.after("order", (result: { a: number }) => void (result.a = 2));
  });
  assert.deepEqual(await service.send("order"), { a: 2 });
});

Deno.test("Service gives after handlers of READ an array always", async () => {
  for (
    const [result, expected] of [[{ ID: 1 }, [{ ID: 1 }]], [null, []], [[{ ID: 1 }], [{ ID: 1 }]]] as const
  ) {
    let seen: unknown;
    const service = createService((srv) => {
      srv.on("READ", () => result);
      srv.after("READ", (rows) => void (seen = rows));
    });
    assert.deepEqual(await service.read("Books"), result);
    assert.deepEqual(seen, expected);
  }
});

Deno.test("Service sees changes of req.data in later handlers [2.2.data.b]", async () => {
  const service = createService((srv) => {
    srv.before("order", (req) => void ((req.data as { book: number }).book = 2));
    srv.on("order", (req) => req.data);
  });
  assert.deepEqual(await service.send("order", { book: 1 }), { book: 2 });
});

Deno.test("Service rejects with an aggregate after the phase that recorded errors [6.1.agg] [7.2.6]", async () => {
  for (const phase of ["before", "on", "after"] as const) {
    const log: string[] = [];
    const service = createService((srv) => {
      for (const one of ["before", "on", "after"] as const) {
        const handler = (first: ServiceRequest, second?: ServiceRequest) => {
          log.push(one);
          const req = one === "after" ? second! : first;
          if (one !== phase) return;
          req.error(400, "First", "a");
          return req.error(409, "Second", "b");
        };
        srv[one as "on"]("order", handler as never);
      }
      srv[phase as "on"]("order", (() => void log.push("same phase")) as never);
    });
    const error = await service.send("order").then(() => undefined, (error) => normalizeError(error));
    assert.equal(error?.code, "MULTIPLE_ERRORS");
    assert.deepEqual(error?.details?.map(({ message, target }) => [message, target]), [
      ["First", "a"],
      ["Second", "b"],
    ]);
    const ran = {
      before: ["before", "same phase"],
      on: ["before", "on"],
      after: ["before", "on", "after", "same phase"],
    };
    assert.deepEqual(log, ran[phase]);
  }
});

Deno.test("Service rejects with what was thrown rather than with recorded errors, which are logged", async () => {
  const host = createHost();
  const service = createService((srv) => {
    srv.on("order", (req) => {
      req.error(400, "Recorded");
      req.reject(404, "Thrown");
    });
  }, host);
  await assert.rejects(service.send("order"), { status: 404, message: "Thrown" });
  assert.deepEqual(host.logged.at(-1)?.[1], [{ status: 400, message: "Recorded" }]);
});

Deno.test("Service waits for all handlers of a phase before it rejects", async () => {
  let ended = false;
  const service = createService((srv) => {
    srv.before("order", () => {
      throw new Error("At once");
    });
    srv.before("order", async () => {
      await later();
      ended = true;
    });
    srv.on("order", () => "never");
  });
  await assert.rejects(service.send("order"), { message: "At once" });
  assert.ok(ended);
});

Deno.test("Service never takes the value of req.error() as result", async () => {
  const service = createService((srv) => srv.on("order", (req) => req.error(400, "Recorded")));
  await assert.rejects(service.send("order"), { code: "MULTIPLE_ERRORS" });
});

Deno.test("Service answers 501 for a request that nobody handles", async () => {
  await assert.rejects(createService().send("order"), { status: 501 });
});

Deno.test("Service.on('error') sees and changes the error before the answer", async () => {
  const seen: unknown[] = [];
  const service = createService((srv) => {
    srv.on("error", (error: Error, req) => {
      seen.push(req.event);
      error.message = "Changed";
    });
    srv.on("order", (req) => req.reject(400, "Original"));
  });
  await assert.rejects(service.send("order"), { message: "Changed", status: 400 });
  assert.deepEqual(seen, ["order"]);
});

Deno.test("Service.emit() runs all handlers and waits for them", async () => {
  const log: unknown[] = [];
  const service = createService((srv) => {
    srv.on("ordered", async (msg) => {
      await later();
      log.push(["first", msg.event, msg.data, msg.headers]);
    });
    srv.on("ordered", (msg) => void log.push(["second", msg.data]));
  });
  await service.emit("ordered", { book: 1 }, { "x-a": "1" });
  await service.emit({ event: "ShopService.ordered", data: { book: 2 } });
  assert.deepEqual(log, [
    ["second", { book: 1 }],
    ["first", "ordered", { book: 1 }, { "x-a": "1" }],
    ["second", { book: 2 }],
    ["first", "ordered", { book: 2 }, {}],
  ]);
});

Deno.test("Service.emit() without handlers does nothing", async () => {
  assert.equal(await createService().emit("ordered", {}), undefined);
});

Deno.test("an event that errors were recorded for fails, with handlers and without", async () => {
  let handled = 0;
  for (const register of [undefined, (srv: ApplicationService) => void srv.on("ordered", () => handled++)]) {
    const event = new ServiceEvent({ event: "ordered" });
    event.error("Sold out");
    await assert.rejects(createService(register).dispatch(event), /Sold out/);
  }
  assert.equal(handled, 0);
});

Deno.test("Service makes the request the current context of its handlers [2.1.2]", async () => {
  const service = createService((srv) => srv.on("order", (req) => currentContext() === req));
  assert.equal(await service.send("order"), true);
});

Deno.test("Service hands context and http on to requests its handlers send [2.1.http.b]", async () => {
  const service = createService((srv) => {
    srv.on("order", async () => await srv.send("run"));
    srv.on("run", (req) => [req.user.id, req.id === currentContext()?.id]);
  });
  assert.deepEqual(await asRequest(service, () => service.send("order")), ["alice", true]);
});

Deno.test("a request fails with what refuses its row, and with what it failed with where that cannot be asked", async () => {
  const service = createService((srv) => srv.on("order", (req) => req.reject(400, "Wrong")));
  const statusAfter = async (thrown: unknown) => {
    const req = new ServiceRequest({ event: "order" });
    req.refusal = () => {
      if (thrown !== undefined) throw thrown;
    };
    return await Promise.resolve(service.dispatch(req)).then(() => undefined, ({ status }) => status);
  };
  for (const status of [403, 404]) assert.equal(await statusAfter(new ServiceError({ status })), status);
  for (const status of [401, 409, 503]) assert.equal(await statusAfter(new ServiceError({ status })), 400);
  assert.equal(await statusAfter(Object.assign(new Error("x"), { status: 403 })), 400);
  assert.equal(await statusAfter(undefined), 400);
});

Deno.test("no handler runs for a request whose precondition fails, at once or later, whatever is waited for before it", async () => {
  const refuse = () => {
    throw new ServiceError({ status: 412 });
  };
  const refuseLater = async () => {
    await later();
    refuse();
  };
  const cases = [[false, refuse], [false, refuseLater], [true, refuseLater]] as const;
  for (const [waits, precondition] of cases) {
    const log: string[] = [];
    const service = createService((srv) => {
      srv.before("order", () => void log.push("before"));
      srv.on("order", () => "done");
    });
    if (waits) service.prepare = async () => void await later();
    await assert.rejects(
      async () => await service.dispatch(new ServiceRequest({ event: "order", precondition })),
      { status: 412 },
    );
    assert.deepEqual(log, []);
  }
});

Deno.test("phases with handlers are spans where somebody watches, parts of what they belong to; others are none", async () => {
  const spans: unknown[] = [];
  const telemetry = {
    span: (name: string, { attributes, isPart }: SpanOptions, work: (span: Span) => unknown) => {
      spans.push([name, attributes, isPart]);
      return work(NO_SPAN);
    },
  } as Telemetry;
  const phases = ["before", "on", "after"] as const;
  for (const watched of [["on"], ["before", "on"], ["on", "after"], phases]) {
    const log: string[] = [];
    const service = createService((srv) => {
      for (const phase of phases) {
        if (watched.includes(phase)) srv[phase as "on"]("order", () => void log.push(phase));
      }
    }, { ...createHost(), telemetry });
    await service.send("order");
    assert.deepEqual(log, watched);
    const attributes = { "fw.service": "ShopService", "fw.event": "order" };
    assert.deepEqual(spans.splice(0), watched.map((phase) => [`${phase} order`, attributes, true]));
  }
});
