import assert from "node:assert/strict";
import { type ApplicationService, ServiceError, type ServiceRequest } from "../../mod.ts";
import { errorOf, type Library, messagesOf, withLibrary } from "./library.ts";

type Handler = (req: ServiceRequest) => unknown;

/** Calls actions and functions whose handlers are given. */
function answering(
  handlers: Readonly<Record<string, Handler>>,
  test: (library: Library) => Promise<unknown>,
): Promise<void> {
  const register = (srv: ApplicationService) => {
    for (const [name, handler] of Object.entries(handlers)) {
      if (srv.definition!.operations[name] || name === "rent") srv.on(name, handler as never);
    }
  };
  return withLibrary({ catalog: register, rest: register }, test);
}

/** What `run` answers when its handler is the given one. */
async function runWith(handler: Handler, headers?: Record<string, string>) {
  let answer!: Awaited<ReturnType<Library["post"]>>;
  await answering(
    { run: handler },
    async (library) => void (answer = await library.post("run", {}, headers)),
  );
  return answer;
}

const VALUES: readonly (readonly [name: string, value: unknown, path: string])[] = [
  ["text", "some text", "text()"],
  ["text", "", "text()"],
  ["sum", 3, "sum(a=1,b=2)"],
  ["sum", 0, "sum(a=1,b=2)"],
  ["flag", true, "flag()"],
  ["flag", false, "flag()"],
];

for (
  const [how, wrap] of [
    ["req.reply()", (value: unknown) => (req: ServiceRequest) => void req.reply(value)],
    ["a returned value", (value: unknown) => () => value],
  ] as const
) {
  const id = how === "req.reply()" ? "[2.3.reply.a]" : "[2.3.reply.b]";
  Deno.test(`${how} answers text, numbers, Booleans, objects, arrays and null ${id}`, async () => {
    for (const [name, value, path] of VALUES) {
      await answering({ [name]: wrap(value) }, async (library) => {
        const { status, body } = await library.get(path);
        assert.deepEqual({ status, value: body.value }, { status: 200, value }, `${path} ${value}`);
      });
    }
    const point = { x: 1, y: 2 };
    await answering({
      point: wrap(point),
      points: wrap([point, { x: 3, y: 4 }]),
      nothing: wrap(null),
    }, async (library) => {
      const { x, y } = (await library.get("point()")).body;
      assert.deepEqual({ x, y }, point);
      assert.deepEqual((await library.get("points()")).body.value, [point, { x: 3, y: 4 }]);
      const nothing = await library.get("nothing()");
      assert.deepEqual([nothing.status, nothing.text], [204, ""]);
    });
  });
}

Deno.test("req.reply() answers reads: rows, one row, and none [2.3.reply.a] [2.3.results]", () =>
  withLibrary((srv) => {
    srv.on("READ", "Books", (req) => {
      const row = { ID: 7, title: "Replied" };
      req.reply(req.params.length > 0 ? (`${req.params[0]}` === "7" ? row : null) : [row]);
    });
  }, async (library) => {
    const rows = (await library.get("Books?$select=ID,title")).body.value;
    assert.deepEqual(rows, [{ ID: 7, title: "Replied" }]);
    assert.equal((await library.get("Books(7)?$select=ID,title")).body.title, "Replied");
    assert.equal((await library.get("Books(8)")).status, 404);
  }));

Deno.test("req.results holds what reply() was given, is rendered per protocol, and may be changed after [2.3.results]", () => {
  const seen: unknown[] = [];
  const register = (srv: ApplicationService) => {
    srv.on("text", (req) => {
      req.reply("replied");
      seen.push(req.results);
    });
    srv.after("text", (_, req) => {
      seen.push(req.results);
      req.results = "changed";
    });
  };
  return withLibrary({ catalog: register, rest: register }, async (library) => {
    assert.equal((await library.get("text()")).body.value, "changed");
    assert.equal((await library.get("/rest/rest/text()")).text, "changed");
    assert.deepEqual(seen, ["replied", "replied", "replied", "replied"]);
  });
});

Deno.test("A returned value wins over req.reply() [2.3.reply.b]", () =>
  answering({
    text: (req) => {
      req.reply("replied");
      return "returned";
    },
  }, async (library) => assert.equal((await library.get("text()")).body.value, "returned")));

