/**
 * What queries on entities with drafts ask of their rows: active instances and drafts are in two tables, and drafts are those of
 * the caller (drafts 0 and 4).
 */

import assert from "node:assert/strict";
import type { Column, OrderTerm, RefExpression, SelectBody, SelectQuery, Xo } from "../../../src/cqn/cqn.ts";
import { parseExpression } from "../../../src/cqn/parse_cql.ts";
import { printQuery } from "../../../src/cqn/print_query.ts";
import { parseCdl } from "../../../src/model/cdl/compile_cdl.ts";
import { draftApi } from "../../../src/model/drafts/draft_api.ts";
import { linkModel } from "../../../src/model/link_model.ts";
import {
  mapped,
  rowPath,
  rowQuery,
  type RowScope,
  staysInDraft,
} from "../../../src/odata/drafts/draft_rows.ts";
import type { RowKind, Rows } from "../../../src/odata/drafts/row_kinds.ts";
import type { EntityPlan } from "../../../src/odata/plan/plan.ts";
import { createPlanner } from "../../../src/odata/plan/planner.ts";

const model = draftApi(linkModel(parseCdl(`service Shop {
  @odata.draft.enabled entity Orders { key ID : Integer; title : String; big : LargeBinary; virtual seen : String;
    buyer : Association to Buyers; others : Association to many Orders on others.title = title;
    items : Composition of many Items on items.order = $self; }
  entity Items { key ID : Integer; order : Association to Orders; text : String; }
  entity Buyers { key ID : Integer; name : String; orders : Association to many Orders on orders.buyer = $self; }
}`)));
const planner = createPlanner(model.service("Shop")!);
const SCOPE: RowScope = { entity: (name) => model.entity(name), params: {} };

const rowsOf = (kind: RowKind, name = "Orders"): Rows => ({ entity: model.entity(`Shop.${name}`)!, kind });

/** The body of the query on rows that a URL stands for. */
function bodyOf(line: string): SelectBody {
  const [kind, url] = line.split(/ (.*)/) as [RowKind, string];
  const { query, queryParams, shape, kind: asked } = planner.planUrl(url) as EntityPlan;
  const [set] = /^\w+/.exec(url)!;
  const scope = { ...SCOPE, params: { ...queryParams }, shape, isCount: asked === "count" };
  return rowQuery(query, rowsOf(kind, set), scope).SELECT;
}

/** A part of a query as CQL, with short words for what stands in all of them. */
function textOf(part: Partial<SelectBody>): string {
  return printQuery({ SELECT: { from: { ref: ["Rows"] }, ...part } }).replace("SELECT from Rows ", "")
    .replaceAll("DraftAdministrativeData.CreatedByUser = :draftsCaller", "mine")
    .replaceAll("DraftAdministrativeData", "data").replaceAll("Shop.", "")
    .replaceAll(" : cds.Boolean", " : flag").replaceAll(/:p\d/g, ":value");
}

type Cases = readonly (readonly [url: string, text: string])[];

