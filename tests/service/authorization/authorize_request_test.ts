import assert from "node:assert/strict";
import { User } from "../../../src/context/user.ts";
import type { Column, Query, Row, Xo } from "../../../src/cqn/cqn.ts";
import { withApp } from "../../data/app.ts";
import type { Csn } from "../../../src/model/csn.ts";
import { admin, CSN, foreign, local, nobody, rita, type Secured, updater, withSecured } from "./fixture.ts";

const BOOKS = { ref: ["S.Books"] };
const AUTHORS = { ref: ["S.Authors"] };

function select(from: { ref: readonly (string | object)[] }, more: object = {}): Query {
  return { SELECT: { from, orderBy: [{ ref: ["ID"] }], ...more } } as Query;
}

async function ids(secured: Secured, user: User, query: Query): Promise<unknown[]> {
  const rows = await secured.as(user, (service) => service.run(query)) as Row[];
  return rows.map((row) => row.ID);
}

function refused(status: number) {
  return (error: unknown) => {
    assert.equal((error as { status: number }).status, status);
    return true;
  };
}

const book = (ID: number) => ({
  ref: [{ id: "S.Books", where: [{ ref: ["ID"] }, "=", { val: ID }] as Xo[] }],
});

Deno.test("authorizeRequest() refuses users without role with 403, anonymous ones with 401 [7.1.401] [7.1.403]", () =>
  withSecured(async ({ as }) => {
    await assert.rejects(as(nobody, (service) => service.run(select(BOOKS))), {
      status: 403,
      code: "403",
      message: "Forbidden",
    });
    await assert.rejects(as(User.anonymous, (service) => service.run(select(BOOKS))), { status: 401 });
  }));

Deno.test("authorizeRequest() lets users read the rows of any of their privileges [1.2b]", () =>
  withSecured(async (secured) => {
    assert.deepEqual(await ids(secured, rita, select(BOOKS)), [1, 3]);
    assert.deepEqual(await ids(secured, local, select(BOOKS)), [1, 2]);
    assert.deepEqual(await ids(secured, admin, select(BOOKS)), [1, 2, 3, 4]);
    const both = new User({ id: "rita", roles: ["reader", "local"], attr: { country: "DE" } });
    assert.deepEqual(await ids(secured, both, select(BOOKS)), [1, 2, 3]);
  }));

Deno.test("authorizeRequest() takes a condition that is a text in an expression for that text", () => {
  const restrict = [{ grant: "READ", to: "reader", where: { "=": "owner = $user" } }];
  const books = { ...CSN.definitions!["S.Books"], "@restrict": restrict };
  const csn = { ...CSN, definitions: { ...CSN.definitions, "S.Books": books } } as Csn;
  return withSecured(
    async (secured) => assert.deepEqual(await ids(secured, rita, select(BOOKS)), [1, 3]),
    csn,
  );
});

Deno.test("authorizeRequest() lets privileged users write any rows, whatever conditions say", () => {
  const books = { ...CSN.definitions!["S.Books"], "@restrict": [{ grant: "*", where: "owner = $user" }] };
  const csn = { ...CSN, definitions: { ...CSN.definitions, "S.Books": books } } as Csn;
  return withSecured(async ({ as }) => {
    const write = (user: User, ID: number) =>
      as(user, async (service) => {
        await service.run({ INSERT: { into: "S.Books", entries: [{ ID, owner: "rita" }] } });
        return await service.run({ UPDATE: { entity: book(ID), data: { owner: "otto" } } } as Query);
      });
    assert.equal(await write(new User.Privileged(), 8), 1);
    await assert.rejects(write(nobody, 9), refused(403));
    await assert.rejects(write(rita, 9), refused(403));
  }, csn);
});

Deno.test("authorizeRequest() binds attributes as values", () =>
  withSecured(async (secured) => {
    const evil = new User({ id: "leo", roles: ["local"], attr: { country: ["' OR '1'='1", "DE' --"] } });
    assert.deepEqual(await ids(secured, evil, select(BOOKS)), []);
  }));

Deno.test("authorizeRequest() takes a comparison with a missing attribute as false, a negated one too", () =>
  withSecured(async (secured) => {
    assert.deepEqual(await ids(secured, foreign, select(BOOKS)), []);
    const known = new User({ id: "nil", roles: ["foreign"], attr: { country: "DE" } });
    assert.deepEqual(await ids(secured, known, select(BOOKS)), [3, 4]);
    const without = new User({ id: "leo", roles: ["local"] });
    assert.deepEqual(await ids(secured, without, select(BOOKS)), []);
  }));

Deno.test("authorizeRequest() hides rows outside the condition as if they were missing", () =>
  withSecured(async ({ as }) => {
    const row = await as(rita, (service) => service.run({ SELECT: { one: true, from: book(2) } } as Query));
    assert.equal(row, null);
  }));

