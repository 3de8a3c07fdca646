import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Runtime, type ServiceRequest } from "../../../mod.ts";
import type { SelectQuery } from "../../../src/cqn/cqn.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : UUID; title : String(40) @mandatory; price : Integer @assert.range: [0, 100];
      items : Composition of many Items on items.order = $self; }
    entity Items { key ID : UUID; order : Association to Orders; amount : Integer @assert.range: [1, 9]; }
  }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders actions { action rebate() returns Orders; };
    entity Items as projection on my.Items;
  }
  service Guarded {
    @odata.draft.enabled
    @restrict: [{ grant: 'READ', to: 'Viewer' }, { grant: ['READ', 'CREATE', 'UPDATE', 'DELETE'], to: 'Clerk' }]
    entity Orders as projection on my.Orders actions { action rebate() returns Orders; };
  }`;
const ID = "11111111-0000-4000-8000-000000000001";
const ACTIVE = `Orders(ID=${ID},IsActiveEntity=true)`;
const DRAFT = `Orders(ID=${ID},IsActiveEntity=false)`;

interface Answer {
  readonly status: number;
  readonly body: Row;
  /** The header with the messages. */
  readonly messages: string | null;
}

interface Shop extends AsyncDisposable {
  send(method: string, path: string, body?: unknown, user?: string): Promise<Answer>;
}
// deno-lint-ignore no-explicit-any -- answers are looked at member by member
type Row = Record<string, any>;

async function shop(
  kind: "sqlite" | "memory",
  { fiori = {}, handlers = {} }: { fiori?: object; handlers?: Row } = {},
): Promise<Shop> {
  const model = compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined });
  const users = { ann: { roles: ["Clerk"] }, ben: { roles: ["Clerk"] }, dora: { roles: ["Viewer"] } };
  const runtime: Runtime = createRuntime({
    model,
    kinds: denoKinds,
    handlers,
    env: {
      requires: { auth: { kind: "mocked", id_prefix: "", users }, db: { kind } },
      fiori,
      log: { levels: { default: "silent" } },
    },
    data: new Map([
      ["my.Orders", [{ ID, title: "First", price: 5 }, {
        ID: ID.replace(/1$/, "2"),
        title: "Second",
        price: 7,
      }]],
      ["my.Items", [{ ID: ID.replace(/1$/, "a"), order_ID: ID, amount: 3 }]],
    ]),
  });
  await runtime.start();
  return {
    async send(method, path, body, user = "ann") {
      const root = path.startsWith("/") ? "" : "/odata/v4/shop/";
      const headers: Record<string, string> = { authorization: `Basic ${btoa(`${user}:`)}` };
      if (body !== undefined) headers["content-type"] = "application/json";
      const url = `http://localhost${root}${path.replaceAll(" ", "%20")}`;
      const response = await runtime.fetch(
        new Request(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }),
      );
      const text = await response.text();
      const messages = response.headers.get("fw-messages");
      return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : { text }, messages };
    },
    [Symbol.asyncDispose]: () => runtime.close(),
  };
}

const ENGINES = ["sqlite", "memory"] as const;