const PATHS: Cases = [
  ["active Orders", "Orders"],
  ["draft Orders", "Orders.drafts[mine]"],
  ["active Orders/$count", "Orders"],
  ["draft Orders/$count", "Orders.drafts[mine]"],
  ["active Buyers", "Buyers"],
  ["draft Orders(ID=1,IsActiveEntity=false)", "Orders.drafts[(ID = :value) and (mine)]"],
  ["draft Orders(IsActiveEntity=false,ID=1)", "Orders.drafts[(ID = :value) and (mine)]"],
  ["active Orders(ID=1,IsActiveEntity=true)", "Orders[ID = :value]"],
  ["draft Orders(ID=1,IsActiveEntity=false)/items", "Orders.drafts[(ID = :value) and (mine)].items"],
  ["active Orders(ID=1,IsActiveEntity=true)/items", "Orders[ID = :value].items"],
  [
    "draft Orders(ID=1,IsActiveEntity=false)/items(ID=2,IsActiveEntity=false)/order",
    "Orders.drafts[(ID = :value) and (mine)].items[ID = :value].order",
  ],
  ["draft Orders(ID=1,IsActiveEntity=false)/others", "Orders.drafts[(ID = :value) and (mine)].others"],
  [
    "draft Orders(ID=1,IsActiveEntity=false)/buyer/orders",
    "Orders.drafts[(ID = :value) and (mine)].buyer.orders",
  ],
  [
    "draft Orders(ID=1,IsActiveEntity=false)/SiblingEntity",
    "Orders.drafts[(ID = :value) and (mine)].SiblingEntity",
  ],
  [
    "draft Orders(ID=1,IsActiveEntity=false)/SiblingEntity/items",
    "Orders.drafts[(ID = :value) and (mine)].SiblingEntity.items",
  ],
  ["active Orders(ID=1,IsActiveEntity=true)/SiblingEntity", "Orders[ID = :value].DraftRow_[mine]"],
  [
    "active Orders(ID=1,IsActiveEntity=true)/SiblingEntity/items",
    "Orders[ID = :value].DraftRow_[mine].items",
  ],
  [
    "draft Orders(ID=1,IsActiveEntity=false)/DraftAdministrativeData",
    "Orders.drafts[(ID = :value) and (mine)].data",
  ],
  ["active Orders(ID=1,IsActiveEntity=true)/DraftAdministrativeData", "Orders[ID = :value].DraftRow_.data"],
  [
    "draft Orders(ID=1,IsActiveEntity=false)/items(ID=2,IsActiveEntity=false)/DraftAdministrativeData",
    "Orders.drafts[(ID = :value) and (mine)].items[ID = :value].data",
  ],
  [
    "active Buyers(1)/orders(ID=1,IsActiveEntity=true)/items",
    "Buyers[ID = :value].orders[ID = :value].items",
  ],
];

Deno.test("a path starts with rows of its kind, stays in the draft on the way to parts and wholes, and leaves it to others", () => {
  for (const [url, text] of PATHS) {
    assert.equal(textOf({ from: bodyOf(url).from }).replace("SELECT from ", ""), text, url);
  }
});

