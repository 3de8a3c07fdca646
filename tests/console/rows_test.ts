/** The table of rows of the console: what it shows and asks for, without a browser. */

import assert from "node:assert/strict";
import { create, does, html, type OwnElement, type PageElement, settled } from "./document.ts";
import { type ShopPage, withShop } from "./shop_page.ts";
import { serviceOf } from "../../src/console/page/csdl.js";
import { titleOf } from "../../src/console/page/grid.js";
import { logIn } from "../../src/console/page/state.js";

const SHOP = "/odata/v4/store";
const ALL = "$select=ID,title,genre,author_ID,stock,price,sold,changed";

interface GridOptions {
  readonly name?: string;
  readonly create?: () => void;
  readonly call?: (operation: { readonly name: string }, row: unknown) => void;
  readonly pick?: (row: { readonly ID: number }) => void;
}

/** Shows a collection, and forgets what was asked for that. */
async function gridOf(shop: ShopPage, path: string, { name = "Store", ...options }: GridOptions = {}) {
  const grid = create<OwnElement>("fw-grid");
  shop.body.replaceChildren(grid);
  grid.show({ service: await serviceOf(name), path, ...options });
  await settled();
  return grid;
}

/** The last request, without what it begins with. */
const last = ({ asked }: ShopPage) => decodeURIComponent(asked.at(-1)!.split("?").slice(1).join("?"));
const texts = (elements: Iterable<PageElement>) => Array.from(elements, ({ textContent }) => textContent);

Deno.test("rows of the console stand in a table that can be sorted, with a link and actions at each", () =>
  withShop(async (shop) => {
    const called: unknown[] = [];
    const call = ({ name }: { readonly name: string }, row: unknown) => called.push(name, row);
    const grid = await gridOf(shop, "Books", { call });
    assert.deepEqual(shop.asked, [`GET ${SHOP}/Books?$count=true&$top=20&${ALL}`]);
    assert.equal(grid.getAttribute("aria-busy"), null);
    assert.equal(grid.all("tbody tr").length, 20);
    const head = (name: string, more = "") =>
      `<th scope=col${more} aria-sort=none><button type=button class=sort>${name}</button></th>`;
    assert.equal(
      html(grid.one("thead")),
      `<thead><tr><th scope=col><span class=hidden>Details</span></th>` +
        ["ID", "title", "genre", "author_ID"].map((name) => head(name)).join("") +
        ["stock", "price", "sold"].map((name) => head(name, " class=number")).join("") +
        `${head("changed")}<th scope=col>Actions</th></tr></thead>`,
    );
    const none = `<td class=number><span class=soft>–</span></td>`;
    const action = (name: string, id: number) =>
      `<button type=button class=small aria-label="${name} ${id}">${name}</button>`;
    const actions = (id: number) =>
      `<td><div class=buttons>${action("restock", id)}${action("inStock", id)}</div></td></tr>`;
    assert.deepEqual(grid.all("tbody tr").slice(1, 3).map(html), [
      `<tr><td><a href=#/data/Store/Books(2) aria-label="Open 2">→</a></td><td>2</td><td>Wuthering Heights</td>` +
      `<td>novel</td><td><a href=#/data/Store/Books(2)/author>2</a></td><td class=number>2</td>` +
      `<td class=number>11.11</td>${none}<td>b</td>${actions(2)}`,
      `<tr><td><a href=#/data/Store/Books(10) aria-label="Open 10">→</a></td><td>10</td><td>Poem 0</td>` +
      `<td>poem</td><td><span class=soft>–</span></td><td class=number>1</td>${none}${none}<td>never</td>` +
      actions(10),
    ]);
    await does(grid.button("restock 2"), "click");
    assert.deepEqual(called, ["Store.restock", { path: "Books(2)", etag: 'W/"b"' }]);
    assert.equal(
      html(grid.one(".scroll")).slice(0, 152),
      `<div class=scroll tabindex=0 role=region aria-labelledby=caption><table aria-labelledby=caption>` +
        `<caption id=caption class=hidden>Rows of Books</caption>`,
    );
  }));

