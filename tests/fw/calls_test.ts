/**
 * Calls of services and of the facade with what nobody would expect, and requests made by hand (api 1, 4, 7).
 *
 * @module
 */

import assert from "node:assert/strict";
import { createRuntime, fw, INSERT, SELECT, type Service } from "../../mod.ts";
import { csnOf, withShop } from "./shop.ts";

const CATALOG = "shop.CatalogService";
const SILENT = { log: { levels: { default: "silent" } } };

function typeError(message: string) {
  return { name: "TypeError", message };
}

Deno.test("requests made of a query have its event, and the service finds their target (api 7)", async () => {
  const seen: unknown[] = [];
  const handlers = {
    [CATALOG]: (srv: Service) => {
      srv.before("*", (req) => void seen.push([req.event, req.method, req.entity, req.path, req.data]));
    },
  };
  await withShop({ handlers }, async ({ services }) => {
    const srv = services[CATALOG];
    const read = new fw.Request({ query: SELECT.one.from("Books", 1).columns("title") });
    assert.equal(read.event, "READ");
    assert.deepEqual(await srv.dispatch(read), { title: "Wuthering Heights" });
    await srv.dispatch(new fw.Request({ query: INSERT.into("Books").entries({ ID: 7, title: "A" }) }));
    await srv.dispatch({ query: INSERT.into("Books").columns("ID", "title").rows([8, "B"]) });
    assert.deepEqual(await srv.dispatch({ query: SELECT.from("Authors[ID=1]:books").columns("ID") }), [{
      ID: 1,
    }]);
    const books = `${CATALOG}.Books`;
    assert.deepEqual(seen, [
      ["READ", "GET", books, books, { ID: 1 }],
      ["CREATE", "POST", books, books, { ID: 7, title: "A" }],
      ["CREATE", "POST", books, books, { ID: 8, title: "B" }],
      ["READ", "GET", books, `${CATALOG}.Authors/books`, {}],
    ]);
  });
  assert.throws(() => new fw.Request({}), typeError("A request needs an event or a query"));
});

Deno.test("data of a request made by hand stays beside its query (api 6)", async () => {
  const seen: unknown[] = [];
  const handlers = {
    [CATALOG]: (srv: Service) => {
      srv.on("CREATE", "Books", (req) => void seen.push(req.data));
    },
  };
  await withShop({ handlers }, async ({ services }) => {
    const query = () => INSERT.into("Books").entries({ ID: 7, title: "A" });
    await services[CATALOG].dispatch(new fw.Request({ query: query(), data: { ID: 7, title: "B" } }));
    await services[CATALOG].dispatch(new fw.Request({ query: query() }));
    assert.deepEqual(seen, [{ ID: 7, title: "B" }, { ID: 7, title: "A" }]);
  });
});

Deno.test("names of events that are none are refused with what is expected (api 4)", () =>
  withShop({}, async ({ services }) => {
    const srv = services[CATALOG];
    for (const service of [srv, fw.queued(srv)]) {
      for (
        const [wrong, found] of [[undefined, "undefined"], [null, "null"], ["", "an empty text"]] as const
      ) {
        const expected = typeError(`The name of an event is expected, but found ${found}`);
        await assert.rejects(async () => await service.emit(wrong as never), expected);
        await assert.rejects(async () => await service.emit({ event: wrong } as never), expected);
        await assert.rejects(async () => await service.send(wrong as never), expected);
      }
    }
    assert.throws(() => srv.schedule(undefined as never), /The name of an event is expected/);
  }));

Deno.test("paths are those of keys and functions, and nothing of them gets lost (api 4)", async () => {
  const handlers = {
    [CATALOG]: (srv: Service) => {
      srv.on("hello", (req) => req.data);
    },
  };
  await withShop({ handlers }, async ({ services }) => {
    const srv = services[CATALOG];
    assert.deepEqual(await srv.get("hello(name='O''Neill, a=b')"), { name: "O'Neill, a=b" });
    assert.deepEqual(await srv.get("hello"), {});
    assert.equal(await srv.delete("Books(1)"), 1);
    for (const path of ["Books/$count", "Books/x", "Books(x)", "hello/1"]) {
      const message = `Service "${CATALOG}" has no resource "${path}"`;
      await assert.rejects(srv.get(path), { status: 404, message });
    }
  });
});

Deno.test("keys in paths may hold commas and quotes", async () => {
  const model = csnOf(`service S { entity E { key a : String; key b : Boolean; c : Integer; } }`);
  const runtime = createRuntime({
    model,
    env: SILENT,
    data: new Map([["S.E", [{ a: "x,'y=", b: true, c: 1 }]]]),
  });
  await runtime.start();
  try {
    assert.deepEqual(await runtime.services.S.get("E(a='x,''y=',b=true)"), { a: "x,'y=", b: true, c: 1 });
  } finally {
    await runtime.close();
  }
});