const COLUMNS: Cases = [
  [
    "active Orders",
    "{ ID, title, buyer_ID, true as IsActiveEntity : flag, false as HasActiveEntity : flag, case when DraftRow_.data_DraftUUID is not null then true else false end as HasDraftEntity : flag }",
  ],
  [
    "draft Orders",
    "{ ID, title, buyer_ID, false as IsActiveEntity : flag, HasActiveEntity as HasActiveEntity : flag, false as HasDraftEntity : flag, data.DraftMessages as DraftMessages }",
  ],
  ["draft Orders/$count", "{ count(*) as $count }"],
  ["active Buyers", "{ * }"],
  [
    "draft Orders?$select=title,HasDraftEntity,IsActiveEntity",
    "{ title, false as HasDraftEntity : flag, false as IsActiveEntity : flag, ID, data.DraftMessages as DraftMessages }",
  ],
  [
    "active Orders?$select=title,HasDraftEntity",
    "{ title, case when DraftRow_.data_DraftUUID is not null then true else false end as HasDraftEntity : flag, ID, true as IsActiveEntity : flag }",
  ],
  ["active Orders?$select=DraftMessages", "{ ID, true as IsActiveEntity : flag }"],
  [
    "draft Orders?$select=DraftMessages",
    "{ data.DraftMessages as DraftMessages, ID, false as IsActiveEntity : flag }",
  ],
  [
    "draft Orders?$select=h&$compute=HasActiveEntity as h",
    "{ ID, false as IsActiveEntity : flag, HasActiveEntity as h : flag, data.DraftMessages as DraftMessages }",
  ],
  [
    "active Orders?$select=h&$compute=SiblingEntity/IsActiveEntity as h",
    "{ ID, true as IsActiveEntity : flag, case when DraftRow_[mine].ID is not null then false end as h : flag }",
  ],
  [
    "active Orders?$select=h&$compute=SiblingEntity/title as h",
    "{ ID, true as IsActiveEntity : flag, DraftRow_[mine].title as h }",
  ],
  [
    "draft Orders?$select=title&$expand=items",
    "{ title, ID, false as IsActiveEntity : flag, items { ID, order_ID, text, false as IsActiveEntity : flag, HasActiveEntity as HasActiveEntity : flag } as items, data.DraftMessages as DraftMessages }",
  ],
  [
    "active Orders?$select=title&$expand=items",
    "{ title, ID, true as IsActiveEntity : flag, items { ID, order_ID, text, true as IsActiveEntity : flag } as items }",
  ],
  [
    "draft Orders?$select=ID&$expand=items($select=text,HasDraftEntity,DraftMessages)",
    "{ ID, false as IsActiveEntity : flag, items { text, false as HasDraftEntity : flag, data.DraftMessages as DraftMessages, ID, false as IsActiveEntity : flag } as items, data.DraftMessages as DraftMessages }",
  ],
  [
    "draft Orders?$select=ID&$expand=items($filter=HasActiveEntity;$orderby=IsActiveEntity,text;$select=text)",
    "{ ID, false as IsActiveEntity : flag, items { text, ID, false as IsActiveEntity : flag } where HasActiveEntity = true order by text asc nulls first as items, data.DraftMessages as DraftMessages }",
  ],
  [
    "draft Orders?$select=ID&$expand=items($select=text;$expand=order($select=title))",
    "{ ID, false as IsActiveEntity : flag, items { text, ID, false as IsActiveEntity : flag, order { title, ID, false as IsActiveEntity : flag } as order } as items, data.DraftMessages as DraftMessages }",
  ],
  [
    "draft Orders?$select=ID&$expand=buyer,others($select=title)",
    "{ ID, false as IsActiveEntity : flag, buyer { * } as buyer, others { title, ID, true as IsActiveEntity : flag } as others, data.DraftMessages as DraftMessages }",
  ],
  [
    "draft Orders?$select=ID&$expand=SiblingEntity($select=title)",
    "{ ID, false as IsActiveEntity : flag, SiblingEntity { title, ID, true as IsActiveEntity : flag } as SiblingEntity, data.DraftMessages as DraftMessages }",
  ],
  [
    "active Orders?$select=ID&$expand=SiblingEntity",
    "{ ID, true as IsActiveEntity : flag, DraftRow_[mine] { ID, title, buyer_ID, false as IsActiveEntity : flag, HasActiveEntity as HasActiveEntity : flag } as SiblingEntity }",
  ],
  [
    "active Orders?$select=ID&$expand=DraftAdministrativeData($select=DraftUUID)",
    "{ ID, true as IsActiveEntity : flag, DraftRow_.data { DraftUUID } as data }",
  ],
  [
    "draft Orders?$select=ID&$expand=DraftAdministrativeData($select=CreatedByUser)",
    "{ ID, false as IsActiveEntity : flag, data { DraftUUID, CreatedByUser } as data, data.DraftMessages as DraftMessages }",
  ],
  [
    "active Buyers?$select=name&$expand=orders",
    "{ name, ID, orders { ID, title, buyer_ID, true as IsActiveEntity : flag } as orders }",
  ],
  [
    "active Buyers?$select=name&$expand=orders($select=title,DraftMessages)",
    "{ name, ID, orders { title, ID, true as IsActiveEntity : flag } as orders }",
  ],
];

Deno.test("rows tell what they are; flags of drafts are columns, constants or conditions, by the kind of rows", () => {
  for (const [url, text] of COLUMNS) assert.equal(textOf({ columns: bodyOf(url).columns }), text, url);
});

