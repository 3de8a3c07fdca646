import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Runtime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/mod.ts";

const MODEL = parseCdl(`
  service S @(protocol: ['odata-v4', 'rest']) {
    @cds.persistence.skip entity Things {
      key ID : Integer; name : String; calc : Integer; parts : Composition of many Parts on parts.thing = $self;
    }
    @cds.persistence.skip entity Parts { key ID : Integer; name : String; thing : Association to Things; }
    @cds.persistence.skip @odata.singleton entity Me { key ID : Integer; name : String; }
    @cds.persistence.skip entity Tagged { key ID : Integer; name : String; @odata.etag version : Integer; }
    entity Rows { key ID : Integer; name : String; stock : Integer default 7; virtual calc : Integer; size { width : Integer; } }
    @restrict: [{ grant: 'CREATE' , to: 'any' }] @cds.persistence.skip entity Drop { key ID : Integer; name : String; }
  }`);

type Handlers = (srv: ApplicationService) => void;
type Data = Record<string, unknown>;

const KINDS = ["memory", "sqlite"] as const;

async function withService(
  register: Handlers,
  run: (send: Send) => Promise<void>,
  kind: typeof KINDS[number] | undefined = undefined,
) {
  const runtime = createRuntime({
    model: MODEL,
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
    handlers: { S: (srv) => register(srv as ApplicationService) },
    data: new Map(kind ? [["S.Rows", [{ ID: 1, name: "one", stock: 1 }]]] : []),
    env: {
      requires: { auth: { kind: "mocked" }, db: kind === undefined ? false : { kind } },
      log: { levels: { default: "silent" } },
    },
  });
  try {
    await run(sender(runtime));
  } finally {
    await runtime.close();
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly etag: string | null;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}
type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

function sender(runtime: Runtime): Send {
  return async (method, path, body, headers = {}) => {
    const root = path.startsWith("/") ? "" : "/odata/v4/s/";
    const response = await runtime.fetch(
      new Request(`http://localhost${root}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    const parsed = text === "" ? undefined : JSON.parse(text);
    if (parsed) delete parsed["@odata.context"];
    const { headers: got } = response;
    return { status: response.status, location: got.get("location"), etag: got.get("etag"), body: parsed };
  };
}

const echoing: Handlers = (srv) => {
  srv.on(["CREATE", "UPDATE"], "*", (req) => ({ ...req.data as Data, calc: 42 }));
};
const LIST = [{ ID: 100, name: "other" }, { ID: 5, name: "read" }];

for (const kind of [undefined, ...KINDS]) {
  const on = kind ?? "no database";
  Deno.test(`writes of an entity without table answer the row of the handler, on ${on} [OData 11.4.2] [OData 11.4.3]`, async () => {
    const withList: Handlers = (srv) => {
      echoing(srv);
      srv.on("READ", "*", () => LIST);
    };
    for (const register of [echoing, withList]) {
      await withService(register, async (send) => {
        const body = { ID: 5, name: "new" };
        const row = { ID: 5, name: "new", calc: 42 };
        const created = await send("POST", "Things", body);
        assert.deepEqual(created, { status: 201, location: "Things(5)", etag: null, body: row });
        for (const method of ["PATCH", "PUT"]) {
          const changed = await send(method, "Things(5)", { name: "new" });
          assert.deepEqual(changed, { status: 200, location: null, etag: null, body: row }, method);
        }
        const minimal = { prefer: "return=minimal" };
        assert.equal((await send("POST", "Things", body, minimal)).status, 204);
        assert.equal((await send("POST", "Things", body, minimal)).location, "Things(5)");
        assert.equal((await send("PATCH", "Things(5)", body, minimal)).status, 204);
        const selected = await send("POST", "Things?$select=calc", body);
        assert.deepEqual(selected.body, { ID: 5, calc: 42 });
        const parts = await send("POST", "Things(5)/parts", { ID: 6, name: "part" });
        assert.deepEqual([parts.status, parts.location], [201, "../Parts(6)"]);
        assert.deepEqual(parts.body, { ID: 6, name: "part", thing_ID: 5 });
        const me = await send("PATCH", "Me", { name: "I" });
        assert.deepEqual([me.status, me.body.name], [200, "I"]);
        const rest = await send("POST", "/rest/s/Things", body);
        assert.deepEqual(rest, { status: 201, location: "Things/5", etag: null, body: row });
        assert.deepEqual((await send("PATCH", "/rest/s/Things/5", { name: "new" })).body, row);
      }, kind);
    }
  });
}

Deno.test("the key and the version of a new row without table are those that the handler gives", () =>
  withService((srv) => {
    srv.on("CREATE", "*", (req) => ({ ...req.data as Data, ID: 77, version: 3 }));
    srv.on("UPDATE", "*", (req) => ({ ...req.data as Data, version: 4 }));
  }, async (send) => {
    const created = await send("POST", "Tagged", { name: "new" });
    assert.deepEqual([created.status, created.location, created.etag], [201, "Tagged(77)", 'W/"3"']);
    assert.deepEqual(created.body, { "@odata.etag": 'W/"3"', ID: 77, name: "new", version: 3 });
    const changed = await send("PATCH", "Tagged(77)", { name: "x" }, { "if-match": "*" });
    assert.deepEqual([changed.status, changed.etag, changed.body.version], [200, 'W/"4"', 4]);
    const [part] = (await send("POST", "$batch", {
      requests: [{ id: "1", method: "POST", url: "Tagged", body: { name: "new" } }],
    })).body.responses;
    assert.deepEqual([part.status, part.headers.location, part.body.ID], [201, "Tagged(77)", 77]);
  }));

Deno.test("a write whose handler returns nothing is answered by READ, and by 204 without a handler of it", async () => {
  const silent: Handlers = (srv) => void srv.on(["CREATE", "UPDATE"], "*", () => {});
  await withService(silent, async (send) => {
    const created = await send("POST", "Things", { ID: 5, name: "new" });
    assert.deepEqual(created, { status: 204, location: "Things(5)", etag: null, body: undefined });
    assert.equal((await send("PATCH", "Things(5)", { name: "new" })).status, 204);
    assert.equal((await send("PUT", "Things(5)", { name: "new" })).status, 204);
    assert.deepEqual((await send("POST", "/rest/s/Things", { ID: 5, name: "new" })).body, {
      ID: 5,
      name: "new",
    });
  });
  await withService((srv) => {
    silent(srv);
    srv.on("READ", "*", () => LIST);
  }, async (send) => {
    for (const [method, path, status] of [["POST", "Things", 201], ["PATCH", "Things(5)", 200]] as const) {
      const answer = await send(method, path, { ID: 5, name: "new" });
      assert.deepEqual([answer.status, answer.body], [status, { ID: 5, name: "read" }]);
    }
    // none of the rows that the handler lists is the new one
    assert.equal((await send("POST", "Things", { ID: 6, name: "new" })).status, 204);
  });
});

Deno.test("PUT of a row that its UPDATE handler answers 404 creates it by the CREATE handler: 201", () =>
  withService((srv) => {
    srv.on("UPDATE", "Things", (req) => req.reject(404));
    srv.on("CREATE", "Things", (req) => ({ ...req.data as Data, calc: 1 }));
    srv.on("UPDATE", "Parts", (req) => req.reject(404));
  }, async (send) => {
    const put = await send("PUT", "Things(5)", { name: "new" });
    assert.deepEqual([put.status, put.location, put.body], [201, "Things(5)", {
      ID: 5,
      name: "new",
      calc: 1,
    }]);
    assert.equal((await send("PATCH", "Things(5)", { name: "new" })).status, 404);
    assert.equal((await send("PUT", "Things(5)", { name: "new" }, { "if-match": "*" })).status, 412);
    assert.equal((await send("PUT", "Parts(5)", { name: "new" })).status, 404);
    assert.equal((await send("PUT", "/rest/s/Things/5", { name: "new" })).status, 201);
  }));

for (const kind of KINDS) {
  Deno.test(`writes of an entity with table show what handlers return over the stored row, on ${kind}`, async () => {
    const over: Handlers = (srv) => {
      srv.on(["CREATE", "UPDATE"], "Rows", async (_, next) => ({ ...await next() as Data, calc: 9 }));
    };
    const inPlace: Handlers = (srv) => {
      srv.on(["CREATE", "UPDATE"], "Rows", async (_, next) => {
        const row = await next() as Data;
        row.calc = 9;
        return row;
      });
    };
    for (const register of [over, inPlace]) {
      await withService(register, async (send) => {
        const created = await send("POST", "Rows", { ID: 2, name: "two" });
        assert.equal(created.status, 201);
        assert.deepEqual(created.body, { ID: 2, name: "two", stock: 7, calc: 9, size_width: null });
        for (const method of ["PATCH", "PUT"]) {
          const changed = await send(method, "Rows(1)", { name: "x" });
          assert.deepEqual(changed.body, { ID: 1, name: "x", stock: 1, calc: 9, size_width: null }, method);
        }
        const put = await send("PUT", "Rows(3)", { name: "three" });
        assert.deepEqual([put.status, put.location, put.body.calc], [201, "Rows(3)", 9]);
      }, kind);
    }
  });

  Deno.test(`handlers that write an entity with table themselves decide what is answered, on ${kind}`, () =>
    withService((srv) => {
      srv.on("CREATE", "Rows", (req) => ({ ...req.data as Data, name: "own", size: { width: 3 } }));
      srv.on("UPDATE", "Rows", (req) => {
        (req.data as Data).calc = 5;
        return req.data;
      });
    }, async (send) => {
      const created = await send("POST", "Rows", { ID: 2, name: "two" });
      assert.deepEqual([created.status, created.body], [201, {
        ID: 2,
        name: "own",
        stock: 7,
        size_width: 3,
      }]);
      const changed = await send("PATCH", "Rows(1)", { name: "new" });
      assert.deepEqual(changed.body, { ID: 1, name: "new", stock: 1, calc: 5, size_width: null });
    }, kind));
}

Deno.test("what is no row of the entity is no answer: the stored row is read", () =>
  withService((srv) => {
    srv.on("CREATE", "Rows", async (_, next) => {
      await next();
      return { affectedRows: 1 };
    });
    srv.on("UPDATE", "Rows", async (_, next) => {
      await next();
      return 1;
    });
  }, async (send) => {
    assert.equal((await send("POST", "Rows", { ID: 2, name: "two" })).body.name, "two");
    assert.equal((await send("PATCH", "Rows(1)", { name: "x" })).body.stock, 1);
  }, "memory"));

Deno.test("who may create rows and not read them gets 204, whatever the handler returns", () =>
  withService(echoing, async (send) => {
    const created = await send("POST", "Drop", { ID: 5, name: "new" });
    assert.deepEqual(created, { status: 204, location: "Drop(5)", etag: null, body: undefined });
  }));