Deno.test("rows of the console come by pages of twenty, with no page before the first and behind the last", () =>
  withShop(async (shop) => {
    const grid = await gridOf(shop, "Books");
    const pager = () => [
      grid.one(".pager span").textContent,
      grid.button("Previous page").disabled,
      grid.button("Next page").disabled,
    ];
    assert.deepEqual(pager(), ["1 to 20 of 25", true, false]);
    assert.deepEqual(texts(grid.all(".pager button")), ["‹", "›"]);
    await does(grid.button("Next page"), "click");
    assert.equal(last(shop), `$count=true&$top=20&$skip=20&${ALL}`);
    assert.deepEqual(pager(), ["21 to 25 of 25", false, true]);
    await does(grid.button("Previous page"), "click");
    assert.deepEqual([last(shop), ...pager()], [
      `$count=true&$top=20&${ALL}`,
      ...["1 to 20 of 25", true, false],
    ]);
    await does(grid.button("Previous page"), "click");
    assert.deepEqual([last(shop), ...pager()], [
      `$count=true&$top=20&${ALL}`,
      ...["1 to 20 of 25", true, false],
    ]);
    const orders = await gridOf(shop, "Orders");
    assert.deepEqual(texts(orders.all(".rows p, .pager span")), ["No rows", "0 to 0 of 0"]);
    assert.ok(orders.button("Next page").disabled && orders.button("Previous page").disabled);
    for (
      const [count, total] of [[{ "@count": "30" }, 30], [{ "@odata.count": 40, "@count": 1 }, 40], [{}, 1]]
    ) {
      shop.answers.set("GET", () => Response.json({ value: [{ ID: 1 }], ...count as object }));
      await does(orders.button("Refresh"), "click");
      assert.equal(orders.one(".pager span").textContent, `1 to 1 of ${total}`);
    }
    assert.deepEqual(texts(orders.all(".rows p")), []);
    shop.answers.set("GET", () => Response.json({}));
    await does(orders.button("Refresh"), "click");
    assert.equal(orders.one(".pager span").textContent, "0 to 0 of 0");
  }));

Deno.test("rows of the console are sorted up, down, and not at all, from the first page on", () =>
  withShop(async (shop) => {
    const grid = await gridOf(shop, "Books");
    const sorted = () =>
      grid.all("thead th").filter((one) => !["none", null].includes(one.getAttribute("aria-sort"))).map(html);
    const head = (name: string, direction: string, arrow: string) =>
      `<th scope=col class=number aria-sort=${direction}><button type=button class=sort>${name}</button>` +
      `<span aria-hidden=true> ${arrow}</span></th>`;
    await does(grid.button("Next page"), "click");
    await does(grid.button("price"), "click");
    assert.equal(last(shop), `$count=true&$top=20&${ALL}&$orderby=price`);
    assert.deepEqual(sorted(), [head("price", "ascending", "▲")]);
    await does(grid.button("price"), "click");
    assert.equal(shop.asked.at(-1), `GET ${SHOP}/Books?$count=true&$top=20&${ALL}&$orderby=price%20desc`);
    assert.deepEqual(sorted(), [head("price", "descending", "▼")]);
    await does(grid.button("price"), "click");
    assert.deepEqual([last(shop), sorted()], [`$count=true&$top=20&${ALL}`, []]);
    await does(grid.button("price"), "click");
    await does(grid.button("stock"), "click");
    assert.deepEqual(sorted(), [head("stock", "ascending", "▲")]);
  }));

