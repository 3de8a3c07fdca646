import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, type Runtime } from "../../mod.ts";
import { EventContext, type EventContextProperties } from "../../src/context/event_context.ts";
import { runBriefly, runWithContext } from "../../src/context/store.ts";
import { User } from "../../src/context/user.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import type { JsonRows } from "../../src/service/database.ts";
import { readDirectly } from "../../src/service/routes/read_directly.ts";
import { ENGINES } from "./engines.ts";

const TEXT = `
context my {
  entity Authors { key ID: Integer; name: localized String(20); books: Association to many Books on books.author = $self; }
  entity Books {
    key ID: Integer; title: String; price: Decimal(9, 2); rate: Double; big: Int64; flag: Boolean; day: Date;
    since: DateTime; stamp: Timestamp; bytes: Binary(3); tags: many String; author: Association to Authors;
    chapters: Composition of many { key pos: Integer; name: String(5) };
  }
  entity Versions { key ID: Integer; @odata.etag version: Integer; }
  entity Secrets { key ID: Integer; owner: String(20); }
}
service S {
  entity Books as projection on my.Books;
  @cds.redirection.target entity Authors as projection on my.Authors;
  entity Versions as projection on my.Versions;
  @restrict: [{ grant: '*', to: 'admin' }, { grant: 'READ', to: 'authenticated-user', where: 'owner = $user' }]
  entity Secrets as projection on my.Secrets;
  @requires: 'admin' entity Locked as projection on my.Authors;
  @insertonly entity Letters as projection on my.Authors;
  @cds.persistence.skip entity Skipped { key ID: Integer; }
  @odata.singleton @odata.singleton.nullable entity First as select from my.Authors where ID = 1;
}
`;
const MODEL = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? TEXT : undefined });

const DATA: ReadonlyMap<string, readonly Row[]> = new Map([
  ["my.Authors", [{ ID: 1, name: "Emily" }, { ID: 2, name: "Anne" }]],
  ["my.Authors.texts", [{ ID: 1, locale: "de", name: "Emilia" }]],
  ["my.Books", [
    { ID: 1, title: 'W"\\ö', price: 9.5, rate: 0.1, flag: true, day: "2024-02-29", author_ID: 1 },
    { ID: 2, since: "2024-02-29T10:11:12Z", stamp: "2024-02-29T10:11:12.5Z", bytes: "AAEC", rate: 1e300 },
    { ID: 3, title: "Third", price: "1234567.25", big: "9007199254740993", flag: false, tags: ["a"] },
  ]],
  ["my.Books.chapters", [{ up__ID: 1, pos: 1, name: "One" }]],
  ["my.Versions", [{ ID: 1, version: 7 }]],
  ["my.Secrets", [{ ID: 1, owner: "alice" }, { ID: 2, owner: "bob" }]],
]);

/** A request: URL below the service, headers. */
type Sent = readonly [url: string, headers?: Record<string, string>];

const URLS = [
  ..."Books(1) Books(2) Books(3) Books(9) Books(ID=1) Books(x) Authors(1) Authors(1)/books Books(1)/author"
    .split(" "),
  ..."Books(1)/chapters Books(2)/author Books(1)/title Books(1)/$ref Versions(1) Secrets(1) Secrets(2)".split(
    " ",
  ),
  ..."Locked(1) Letters(1) Skipped(1) First Nothing(1) Books_chapters(up__ID=1,pos=1) Books/$count".split(
    " ",
  ),
  ..."Books?$top=2 Books?$top=9 Books?$top=0 Books?$top=5000 Books?$top=2&$count=true Books".split(" "),
  ..."Books?$top=2&$skip=2 Books?$top=1&$filter=ID%20eq%209&$count=true Secrets?$top=5&$count=true".split(
    " ",
  ),
  ..."Books(1)?$select=ID,title Books(1)?$expand=author Authors(2)?$expand=books($top=1)".split(" "),
  ..."Authors?$top=2&$orderby=name%20desc Books?$top=1&$expand=chapters Letters?$top=1 Locked?$top=1".split(
    " ",
  ),
  ..."Books?$top=2&$apply=aggregate($count%20as%20n) Books?$top=1&$search=Third Authors(1)/books?$top=1"
    .split(" "),
];
const REQUESTS: readonly Sent[] = URLS.flatMap((url): Sent[] => [
  [url],
  [url, { authorization: `Basic ${btoa("bob:")}` }],
  [url, { "authorization": `Basic ${btoa("carol:")}`, "accept-language": "de" }],
  [url, { accept: "application/json;odata.metadata=full", prefer: "maxpagesize=1" }],
  [url, { "accept": "application/json;IEEE754Compatible=true", "odata-maxversion": "4.01" }],
  [url, { "prefer": "omit-values=nulls", "if-none-match": 'W/"7"' }],
]);

function open(engine: string, register?: (srv: ApplicationService) => void): Runtime {
  return createRuntime({
    model: MODEL,
    data: DATA,
    env: { requires: { db: { kind: engine } }, log: { levels: { default: "silent" } } },
    kinds: { databases: { [engine]: () => ENGINES[engine]! } },
    ...(register ? { handlers: { S: register as never } } : {}),
  });
}

