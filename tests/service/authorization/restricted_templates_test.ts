import assert from "node:assert/strict";
import { createRuntime, type ServiceRequest } from "../../../mod.ts";
import type { Query, UpdateQuery } from "../../../src/cqn/cqn.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import { User } from "../../../src/context/user.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { privilegesOf } from "../../../src/service/authorization/privileges.ts";
import { createHost } from "../fixture.ts";
import type { Database, DatabaseOptions, DatabaseTransaction } from "../../../src/service/database.ts";

const CSN = parseCdl(`
  entity db.Books { key ID : Integer; title : String; region : String; }
  service Shop @(requires: 'authenticated-user') {
    @restrict: [{ grant: '*', where: (region = $user.region) }]
    entity Books as projection on db.Books;
    entity Views as select from Books { ID, title };
    entity Open as projection on db.Books;
  }
`);

const USERS = Object.fromEntries(
  [["eva", "EU"], ["eve", "EU"], ["una", "US"], ["all", ["EU", "US"]]].map(([name, region]) => [
    name,
    { password: "", attr: { region } },
  ]),
);

interface Recorded {
  readonly fetch: (method: string, path: string, user: string, body?: unknown) => Promise<Response>;
  readonly queries: Query[];
  readonly close: () => Promise<void>;
}