const CONDITIONS: Cases = [
  ["draft Orders?$filter=HasActiveEntity", "HasActiveEntity = true"],
  ["active Orders?$filter=HasActiveEntity", "false = true"],
  [
    "active Orders?$filter=HasDraftEntity",
    "(case when DraftRow_.data_DraftUUID is not null then true else false end) = true",
  ],
  ["draft Orders?$filter=HasDraftEntity", "false = true"],
  ["active Orders?$filter=IsActiveEntity", "true = true"],
  ["draft Orders?$filter=IsActiveEntity", "false = true"],
  [
    "active Orders?$filter=SiblingEntity/IsActiveEntity eq null",
    "(case when DraftRow_[mine].ID is not null then false end) == null",
  ],
  [
    "draft Orders?$filter=SiblingEntity/IsActiveEntity eq null",
    "(case when SiblingEntity.ID is not null then true end) == null",
  ],
  ["active Orders?$filter=SiblingEntity ne null", "not (not exists DraftRow_[mine])"],
  ["draft Orders?$filter=SiblingEntity ne null", "not (not exists SiblingEntity)"],
  ["active Orders?$filter=SiblingEntity/title eq 'a'", "DraftRow_[mine].title = :value"],
  ["active Orders?$filter=SiblingEntity/HasActiveEntity", "DraftRow_[mine].HasActiveEntity = true"],
  [
    "active Orders?$filter=SiblingEntity/HasDraftEntity",
    "(case when DraftRow_[mine].ID is not null then false end) = true",
  ],
  [
    "draft Orders?$filter=SiblingEntity/HasDraftEntity",
    "(case when SiblingEntity.ID is not null then (case when SiblingEntity.DraftRow_.data_DraftUUID is not null then true else false end) end) = true",
  ],
  [
    "draft Orders?$filter=SiblingEntity/HasActiveEntity",
    "(case when SiblingEntity.ID is not null then false end) = true",
  ],
  ["draft Orders?$filter=DraftAdministrativeData/CreationDateTime eq null", "data.CreationDateTime == null"],
  [
    "active Orders?$filter=DraftAdministrativeData/CreationDateTime eq null",
    "DraftRow_.data.CreationDateTime == null",
  ],
  ["draft Orders?$filter=DraftAdministrativeData ne null", "not (not exists data)"],
  ["active Orders?$filter=DraftAdministrativeData ne null", "not (not exists DraftRow_.data)"],
  [
    "draft Orders?$filter=items/any(i:i/text eq 'a' and i/HasActiveEntity and $it/HasActiveEntity)",
    "exists items[text = :value and HasActiveEntity = true and $row1.HasActiveEntity = true]",
  ],
  [
    "active Orders?$filter=items/any(i:i/text eq 'a' and i/HasActiveEntity and $it/HasActiveEntity)",
    "exists items[text = :value and false = true and (case when $row1.ID is not null then false end) = true]",
  ],
  [
    "draft Orders?$filter=others/any(i:i/HasActiveEntity and title eq i/title)",
    "exists others[false = true and $row1.title == title]",
  ],
  [
    "draft Orders?$filter=items/any(i:i/order/items/any(o:o/HasActiveEntity eq i/HasActiveEntity))",
    "exists items[exists order.items[HasActiveEntity = $row1.HasActiveEntity]]",
  ],
  ["draft Items?$filter=order/HasActiveEntity", "order.HasActiveEntity = true"],
  ["draft Items?$filter=order/IsActiveEntity", "(case when order.ID is not null then false end) = true"],
  ["active Items?$filter=order/IsActiveEntity", "(case when order.ID is not null then true end) = true"],
  [
    "draft Items?$filter=order/DraftAdministrativeData/CreatedByUser eq 'a'",
    "order.data.CreatedByUser = :value",
  ],
  [
    "active Items?$filter=order/DraftAdministrativeData/CreatedByUser eq 'a'",
    "order.DraftRow_.data.CreatedByUser = :value",
  ],
  [
    "active Items?$filter=order/HasDraftEntity",
    "(case when order.ID is not null then (case when order.DraftRow_.data_DraftUUID is not null then true else false end) end) = true",
  ],
  [
    "active Buyers?$filter=orders/any(o:o/HasDraftEntity)",
    "exists orders[(case when DraftRow_.data_DraftUUID is not null then true else false end) = true]",
  ],
  ["active Orders?$filter=HasActiveEntity in (true,false)", "false in (true, false)"],
  [
    "draft Orders?$filter=concat(title,title) eq 'a' or not HasActiveEntity",
    "concat(title, title) = :value or not (HasActiveEntity = true)",
  ],
  [
    "draft Orders?$filter=items/$count($filter=HasActiveEntity) gt 1",
    "count(items[HasActiveEntity = true]) > :value",
  ],
  [
    "draft Orders?$filter=$root/Orders(ID=1,IsActiveEntity=true)/title eq title",
    "(SELECT one from Orders[ID = :value] { title }) == title",
  ],
  [
    "draft Orders?$filter=$root/Orders(ID=1,IsActiveEntity=false)/title eq title",
    "(SELECT one from Orders.drafts[(ID = :value) and (mine)] { title }) == title",
  ],
  [
    "active Orders?$filter=$root/Orders(ID=1,IsActiveEntity=false)/title eq title",
    "(SELECT one from Orders.drafts[(ID = :value) and (mine)] { title }) == title",
  ],
  [
    "draft Orders?$filter=$root/Orders(ID=1,IsActiveEntity=false)/buyer/name eq title",
    "(SELECT one from Orders.drafts[(ID = :value) and (mine)].buyer { name }) == title",
  ],
  [
    "draft Orders?$filter=buyer/name eq 'a' and items/all(i:i/order/title eq 'a')",
    "buyer.name = :value and not exists items[(case when order.title = :value then 0 else 1 end) = 1]",
  ],
];

