import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Runtime } from "../../mod.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { ENGINES } from "./engines.ts";

const TEXT = `
context my {
  entity Authors { key ID: Integer; name: localized String(20); books: Association to many Books on books.author = $self; }
  entity Books {
    key ID: Integer; title: String(20); owner: String(20); price: Decimal(9, 2); big: Int64;
    author: Association to Authors; kind: Association to Kinds;
  }
  @cds.autoexpose entity Kinds { key code: String(3); name: String(10); }
  entity Versions { key ID: Integer; @odata.etag version: Integer; }
}
service S {
  @cds.redirection.target entity Authors as projection on my.Authors;
  @cds.redirection.target entity Books as projection on my.Books;
  entity Versions as projection on my.Versions;
  @insertonly entity Letters as projection on my.Authors { ID };
  @Capabilities.Readable: false entity Unread as projection on my.Authors { ID };
  @restrict: [{ grant: 'READ', to: 'admin' }, { grant: 'READ', to: 'authenticated-user', where: 'owner = $user' }]
  entity Owned as projection on my.Books;
  @requires: 'admin' entity Secrets as projection on my.Books { ID, title };
}
@requires: 'admin' service Inner { entity Books as projection on my.Books; }
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

const ROWS = new Map([
  ["my.Authors", [{ ID: 1, name: "Emily" }]],
  ["my.Kinds", [{ code: "a", name: "Novel" }]],
  ["my.Books", [
    {
      ID: 1,
      title: "One",
      owner: "alice",
      price: "9.50",
      big: "9007199254740993",
      author_ID: 1,
      kind_code: "a",
    },
    { ID: 2, title: "Two", owner: "bob" },
  ]],
  ["my.Versions", [{ ID: 1, version: 7 }]],
]);

const USERS = {
  alice: { roles: [] },
  bob: { roles: [] },
  root: { roles: ["admin"] },
};

/** A request: service and URL, headers. */
type Sent = readonly [url: string, headers?: Record<string, string>];

const REQUESTS: readonly Sent[] = [
  ["s/Books(1)"],
  ["s/Books(3)"],
  ["s/Books('x')"],
  ["s/Books(1)?$select=title"],
  ["s/Books(1)?$expand=author,kind"],
  ["s/Books(1)/author"],
  ["s/Books(2)/author"],
  ["s/Books(3)/author"],
  ["s/Books(1)/kind"],
  ["s/Authors(1)/books(1)"],
  ["s/Authors(1)/books(2)"],
  ["s/Authors(1)", { "accept-language": "de" }],
  ["s/Books(1)/author/$ref"],
  ["s/Books(1)", { accept: "application/json;odata.metadata=full" }],
  ["s/Books(1)", { accept: "application/json;IEEE754Compatible=true" }],
  ["s/Books(2)", { prefer: "omit-values=nulls" }],
  ["s/Versions(1)"],
  ["s/Versions(1)", { "if-none-match": 'W/"7"' }],
  ["s/Letters(1)"],
  ["s/Unread(1)"],
  ["s/Kinds('a')"],
  ["s/Owned(1)"],
  ["s/Owned(2)"],
  ["s/Secrets(1)"],
  ["inner/Books(1)"],
];

function open(engine: string, register?: (srv: ApplicationService) => void): Runtime {
  return createRuntime({
    model: MODEL,
    data: ROWS,
    env: {
      requires: { db: { kind: engine }, auth: { kind: "mocked", users: USERS } },
      log: { levels: { default: "silent" } },
    },
    kinds: { databases: { [engine]: () => ENGINES[engine]! } },
    ...(register ? { handlers: { S: register as never, Inner: register as never } } : {}),
  });
}

const as = (user: string) => ({ authorization: `Basic ${btoa(`${user}:`)}` });

async function answersOf(runtime: Runtime, user: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [url, headers] of REQUESTS) {
    const request = new Request(`http://localhost/odata/v4/${url}`, { headers: { ...as(user), ...headers } });
    const response = await runtime.fetch(request);
    response.headers.delete("x-correlation-id");
    answers.push([url, headers, response.status, [...response.headers], await response.text()]);
  }
  const body = JSON.stringify({
    requests: REQUESTS.filter(([url]) => url.startsWith("s/")).map(([url, headers], index) => (
      { id: `${index}`, method: "GET", url: url.slice(2), ...(headers && { headers }) }
    )),
  });
  const headers = { "content-type": "application/json", ...as(user) };
  const batch = await runtime.fetch(
    new Request("http://localhost/odata/v4/s/$batch", { method: "POST", headers, body }),
  );
  return [...answers, await batch.json()];
}

for (const engine of Object.keys(ENGINES)) {
  Deno.test(`GET of an entity is answered the same whether handlers take part in it or not (${engine}) [4.1.get]`, async () => {
    const alone = open(engine);
    const seen = open(engine, (srv) => void srv.before("READ", () => {}));
    try {
      const statuses = new Set<number>();
      for (const user of Object.keys(USERS)) {
        const [own, others] = [await answersOf(alone, user), await answersOf(seen, user)];
        assert.deepEqual(own, others, user);
        for (const answer of own.slice(0, -1)) statuses.add((answer as number[])[2]!);
      }
      assert.deepEqual([...statuses].sort(), [200, 204, 304, 400, 403, 404, 405]);
    } finally {
      await alone.close();
      await seen.close();
    }
  });
}

Deno.test("handlers see a request to read, also those that are registered later (6.1)", async () => {
  const runtime = open("sqlite");
  try {
    await runtime.start();
    const { S: service, db } = runtime.services;
    const read = async (url: string) => {
      const response = await runtime.fetch(
        new Request(`http://localhost/odata/v4/s/${url}`, { headers: as("alice") }),
      );
      return response.status;
    };
    const seen: string[] = [];
    assert.equal(await read("Books(1)"), 200);
    assert.equal(await read("Books(1)/author"), 200);
    service.before("READ", "Books", (req) => void seen.push(`Books of ${req.user.id}`));
    service.after("READ", "Books/author", () => void seen.push("author"));
    service.on("error", (_, req) => void seen.push(`error of ${(req as { entity?: string }).entity}`));
    assert.equal(await read("Books(1)"), 200);
    assert.equal(await read("Books(1)/author"), 200);
    assert.equal(await read("Secrets(1)"), 403);
    db.before("READ", () => void seen.push("db"));
    assert.equal(await read("Versions(1)"), 200);
    assert.deepEqual(seen, ["Books of mock/alice", "author", "error of S.Secrets", "db"]);
  } finally {
    await runtime.close();
  }
});
