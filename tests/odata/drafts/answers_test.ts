/** What requests on drafts answer beside their rows: flags, messages, headers, and what they refuse (drafts 2, 4, 5). */

import assert from "node:assert/strict";
import { type ApplicationService, createRuntime, type Row, type Runtime } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import { compileCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { uniqueName } from "../../contract/services.ts";
import { credentials, dropSchemas, server } from "../../db/postgres.ts";
import { sendTo } from "../../send_to.ts";

const SOURCE = `
  context my {
    entity Orders { key ID : Integer; code : String(10); title : String(20); price : Integer; size : Int64; worth : Decimal(38, 20); spent : Double;
      @readonly rank : Integer; twin : Association to Orders;
      items : Composition of many Items on items.order = $self;
      notes : Composition of many Notes on notes.code = code; }
    entity Items { key ID : Integer; order : Association to Orders; amount : Integer @assert.range: [1, 9];
      @readonly rank : Integer; box : Composition of one Boxes; }
    entity Boxes { key ID : Integer; @readonly rank : Integer; }
    entity Notes { key ID : Integer; code : String(10); }
  }
  service Shop {
    @odata.draft.enabled entity Orders as projection on my.Orders;
    entity Items as projection on my.Items;
    entity Boxes as projection on my.Boxes;
    entity Notes as projection on my.Notes;
  }`;
const ACTIVE = "Orders(ID=1,IsActiveEntity=true)";
const DRAFT = "Orders(ID=1,IsActiveEntity=false)";
const BOTH = "IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null";

interface Found {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any -- answers are looked at member by member
  readonly body: any;
}
type Send = (
  request: string,
  body?: unknown,
  more?: { readonly user?: string; readonly headers?: Readonly<Record<string, string>> },
) => Promise<Found>;

interface Options {
  readonly kind?: string;
  readonly fiori?: object;
  readonly register?: (srv: ApplicationService) => void;
}

async function withShop(
  run: (send: Send, runtime: Runtime) => Promise<void>,
  { kind = "sqlite", fiori = {}, register }: Options = {},
): Promise<void> {
  const schema = uniqueName();
  const runtime = createRuntime({
    model: compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? SOURCE : undefined }),
    kinds: denoKinds,
    handlers: register && { Shop: register },
    env: {
      requires: {
        auth: { kind: "mocked", id_prefix: "", users: { ann: {}, ben: {} } },
        db: kind === "postgres" ? { kind, credentials: credentials(schema) } : { kind },
      },
      fiori,
      log: { levels: { default: "silent" } },
    },
    data: new Map<string, Row[]>([
      ["my.Orders", [1, 2, 3].map((ID) => ({ ID, code: "same", title: `order ${ID}`, price: ID, rank: 7 }))],
      ["my.Items", [1, 2].map((ID) => ({ ID, order_ID: 1, amount: ID, rank: 8 }))],
    ]),
  });
  await runtime.start();
  try {
    await run(async (request, body, { user = "ann", headers } = {}) => {
      const [method, ...path] = request.split(" ");
      const full = `/odata/v4/shop/${encodeURI(path.join(" "))}`;
      return await sendTo(runtime, { method: method!, path: full, user, body, headers }) as unknown as Found;
    }, runtime);
  } finally {
    await runtime.close();
    if (kind === "postgres") await dropSchemas(schema);
  }
}

Deno.test("keys tell in any order of which kind a row is", () =>
  withShop(async (send) => {
    await send(`POST ${ACTIVE}/draftEdit`, {});
    for (
      const path of [
        "Orders(IsActiveEntity=false,ID=1)",
        "Orders(IsActiveEntity=false,ID=1)/items(IsActiveEntity=false,ID=1)",
        "Items(IsActiveEntity=false,ID=1)",
      ]
    ) {
      const { status, body } = await send(`GET ${path}`);
      assert.deepEqual([status, body.ID, body.IsActiveEntity], [200, 1, false], path);
    }
    const changed = await send("PATCH Orders(IsActiveEntity=false,ID=1)", { title: "x" });
    assert.deepEqual([changed.status, changed.body.title], [200, "x"]);
  }));