Deno.test("authorizeRequest() restricts expanded collections", () =>
  withSecured(async ({ as }) => {
    const columns: Column[] = [{ ref: ["ID"] }, { ref: ["books"], expand: [{ ref: ["ID"] }] }];
    // an alias hides no element of the same name
    for (const from of [AUTHORS, { ...AUTHORS, as: "books" }]) {
      const rows = await as(rita, (service) => service.run(select(from, { columns })));
      const found = [{ ID: 1, books: [{ ID: 1 }] }, { ID: 2, books: [{ ID: 3 }] }];
      assert.deepEqual(JSON.parse(JSON.stringify(rows)), found);
    }
    await assert.rejects(as(nobody, (service) => service.run(select(AUTHORS, { columns }))), refused(403));
  }));

Deno.test("authorizeRequest() restricts lambdas, subqueries, orderBy, groupBy and counts over hidden rows", () =>
  withSecured(async (secured) => {
    const titled = (title: string): Xo[] => [
      "exists",
      { ref: [{ id: "books", where: [{ ref: ["title"] }, "=", { val: title }] }] },
    ];
    assert.deepEqual(await ids(secured, rita, select(AUTHORS, { where: titled("One") })), [1]);
    assert.deepEqual(await ids(secured, rita, select(AUTHORS, { where: titled("Two") })), []);
    await assert.rejects(ids(secured, nobody, select(AUTHORS, { where: titled("One") })), refused(403));
    const counted: Xo[] = [{ func: "count", args: [{ ref: ["books"] }] }, "=", { val: 1 }];
    assert.deepEqual(await ids(secured, rita, select(AUTHORS, { where: counted })), [1, 2]);
    const inner: Query = {
      SELECT: { from: BOOKS, columns: [{ ref: ["author_ID"] }], where: [{ ref: ["ID"] }, "=", { val: 2 }] },
    };
    const within: Xo[] = [{ ref: ["ID"] }, "in", inner as never];
    assert.deepEqual(await ids(secured, rita, select(AUTHORS, { where: within })), []);
    for (const clause of ["orderBy", "groupBy"]) {
      const query = select(AUTHORS, { columns: [{ ref: ["ID"] }], [clause]: [{ ref: ["books", "title"] }] });
      await assert.rejects(ids(secured, nobody, query), refused(403));
      const filtered = select({ ref: [{ id: "S.Authors", [clause]: [{ ref: ["books", "title"] }] }] });
      await assert.rejects(ids(secured, nobody, filtered), refused(403));
    }
  }));

Deno.test("authorizeRequest() restricts paths that begin at the rows of a subquery, however deep it is", () =>
  withSecured(async (secured) => {
    const { SELECT } = select(AUTHORS, { columns: ["*"], orderBy: undefined }) as { SELECT: object };
    const once = { SELECT: { ...SELECT, as: "a" } };
    const twice = { SELECT: { from: once, columns: ["*"], as: "a" } };
    for (const from of [once, twice]) {
      const titles = select(from as never, {
        columns: [{ ref: ["ID"] }],
        orderBy: [{ ref: ["books", "title"] }],
      });
      await assert.rejects(ids(secured, nobody, titles), refused(403));
    }
  }));

Deno.test("authorizeRequest() restricts navigation by the entities on the way", () =>
  withSecured(async (secured) => {
    const pages = (ID: number) => ({ ref: [...book(ID).ref, "pages"] });
    assert.deepEqual(await ids(secured, rita, select(pages(1))), [11]);
    assert.deepEqual(await ids(secured, rita, select(pages(4))), []);
    await assert.rejects(ids(secured, nobody, select(pages(1))), refused(403));
  }));

Deno.test("authorizeRequest() answers 403 for UPDATE, DELETE and bound operations on hidden rows", () =>
  withSecured(async ({ dispatch, host }) => {
    const target = host.model.entity("S.Books")!;
    const update = (ID: number, data: Row) => ({
      event: "UPDATE",
      data,
      target,
      subject: book(ID),
      params: [{ ID }],
      query: { UPDATE: { entity: book(ID), data } } as Query,
    });
    const remove = (ID: number) => ({
      event: "DELETE",
      target,
      subject: book(ID),
      params: [{ ID }],
      query: { DELETE: { from: book(ID) } } as Query,
    });
    const touch = (ID: number) => ({
      event: "touch",
      target,
      operation: target.actions.touch,
      subject: book(ID),
      params: [{ ID }],
      query: { SELECT: { one: true, from: book(ID) } } as Query,
    });
    await assert.rejects(dispatch(local, update(3, { title: "x" })), refused(403));
    await assert.rejects(dispatch(local, remove(3)), refused(403));
    await assert.rejects(dispatch(local, touch(3)), refused(403));
    await assert.rejects(dispatch(local, update(99, { title: "x" })), refused(404));
    await dispatch(local, update(1, { title: "x" }));
    assert.equal(await dispatch(local, touch(1)), "touched");
    await assert.rejects(dispatch(rita, touch(1)), refused(403));
    await dispatch(local, remove(2));
  }));