Deno.test("rows of the console are searched by a phrase and filtered by conditions that can be removed", () =>
  withShop(async (shop) => {
    const grid = await gridOf(shop, "Books");
    await does(grid.button("Next page"), "click");
    grid.one("input[type=search]").value = ' Poem "7" ';
    const submitted = await does(grid.one("form[role=search]"), "submit");
    assert.ok(submitted.defaultPrevented);
    assert.equal(last(shop), `$count=true&$top=20&${ALL}&$search="Poem  7 "`);
    grid.one("input[type=search]").value = " ";
    await does(grid.one("form[role=search]"), "submit");
    assert.equal(last(shop), `$count=true&$top=20&${ALL}`);
    const [property, operator, value] = grid.all("form.filter select, form.filter input");
    assert.deepEqual(texts(property.all("option")), [
      ...["ID", "title", "genre", "author_ID", "stock", "price", "sold", "changed"],
    ]);
    assert.deepEqual(texts(operator.all("option")), ["eq", "ne", "gt", "ge", "lt", "le"]);
    property.value = "title";
    await does(property, "change");
    assert.deepEqual(texts(operator.all("option")), ["contains", "eq", "ne", "startswith", "endswith"]);
    value.value = "Poem 1";
    await does(grid.button("Next page"), "click");
    assert.ok((await does(grid.one("form.filter"), "submit")).defaultPrevented);
    assert.equal(last(shop), `$count=true&$top=20&${ALL}&$filter=contains(title,'Poem 1')`);
    assert.equal(grid.one(".pager span").textContent, "1 to 11 of 11");
    property.value = "stock";
    await does(property, "change");
    operator.value = "lt";
    value.value = "5";
    await does(grid.one("form.filter"), "submit");
    assert.equal(last(shop), `$count=true&$top=20&${ALL}&$filter=contains(title,'Poem 1') and stock lt 5`);
    assert.deepEqual(texts(grid.all(".chips li")), ["title contains Poem 1×", "stock lt 5×"]);
    await does(grid.button("Remove filter title contains Poem 1"), "click");
    assert.deepEqual(texts(grid.all(".chips li")), ["stock lt 5×"]);
    assert.equal(last(shop), `$count=true&$top=20&${ALL}&$filter=stock lt 5`);
  }));

Deno.test("columns of the console are chosen, and associations expanded with what their rows are called", () =>
  withShop(async (shop) => {
    const grid = await gridOf(shop, "Books");
    const [columns, associations] = grid.all("fieldset");
    assert.deepEqual(texts(grid.all("legend")), ["Columns", "Associations"]);
    assert.deepEqual(
      columns.all("label").map((one) => [one.textContent, one.one("input").checked]),
      ["ID", "title", "genre", "author_ID", "stock", "price", "sold", "changed"].map((
        one,
      ) => [` ${one}`, true]),
    );
    assert.deepEqual(associations.all("input").map(({ checked }) => checked), [false]);
    const check = async (box: PageElement, checked: boolean) => {
      box.checked = checked;
      await does(box, "change");
    };
    for (const box of columns.all("input").slice(2)) await check(box, false);
    await check(associations.one("input"), true);
    assert.equal(last(shop), "$count=true&$top=20&$select=ID,title&$expand=author");
    assert.equal(
      html(grid.all("thead th").slice(1)),
      `<th scope=col aria-sort=none><button type=button class=sort>ID</button></th>` +
        `<th scope=col aria-sort=none><button type=button class=sort>title</button></th><th scope=col>author</th>`,
    );
    assert.deepEqual(grid.all("tbody tr").slice(1, 3).map(({ children }) => html([...children].slice(1))), [
      `<td>2</td><td>Wuthering Heights</td><td><a href=#/data/Store/Books(2)/author>Emily Brontë</a></td>`,
      `<td>10</td><td>Poem 0</td><td>–</td>`,
    ]);
    await check(associations.one("input"), false);
    assert.equal(last(shop), "$count=true&$top=20&$select=ID,title");
    const authors = await gridOf(shop, "Authors");
    await check(authors.all("fieldset")[1].one("input"), true);
    assert.equal(last(shop), "$count=true&$top=20&$select=ID,name&$expand=books($top=5;$count=true)");
    assert.deepEqual(
      texts(authors.all("tbody tr td:last-child")),
      [
        "1: Emma",
        "1: Wuthering Heights",
      ],
    );
    assert.equal(
      html(authors.all("tbody a").at(-1)),
      "<a href=#/data/Store/Authors(2)/books>1: Wuthering Heights</a>",
    );
    for (
      const [more, text] of [[{ "books@count": 8 }, "8: Emma"], [{}, "1: Emma"], [{ books: null }, "0: "]]
    ) {
      const row = { ID: 1, books: [{ ID: 1, title: "Emma" }], ...more as object };
      shop.answers.set("GET", () => Response.json({ value: [row] }));
      await does(authors.button("Refresh"), "click");
      assert.equal(authors.all("tbody a").at(-1)!.textContent, text);
    }
    assert.equal(
      (await gridOf(shop, "Prices")).all("fieldset").length,
      1,
      "no associations, no choice of them",
    );
  }));