for (const kind of ["sqlite", "postgres"] as const) {
  Deno.test({
    name: `active instances and own drafts are counted together (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () =>
      withShop(async (send) => {
        await send(`POST ${ACTIVE}/draftEdit`, {});
        await send("POST Orders", { ID: 4 });
        await send("POST Orders", { ID: 5 }, { user: "ben" });
        assert.equal((await send(`GET Orders/$count?$filter=${BOTH}`)).body, "4");
        assert.equal((await send(`GET Orders/$count?$filter=(${BOTH}) and ID gt 1`)).body, "3");
        assert.equal((await send(`GET Orders/$count?$filter=${BOTH}`, undefined, { user: "ben" })).body, "4");
      }, { kind }),
  });
}

Deno.test("rows tell of which kind they are, and drafts their messages, whatever is selected", () =>
  withShop(async (send) => {
    await send(`POST ${ACTIVE}/draftEdit`, {});
    const membersOf = async (path: string) =>
      Object.keys((await send(`GET ${path}`)).body).filter((name) => !name.startsWith("@")).sort();
    assert.deepEqual(await membersOf(`${DRAFT}?$select=title`), [
      ...["DraftMessages", "ID", "IsActiveEntity", "title"],
    ]);
    assert.deepEqual(await membersOf(`${ACTIVE}?$select=title`), ["ID", "IsActiveEntity", "title"]);
    const computed = await send(`GET ${DRAFT}?$compute=IsActiveEntity as flag&$select=flag`);
    assert.deepEqual([computed.body.flag, computed.body.IsActiveEntity], [false, false]);
    const twin = await send(
      `GET Orders?$filter=IsActiveEntity eq false&$compute=SiblingEntity/IsActiveEntity as other&$select=other`,
    );
    assert.deepEqual(twin.body.value.map((row: Row) => row.other), [true]);
  }));

Deno.test("without messages drafts have no member of them, and a change that a handler refuses fails", () =>
  withShop(async (send) => {
    const { body } = await send(`POST ${ACTIVE}/draftEdit`, {});
    assert.equal("DraftMessages" in body, false);
    assert.equal("DraftMessages" in (await send(`GET ${DRAFT}?$select=title`)).body, false);
    assert.equal((await send(`PATCH ${DRAFT}/items(ID=1,IsActiveEntity=false)`, { amount: 77 })).status, 200);
    const refused = await send(`PATCH ${DRAFT}`, { title: "odd" });
    assert.deepEqual([refused.status, refused.body.error.details[0].code], [400, "ODD"]);
  }, {
    fiori: { draft_messages: false },
    register: (srv) => {
      srv.before("PATCH", "Orders.drafts", (req) => void req.error({ status: 400, code: "ODD" }));
    },
  }));

Deno.test("new drafts and instances tell where they are; who prefers it gets nothing more (Protocol 8.2.8.7)", () =>
  withShop(async (send) => {
    const url = (ID: number, isActive: boolean) => `Orders(ID=${ID},IsActiveEntity=${isActive})`;
    const locationOf = ({ status, headers }: Found) => [status, headers.get("location")];
    assert.deepEqual(locationOf(await send("POST Orders", { ID: 4 })), [201, url(4, false)]);
    assert.deepEqual(locationOf(await send("POST Orders", { ID: 5, IsActiveEntity: true })), [
      201,
      url(5, true),
    ]);
    assert.deepEqual(locationOf(await send(`POST ${ACTIVE}/draftEdit`, {})), [201, `../${url(1, false)}`]);
    assert.deepEqual(locationOf(await send(`PATCH ${DRAFT}`, { title: "x" })), [200, null]);
    assert.deepEqual(locationOf(await send(`POST ${DRAFT}/draftPrepare`, {})), [200, null]);
    const activated = await send(`POST ${url(4, false)}/draftActivate`, {});
    assert.deepEqual(locationOf(activated), [201, `../${url(4, true)}`]);
    const headers = { prefer: "return=minimal" };
    const minimal = await send("POST Orders", { ID: 6 }, { headers });
    assert.deepEqual([minimal.status, minimal.body, minimal.headers.get("preference-applied")], [
      ...[204, "", "return=minimal"],
    ]);
    assert.equal(minimal.headers.get("location"), url(6, false));
    assert.equal(minimal.headers.get("odata-entityid"), url(6, false));
    const changed = await send(`PATCH ${DRAFT}`, { title: "y" }, { headers });
    assert.deepEqual([changed.status, changed.headers.get("location")], [204, null]);
    assert.equal((await send(`GET ${DRAFT}`)).body.title, "y");
  }));

Deno.test("a new active instance is answered with the parts that were sent, at any depth, and with no others (Part 1, 11.4.2.2)", () =>
  withShop(async (send) => {
    const sent = { ID: 4, IsActiveEntity: true, items: [{ ID: 41, amount: 2, box: { ID: 7 } }, { ID: 42 }] };
    const { status, body } = await send("POST Orders", sent);
    assert.deepEqual([status, body.items.map(({ ID }: Row) => ID), body.items[0].box.ID], [201, [41, 42], 7]);
    assert.equal("notes" in body, false);
    const chosen = await send("POST Orders?$select=ID", { ...sent, ID: 5, items: [{ ID: 51 }] });
    assert.deepEqual([chosen.status, "items" in chosen.body], [201, false]);
  }));

Deno.test("with an action for new drafts, POST makes active instances", () =>
  withShop(async (send) => {
    const made = await send("POST Orders/Shop.draftNew", { ID: 4, title: "new", HasActiveEntity: true });
    assert.deepEqual([made.status, made.body.ID, made.body.title, made.body.IsActiveEntity], [
      ...[201, 4, "new", false],
    ]);
    assert.deepEqual([made.headers.get("location"), made.body.HasActiveEntity], [
      "../Orders(ID=4,IsActiveEntity=false)",
      false,
    ]);
    const active = await send("POST Orders", { ID: 5 });
    assert.equal(active.status, 201);
    assert.equal((await send("GET Orders(ID=5,IsActiveEntity=true)")).status, 200);
    assert.equal((await send("POST Orders/Shop.draftNew", {})).body.error.code, "ASSERT_MANDATORY");
  }, { fiori: { draft_new_action: true } }));

Deno.test("messages name the part by the path of the request, parts show theirs, and a part takes its messages along", () =>
  withShop(async (send) => {
    await send(`POST ${ACTIVE}/draftEdit`, {});
    for (const ID of [1, 2]) {
      await send(`PATCH ${DRAFT}/items(ID=${ID},IsActiveEntity=false)`, { amount: 70 + ID });
    }
    const targets = async () => {
      const { body } = await send(`GET ${DRAFT}?$select=DraftMessages`);
      return body.DraftMessages.map(({ target }: Row) => target);
    };
    const targetOf = (ID: number) => `/${DRAFT}/items(ID=${ID},IsActiveEntity=false)/amount`;
    assert.deepEqual(await targets(), [targetOf(2), targetOf(1)]);
    const shown = await send(`GET ${DRAFT}/items?$orderby=ID`);
    const inParts = shown.body.value.map(({ DraftMessages }: Row) => (DraftMessages as Row[])[0]!.target);
    assert.deepEqual(inParts, [targetOf(1), targetOf(2)]);
    assert.equal((await send(`DELETE ${DRAFT}/items(ID=2,IsActiveEntity=false)`)).status, 204);
    assert.deepEqual(await targets(), [targetOf(1)]);
  }, { register: (srv) => void srv.after("READ", "Items.drafts", () => {}) }));

Deno.test("activation keeps what handlers wrote to elements that clients cannot write, parts included", () =>
  withShop(async (send) => {
    const items = [{ ID: 40, amount: 1, rank: 50, box: { ID: 41, rank: 50 } }];
    await send("POST Orders", { ID: 4, rank: 50, items });
    const draft = "Orders(ID=4,IsActiveEntity=false)";
    assert.equal((await send(`POST ${draft}/draftActivate`, {})).status, 201);
    const { body } = await send("GET Orders(ID=4,IsActiveEntity=true)?$expand=items($expand=box)");
    assert.deepEqual([body.rank, body.items[0].rank, body.items[0].box.rank], [1, 2, 3]);
  }, {
    register: (srv) => {
      srv.before("NEW", "Orders.drafts", ({ data }) => {
        const { items: [item] } = Object.assign(data as Row, { rank: 1 }) as unknown as { items: [Row] };
        Object.assign(item, { rank: 2, box: { ...item.box as Row, rank: 3 } });
      });
    },
  }));

Deno.test("a part is added by the path of its whole, though the column of its link is none of the key", () =>
  withShop(async (send) => {
    await send("POST Orders(ID=2,IsActiveEntity=true)/draftEdit", {}, { user: "ben" });
    await send("POST Orders(ID=3,IsActiveEntity=true)/draftEdit", {});
    const { status } = await send("POST Orders(ID=3,IsActiveEntity=false)/notes", { ID: 1 });
    assert.equal(status, 201);
  }));

Deno.test("$apply on one kind of rows goes on behind rows that were chosen, and searches", () =>
  withShop(async (send) => {
    await send(`POST ${ACTIVE}/draftEdit`, {});
    const rows = async (apply: string) => (await send(`GET Orders?$apply=${apply}`)).body.value;
    const top = "filter(IsActiveEntity eq true)/topcount(1,price)";
    assert.deepEqual(await rows(`${top}/groupby((IsActiveEntity),aggregate($count as n))`), [
      { IsActiveEntity: true, n: 1 },
    ]);
    assert.deepEqual(await rows(`filter(${BOTH})/search("order 2")/aggregate($count as n)`), [{ n: 1 }]);
    const idsOf = async (apply: string) => (await rows(apply)).map(({ ID }: Row) => ID);
    assert.deepEqual(await idsOf("concat(filter(price gt 1),topcount(1,price))"), [2, 3, 3]);
    assert.deepEqual(await idsOf("concat(filter(price gt 1),topcount(1,price))/filter(price gt 2)"), [3, 3]);
    const drafts = "filter(IsActiveEntity eq false)/concat(filter(price gt 0),topcount(1,price))";
    assert.deepEqual(await idsOf(drafts), [1, 1]);
  }));

Deno.test("forms of $apply that drafts do not take answer 501 with what they are, each by itself", () =>
  withShop(async (send) => {
    const sum = "aggregate(n with sum as s)";
    const forms: readonly (readonly [string, RegExp])[] = [
      [`filter(${BOTH})/compute(items/$count as n)/${sum}`, /Parts of rows/],
      [`filter(${BOTH})/compute(case(items/any(i:i/amount gt 0):1,true:2) as n)/${sum}`, /Nested rows/],
      ["concat(filter(price gt 1),aggregate($count as n))", /This form/],
      ["groupby((twin))&$expand=twin", /This form/],
    ];
    for (const [apply, text] of forms) {
      const { status, body } = await send(`GET Orders?$apply=${apply}`);
      assert.equal(status, 501, apply);
      assert.match(body.error.message, text);
    }
  }));

Deno.test("active instances and drafts are sorted together: null first, numbers by their size, then by the next element", () =>
  withShop(async (send) => {
    await send(`POST ${ACTIVE}/draftEdit`, {});
    await send(`PATCH ${DRAFT}`, { price: 10 });
    await send("POST Orders", { ID: 4 });
    await send("POST Orders", { ID: 5, price: 3 });
    const idsOf = async (order: string) =>
      (await send(`GET Orders?$filter=${BOTH}&$orderby=${order}`)).body.value.map(({ ID }: Row) => ID);
    assert.deepEqual(await idsOf("price,ID"), [4, 2, 3, 5, 1]);
    assert.deepEqual(await idsOf("price desc,ID desc"), [1, 5, 3, 2, 4]);
    const drafts = await send("GET Orders?$filter=IsActiveEntity ne true&$orderby=ID");
    assert.deepEqual(drafts.body.value.map(({ ID }: Row) => ID), [1, 4, 5]);
  }));

/** Options, and the keys of rows: order 2 has a draft, order 4 is one only. */
const PAGED: readonly (readonly [options: string, ids: readonly number[]])[] = [
  ["", [1, 2, 3]],
  ["$select=title", [1, 2, 3]],
  ["$orderby=ID desc", [3, 2, 1]],
  ["$orderby=HasDraftEntity,ID", [1, 3, 2]],
  ["$orderby=HasDraftEntity desc,ID", [2, 1, 3]],
  ["$orderby=HasActiveEntity,ID desc", [3, 2, 1]],
  ["$orderby=IsActiveEntity desc,ID desc", [3, 2, 1]],
  ["$orderby=SiblingEntity/ID desc,ID desc", [2, 3, 1]],
  ["$orderby=DraftAdministrativeData/CreatedByUser,ID desc", [3, 1, 2]],
  ["$orderby=DraftAdministrativeData/CreatedByUser desc,ID desc", [2, 3, 1]],
  ["$filter=IsActiveEntity eq true and ID gt 1&$orderby=HasDraftEntity desc", [2, 3]],
  ["$filter=IsActiveEntity eq false", [2, 4]],
  ["$filter=IsActiveEntity eq false&$orderby=HasActiveEntity", [4, 2]],
  ["$filter=IsActiveEntity eq false&$orderby=HasActiveEntity desc", [2, 4]],
  ["$filter=IsActiveEntity eq false&$orderby=HasDraftEntity,ID desc", [4, 2]],
  ["$filter=IsActiveEntity eq false&$orderby=DraftAdministrativeData/DraftIsCreatedByMe,ID desc", [4, 2]],
  [`$filter=${BOTH}`, [1, 2, 3, 4]],
  [`$filter=${BOTH}&$orderby=HasActiveEntity desc,ID`, [2, 1, 3, 4]],
];

Deno.test("rows are sorted by members of drafts in both directions; their pages go on where the one before ends", () =>
  withShop(async (send) => {
    await send("POST Orders(ID=2,IsActiveEntity=true)/draftEdit", {});
    await send("POST Orders", { ID: 4 });
    for (const [options, ids] of PAGED) {
      const found: number[] = [];
      let url = `Orders?${options}`;
      for (let page = 0; url !== undefined && page < 9; page++) {
        const { body } = await send(`GET ${url}`, undefined, { headers: { prefer: "maxpagesize=1" } });
        assert.ok(body.value, JSON.stringify([url, body]));
        found.push(...body.value.map(({ ID }: Row) => ID));
        url = body["@odata.nextLink"]?.replaceAll("%20", " ");
      }
      assert.deepEqual(found, ids, options);
    }
  }));

/** Values of two active instances and of two drafts, and the order of these four. */
const SORTED: readonly (readonly [term: string, values: readonly unknown[], ids: readonly number[]])[] = [
  ["code", ["9", "10", "1e1", "010"], [5, 3, 4, 2]],
  ["concat(code,'')", ["9", "10", "1e1", "010"], [5, 3, 4, 2]],
  ["title", ["\u{1f600}", "a", "\uffee", "aa"], [3, 5, 4, 2]],
  ["size", ["10000000000000001", "9", "10000000000000000", "-2"], [5, 3, 4, 2]],
  ["size desc", ["10000000000000001", "9", "10000000000000000", "-2"], [2, 4, 3, 5]],
  ["size add 1", ["9", "-2", "10", "-10"], [5, 3, 2, 4]],
  ["worth", ["9.5", "10.125", "-0.5", "10.12"], [4, 2, 5, 3]],
  ["spent", [Infinity, 9, "-INF", 10], [4, 3, 5, 2]],
];
/** PostgreSQL tells such decimals apart. */
const LONG: typeof SORTED = [
  ["worth", ["100000000000000000.2", "9", "100000000000000000.1", "-1"], [5, 3, 4, 2]],
  ["worth", ["0.30000000000000000001", "9", "0.3", "-1"], [5, 4, 2, 3]],
];

for (const kind of ["sqlite", "postgres"] as const) {
  Deno.test({
    name:
      `active instances and drafts are sorted together by the types of values, not by what these look like (${kind})`,
    ignore: kind === "postgres" && !server.isThere,
    fn: () =>
      withShop(async (send, runtime) => {
        for (const ID of [4, 5]) await send("POST Orders", { ID });
        const headers = { "content-type": "application/json;IEEE754Compatible=true" };
        for (const [term, values, ids] of kind === "postgres" ? [...SORTED, ...LONG] : SORTED) {
          const [name] = /code|title|size|worth|spent/.exec(term)!;
          for (const [at, value] of values.entries()) {
            const [ID, data] = [at + 2, { [name]: value }];
            if (at < 2) await runtime.db!.update("my.Orders", ID).with(data);
            else {
              const changed = await send(`PATCH Orders(ID=${ID},IsActiveEntity=false)`, data, { headers });
              assert.equal(changed.status, 200, JSON.stringify(changed.body));
            }
          }
          const { body } = await send(`GET Orders?$filter=(${BOTH}) and ID gt 1&$orderby=${term},ID`);
          assert.deepEqual(body.value.map(({ ID }: Row) => ID), ids, term);
          const pages = [0, 1, 2, 3].map((skip) =>
            send(`GET Orders?$filter=(${BOTH}) and ID gt 1&$orderby=${term},ID&$top=1&$skip=${skip}`)
          );
          assert.deepEqual((await Promise.all(pages)).map(({ body }) => body.value[0].ID), ids, term);
        }
      }, { kind }),
  });
}