Deno.test("fw.connect.to() takes the definition of a service (api 5)", () =>
  withShop({}, async ({ services }) => {
    const definition = fw.model.service(CATALOG)!;
    assert.equal(await fw.connect.to(definition as never), services[CATALOG]);
  }));

Deno.test("fw.spawn() takes durations, and refuses what is none (api 1)", () =>
  withShop({}, async () => {
    let runs = 0;
    const job = fw.spawn({ every: "20 ms" }, () => ++runs);
    await new Promise((resolve) => job.on("done", () => runs === 2 && resolve(undefined)));
    job.stop();
    for (const wrong of ["abc", NaN, -1]) {
      const message =
        `A duration like "10 s", "5 min", "1h" or milliseconds is expected, but found "${wrong}"`;
      assert.throws(() => fw.spawn({ every: wrong }, () => {}), typeError(message));
      assert.throws(() => fw.spawn({ after: wrong }, () => {}), typeError(message));
    }
  }));

Deno.test("fw.log(), fw.tx(), fw.parse and fw.compile() say what they expect (api 1)", () =>
  withShop({}, () => {
    assert.throws(
      () => fw.log("x", "verbose" as never),
      typeError('Expected one of trace, debug, info, warn, error, silent as level of a log, found "verbose"'),
    );
    assert.throws(() => fw.log("x", { level: "LOUD" as never }), /found "LOUD"/);
    for (const wrong of [5, null]) assert.throws(() => fw.tx(wrong as never), /is expected by tx\(\)/);
    assert.throws(() => fw.parse.cql(5 as never), typeError("A text is expected, but found number"));
    assert.throws(() => fw.compile(undefined as never), /A model is expected: CDL text, files or CSN/);
  }));

Deno.test("fw.parse reads tagged templates, whose values are literals (api 1)", () => {
  assert.deepEqual(fw.parse.expr`a = ${"x' or 1=1"}`, { xpr: [{ ref: ["a"] }, "=", { val: "x' or 1=1" }] });
  assert.deepEqual(fw.parse.cql`SELECT from Books where ID = ${5}`, {
    SELECT: { from: { ref: ["Books"] }, where: [{ ref: ["ID"] }, "=", { val: 5 }] },
  });
});

Deno.test("fw.entities has local names of the project, whatever the framework calls its own", async () => {
  const model = csnOf(
    "namespace my; entity Messages { key ID : Integer; } service S { entity Mine as projection on Messages; }",
  );
  const runtime = createRuntime({ model, env: SILENT });
  try {
    assert.equal(fw.entities.Messages.name, "my.Messages");
  } finally {
    await runtime.close();
  }
});

Deno.test("privileged users may have members of their own (api 7)", () => {
  const user = new fw.User.Privileged({ id: "job", tenant: "t1", attr: { city: "Rome" } });
  assert.deepEqual([user.id, user.tenant, user.attr.city, user.is("admin"), user.has("x")], [
    "job",
    "t1",
    "Rome",
    true,
    true,
  ]);
  assert.equal(new fw.User.Privileged("me").id, "me");
});

Deno.test("req.reject() takes further members behind the status, as fw.error() does (spec 2.3)", () => {
  const req = new fw.Request({ event: "x" });
  const members = { message: "No more", code: "SOLD_OUT" };
  const expected = { status: 409, ...members };
  assert.throws(() => req.reject(409, members), expected);
  assert.throws(() => fw.error(409, members), expected);
  req.error(409, members);
  assert.deepEqual(req.errors, [expected]);
});

Deno.test("send() takes an entity by name or definition where a path stands, and names the nearest one (api 4)", () =>
  withShop({}, async ({ services }) => {
    const service = services[CATALOG];
    const { Books } = service.entities;
    const titles = async (given: unknown) =>
      (await service.send("READ", given) as { title: string }[]).length;
    assert.deepEqual(
      await Promise.all([
        titles("Books"),
        titles(`${CATALOG}.Books`),
        titles(Books),
        service.tx((tx) => tx.send("GET", Books)).then(
          (rows) => (rows as unknown[]).length,
        ),
      ]),
      [3, 3, 3, 3],
    );
    assert.deepEqual(await service.send("CREATE", Books, { ID: 9, title: "New" } as never), {
      ID: 9,
      title: "New",
    });
    await assert.rejects(() => service.send("READ", "Boks"), {
      status: 404,
      message: `Service "${CATALOG}" has no resource "Boks"; did you mean "Books"?`,
    });
  }));
