import assert from "node:assert/strict";
import { User } from "../../../src/context/user.ts";
import { createRuntime } from "../../../src/fw/create_runtime.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const TEXT = `
service S {
  @restrict: [{ grant: 'READ', to: 'reader', where: 'country = $user.country' }, { to: 'admin' }]
  entity Authors { key ID: Integer; country: String; books: Composition of many Books on books.author = $self; }
  entity Books { key ID: Integer; title: String; author: Association to Authors; @assert.target second: Association to Authors; }
    actions {
      @restrict: [{ to: 'reader', where: 'author.country = $user.country' }] action touch() returns String;
    };
  @restrict: [{ grant: ['READ', 'CREATE', 'UPDATE'] }]
  entity Tags { key ID: Integer; author: Association to Authors; }
}`;
const LEVELS = { log: { levels: { default: "silent" } } };
const users = {
  rita: { roles: ["reader"], attr: { country: ["DE"] } },
  nora: { roles: [] },
  ada: { roles: ["admin"] },
};

type Send = (
  user: string,
  call: string,
  body?: object,
) => Promise<{ status: number; code?: string; target?: string }>;

async function withApp(run: (send: Send) => Promise<void>): Promise<void> {
  const model = compileCdl(["m.cds"], {
    readFile: (path) => path === "m.cds" ? TEXT : undefined,
    isFile: (path) => path === "m.cds",
  });
  const runtime = createRuntime({
    model,
    env: { ...LEVELS, requires: { auth: { kind: "mocked", users }, db: { kind: "memory" } } },
    handlers: { S: (srv) => srv.on("touch", () => "touched") },
    data: new Map([
      ["S.Authors", [{ ID: 1, country: "DE" }, { ID: 2, country: "FR" }]],
      ["S.Books", [{ ID: 1, title: "One", author_ID: 1 }, { ID: 2, title: "Two", author_ID: 2 }]],
    ]),
  });
  const send: Send = async (user, call, body) => {
    const [method, path] = call.split(" ");
    const response = await runtime.fetch(
      new Request(`http://localhost/odata/v4/s/${path}`, {
        method,
        headers: {
          authorization: `Basic ${btoa(`${user}:`)}`,
          ...body ? { "content-type": "application/json" } : {},
        },
        body: body && JSON.stringify(body),
      }),
    );
    const text = await response.text();
    const { error } = text ? JSON.parse(text) : {};
    return { status: response.status, code: error?.code, target: error?.target };
  };
  try {
    await run(send);
  } finally {
    await runtime.close();
  }
}

Deno.test("a foreign key to a row outside the own area is refused like one to no row", () =>
  withApp(async (send) => {
    assert.equal((await send("rita", "POST Books", { ID: 3, author_ID: 1 })).status, 201);
    const missing = await send("rita", "POST Books", { ID: 4, author_ID: 99 });
    assert.deepEqual(missing, { status: 400, code: "ASSERT_TARGET", target: "author_ID" });
    assert.deepEqual(await send("rita", "POST Books", { ID: 4, author_ID: 2 }), missing);
    assert.deepEqual(await send("rita", "POST Books", { ID: 4, "author@odata.bind": "Authors(2)" }), missing);
    assert.deepEqual(await send("rita", "POST Books", { ID: 4, author: { ID: 2 } }), missing);
    assert.deepEqual(await send("rita", "PATCH Books(1)", { author_ID: 2 }), missing);
    const put = await send("rita", "PUT Books(1)/author/$ref", { "@odata.id": "Authors(2)" });
    assert.equal(put.status, 400);
    assert.equal((await send("ada", "POST Books", { ID: 4, author_ID: 2 })).status, 201);
    assert.equal((await send("rita", "POST Books", { ID: 5, author_ID: null })).status, 201);
  }));

Deno.test("@assert.target does not tell hidden rows from missing ones", () =>
  withApp(async (send) => {
    const hidden = await send("rita", "POST Books", { ID: 3, second_ID: 2 });
    assert.deepEqual(hidden, { status: 400, code: "ASSERT_TARGET", target: "second_ID" });
    assert.deepEqual(await send("rita", "POST Books", { ID: 3, second_ID: 99 }), hidden);
  }));

Deno.test("a foreign key to an entity that the user may not read at all is refused with 403", () =>
  withApp(async (send) => {
    assert.equal((await send("nora", "POST Tags", { ID: 1, author_ID: 1 })).status, 403);
    assert.equal((await send("nora", "POST Tags", { ID: 1 })).status, 201);
  }));

Deno.test("children that are created with their parent may refer to it", () =>
  withApp(async (send) => {
    const created = await send("ada", "POST Authors", { ID: 7, country: "IT", books: [{ ID: 71 }] });
    assert.equal(created.status, 201);
  }));

Deno.test("the condition of a bound operation of its own holds for its row", () =>
  withApp(async (send) => {
    assert.equal((await send("rita", "POST Books(1)/S.touch", {})).status, 200);
    assert.equal((await send("rita", "POST Books(2)/S.touch", {})).status, 403);
    assert.equal((await send("nora", "POST Books(1)/S.touch", {})).status, 403);
  }));

Deno.test("users that pass every check may refer to every row", () => {
  assert.equal(new User.Privileged().is("anything"), true);
  return withApp(async (send) => {
    assert.equal((await send("privileged", "POST Books", { ID: 9, author_ID: 2 })).status, 201);
  });
});