for (const engine of ENGINES) {
  Deno.test(`a new draft is seen by its owner only, and becomes active (${engine})`, async () => {
    await using app = await shop(engine);
    const made = await app.send("POST", "Orders", { title: "New", items: [{ amount: 2 }] });
    assert.equal(made.status, 201);
    assert.deepEqual([made.body.IsActiveEntity, made.body.HasActiveEntity, made.body.HasDraftEntity], [
      false,
      false,
      false,
    ]);
    const draft = `Orders(ID=${made.body.ID},IsActiveEntity=false)`;
    assert.equal((await app.send("GET", draft, undefined, "ben")).status, 404);
    assert.equal(
      (await app.send("PATCH", draft, { title: "Mine" }, "ben")).body.error.code,
      "DRAFT_LOCKED_BY_ANOTHER_USER",
    );
    assert.equal(
      (await app.send("GET", "Orders/$count?$filter=IsActiveEntity eq false", undefined, "ben")).body.text,
      "0",
    );
    assert.equal((await app.send("PATCH", draft, { price: 8 })).body.price, 8);
    const activated = await app.send("POST", `${draft}/draftActivate?$expand=items`, {});
    assert.equal(activated.status, 201);
    assert.deepEqual([activated.body.IsActiveEntity, activated.body.price, activated.body.items.length], [
      true,
      8,
      1,
    ]);
    assert.equal((await app.send("GET", draft)).status, 404);
  });

  Deno.test(`an edited active instance is locked until its draft is activated or discarded (${engine})`, async () => {
    await using app = await shop(engine);
    const edited = await app.send("POST", `${ACTIVE}/draftEdit`, { PreserveChanges: true });
    assert.deepEqual([edited.status, edited.body.HasActiveEntity], [201, true]);
    assert.equal(
      (await app.send("POST", `${ACTIVE}/draftEdit`, {}, "ben")).body.error.code,
      "DRAFT_ALREADY_EXISTS",
    );
    assert.equal((await app.send("PATCH", ACTIVE, { title: "No" })).status, 409);
    assert.equal(
      (await app.send("DELETE", ACTIVE)).body.error.code,
      "DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS",
    );
    assert.equal((await app.send("GET", ACTIVE)).body.HasDraftEntity, true);
    assert.equal((await app.send("DELETE", DRAFT, undefined, "ben")).status, 403);
    assert.equal((await app.send("DELETE", DRAFT)).status, 204);
    assert.equal((await app.send("GET", ACTIVE)).body.HasDraftEntity, false);
    assert.equal((await app.send("GET", `${ACTIVE}?$expand=items`)).body.items.length, 1);
  });

  Deno.test(`active instances and own drafts are listed, sorted and counted together (${engine})`, async () => {
    await using app = await shop(engine);
    await app.send("POST", `${ACTIVE}/draftEdit`, {});
    await app.send("PATCH", DRAFT, { title: "Zeroth" });
    const all =
      "$filter=IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null&$orderby=title&$count=true";
    const mine = (await app.send("GET", `Orders?${all}`)).body;
    assert.deepEqual(mine.value.map((row: Row) => [row.title, row.IsActiveEntity]), [["Second", true], [
      "Zeroth",
      false,
    ]]);
    assert.equal(mine["@odata.count"], 2);
    const page = (await app.send("GET", `Orders?${all}&$skip=1&$top=1`)).body;
    assert.deepEqual(page.value.map((row: Row) => row.title), ["Zeroth"]);
    const his = (await app.send("GET", `Orders?${all}`, undefined, "ben")).body;
    assert.deepEqual(his.value.map((row: Row) => [row.title, row.IsActiveEntity, row.HasDraftEntity]), [
      ["First", true, true],
      ["Second", true, false],
    ]);
  });

  Deno.test(`pages of active instances and own drafts lead to the next one, and count no rows (${engine})`, async () => {
    const counted: unknown[] = [];
    const watch = (srv: ApplicationService) => {
      srv.before(
        "READ",
        ({ query }: ServiceRequest) => void counted.push((query as SelectQuery).SELECT.count),
      );
    };
    await using app = await shop(engine, { handlers: { Shop: watch } });
    await app.send("POST", `${ACTIVE}/draftEdit`, {});
    await app.send("PATCH", DRAFT, { title: "Zeroth" });
    counted.length = 0;
    const page = async (url: string) => {
      const part = { id: "1", method: "GET", url, headers: { prefer: "odata.maxpagesize=1" } };
      const { body } = (await app.send("POST", "$batch", { requests: [part] })).body.responses[0];
      return { titles: body.value.map((row: Row) => row.title), next: body["@odata.nextLink"] };
    };
    const first = await page(
      "Orders?$filter=IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null&$orderby=title",
    );
    assert.deepEqual(first.titles, ["Second"]);
    assert.deepEqual(await page(first.next), { titles: ["Zeroth"], next: undefined });
    assert.deepEqual(new Set(counted), new Set([undefined]));
  });

  Deno.test(`a filter in the path is about the rows that it is about as $filter (Protocol 4.12, ${engine})`, async () => {
    await using app = await shop(engine);
    await app.send("POST", `${ACTIVE}/draftEdit`, {});
    await app.send("PATCH", DRAFT, { title: "Changed" });
    const titles = async (path: string) =>
      (await app.send("GET", path)).body.value.map((row: Row) => row.title).sort();
    for (
      const [filter, expected] of [
        ["IsActiveEntity eq false", ["Changed"]],
        ["IsActiveEntity ne false", ["First", "Second"]],
        ["IsActiveEntity eq false or price gt 6", ["Changed", "Second"]],
        ["price gt 6 or IsActiveEntity eq false", ["Changed", "Second"]],
        ["price gt 6", ["Second"]],
      ] as const
    ) {
      assert.deepEqual(await titles(`Orders?$filter=${filter}`), expected, filter);
      assert.deepEqual(await titles(`Orders/$filter(${filter})`), expected, filter);
      assert.deepEqual(await titles(`Orders/$filter(@f)?@f=${filter}&$filter=price lt 6`), [
        ...expected.filter((title) => title !== "Second"),
      ], filter);
      assert.equal(
        (await app.send("GET", `Orders/$filter(${filter})/$count`)).body.text,
        `${expected.length}`,
        filter,
      );
    }
  });

  Deno.test(`references, steps of $apply and expressions take filters in paths as $filter (Protocol 4.12, ${engine})`, async () => {
    await using app = await shop(engine);
    await app.send("POST", `${ACTIVE}/draftEdit`, {});
    await app.send("PATCH", DRAFT, { title: "Changed" });
    await app.send("POST", "Orders", { title: "Other", price: 9 }, "ben");
    const rows = async (path: string) => (await app.send("GET", path)).body.value;
    const nested = "groupby((title,price))/filter(price gt 1)/groupby((price),aggregate($count as n))";
    const parts = "concat(groupby((title)),aggregate($count as n))";
    for (
      const [filter, count] of [
        ["IsActiveEntity eq false", 1],
        ["IsActiveEntity ne false", 2],
        ["IsActiveEntity eq false or price gt 6", 2],
        ["price gt 6 or IsActiveEntity eq false", 2],
      ] as const
    ) {
      const references = await rows(`Orders/$filter(${filter})/$ref`);
      assert.equal(references.length, count, filter);
      assert.deepEqual(references, await rows(`Orders/$ref?$filter=${filter}`), filter);
      for (const steps of [nested, parts]) {
        const found = await rows(`Orders/$filter(${filter})?$apply=${steps}`);
        assert.deepEqual(found, await rows(`Orders?$apply=filter(${filter})/${steps}`), filter);
      }
      assert.equal((await app.send("DELETE", `Orders/$filter(${filter})/$each`)).status, 501);
      const called = await app.send("POST", `Orders/$filter(${filter})/$each/rebate`, {});
      const isRefused = JSON.stringify(called.body).includes(
        "Calls on several instances at once, of entities with drafts",
      );
      assert.deepEqual([called.status, isRefused], [501, filter !== "IsActiveEntity ne false"], filter);
    }
    const counting = (filter: string) =>
      `Orders?$filter=price gt 6 and $root/Orders/$filter(${filter})/$count eq 1`;
    assert.equal((await rows(counting("IsActiveEntity eq false")))[0].title, "Second");
    assert.deepEqual(await rows(counting("IsActiveEntity ne false")), []);
    const both = await app.send("GET", counting("IsActiveEntity eq false or price gt 6"));
    assert.deepEqual([both.status, both.body.error?.message], [
      501,
      "Active instances and drafts together in an expression",
    ]);
    const [first] = await rows("Orders/$filter(items/any(i:i/amount lt price))");
    assert.equal(first.title, "First");
  });

  Deno.test(`every condition on draft elements is evaluated (${engine})`, async () => {
    await using app = await shop(engine);
    await app.send("POST", `${ACTIVE}/draftEdit`, {});
    const titles = async (filter: string) =>
      (await app.send("GET", `Orders?$select=title&$filter=${filter}`)).body.value.length;
    assert.equal(await titles("HasDraftEntity eq true"), 1);
    assert.equal(await titles("not (IsActiveEntity eq false)"), 2);
    assert.equal(await titles("IsActiveEntity in (true,false)"), 3);
    assert.equal(await titles("IsActiveEntity eq true and HasDraftEntity eq false"), 1);
    assert.equal(await titles("IsActiveEntity eq false and HasActiveEntity eq true"), 1);
    // a draft has none of its own
    assert.equal(await titles("IsActiveEntity eq false and HasDraftEntity eq false"), 1);
    assert.equal(await titles("IsActiveEntity eq false and HasDraftEntity eq true"), 0);
    // of the row that a condition on other rows is in
    assert.equal(await titles("items/any(i:i/amount lt SiblingEntity/price)"), 1);
    assert.equal(await titles("items/any(i:i/amount gt SiblingEntity/price)"), 0);
    assert.equal(await titles("items/any(i:i/amount gt 0 and HasDraftEntity)"), 1);
    assert.equal(await titles("items/any(i:i/amount gt 0 and not IsActiveEntity)"), 0);
    assert.equal(
      await titles("IsActiveEntity eq false and items/any(i:i/amount gt 0 and HasActiveEntity)"),
      1,
    );
    assert.equal(
      await titles("items/any(i:i/order/items/any(o:o/SiblingEntity/ID eq i/SiblingEntity/ID))"),
      1,
    );
  });

  Deno.test(`drafts keep the messages of their checks until the element is repaired (${engine})`, async () => {
    await using app = await shop(engine);
    await app.send("POST", `${ACTIVE}/draftEdit`, {});
    const wrong = await app.send("PATCH", DRAFT, { price: 500 });
    assert.deepEqual([wrong.status, wrong.body.price], [200, 500]);
    assert.deepEqual(wrong.body.DraftMessages.map(({ code, target }: Row) => [code, target]), [
      ["ASSERT_RANGE", `/${DRAFT}/price`],
    ]);
    const refused = await app.send("POST", `${DRAFT}/draftActivate`, {});
    assert.deepEqual([refused.status, refused.body.error.target], [400, "in/price"]);
    assert.equal((await app.send("GET", ACTIVE)).body.price, 5);
    assert.deepEqual((await app.send("PATCH", DRAFT, { price: 50 })).body.DraftMessages, []);
    assert.equal((await app.send("POST", `${DRAFT}/draftActivate`, {})).status, 200);
  });
}