Deno.test("authorizeRequest() refuses rows that are outside the condition after the write, and undoes them", () =>
  withSecured(async (secured) => {
    const { dispatch, host } = secured;
    const target = host.model.entity("S.Books")!;
    const create = (data: Row) => ({
      event: "CREATE",
      data,
      target,
      query: { INSERT: { into: "S.Books", entries: [data] } } as Query,
    });
    await assert.rejects(dispatch(local, create({ ID: 9, country: "FR" })), refused(403));
    await dispatch(local, create({ ID: 10, country: "DE" }));
    // the row that is written counts, whatever the request brought before a handler changed it
    const entries = [{ ID: 11, country: "FR" }];
    const changed = { INSERT: { into: "S.Books", entries } } as Query;
    await assert.rejects(
      dispatch(local, { ...create({ ID: 11, country: "DE" }), query: changed }),
      refused(403),
    );
    // each of several rows counts
    const several = [{ ID: 12, country: "DE" }, { ID: 13, country: "FR" }];
    const query = { INSERT: { into: "S.Books", entries: several } } as Query;
    await assert.rejects(dispatch(local, { ...create({}), data: several as never, query }), refused(403));
    const upsert = (country: string) => {
      const data = { ID: 10, country };
      return {
        event: "UPSERT",
        data,
        target,
        query: { UPSERT: { into: "S.Books", entries: [data] } } as Query,
      };
    };
    await assert.rejects(dispatch(local, upsert("FR")), refused(403));
    await dispatch(local, upsert("DE"));
    const data = { country: "FR" };
    const update = {
      event: "UPDATE",
      data,
      target,
      subject: book(1),
      params: [{ ID: 1 }],
      query: { UPDATE: { entity: book(1), data } } as Query,
    };
    await assert.rejects(dispatch(local, update), refused(403));
    const title = { title: "x" };
    for (
      const written of [{ data }, { data: title, with: { country: { val: "FR" } } }, {
        with: { country: { val: "FR" } },
      }]
    ) {
      const query = { UPDATE: { entity: book(1), ...written } } as Query;
      await assert.rejects(dispatch(local, { ...update, data: title, query }), refused(403));
    }
    assert.deepEqual(await ids(secured, admin, select(BOOKS)), [1, 2, 3, 4, 10]);
    assert.deepEqual(await ids(secured, local, select(BOOKS)), [1, 2, 10]);
  }));

Deno.test("authorizeRequest() lets rows with restrictions of their own be created below any row that is there", () =>
  withSecured(async ({ dispatch, host }) => {
    const target = host.model.entity("S.Books")!;
    const create = (author: number, data: Row) => {
      const ref = [{ id: "S.Authors", where: [{ ref: ["ID"] }, "=", { val: author }] as Xo[] }, "books"];
      const query: Query = { INSERT: { into: { ref }, entries: [data] } };
      return { event: "CREATE", data, target, subject: { ref }, query };
    };
    assert.deepEqual(await dispatch(local, create(1, { ID: 20, country: "DE" })), { ID: 20, country: "DE" });
    await assert.rejects(dispatch(local, create(1, { ID: 21, country: "FR" })), refused(403));
    await assert.rejects(dispatch(rita, create(1, { ID: 21, country: "DE" })), refused(403));
    await assert.rejects(dispatch(local, create(7, { ID: 21, country: "DE" })), refused(404));
    await assert.rejects(dispatch(rita, create(7, { ID: 21, country: "DE" })), refused(403));
  }));

Deno.test("authorizeRequest() asks for CREATE and UPDATE on UPSERT", () =>
  withSecured(async ({ as }) => {
    const upsert: Query = { UPSERT: { into: "S.Books", entries: [{ ID: 50, title: "x" }] } };
    await assert.rejects(as(updater, (service) => service.run(upsert)), refused(403));
    await as(admin, (service) => service.run(upsert));
  }));

Deno.test("authorizeRequest() admits nobody to @requires with an empty list", () =>
  withSecured(async ({ as }) => {
    await assert.rejects(as(admin, (service) => service.run(select({ ref: ["S.Nobody"] }))), refused(403));
  }));

Deno.test("authorizeRequest() refuses writes to read-only entities with 405", () =>
  withSecured(async ({ as }) => {
    const insert: Query = { INSERT: { into: "S.Catalog", entries: [{ ID: 60 }] } };
    await assert.rejects(as(nobody, (service) => service.run(insert)), {
      status: 405,
      code: "ENTITY_IS_READ_ONLY",
    });
  }));