Deno.test("req.reject({…}) throws and is answered with all its members [2.3.reject.a] [2.4.status] [2.4.code] [2.4.message] [2.4.target] [2.4.args]", async () => {
  let after = false;
  const handler: Handler = (req) => {
    req.reject({
      status: 409,
      code: "SOLD_OUT",
      message: "unused",
      target: "book",
      args: ["Heights"],
      "@mine": 1,
      secret: 2,
    });
    after = true;
  };
  const error = errorOf(await runWith(handler), 409);
  assert.deepEqual(error, {
    code: "SOLD_OUT",
    message: "Heights is sold out",
    target: "book",
    "@Common.numericSeverity": 4,
    "@mine": 1,
  });
  assert.equal(after, false);
});

Deno.test("req.reject(status?, message?, target?, args?) takes its arguments by position [2.3.reject.b] [7.2.7]", async () => {
  const cases: readonly (readonly [unknown[], number, Record<string, unknown>])[] = [
    [[409, "SOLD_OUT", "book", ["Heights"]], 409, {
      code: "SOLD_OUT",
      message: "Heights is sold out",
      target: "book",
    }],
    [[409, "SOLD_OUT", ["Heights"]], 409, { code: "SOLD_OUT", message: "Heights is sold out" }],
    [[404, "Not here", "book"], 404, { code: "404", message: "Not here", target: "book" }],
    [[404, "No {0} but {1}", "book", ["a", "b"]], 404, {
      code: "404",
      message: "No a but b",
      target: "book",
    }],
    [[418], 418, { code: "418", message: "I'm a teapot" }],
    [["Some text"], 500, { code: "500", message: "Internal Server Error" }],
  ];
  for (const [given, status, expected] of cases) {
    const answer = await runWith((req) => req.reject(...given as [number]));
    const { "@Common.numericSeverity": _, ...error } = errorOf(answer, status);
    assert.deepEqual(error, expected);
  }
});

Deno.test("req.error() records without throwing; req.errors is undefined before [2.3.error] [2.3.errors]", async () => {
  const seen: unknown[] = [];
  const answer = await runWith((req) => {
    seen.push(req.errors);
    req.error(400, "First", "a");
    seen.push(req.errors!.length);
    req.error({ status: 409, code: "SOLD_OUT", args: ["It"], target: "b" });
    seen.push(Array.isArray(req.errors), req.errors!.length);
    return "never seen";
  });
  assert.deepEqual(seen, [undefined, 1, true, 2]);
  const { code, details } = errorOf(answer, 400);
  assert.equal(code, "MULTIPLE_ERRORS");
  assert.deepEqual(
    (details as Record<string, unknown>[]).map(({ code, message, target }) => [code, message, target]),
    [
      ["400", "First", "a"],
      ["SOLD_OUT", "It is sold out", "b"],
    ],
  );
});

Deno.test("details of an aggregate have message and target of each error, status decides the whole [2.4.details] [2.4.status]", async () => {
  const same = await runWith((req) => {
    req.error({ status: 422, code: "A1", message: "One", target: "x" });
    req.error({ status: 422, code: "A2", message: "Two", target: "y" });
  });
  assert.deepEqual(errorOf(same, 422).details, [
    { code: "A1", message: "One", target: "x", "@Common.numericSeverity": 4 },
    { code: "A2", message: "Two", target: "y", "@Common.numericSeverity": 4 },
  ]);
  const single = errorOf(await runWith((req) => req.error(422, "One", "x")), 422);
  assert.deepEqual([single.code, single.message, single.target], ["MULTIPLE_ERRORS", "One", "x"]);
  assert.equal((single.details as unknown[]).length, 1);
});