Deno.test("a row of the console can be picked, and a new one made, where that is asked for", () =>
  withShop(async (shop) => {
    let picked: unknown;
    let created = 0;
    const grid = await gridOf(shop, "Books", { pick: ({ ID }) => picked = ID, create: () => void created++ });
    assert.equal(
      html(grid.one(".toolbar").lastElementChild),
      `<button type=button class="small main" aria-label="New entry in Books">New</button>`,
    );
    await does(grid.button("New entry in Books"), "click");
    const [row] = grid.all("tbody tr");
    assert.equal(
      html([...row.children].slice(0, 5)),
      `<td><button type=button class=small aria-label="Choose 1">Choose</button></td><td>1</td><td>Emma</td>` +
        `<td>novel</td><td>1</td>`,
      "no links and no actions",
    );
    assert.equal(grid.all("a").length, 0);
    await does(grid.button("Choose 1"), "click");
    assert.deepEqual([picked, created], [1, 1]);
    assert.equal((await gridOf(shop, "Books")).all("button.main").length, 0);
    const things = await gridOf(shop, "Things", { name: "Empty" });
    assert.deepEqual(texts(things.all(".toolbar summary")), ["Filter", "Columns"]);
  }));

Deno.test("drafts stand among rows of the console, and what managed elements hold is not shown at first", () =>
  withShop(async (shop) => {
    logIn({ name: "ann" });
    const headers = { "content-type": "application/json", authorization: `Basic ${btoa("ann:")}` };
    await shop.aside("/odata/v4/office/Notes", { method: "POST", headers, body: `{"text":"new"}` })
      .then((answer) => answer.body?.cancel());
    const grid = await gridOf(shop, "Notes", { name: "Office" });
    assert.equal(
      last(shop),
      "$count=true&$top=20&$select=ID,IsActiveEntity,text,DraftMessages" +
        "&$filter=(IsActiveEntity eq false or SiblingEntity/IsActiveEntity eq null)",
    );
    assert.match(
      html(grid.one("tbody td a")),
      /^<a href=#\/data\/Office\/Notes\(ID=[-\w]{36},IsActiveEntity=false\) aria-label="Open [-\w]{36}">✎ Draft<\/a>$/,
    );
    assert.deepEqual(
      grid.all("fieldset")[0].all("input").map(({ checked }) => checked),
      [true, true, false, false, false, true],
    );
    const [property] = grid.all("form.filter select");
    property.value = "text";
    await does(property, "change");
    await does(grid.one("form.filter"), "submit");
    assert.match(
      last(shop),
      /&\$filter=\(IsActiveEntity eq false or .* eq null\) and contains\(text,null\)$/,
    );
  }));

Deno.test("rows of the console say what went wrong, and only the last answer counts", () =>
  withShop(async (shop) => {
    const grid = await gridOf(shop, "Books");
    shop.answers.set(
      "GET",
      () => Response.json({ error: { code: "403", message: "Forbidden" } }, { status: 403 }),
    );
    await does(grid.button("Refresh"), "click");
    assert.match(
      html(grid.one(".rows")),
      /^<div class=rows><div class="notice error" role=alert><p>Forbidden<span class=soft> \(403\)/,
    );
    assert.equal(grid.getAttribute("aria-busy"), null);
    const slow: PromiseWithResolvers<Response>[] = [];
    for (const late of [Response.json({ value: [{ ID: 7 }] }), new Response("no", { status: 500 })]) {
      const waits = Promise.withResolvers<Response>();
      slow.push(Promise.withResolvers());
      shop.answers.set("GET", () => waits.promise);
      grid.button("Refresh").dispatchEvent(new Event("click"));
      assert.equal(grid.getAttribute("aria-busy"), "true");
      shop.answers.set("GET", () => slow.at(-1)!.promise);
      grid.button("Refresh").dispatchEvent(new Event("click"));
      waits.resolve(late);
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));
      assert.equal(grid.getAttribute("aria-busy"), "true", "the last one has no answer yet");
      assert.match(grid.one(".rows").textContent, /Forbidden/);
    }
    slow.forEach(({ resolve }, i) => resolve(Response.json({ value: [{ ID: i, title: `Late ${i}` }] })));
    await settled();
    assert.deepEqual([grid.one("tbody tr").children[2].textContent, grid.getAttribute("aria-busy")], [
      "Late 1",
      null,
    ]);
  }));