Deno.test("rights are decided before the lock, and hold for operations on drafts", async () => {
  await using app = await shop("sqlite");
  const root = "/odata/v4/guarded/";
  assert.equal((await app.send("POST", `${root}${ACTIVE}/draftEdit`, {}, "dora")).status, 403);
  assert.equal((await app.send("POST", `${root}${ACTIVE}/draftEdit`, {})).status, 201);
  const locked = await app.send("POST", `${root}${ACTIVE}/draftEdit`, {}, "dora");
  assert.deepEqual([locked.status, locked.body.error.code], [403, "403"]);
  assert.equal((await app.send("POST", `${root}${DRAFT}/rebate`, {})).status, 403);
  assert.equal((await app.send("POST", `${root}Orders`, { title: "x" }, "dora")).status, 403);
});

Deno.test("a draft whose lock has expired is taken over by draftEdit without PreserveChanges", async () => {
  await using app = await shop("sqlite", { fiori: { draft_lock_timeout: 0 } });
  await app.send("POST", `${ACTIVE}/draftEdit`, {});
  assert.equal((await app.send("POST", `${ACTIVE}/draftEdit`, { PreserveChanges: true }, "ben")).status, 409);
  assert.equal(
    (await app.send("POST", `${ACTIVE}/draftEdit`, { PreserveChanges: false }, "ben")).status,
    201,
  );
  assert.equal((await app.send("GET", DRAFT)).status, 404);
  assert.equal((await app.send("GET", DRAFT, undefined, "ben")).status, 200);
});