/** A runtime that tells the queries that its engine gets. */
async function recorded(handler?: (req: ServiceRequest) => void): Promise<Recorded> {
  const queries: Query[] = [];
  const record = (transaction: DatabaseTransaction): DatabaseTransaction =>
    new Proxy(transaction, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (name === "run" || name === "readJson") queries.push(args[0] as Query);
          const result: unknown = member.apply(target, args);
          return name === "within" ? record(result as DatabaseTransaction) : result;
        };
      },
    });
  const create = (options: DatabaseOptions): Database => {
    const database = createSqliteDatabase(options);
    const begin = database.begin.bind(database);
    database.begin = (context) => record(begin(context));
    return database;
  };
  const runtime = createRuntime({
    model: CSN,
    kinds: { databases: { sqlite: () => create } },
    env: {
      log: { levels: { default: "error" } },
      requires: { db: { kind: "sqlite" }, auth: { kind: "basic", users: USERS } },
    },
    handlers: {
      Shop: (srv) => {
        if (handler) srv.before(["UPDATE", "DELETE"], "Books", handler);
      },
    },
    data: new Map([[
      "db.Books",
      [1, 2, 3, 4].map((ID) => ({ ID, title: `T${ID}`, region: ID % 2 ? "EU" : "US" })),
    ]]),
  });
  await runtime.start();
  queries.length = 0;
  return {
    queries,
    fetch: async (method, path, user, body) =>
      await runtime.fetch(
        new Request(`http://localhost/odata/v4/shop/${path}`, {
          method,
          headers: { authorization: `Basic ${btoa(`${user}:`)}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
    close: async () => await runtime.close(),
  };
}

Deno.test("restricted queries of one URL shape are one template for all users, whatever their attributes (auth 7)", async () => {
  const { fetch, queries, close } = await recorded();
  try {
    for (const path of ["Books(?)", "Books?$filter=ID le ?&$orderby=ID desc", "Views(?)"]) {
      const templates = new Set<Query>();
      for (
        const [user, ID, isFound] of [["eva", 1, true], ["eve", 3, true], ["una", 1, false], [
          "all",
          2,
          true,
        ]] as const
      ) {
        queries.length = 0;
        const url = path.replace(/\?(?!\$)/, String(ID));
        const text = await (await fetch("GET", url, user)).text();
        assert.equal(text.includes(`"ID":${ID}`), isFound, `${url} ${user}: ${text}`);
        for (const query of queries) templates.add(query);
      }
      assert.equal(templates.size, 1, path);
      assert.ok(Object.isFrozen([...templates][0]), path);
    }
  } finally {
    await close();
  }
});

Deno.test("what restricted writes address is one template for all rows, and only those of the user are written (auth 7)", async () => {
  const { fetch, queries, close } = await recorded();
  try {
    const addressed = new Set<unknown>();
    for (
      const [user, ID, status] of [["eva", 1, 200], ["una", 2, 200], ["una", 3, 403], ["all", 4, 200], [
        "eve",
        9,
        404,
      ]] as const
    ) {
      queries.length = 0;
      const response = await fetch("PATCH", `Books(${ID})`, user, { title: `by ${user}` });
      assert.equal(response.status, status, `${user} ${ID} ${await response.text()}`);
      for (const query of queries) if ("UPDATE" in query) addressed.add(query.UPDATE.entity);
    }
    assert.equal(addressed.size, 1);
    const moved = await fetch("PATCH", "Books(1)", "eva", { region: "US" });
    assert.equal(moved.status, 403);
    const created = await Promise.all(
      [["eva", 11], ["una", 12]].map(([user, ID]) =>
        fetch("POST", "Books", String(user), { ID, region: "EU" })
      ),
    );
    assert.deepEqual(created.map(({ status }) => status), [201, 403]);
    const deleted = [await fetch("DELETE", "Books(3)", "una"), await fetch("DELETE", "Books(3)", "eve")];
    assert.deepEqual(deleted.map(({ status }) => status), [403, 204]);
    const left = await (await fetch("GET", "Books?$select=ID,title", "all")).json();
    assert.deepEqual(left.value.map(({ ID, title }: { ID: number; title: string }) => [ID, title]), [
      [1, "by eva"],
      [2, "by una"],
      [4, "by all"],
      [11, null],
    ]);
  } finally {
    await close();
  }
});

Deno.test("what deletions address is one template for all rows, restricted or not (auth 7)", async () => {
  const { fetch, queries, close } = await recorded();
  try {
    for (const [set, keys] of [["Books", [1, 3]], ["Open", [2, 4]]] as const) {
      queries.length = 0;
      for (const ID of keys) assert.equal((await fetch("DELETE", `${set}(${ID})`, "eva")).status, 204);
      const addressed = queries.flatMap((query) => "DELETE" in query ? [query.DELETE.from] : []);
      assert.equal(addressed.length, 2);
      assert.equal(addressed[0], addressed[1], set);
      assert.ok(Object.isFrozen(addressed[0]), set);
    }
    assert.deepEqual((await (await fetch("GET", "Open", "eva")).json()).value, []);
  } finally {
    await close();
  }
});

Deno.test("handlers see a restricted write as ordinary query, with values and conditions (api 6)", async () => {
  const seen: string[] = [];
  const { fetch, close } = await recorded((req) => {
    seen.push(JSON.stringify(req.query), JSON.stringify(req.params), JSON.stringify(req.subject));
  });
  try {
    const response = await fetch("PATCH", "Books(1)", "eva", { title: "seen" });
    assert.equal((await response.json()).title, "seen");
    const [query, params, subject] = seen;
    assert.match(query!, /"val":1/);
    assert.match(query!, /\$user/);
    assert.doesNotMatch(query!, /param/);
    assert.deepEqual([params, JSON.parse(subject!).ref[0].id], ['[{"ID":1}]', "Shop.Books"]);
    assert.equal((await fetch("PATCH", "Books(2)", "eva", { title: "hidden" })).status, 403);
    seen.length = 0;
    assert.equal((await fetch("DELETE", "Books(3)", "eva")).status, 204);
    assert.match(seen[0]!, /"DELETE".*"val":3/);
    assert.doesNotMatch(seen[0]!, /param/);
  } finally {
    await close();
  }
});

Deno.test("rows that a handler moves with values of its own are looked at as those that clients move (auth 7)", async () => {
  const moved = { region: "US" };
  const ways: ((req: ServiceRequest) => void)[] = [
    (req) => void (req.data = moved),
    (req) => void Object.assign(req.data as object, moved),
    (req) => void (req.query = { UPDATE: { ...(req.query as UpdateQuery).UPDATE, data: moved } }),
    (req) =>
      void (req.query = { UPDATE: { entity: "Shop.Books", where: parseExpression("ID = 3"), data: moved } }),
  ];
  for (const way of ways) {
    const { fetch, close } = await recorded(way);
    try {
      assert.equal((await fetch("PATCH", "Books(1)", "eva", { title: "moved" })).status, 403, String(way));
      assert.equal((await fetch("PATCH", "Books(1)", "all", { title: "moved" })).status, 200, String(way));
    } finally {
      await close();
    }
  }
});

Deno.test("rows are looked at once more only where the values of an update can move them (auth 7)", async () => {
  for (const handler of [undefined, () => {}]) {
    const { fetch, queries, close } = await recorded(handler);
    try {
      const asked = async (data: object) => {
        queries.length = 0;
        assert.equal((await fetch("PATCH", "Books(1)", "all", data)).status, 200);
        return queries.length;
      };
      await asked({ title: "first" });
      assert.equal(await asked({ region: "US" }) - await asked({ title: "second" }), 1);
    } finally {
      await close();
    }
  }
});

Deno.test("a new row that shows that the user may write it is not looked at, others are (auth 7)", async () => {
  const { fetch, queries, close } = await recorded();
  try {
    const looks = async (rows: readonly [path: string, body: object, status: number]) => {
      queries.length = 0;
      const [path, body, status] = rows;
      assert.equal((await fetch("POST", path, "eva", body)).status, status);
      return queries.filter((query) => JSON.stringify(query).includes('"found"')).length;
    };
    assert.equal(await looks(["Books", { ID: 21, region: "EU" }, 201]), 0);
    assert.equal(await looks(["Books", { ID: 22, region: "US" }, 403]), 1);
  } finally {
    await close();
  }
});

Deno.test("users with different roles or attributes share no restricted query, however many a model names (auth 7)", () => {
  for (const count of [3, 15, 16]) {
    const roles = Array.from({ length: count }, (_, at) => `r${at}`);
    const names = Array.from({ length: count }, (_, at) => `a${at}`);
    const where = names.map((name) => `region = $user.${name}`).join(" or ");
    const { model } = createHost(parseCdl(`
      @restrict: [{ to: [${roles.map((role) => `'${role}'`)}], where: '${where}' }]
      entity S.Books { key ID : Integer; region : String; }
    `));
    const users = [
      new User({ id: "none" }),
      ...roles.map((role) => new User({ id: role, roles: [role] })),
      ...names.map((name) => new User({ id: name, attr: { [name]: "EU" } })),
    ];
    assert.equal(
      new Set(users.map((user) => privilegesOf({ user, model, isAdmitted: true }))).size,
      users.length,
    );
    const [same, other] = ["EU", "US"].map((a0) => new User({ id: a0, attr: { a0 } }));
    assert.equal(
      privilegesOf({ user: same!, model, isAdmitted: true }),
      privilegesOf({ user: other!, model, isAdmitted: true }),
    );
  }
});
