import assert from "node:assert/strict";
import { type ApplicationService, fw, INSERT, type Row, SELECT, type ServiceRequest } from "../../mod.ts";
import { transactionOf } from "../../src/service/transactions/transaction.ts";
import { type BatchItem, errorOf, type Library, withLibrary } from "./library.ts";

/** Registers the four hooks on every CREATE of a book; each writes its name and the key into a log. */
function logging(log: string[], more?: (srv: ApplicationService) => void) {
  return (srv: ApplicationService) => {
    srv.before("CREATE", "Books", (req) => {
      const { ID, title } = req.data as { ID: number; title: string };
      log.push(`before ${ID}`);
      req.before("commit", () => {
        log.push(`commit ${ID}`);
        if (title === "veto") req.reject(409, "Vetoed");
      });
      req.on("succeeded", () => void log.push(`succeeded ${ID}`));
      req.on("failed", () => void log.push(`failed ${ID}`));
      req.on("done", () => void log.push(`done ${ID}`));
    });
    srv.on("CREATE", "Books", (req, next) => {
      const { ID, title } = req.data as { ID: number; title: string };
      log.push(`on ${ID}`);
      if (title === "fail") req.reject(400, "Failed");
      return next();
    });
    srv.after("CREATE", "Books", (_, req) => void log.push(`after ${(req.data as Row).ID}`));
    more?.(srv);
  };
}

const create = (ID: number, title = "T"): BatchItem => ({
  method: "POST",
  url: "Books",
  body: { ID, title },
});
const grouped = (item: BatchItem, group = "g"): BatchItem => ({ ...item, atomicityGroup: group });
const FIRST = ["Heights", "The Raven"];

Deno.test("Phases and lifecycle events have one order: before, on, after, commit, succeeded, done [3.1] [6.1.phase] [6.1.succ] [6.1.done] [2.3.hooks]", () => {
  const log: string[] = [];
  return withLibrary(logging(log), async (library) => {
    assert.equal((await library.post("Books", { ID: 1, title: "T" })).status, 201);
    assert.deepEqual(log, ["before 1", "on 1", "after 1", "commit 1", "succeeded 1", "done 1"]);
    assert.deepEqual(await library.stored(), ["T", ...FIRST]);
  });
});

Deno.test("A request that fails is rolled back, then failed and done run [6.1.failed] [6.1.done] [3.1]", () => {
  const log: string[] = [];
  return withLibrary(logging(log), async (library) => {
    assert.equal(errorOf(await library.post("Books", { ID: 1, title: "fail" }), 400).message, "Failed");
    assert.deepEqual(log, ["before 1", "on 1", "failed 1", "done 1"]);
    assert.deepEqual(await library.stored(), FIRST);
  });
});

Deno.test("A commit hook vetoes after all phases: the answer is its error, nothing is stored [6.1.commit]", () => {
  const log: string[] = [];
  return withLibrary(logging(log), async (library) => {
    assert.equal(errorOf(await library.post("Books", { ID: 1, title: "veto" }), 409).message, "Vetoed");
    assert.deepEqual(log, ["before 1", "on 1", "after 1", "commit 1", "failed 1", "done 1"]);
    assert.deepEqual(await library.stored(), FIRST);
  });
});

Deno.test("A commit hook runs inside the transaction: what it writes is committed, or undone by a veto [6.1.commit]", () =>
  withLibrary((srv) => {
    srv.before("CREATE", "Books", (req) => {
      const { ID, title } = req.data as { ID: number; title: string };
      req.before("commit", async () => {
        await INSERT.into("library.Books").entries({ ID: ID + 1000, title: `${title} 2` });
        if (title === "veto") throw new Error("veto");
      });
    });
  }, async (library) => {
    await library.post("Books", { ID: 1, title: "veto" });
    assert.deepEqual(await library.stored(), FIRST);
    await library.post("Books", { ID: 1, title: "T" });
    assert.deepEqual(await library.stored(), ["T", ...FIRST, "T 2"]);
  }));