Deno.test("notify, info and warn record messages for the header fw-messages [2.3.notify.a] [2.3.messages] [4.1.h.msgs]", async () => {
  const seen: unknown[] = [];
  const answer = await runWith((req) => {
    req.notify("Done");
    req.info(200, "SOLD_OUT", "book", ["Heights"]);
    req.warn({ code: "W1", message: "Careful", target: "stock", secret: 1 });
    seen.push(...req.messages.map((message) => message.numericSeverity));
    return "run";
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(messagesOf(answer), [
    { code: "", message: "Done", numericSeverity: 1 },
    { code: "200", message: "Heights is sold out", numericSeverity: 2, target: "book" },
    { code: "W1", message: "Careful", numericSeverity: 3, target: "stock" },
  ]);
});

Deno.test("Messages carry no stack and are not in the body [2.3.notify.b]", async () => {
  const answer = await runWith((req) => {
    req.warn(new Error("From an error") as never);
    req.info({ message: "Plain", stack: "at x.ts:1:1", cause: new Error("inner") } as never);
    return "run";
  });
  assert.deepEqual(messagesOf(answer).map(({ message }) => message), ["From an error", "Plain"]);
  assert.doesNotMatch(answer.headers.get("fw-messages")!, /stack|\.ts|inner/);
  assert.deepEqual(answer.body, { "@odata.context": "$metadata#Edm.String", value: "run" });
});

Deno.test("Messages with user input cannot break out of the header [2.3.notify.c]", async () => {
  const evil = 'a"\r\nSet-Cookie: x=1\r\n\r\n<b>\u0000\u2028é😀';
  const answer = await runWith((req) => {
    req.info(evil);
    return "run";
  });
  const raw = answer.headers.get("fw-messages")!;
  assert.match(raw, /^[\x20-\x7e]+$/);
  assert.equal(answer.headers.get("set-cookie"), null);
  assert.equal(messagesOf(answer)[0].message, evil);
});

Deno.test("Messages come in the language of the caller, with REST, in batch parts and beside errors [2.3.notify.a] [7.2.3]", async () => {
  const handler: Handler = (req) => {
    req.info("GREETING", ["Ann"]);
    if ((req.data as { n?: number }).n === 1) req.reject(409, "No");
    return "run";
  };
  await answering({ run: handler }, async (library) => {
    const german = { "accept-language": "de" };
    const message = "Hallo Ann";
    assert.equal(messagesOf(await library.post("run", {}, german))[0].message, message);
    assert.equal(messagesOf(await library.post("/rest/rest/run", {}, german))[0].message, message);
    const failed = await library.post("run", { n: 1 }, german);
    assert.deepEqual([failed.status, messagesOf(failed)[0].message], [409, message]);
    const run = { method: "POST", url: "run", body: {} };
    const [first, second] = await library.batch([{ ...run, headers: german }, run]);
    assert.equal(JSON.parse(first.headers["fw-messages"])[0].message, message);
    assert.equal(JSON.parse(second.headers["fw-messages"])[0].message, "Hello Ann");
  });
});

Deno.test("The header of messages has a configurable name [4.1.h.msgs]", async () => {
  const catalog = (srv: ApplicationService) => void srv.on("run", (req) => (req.info("Hi"), "run"));
  const env = { server: { messages_header: "sap-messages" } };
  await withLibrary({ catalog, env }, async (library) => {
    const { headers } = await library.post("run");
    assert.deepEqual([headers.has("sap-messages"), headers.has("fw-messages")], [true, false]);
  });
});

Deno.test("$sanitize: false keeps the message of a 5xx, else nothing of it gets out [2.4.sanitize] [7.2.5]", async () => {
  const open = await runWith((req) =>
    req.reject({ status: 503, message: "Back at 5", $sanitize: false } as never)
  );
  assert.equal(errorOf(open, 503).message, "Back at 5");
  for (const status of [500, 502, 503]) {
    const answer = await runWith((req) =>
      req.reject({ status, code: "SECRET", message: "SELECT * FROM x", target: "t", "@mine": 1 })
    );
    assert.equal(errorOf(answer, status).code, String(status));
    assert.doesNotMatch(answer.text, /SECRET|SELECT|target|mine/);
  }
  const thrown = await runWith(() => {
    throw new TypeError("at /srv/app.ts:1");
  });
  assert.deepEqual(thrown.body, { error: { code: "500", message: "Internal Server Error" } });
});

Deno.test("A thrown ServiceError is answered like req.reject() [7.2.7]", async () => {
  const answer = await runWith(() => {
    throw new ServiceError({ status: 409, code: "SOLD_OUT", args: ["It"] });
  });
  const { code, message } = errorOf(answer, 409);
  assert.deepEqual([code, message], ["SOLD_OUT", "It is sold out"]);
});

Deno.test("Messages of nested requests reach the answer of the outer one, in order [2.3.notify.a] [2.3.messages]", () =>
  withLibrary((srv) => {
    srv.on("run", async (req) => {
      req.info("Outer");
      await srv.send("order", { quantity: 1 });
      await srv.read("Books");
      req.warn("Outer again");
      return "run";
    });
    srv.on("order", (req) => (req.notify("Inner"), "ordered"));
    srv.before("READ", "Books", (req) => void req.info("Read"));
  }, async (library) => {
    const answer = await library.post("run");
    assert.deepEqual(messagesOf(answer).map(({ message, numericSeverity }) => [message, numericSeverity]), [
      ["Outer", 2],
      ["Inner", 1],
      ["Read", 2],
      ["Outer again", 3],
    ]);
    const [part] = await library.batch([{ method: "POST", url: "run", body: {} }]);
    assert.equal(JSON.parse(part.headers["fw-messages"]).length, 4);
  }));