Deno.test("authorizeRequest() restricts requests without a query to the rows that they address", () =>
  withSecured(async ({ dispatch, host }) => {
    const target = host.model.entity("S.Books")!;
    const rows = await dispatch(rita, { event: "READ", target, subject: BOOKS }) as Row[];
    assert.deepEqual(rows.map(({ ID }) => ID), [1, 3]);
    await assert.rejects(dispatch(local, { event: "DELETE", target, subject: book(3) }), refused(403));
    const touch = { event: "touch", target, operation: target.actions.touch };
    await assert.rejects(dispatch(local, { ...touch, subject: book(3) }), refused(403));
    assert.equal(await dispatch(local, { ...touch, subject: book(1) }), "touched");
  }));

Deno.test("authorizeRequest() restricts new and changed rows of requests without a query like others", () =>
  withSecured(async (secured) => {
    const { dispatch, host } = secured;
    const target = host.model.entity("S.Books")!;
    const create = (ID: number, country: string) =>
      dispatch(local, { event: "CREATE", target, data: { ID, country } });
    await assert.rejects(create(5, "FR"), refused(403));
    assert.deepEqual(await create(6, "DE"), { ID: 6, country: "DE" });
    const move = (ID: number, country: string) =>
      dispatch(local, { event: "UPDATE", target, subject: book(ID), data: { country } });
    await assert.rejects(move(1, "FR"), refused(403));
    await assert.rejects(move(3, "DE"), refused(403));
    assert.deepEqual(await move(1, "DE"), { country: "DE" });
    const pages = target.elements.pages!.$target!;
    const addPage = (ID: number, page: number) => {
      const subject = { ref: [...book(ID).ref, "pages"] };
      return dispatch(local, { event: "CREATE", target: pages, subject, data: { ID: page } });
    };
    // a whole that is hidden is like one that is not there
    for (const ID of [3, 7]) await assert.rejects(addPage(ID, 31), refused(403));
    assert.deepEqual(await addPage(1, 12), { ID: 12 });
    const changePage = (ID: number, page: number) => {
      const step = { id: "pages", where: book(page).ref[0]!.where };
      const subject = { ref: [...book(ID).ref, step] };
      return dispatch(local, { event: "UPDATE", target: pages, subject, data: { text: "x" } });
    };
    await assert.rejects(changePage(4, 41), refused(403));
    assert.deepEqual(await changePage(1, 11), { text: "x" });
    assert.deepEqual(await ids(secured, admin, select(BOOKS)), [1, 2, 3, 4, 6]);
    assert.deepEqual(await ids(secured, local, select(BOOKS)), [1, 2, 6]);
  }));

Deno.test("authorizeRequest() restricts operations to their roles", () =>
  withSecured(async ({ as }) => {
    const call = (user: User) => as(user, (service) => service.send("secret"));
    await assert.rejects(call(nobody), refused(403));
    assert.equal(await call(admin), "told");
    assert.equal(await call(User.privileged), "told");
  }));

Deno.test("authorizeRequest() gives users of the same privileges the same template", () =>
  withSecured(async ({ dispatch, service, host }) => {
    const seen: unknown[] = [];
    service.prepend(() => service.before("READ", (req) => void seen.push(req.statement!.query)));
    const template = Object.freeze(select(BOOKS));
    const request = { event: "READ", target: host.model.entity("S.Books"), query: template, queryParams: {} };
    for (const user of [rita, new User({ id: "other", roles: ["reader"] }), admin]) {
      await dispatch(user, request);
    }
    assert.equal(seen[0], seen[1]);
    assert.notEqual(seen[0], template);
    assert.equal(seen[2], template);
  }));

Deno.test("authorizeRequest() leaves rows that no database has to the handlers that have them", () =>
  withApp({
    model: `@path: 'test' @odata service Test {
      @cds.persistence.skip @restrict: [{ grant: '*', where: (owner = $user) }]
      entity Remote { key ID : Integer; owner : String(20); } actions { action touch() returns String; }
    }`,
    env: {
      requires: { db: { kind: "sqlite" }, auth: { kind: "mocked", id_prefix: "", users: { ann: {} } } },
    },
    handlers: (srv) => {
      srv.on("UPDATE", "Remote", ({ data }) => ({ ...data as Row, ID: 1 }));
      srv.on("DELETE", "Remote", () => 1);
      srv.on("touch", () => "touched");
    },
  }, async ({ send }) => {
    const statusOf = async (line: string, body?: object) => {
      const [method, path] = line.split(" ") as [string, string];
      return (await send(method, path, { user: "ann", body })).status;
    };
    assert.equal(await statusOf("PATCH Remote(1)", { owner: "bob" }), 204);
    assert.equal(await statusOf("POST Remote(1)/touch", {}), 200);
    assert.equal(await statusOf("DELETE Remote(1)"), 204);
  }));