Deno.test("srv.before('COMMIT') may veto, by throwing and by recorded errors [6.1.COMMIT]", async () => {
  for (const how of ["throw", "record"]) {
    const log: string[] = [];
    const veto = (srv: ApplicationService) => {
      srv.before("COMMIT", (req) => {
        log.push("COMMIT");
        if (how === "throw") req.reject(409, "Never");
        req.error(409, "Never");
      });
    };
    await withLibrary(logging(log, veto), async (library) => {
      assert.equal(errorOf(await library.post("Books", { ID: 1, title: "T" }), 409).message, "Never");
      assert.deepEqual(log, ["before 1", "on 1", "after 1", "commit 1", "COMMIT", "failed 1", "done 1"]);
      assert.deepEqual(await library.stored(), FIRST);
    });
  }
});

Deno.test("succeeded and done run outside the transaction, after the commit, and can work in one of their own [6.1.succ] [6.1.done]", () => {
  const seen: unknown[] = [];
  return withLibrary((srv) => {
    srv.before("CREATE", "Books", (req) => {
      const own = transactionOf(req);
      assert.ok(own);
      const count = async () => {
        const rows = await SELECT.from("library.Books") as Row[];
        seen.push([rows.length, transactionOf(fw.context) === undefined, own.isOpen]);
      };
      req.on("succeeded", count);
      req.on("succeeded", async () => {
        await fw.tx(async () => {
          await INSERT.into("library.Books").entries({ ID: 2, title: "Later" });
        });
      });
      req.on("done", count);
    });
  }, async (library) => {
    assert.equal((await library.post("Books", { ID: 1, title: "T" })).status, 201);
    assert.deepEqual(seen, [[3, true, false], [4, true, false]]);
    assert.deepEqual(await library.stored(), ["T", "Later", ...FIRST]);
  });
});

Deno.test("failed runs outside the transaction, after the rollback, and can work in one of its own [6.1.failed]", () => {
  const seen: unknown[] = [];
  return withLibrary((srv) => {
    srv.on("CREATE", "Books", async (req, next) => {
      await next();
      req.on("failed", async (error) => {
        seen.push((error as Error).message, ((await SELECT.from("library.Books")) as Row[]).length);
        await fw.tx(() => INSERT.into("library.Books").entries({ ID: 2, title: "Log" }));
      });
      req.reject(409, "No");
    });
  }, async (library) => {
    assert.equal((await library.post("Books", { ID: 1, title: "T" })).status, 409);
    assert.deepEqual(seen, ["No", 2]);
    assert.deepEqual(await library.stored(), ["Log", ...FIRST]);
  });
});

Deno.test("Handlers of succeeded, failed and done cannot veto: they are logged, the answer stays [6.1.succ] [6.1.failed] [6.1.done]", async () => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(line);
  try {
    await withLibrary({
      env: { log: { levels: { default: "error" } } },
      catalog: (srv) => {
        srv.before("CREATE", "Books", (req) => {
          const fail = (what: string) => () => {
            throw Object.assign(new Error(`${what} fails`), { status: 409 });
          };
          req.on("succeeded", fail("first succeeded"));
          req.on("succeeded", fail("second succeeded"));
          req.on("failed", fail("failed"));
          req.on("done", fail("done"));
          if ((req.data as Row).title === "fail") req.reject(400, "Failed");
        });
      },
    }, async (library) => {
      assert.equal((await library.post("Books", { ID: 1, title: "T" })).status, 201);
      assert.equal(errorOf(await library.post("Books", { ID: 2, title: "fail" }), 400).message, "Failed");
      assert.deepEqual(await library.stored(), ["T", ...FIRST]);
    });
  } finally {
    console.error = error;
  }
  const messages = lines.map((line) => /(?:first |second )?(?:succeeded|failed|done) fails/.exec(line)?.[0]);
  assert.deepEqual(messages, [
    "first succeeded fails",
    "second succeeded fails",
    "done fails",
    "failed fails",
    "done fails",
  ]);
});