Deno.test("handlers get NEW, PATCH, EDIT, SAVE and DISCARD, and errors they record stay with the draft", async () => {
  const log: string[] = [];
  await using app = await shop("sqlite", {
    handlers: {
      Shop: (srv: Row) => {
        const { drafts } = srv.entities.Orders;
        const note = (req: ServiceRequest) => void log.push(`${req.event} ${req.target!.name}`);
        srv.before("NEW", drafts, note);
        srv.before("PATCH", drafts, (req: ServiceRequest) => {
          note(req);
          req.error({ status: 400, code: "ODD", message: "Odd", target: "title" });
        });
        srv.before("EDIT", "Orders", note);
        srv.before("SAVE", "Orders", note);
        srv.before("DISCARD", drafts, note);
      },
    },
  });
  await app.send("POST", `${ACTIVE}/draftEdit`, {});
  const patched = await app.send("PATCH", DRAFT, { title: "Odd" });
  assert.deepEqual([patched.status, patched.body.DraftMessages[0].code], [200, "ODD"]);
  await app.send("POST", `${DRAFT}/draftActivate`, {});
  const { body } = await app.send("POST", "Orders", {});
  await app.send("DELETE", `Orders(ID=${body.ID},IsActiveEntity=false)`);
  assert.deepEqual(log, [
    "EDIT Shop.Orders",
    "UPDATE Shop.Orders.drafts",
    "UPDATE Shop.Orders",
    "NEW Shop.Orders.drafts",
    "CANCEL Shop.Orders.drafts",
  ]);
});