async function answerTo(runtime: Runtime, [url, headers]: Sent): Promise<readonly [number, string]> {
  const response = await runtime.fetch(new Request(`http://localhost/odata/v4/s/${url}`, { headers }));
  const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
  return [response.status, text.replace(/"x-correlation-id","[^"]*"/, "")];
}

for (const engine of Object.keys(ENGINES)) {
  Deno.test(`a GET is answered the same whether handlers take part in it or not (${engine}) [4.1.get]`, async () => {
    const alone = open(engine);
    const seen = open(engine, (srv) => void srv.before("READ", () => {}));
    try {
      const statuses = new Set<number>();
      for (const sent of REQUESTS) {
        const answer = await answerTo(alone, sent);
        assert.deepEqual(answer, await answerTo(seen, sent), JSON.stringify(sent));
        statuses.add(answer[0]);
      }
      assert.deepEqual([...statuses].sort(), [200, 204, 304, 400, 401, 403, 404, 405, 501]);
    } finally {
      await alone.close();
      await seen.close();
    }
  });
}

/** What is read without a request to the service. */
async function alone(
  [set, one]: readonly [set: string, one?: boolean],
  register: (srv: ApplicationService, runtime: Runtime) => void = () => {},
  user: EventContextProperties["user"] = "alice",
): Promise<string | undefined> {
  const runtime = open("sqlite");
  try {
    await runtime.start();
    const service = runtime.services.S as ApplicationService;
    const target = service.model.entity(`S.${set}`)!;
    register(service, runtime);
    const context = new EventContext({ user });
    const query = { SELECT: { from: { ref: [target.name] }, columns: [{ ref: ["ID"] }], one } };
    const rows = runBriefly(
      context,
      () =>
        readDirectly(service, { query, queryParams: {}, target, path: target.name }, {
          context,
          acceptsJson: true,
        }),
    );
    return (await rows as JsonRows | undefined)?.json;
  } finally {
    await runtime.close();
  }
}

Deno.test("readDirectly() reads where nobody takes part, and otherwise leaves it to requests", async () => {
  assert.equal(await alone(["Books"]), '[{"ID":1},{"ID":2},{"ID":3}]');
  assert.equal(await alone(["Books", true]), '{"ID":1}');
  for (const phase of ["before", "on", "after"] as const) {
    for (const event of ["READ", "*"]) {
      assert.equal(await alone(["Books"], (srv) => void srv[phase](event, () => {})), undefined);
    }
    assert.equal(await alone(["Books"], (srv) => void srv[phase]("READ", "Books", () => {})), undefined);
    assert.ok(await alone(["Books"], (srv) => void srv[phase]("READ", "Authors", () => {})));
    assert.ok(await alone(["Books"], (srv) => void srv[phase]("CREATE", () => {})));
    assert.equal(
      await alone(["Books"], (_, { services }) => void services.db[phase]("*", () => {})),
      undefined,
    );
  }
  assert.equal(await alone(["Books"], (srv) => void srv.on("error", () => {})), undefined);
  assert.equal(await alone(["Books"], (srv) => void srv.before("COMMIT", () => {})), undefined);
  assert.equal(await alone(["Books"], (srv) => void (srv.prepare = () => {})), undefined);
  assert.equal(await alone(["Books"], (srv) => void (srv.handle = () => Promise.resolve())), undefined);
  assert.equal(await alone(["Skipped"]), undefined);
});

Deno.test("readDirectly() reads the rows that the user may see, and refuses who may see none (auth 7)", async () => {
  assert.equal(await alone(["Secrets"]), '[{"ID":1}]');
  assert.equal(await alone(["Secrets"], undefined, { id: "ann", roles: ["admin"] }), '[{"ID":1},{"ID":2}]');
  assert.equal(await alone(["Secrets"], undefined, User.privileged), '[{"ID":1},{"ID":2}]');
  await assert.rejects(alone(["Secrets"], undefined, User.anonymous), { status: 401 });
  await assert.rejects(alone(["Locked"]), { status: 403 });
});

Deno.test("a handler that is registered later sees the next request", async () => {
  const runtime = open("sqlite");
  try {
    const url: Sent = ["Books(1)?$select=title"];
    assert.match((await answerTo(runtime, url))[1], /W/);
    runtime.services.S.prepend((srv) => void srv.on("READ", "Books", () => ({ ID: 1, title: "Mine" })));
    assert.match((await answerTo(runtime, url))[1], /Mine/);
  } finally {
    await runtime.close();
  }
});

Deno.test("readDirectly() reads in the transaction of its context what was written in it", async () => {
  const runtime = open("sqlite");
  try {
    await runtime.start();
    const service = runtime.services.S as ApplicationService;
    const target = service.model.entity("S.Books")!;
    await service.tx(async (tx) => {
      await runtime.db!.tx(tx.context).run({ DELETE: { from: "my.Books" } });
      const query = { SELECT: { from: { ref: [target.name] } } };
      const read = { query, queryParams: {}, target, path: target.name };
      const options = { context: tx.context, acceptsJson: true };
      const found = await runWithContext(tx.context, () => readDirectly(service, read, options));
      assert.equal((found as JsonRows).json, "[]");
      assert.deepEqual(
        await runWithContext(
          tx.context,
          () => readDirectly(service, read, { ...options, acceptsJson: false }),
        ),
        [],
      );
    });
  } finally {
    await runtime.close();
  }
});