Deno.test("done comes after all others, also those registered late [6.1.done]", () => {
  const log: string[] = [];
  return withLibrary((srv) => {
    srv.on("run", (req) => {
      req.on("done", () => void log.push("done 1"));
      req.on("succeeded", () => void log.push("succeeded 1"));
      req.before("commit", () => {
        req.on("succeeded", () => void log.push("succeeded 2"));
        req.before("commit", () => void log.push("commit 2"));
      });
      return "run";
    });
  }, async (library) => {
    await library.post("run");
    assert.deepEqual(log, ["commit 2", "succeeded 1", "succeeded 2", "done 1"]);
  });
});

Deno.test("Hooks of nested requests run once the top-level request is finished [6.1.top]", () => {
  const log: string[] = [];
  return withLibrary(
    logging(log, (srv) => {
      srv.on("run", async () => {
        await srv.create("Books", { ID: 1, title: "T" });
        await srv.create("Books", { ID: 2, title: "U" });
        log.push("outer goes on");
        return "run";
      });
      srv.after("run", () => void log.push("outer after"));
    }),
    async (library) => {
      await library.post("run");
      assert.deepEqual(log, [
        ...["before 1", "on 1", "after 1", "before 2", "on 2", "after 2", "outer goes on", "outer after"],
        ...["commit 2", "commit 1", "succeeded 1", "succeeded 2", "done 1", "done 2"],
      ]);
      assert.deepEqual(await library.stored(), ["T", "U", ...FIRST]);
    },
  );
});

Deno.test("A nested request that fails undoes the top-level request unless it is caught [6.1.top]", () => {
  const log: string[] = [];
  return withLibrary(
    logging(log, (srv) => {
      srv.on("run", async (req) => {
        await srv.create("Books", { ID: 1, title: "T" });
        const second = srv.create("Books", { ID: 2, title: "fail" });
        if ((req.data as Row).n === 1) await second;
        else await second.then(undefined, () => {});
        return "run";
      });
    }),
    async (library) => {
      errorOf(await library.post("run", { n: 1 }), 400);
      assert.deepEqual(log.slice(-4), ["failed 1", "failed 2", "done 1", "done 2"]);
      assert.deepEqual(await library.stored(), FIRST);
      assert.equal((await library.post("run", { n: 2 })).status, 200);
      assert.deepEqual(await library.stored(), ["T", ...FIRST]);
    },
  );
});

Deno.test("In a change set hooks run per request once the whole set is complete [6.1.cs.a]", () => {
  const log: string[] = [];
  return withLibrary(logging(log), async (library) => {
    const answers = await library.batch([grouped(create(1)), grouped(create(2)), create(3)]);
    assert.deepEqual(answers.map(({ status }) => status), [201, 201, 201]);
    assert.deepEqual(log, [
      ...["before 1", "on 1", "after 1", "before 2", "on 2", "after 2"],
      ...["commit 2", "commit 1", "succeeded 1", "succeeded 2", "done 1", "done 2"],
      ...["before 3", "on 3", "after 3", "commit 3", "succeeded 3", "done 3"],
    ]);
  });
});

Deno.test("If one request of a change set fails, all fail and nothing is stored [6.1.cs.b]", () => {
  const log: string[] = [];
  return withLibrary(logging(log), async (library) => {
    const answers = await library.batch([
      grouped(create(1)),
      grouped(create(2, "fail")),
      grouped(create(3)),
      create(4),
    ]);
    assert.deepEqual(answers.map(({ status }) => status), [424, 400, 424, 201]);
    assert.deepEqual(log.slice(0, 9), [
      ...["before 1", "on 1", "after 1", "before 2", "on 2"],
      ...["failed 1", "failed 2", "done 1", "done 2"],
    ]);
    assert.deepEqual(await library.stored(), ["T", ...FIRST]);
  });
});