Deno.test("a row is called by its first text that is no key, else by its keys", () =>
  withShop(async () => {
    const service = await serviceOf("Store");
    const books = (row: object) => titleOf(service, "Store.Books", row);
    assert.deepEqual(
      [{ ID: 1, title: "Emma", genre: "novel" }, { ID: 1, genre: "novel" }, { ID: 1, title: "" }].map(books),
      ["Emma", "novel", "1"],
    );
    assert.equal(titleOf(service, "Store.Items", { parent_ID: 1, pos: 2, quantity: 3 }), "1, 2");
    assert.equal(titleOf(service, "Store.Nothing", { ID: 1 }), "undefined");
    const managed = {
      keys: ["name"],
      properties: ["name", "createdBy", "modifiedBy", "note"].map((name) => ({
        name,
        type: "Edm.String",
        isKey: name === "name",
      })),
    };
    const own = { types: new Map([["T", managed]]) };
    assert.equal(titleOf(own, "T", { name: "k", createdBy: "ann", modifiedBy: "bob", note: "n" }), "n");
    assert.equal(titleOf(own, "T", { name: "k", createdBy: "ann" }), "k");
  }));

Deno.test("cells of the console show names of values, and objects as JSON", () =>
  withShop(async (shop) => {
    const service = await serviceOf("Store");
    const choices = [{ value: 1, name: "one" }];
    const column = (name: string, more: object = {}) => ({
      name,
      label: name,
      type: "Edm.Int32",
      isKey: false,
      ...more,
    });
    const entity = {
      name: "Store.X",
      notes: {},
      keys: ["ID"],
      properties: [
        column("ID", { isKey: true }),
        column("size", { choices }),
        column("file", { isMedia: true }),
        column("tags", { isCollection: true, type: "Edm.String" }),
        ...["a", "b", "c", "d", "e", "f"].map((name) => column(name, { type: "Edm.Double" })),
      ],
      navigations: [],
    };
    const types = new Map([...service.types, ["Store.X", entity]]);
    const sets = new Map([["X", {
      name: "X",
      type: "Store.X",
      isCollection: true,
      bindings: {},
      notes: { "@Capabilities.SearchRestrictions": { Searchable: false } },
    }]]);
    const row = { ID: 1, size: "1", tags: ["x"], a: 0, b: false, c: 2 };
    shop.answers.set("GET", () => Response.json({ value: [row, { ...row, size: 2 }] }));
    const grid = create<OwnElement>("fw-grid");
    shop.body.append(grid);
    grid.show({ service: { ...service, types, sets }, path: "X" });
    await settled();
    assert.equal(last(shop), "$count=true&$top=20&$select=ID,size,tags,a,b,c,d,e", "eight columns, no media");
    assert.deepEqual(grid.all("tbody tr").map((one) => html([...one.children].slice(1, 6))), [
      `<td>1</td><td>one</td><td>["x"]</td><td class=number>0</td><td class=number>false</td>`,
      `<td>1</td><td>2</td><td>["x"]</td><td class=number>0</td><td class=number>false</td>`,
    ]);
    assert.equal(html(grid.all("thead th")[3]), "<th scope=col>tags</th>", "collections are not sorted");
    assert.equal(grid.all("form[role=search]").length, 0);
    assert.ok(!texts(grid.all("form.filter option")).includes("tags"));
  }));