Deno.test("members of drafts in conditions are asked of rows; behind a path there may be none, and then they are null", () => {
  for (const [url, text] of CONDITIONS) {
    assert.equal(textOf({ where: bodyOf(url).where }).replace("where ", ""), text, url);
  }
});

const ORDERS: Cases = [
  [
    "draft Orders?$orderby=IsActiveEntity,title desc,HasActiveEntity desc,HasDraftEntity desc",
    "title desc nulls last, HasActiveEntity desc, ID asc",
  ],
  ["active Orders?$orderby=HasActiveEntity", "ID asc"],
  [
    "active Orders?$orderby=HasDraftEntity desc",
    "(case when DraftRow_.data_DraftUUID is not null then true else false end) desc, ID asc",
  ],
  ["active Orders?$orderby=SiblingEntity/title desc", "DraftRow_[mine].title desc nulls last, ID asc"],
  [
    "active Items?$orderby=order/HasDraftEntity desc",
    "(case when order.ID is not null then (case when order.DraftRow_.data_DraftUUID is not null then true else false end) end) desc nulls last, ID asc",
  ],
  [
    "active Items?$orderby=order/HasDraftEntity,order/title",
    "(case when order.ID is not null then (case when order.DraftRow_.data_DraftUUID is not null then true else false end) end) asc nulls first, order.title asc nulls first, ID asc",
  ],
  [
    "draft Orders?$orderby=DraftAdministrativeData/LastChangeDateTime desc",
    "data.LastChangeDateTime desc nulls last, ID asc",
  ],
  ["draft Orders?$orderby=items/$count", "count(items) asc, ID asc"],
];

Deno.test("rows are sorted by members of drafts in the direction that is asked for, not by those that all rows share", () => {
  for (const [url, text] of ORDERS) {
    assert.equal(textOf({ orderBy: bodyOf(url).orderBy }).replace("order by ", ""), text, url);
  }
});