Deno.test("A veto at the commit of a change set fails all of it, with the error for each [6.1.cs.b] [6.1.commit]", () => {
  const log: string[] = [];
  return withLibrary(logging(log), async (library) => {
    const answers = await library.batch([grouped(create(1)), grouped(create(2, "veto")), grouped(create(3))]);
    assert.deepEqual(answers.map((answer) => errorOf(answer, 409).message), Array(3).fill("Vetoed"));
    assert.deepEqual(log.slice(9), [
      "commit 3",
      "commit 2",
      ...[1, 2, 3].map((n) => `failed ${n}`),
      ...[1, 2, 3].map((n) => `done ${n}`),
    ]);
    assert.deepEqual(await library.stored(), FIRST);
  });
});

Deno.test("Handlers are registered for CREATE, READ, UPDATE, DELETE, operations and events [6.2.1]", () => {
  const seen: string[] = [];
  return withLibrary((srv) => {
    for (const event of ["CREATE", "READ", "UPDATE", "DELETE"]) {
      srv.on(event, "Books", (req, next) => (seen.push(req.event), next()));
    }
    srv.on("order", async (req) => {
      seen.push(req.event);
      await srv.emit("Ordered", { book: 1 });
      await srv.emit("undeclared", {});
      return "ordered";
    });
    srv.on("rent", "Books", (req) => (seen.push(req.event), "rented"));
    srv.on("sum", (req) => (seen.push(req.event), 1));
    srv.on("Ordered", (event) => void seen.push(event.event));
    srv.on("undeclared", (event) => void seen.push(event.event));
  }, async (library) => {
    const headers = { prefer: "return=minimal" };
    await library.post("Books", { ID: 1, title: "T" }, headers);
    await library.send("PATCH", "Books(1)", { body: { title: "U" }, headers });
    await library.get("Books(1)");
    await library.send("DELETE", "Books(1)");
    await library.post("order", { quantity: 1 });
    await library.post("Books(201)/library.CatalogService.rent", { days: 1 });
    await library.get("sum(a=1,b=2)");
    assert.deepEqual(seen.filter((name, at) => name !== seen[at - 1]), [
      ...["CREATE", "UPDATE", "READ", "DELETE", "order", "Ordered", "undeclared", "rent", "sum"],
    ]);
  });
});

Deno.test("before runs in parallel, on as a chain, after in parallel [6.1.phase]", () => {
  const log: string[] = [];
  const slow = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 2));
    log.push(`${name} ends`);
  };
  return withLibrary((srv) => {
    srv.before("run", slow("before 1"));
    srv.before("run", slow("before 2"));
    srv.on("run", async (_, next) => {
      log.push("on 1");
      const result = await next();
      log.push("on 1 again");
      return `${result}!`;
    });
    srv.on("run", () => (log.push("on 2"), "run"));
    srv.after("run", slow("after 1"));
    srv.after("run", slow("after 2"));
  }, async (library) => {
    assert.equal((await library.post("run")).body.value, "run!");
    assert.deepEqual(log, [
      ...["before 1 begins", "before 2 begins", "before 1 ends", "before 2 ends"],
      ...["on 1", "on 2", "on 1 again"],
      ...["after 1 begins", "after 2 begins", "after 1 ends", "after 2 ends"],
    ]);
  });
});

Deno.test("Recorded errors end each phase; nothing is stored [6.1.agg]", async () => {
  for (const phase of ["before", "on", "after"]) {
    const log: string[] = [];
    const record = (name: string) => (req: ServiceRequest) => {
      log.push(name);
      if (name === phase) req.error(409, `In ${name}`);
    };
    await withLibrary((srv) => {
      srv.before("CREATE", "Books", record("before"));
      srv.on("CREATE", "Books", async (req, next) => {
        const row = await next();
        record("on")(req);
        return row;
      });
      srv.after("CREATE", "Books", (_, req) => record("after")(req));
    }, async (library: Library) => {
      const { code, message } = errorOf(await library.post("Books", { ID: 1, title: "T" }), 409);
      assert.deepEqual([code, message], ["MULTIPLE_ERRORS", `In ${phase}`]);
      assert.deepEqual(log, ["before", "on", "after"].slice(0, log.indexOf(phase) + 1));
      assert.deepEqual(await library.stored(), FIRST);
    });
  }
});