Deno.test("a draft shows of its instance what READ handlers show, and activation leaves the rest as it is", async () => {
  await using app = await shop("sqlite", {
    handlers: {
      Shop: (srv: Row) => {
        srv.after("READ", srv.entities.Orders, (rows: unknown) => {
          for (const row of [rows].flat() as Row[]) Object.assign(row, { title: "hidden", added: true });
        });
      },
    },
  });
  const { body } = await app.send("POST", `${ACTIVE}/draftEdit?$expand=items`, {});
  assert.deepEqual([body.title, body.price, body.items[0].amount], ["hidden", 5, 3]);
  await app.send("PATCH", DRAFT, { price: 6 });
  assert.equal((await app.send("POST", `${DRAFT}/draftActivate`, {})).status, 200);
  const plain = await app.send("GET", `/odata/v4/guarded/${ACTIVE}`);
  assert.deepEqual([plain.body.title, plain.body.price], ["First", 6]);
  // nobody else changed what is shown otherwise than it is stored
  await app.send("POST", `${ACTIVE}/draftEdit`, {});
  await app.send("PATCH", DRAFT, { title: "Own" });
  assert.equal((await app.send("POST", `${DRAFT}/draftActivate`, {})).messages, null);
});

Deno.test("without bypass active instances are changed by drafts only", async () => {
  await using app = await shop("sqlite", { fiori: { bypass_draft: false } });
  assert.equal((await app.send("PATCH", ACTIVE, { title: "x" })).status, 501);
  assert.equal((await app.send("POST", "Orders", { title: "x", IsActiveEntity: true })).status, 201);
});

Deno.test("a key without IsActiveEntity means the active instance", async () => {
  await using app = await shop("sqlite");
  const { status, body } = await app.send("GET", `Orders(${ID})`);
  assert.deepEqual([status, body.IsActiveEntity], [200, true]);
});