/** Conditions with subqueries, and those on rows. */
const SUBQUERIES: readonly (readonly [kind: RowKind, given: string, text: string])[] = [
  ["draft", "select ID from Shop.Orders", "from Orders.drafts[mine] { ID }"],
  ["active", "select ID from Shop.Orders", "from Orders { ID }"],
  ["draft", "select ID from Shop.Items", "from Items { ID }"],
  ["draft", "select ID from Shop.Buyers", "from Buyers { ID }"],
  ["draft", "select ID from Shop.Nothing where IsActiveEntity", "from Nothing { ID } where IsActiveEntity"],
  ["draft", "select ID from Shop.Orders:items", "from Orders.items { ID }"],
  [
    "draft",
    "select ID from Shop.Orders[IsActiveEntity = false]:items",
    "from Orders.drafts[mine].items { ID }",
  ],
  [
    "active",
    "select ID from Shop.Orders:items where IsActiveEntity = false",
    "from Orders.items { ID } where true = false",
  ],
  [
    "draft",
    "select ID from Shop.Orders where IsActiveEntity = true",
    "from Orders { ID } where true = true",
  ],
  [
    "active",
    "select ID from Shop.Items where not IsActiveEntity",
    "from Items.drafts[mine] { ID } where not false",
  ],
];

Deno.test("a subquery on the same entity is about rows of the same kind, unless it says another", () => {
  for (const [kind, given, text] of SUBQUERIES) {
    const where = mapped(parseExpression(`ID in (${given})`), rowsOf(kind), SCOPE);
    assert.equal(textOf({ where }), `where ID in (SELECT ${text})`, `${kind} ${given}`);
  }
});

/** Keys of an order with a key of two elements more, and what rows have of them. */
const KEYS: readonly (readonly [kind: RowKind, given: string, text: string])[] = [
  ["active", "IsActiveEntity = true", "Orders"],
  ["draft", "IsActiveEntity = false", "Orders.drafts[mine]"],
  ["active", "IsActiveEntity = true and ID = 1 and title = 'a'", "Orders[ID = 1 and title = 'a']"],
  ["active", "ID = 1 and IsActiveEntity = true and title = 'a'", "Orders[ID = 1 and title = 'a']"],
  ["active", "ID = 1 and title = 'a' and IsActiveEntity = true", "Orders[ID = 1 and title = 'a']"],
  ["draft", "title = 'a'", "Orders.drafts[(title = 'a') and (mine)]"],
  ["active", "IsActiveEntity = true or title = 'a'", "Orders[true = true or title = 'a']"],
  ["active", "title = 'a' and IsActiveEntity <> true", "Orders[title = 'a' and true <> true]"],
];

Deno.test("the kind in a key is that of the rows, in other conditions it is compared; whose drafts they are can be left open", () => {
  const pathOf = (from: RefExpression, kind: RowKind, anyOwner = false) =>
    rowPath(from, rowsOf(kind), { ...SCOPE, anyOwner });
  for (const [kind, given, text] of KEYS) {
    const from = { ref: [{ id: "Shop.Orders", where: parseExpression(given) }] };
    assert.equal(textOf({ from: pathOf(from, kind) }), `SELECT from ${text}`, given);
    const open = text.replace(" and (mine)", "").replace("(title = 'a')", "title = 'a'").replace(
      "[mine]",
      "",
    );
    assert.equal(textOf({ from: pathOf(from, kind, true) }), `SELECT from ${open}`, given);
  }
  const buyer = { id: "Shop.Buyers", where: parseExpression("IsActiveEntity = true") };
  assert.deepEqual(
    rowPath({ ref: [buyer] }, rowsOf("active", "Buyers"), SCOPE).ref,
    [buyer],
    "no kind there",
  );
  const ends = [["items"], ["SiblingEntity"], ["others"], ["items", "order"], ["buyer"]];
  const found = ends.map((steps) => pathOf({ ref: ["Shop.Orders", ...steps] }, "draft").rows)
    .map(({ entity, kind }) => `${kind} ${entity.name}`);
  assert.deepEqual(found, [
    "draft Shop.Items",
    "active Shop.Orders",
    "active Shop.Orders",
    "draft Shop.Orders",
    "active Shop.Buyers",
  ]);
});

Deno.test("associations to parts and to the whole stay in a draft", () => {
  const stays = (entity: string, name: string) => staysInDraft(model.entity(`Shop.${entity}`)!, name);
  assert.deepEqual(["items", "buyer", "others"].map((name) => stays("Orders", name)), [true, false, false]);
  assert.deepEqual([stays("Items", "order"), stays("Buyers", "orders")], [true, false]);
});

Deno.test("expressions without paths stay as they are, paths inside of others are those of rows; flags in lists have types", () => {
  const draft = (item: Xo) => mapped([item], rowsOf("draft"), SCOPE)[0];
  const set = { SET: { op: "union", args: [] } } as unknown as Xo;
  for (
    const item of ["and", { val: null }, { ref: ["p"], param: true }, { ref: ["$user", "id"] }, set] as Xo[]
  ) {
    assert.deepEqual(draft(item), item);
  }
  const flag = { ref: ["IsActiveEntity"] };
  assert.deepEqual(draft({ xpr: [flag] }), { xpr: [{ val: false }] });
  assert.deepEqual(draft({ func: "f", args: [flag] }), { func: "f", args: [{ val: false }] });
  assert.deepEqual(draft({ list: [flag, { val: 1 }, { ref: ["ID"] }] }), {
    list: [{ val: false, cast: { type: "cds.Boolean" } }, { val: 1 }, { ref: ["ID"] }],
  });
  assert.deepEqual(mapped([{ ref: ["DraftMessages"] }], rowsOf("active"), SCOPE), [{ val: null }]);
});

Deno.test("columns keep the names that are given, else those of their paths", () => {
  const columnsOf = (kind: RowKind, columns: readonly Column[]) => {
    const query = { SELECT: { from: { ref: ["Shop.Orders"] }, columns } } as SelectQuery;
    const shape = { isCount: true };
    return textOf({ columns: rowQuery(query, rowsOf(kind), { ...SCOPE, ...shape }).SELECT.columns });
  };
  const columns: readonly Column[] = [
    { ref: ["IsActiveEntity"], as: "isActive" },
    { ref: ["SiblingEntity", "IsActiveEntity"] },
    { ref: ["SiblingEntity", "IsActiveEntity"], as: "other" },
    { ref: ["SiblingEntity", "title"] },
    { ref: ["DraftAdministrativeData", "InProcessByUser"] },
    { ref: ["DraftMessages"], as: "said" },
    { val: 1, as: "one" },
  ];
  const process = (path: string) =>
    `case when ${path}.DraftUUID is null then null when ${path}.LastChangeDateTime > :draftsLockedSince ` +
    `then ${path}.InProcessByUser else '' end as data_InProcessByUser`;
  const sibling = (row: string, flag: boolean) => `case when ${row}.ID is not null then ${flag} end`;
  assert.equal(
    columnsOf("draft", columns),
    `{ false as isActive : flag, ${sibling("SiblingEntity", true)} as SiblingEntity_IsActiveEntity : flag, ` +
      `${sibling("SiblingEntity", true)} as other : flag, SiblingEntity.title, ${process("data")}, ` +
      "data.DraftMessages as said, 1 as one }",
  );
  assert.equal(
    columnsOf("active", columns),
    `{ true as isActive : flag, ${
      sibling("DraftRow_[mine]", false)
    } as SiblingEntity_IsActiveEntity : flag, ` +
      `${sibling("DraftRow_[mine]", false)} as other : flag, DraftRow_[mine].title, ${
        process("DraftRow_.data")
      }, 1 as one }`,
  );
});

Deno.test("the rows of an answer hide members that are not selected, by their settings", () => {
  const query = {
    SELECT: { from: { ref: ["Shop.Orders"] }, orderBy: [{ val: 1 }] as OrderTerm[] },
  } as SelectQuery;
  const { columns, orderBy } = rowQuery(query, rowsOf("draft"), {
    ...SCOPE,
    hides: ["DraftMessages", "HasDraftEntity"],
  }).SELECT;
  assert.equal(
    textOf({ columns }),
    "{ ID, title, buyer_ID, false as IsActiveEntity : flag, HasActiveEntity as HasActiveEntity : flag }",
  );
  assert.deepEqual(orderBy, []);
});
