/** The frame of the console, its model and its requests, without a browser. */

import assert from "node:assert/strict";
import { create, does, html, page, type PageElement, settled, types, window } from "./document.ts";
import { type ShopPage, withShop } from "./shop_page.ts";
import { exchange, requests } from "../../src/console/page/api.js";
import "../../src/console/page/field.js";
import { showModel } from "../../src/console/page/model_view.js";
import { showApi } from "../../src/console/page/requests.js";
import { logIn, state, unsaved } from "../../src/console/page/state.js";

const SHOP = "/odata/v4/store";
const names = ({ children }: PageElement) => Array.from(children, ({ localName }) => localName);
const texts = (elements: Iterable<PageElement>) => Array.from(elements, ({ textContent }) => textContent);

/** Metadata of a service that is drawn: one entity in full, and ways from one to another. */
const DRAWN = {
  $Version: "4.01",
  $EntityContainer: "Drawn.EntityContainer",
  Drawn: {
    A: {
      $Kind: "EntityType",
      $Key: ["ID"],
      ID: { $Type: "Edm.Int32" },
      [`long_${"x".repeat(13)}`]: {},
      [`longer_${"x".repeat(12)}`]: {},
      ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`p${i}`, { $Type: "Drawn.T" }])),
      self: { $Kind: "NavigationProperty", $Type: "Drawn.A" },
      b: { $Kind: "NavigationProperty", $Type: "Drawn.B", $Collection: true, $ContainsTarget: true },
      d: { $Kind: "NavigationProperty", $Type: "Drawn.D" },
      out: { $Kind: "NavigationProperty", $Type: "Elsewhere.X" },
    },
    B: {
      $Kind: "EntityType",
      ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`q${i}`, {}])),
      a: { $Kind: "NavigationProperty", $Type: "Drawn.A" },
    },
    C: { $Kind: "EntityType", r: {}, d: { $Kind: "NavigationProperty", $Type: "Drawn.D" } },
    D: { $Kind: "EntityType", s: {}, b: { $Kind: "NavigationProperty", $Type: "Drawn.B" } },
    A_texts: { $Kind: "EntityType" },
    DraftAdministrativeData: { $Kind: "EntityType" },
    T: { $Kind: "ComplexType" },
    EntityContainer: { $Kind: "EntityContainer" },
    $Annotations: { "Drawn.A": { "@Core.Description": "The first" } },
  },
};

const service = (name: string, more: object = {}) => ({
  ...{ name, events: [], restrictions: {} },
  endpoints: [{ protocol: "odata", path: `/${name.toLowerCase()}` }],
  ...more,
});

Deno.test("the console draws entities in columns, and lines between them", () =>
  withShop(async (shop) => {
    state.info = { isMocked: true, users: [], services: [service("Drawn")] } as never;
    shop.answers.set("GET /drawn/$metadata", () => Response.json(DRAWN));
    const main = create("main");
    await showModel(main);
    const drawing = main.one("svg");
    const shown = (one: PageElement, ...names: readonly string[]) =>
      names.map((name) => one.getAttribute(name)).join(" ");
    assert.equal(shown(drawing, "width", "height", "viewBox", "role"), "530 348 0 0 530 348 img");
    assert.deepEqual(drawing.all("rect").map((one) => shown(one, "x", "y", "width", "height", "rx")), [
      "10 10 200 234 6",
      "270 10 200 216 6",
      "270 256 200 54 6",
      "10 274 200 54 6",
    ]);
    assert.deepEqual(drawing.all("path").map((one) => `${one.textContent} ${shown(one, "class", "d")}`), [
      "self  M210,32 C260,28 260,28 210,28",
      "b part M210,32 C240,28 240,28 270,28",
      "d  M210,32 C260,28 260,292 210,292",
      "a  M270,32 C240,28 240,28 210,28",
      "d  M270,278 C240,274 240,292 210,292",
      "b  M210,296 C240,292 240,28 270,28",
    ]);
    const lines = drawing.all("g").map((one) =>
      one.all("text").map((text) =>
        `${shown(text, "x")} ${Math.round(Number(shown(text, "y")))} ${text.textContent}`
      )
    );
    assert.deepEqual(lines[0].slice(0, 4), [
      ...[
        "20 28 A",
        "20 51 ⚷ ID: Int32",
        "20 69 long_xxxxxxxxxxxxx: String",
        "20 87 longer_xxxxxxxxxxxx: Stri…",
      ],
    ]);
    assert.deepEqual([lines[0].slice(-2), lines[1].length], [["20 213 p6: Drawn.T", "20 231 + 1"], 11]);
    const entity = (name: string, text: string) =>
      `<dt><a href=#/data/Drawn/${name}>${name}</a></dt><dd>${text}</dd>`;
    assert.equal(
      html(main.one("dl")),
      `<dl>${entity("A", "<p>The first</p><p>self → A</p><p>b ◆ * B</p><p>d → D</p><p>out → X</p>")}` +
        `${entity("B", "<p>a → A</p>")}${entity("C", "<p>d → D</p>")}${entity("D", "<p>b → B</p>")}</dl>`,
    );
    const empty = { $Version: "4.01", Drawn: { EntityContainer: { $Kind: "EntityContainer" } } };
    shop.answers.set("GET /drawn/$metadata", () => Response.json(empty));
    logIn({ name: "ann" });
    const none = create("main");
    await showModel(none);
    assert.equal(shown(none.one("svg"), "viewBox"), "0 0 260 38");
  }));

Deno.test("the console shows the first service that needs no role, others by choice, and the sources", () =>
  withShop(async (shop) => {
    const text = "/** Doc */\nentity A { key ID : Integer; } // end\nannotate A with @title: 'it''s';";
    shop.answers.set(
      "GET /-/console/sources.json",
      () => Response.json({ value: [{ name: "a.cds", text }] }),
    );
    const info = state.info as unknown as { readonly services: readonly object[] };
    state.info = {
      ...info,
      services: [info.services[1], info.services[0], service("Plain", { endpoints: [] })],
    } as never;
    const main = create("main");
    await showModel(main);
    assert.deepEqual(texts(main.all(".buttons button")), ["Office", "Store"]);
    assert.deepEqual(texts(main.all("h2")), ["Diagram of Store", "Source"]);
    assert.match(main.one("p a").getAttribute("href")!, /\/odata\/v4\/store\/\$metadata$/);
    assert.equal(
      html(main.all("details.card").at(-1)),
      "<details class=card><summary>a.cds</summary><pre class=cdl tabindex=0><span class=doc>/** Doc */</span>\n" +
        "<span class=keyword>entity</span> A { <span class=keyword>key</span> ID : Integer; } " +
        "<span class=comment>// end</span>\n<span class=keyword>annotate</span> A <span class=keyword>with</span> " +
        "<span class=note>@title</span>: <span class=string>'it''s'</span>;</pre></details>",
    );
    assert.ok(requests.every(({ url }) => !String(url).includes("sources")), "they are not listed");
    await does(main.button("Office"), "click");
    assert.equal(main.children[1].all("[role=alert] p")[0].textContent, "You have to log in for this");
    shop.answers.set("GET /-/console/sources.json", () => Response.json({ value: [] }));
    state.info = { ...info, services: [info.services[1]] } as never;
    logIn({ name: "ann" });
    const desk = create("main");
    await showModel(desk);
    assert.deepEqual(texts(desk.all("h2, p.soft")), [
      "Diagram of Office",
      "Source",
      "The model is compiled; its sources are not here",
    ]);
    shop.answers.set(
      "GET /-/console/sources.json",
      () => Response.json({ error: { message: "No" } }, { status: 500 }),
    );
    state.info = { ...info, services: [] } as never;
    const none = create("main");
    await showModel(none);
    assert.deepEqual(texts(none.children), ["", "", "Source", "No (500)"]);
  }));

Deno.test("requests of the console are listed with what was sent and answered", () =>
  withShop(async () => {
    const main = create("main");
    const leave = showApi(main);
    const list = main.one("section[aria-label=Requests]");
    assert.equal(html([...list.children].slice(1)), "<p class=soft>No requests yet: open some data</p>");
    await exchange("GET", `.${SHOP}/Authors?$filter=name%20eq%20'x'`);
    const sent = { body: '{"book":1}', headers: { "content-type": "application/json" } };
    await exchange("POST", `.${SHOP}/order`, sent);
    const [post, get] = list.all("details");
    assert.match(
      html(get),
      /^<details><summary><span class=badge>200<\/span> GET <span class=url>\/odata\/v4\/store\/Authors\?\$filter=name eq 'x'<\/span><span class=soft> \d+\.\d ms<\/span><\/summary><\/details>$/,
    );
    await does(post, "toggle");
    assert.equal(post.children.length, 1, "it is closed");
    for (let time = 0; time < 2; time++) {
      post.open = true;
      await does(post, "toggle");
    }
    assert.deepEqual(texts(post.all(".buttons button")), ["Copy curl", "Copy URL", "Copy batch"]);
    assert.match(post.one("pre.curl").textContent, /^curl -g -X POST .* -d '\{"book":1\}' 'file:.*\/order'$/);
    assert.deepEqual(names(post), ["summary", "div", "pre", "pre", "h3", "div"]);
    assert.equal(post.children[3].textContent, '{"book":1}');
    assert.match(post.children[5].children[0].one("pre").textContent, /^content-type: .*\n.*: /m);
    assert.match(post.children[5].children[1].textContent, /"left": 9/);
    get.open = true;
    await does(get, "toggle");
    assert.deepEqual(names(get), ["summary", "div", "pre", "h3", "div"]);
    leave();
    await exchange("GET", `.${SHOP}/Authors`);
    assert.equal(list.all("summary.x, .requests > li, li").length, 2, "nobody looks any more");
  }));

Deno.test("the explorer of the console sends what is typed, and keeps it", () =>
  withShop(async (shop) => {
    const show = () => {
      const main = create("main");
      showApi(main);
      return main.one("#explorer");
    };
    const explorer = show();
    const [url, method, body] = ["input", "select", "textarea"].map((tag) => explorer.one(tag));
    assert.equal(url.value, `${SHOP}/`);
    const send = async (path: string) => {
      url.value = path;
      assert.ok((await does(explorer.one("form"), "submit")).defaultPrevented);
      return explorer.one("[aria-live]");
    };
    shop.answers.set("GET", () =>
      Response.json([1], { status: 201, statusText: "Made", headers: { "server-timing": "db;dur=1" } }));
    assert.match((await send("odata/x")).children[0].textContent, /^201 Made \d+\.\d ms · db;dur=1$/);
    assert.equal(shop.asked.at(-1), "GET /odata/x");
    assert.equal(explorer.all("pre").at(-1)!.textContent, "[\n  1\n]");
    shop.answers.set("GET", () =>
      Response.json([1]));
    assert.match((await send("./odata/y")).children[0].textContent, /^200 {2}\d+\.\d ms$/);
    assert.deepEqual([shop.asked.at(-1), shop.sent.at(-1)!.body], ["GET /odata/y", undefined]);
    method.value = "POST";
    body.value = ' {"book":1} ';
    await send(`${SHOP}/order`);
    assert.deepEqual([
      shop.asked.at(-1),
      shop.sent.at(-1)!.body,
      shop.sent.at(-1)!.headers.get("content-type"),
    ], [
      ...[`POST ${SHOP}/order`, '{"book":1}', "application/json"],
    ]);
    shop.answers.set("POST", () => Promise.reject(new TypeError("gone")));
    assert.equal((await send("/x")).textContent, "The server does not answer: gone");
    assert.equal(show().one("input").value, "/x", "it is still there when the view comes back");
    sessionStorage.removeItem?.("fw-explorer");
  }));

Deno.test("the explorer of the console offers what may come next: arrows choose, Enter and Tab take, Escape closes", () =>
  withShop(async (shop) => {
    const main = create("main");
    shop.body.append(main);
    showApi(main);
    const [input, list] = [main.one("#explorer input"), main.one("[role=listbox]")];
    const press = async (key: string) => (await does(input, "keydown", { key })).defaultPrevented;
    const chosen = () => [...list.children].map((one) => one.getAttribute("aria-selected") === "true");
    assert.equal(input.getAttribute("aria-controls"), list.id);
    await types(input, `${SHOP}/`);
    assert.deepEqual(texts(list.children).slice(0, 2), ["Books", "Authors"]);
    const count = list.children.length;
    assert.deepEqual([list.hidden, input.getAttribute("aria-expanded")], [false, "true"]);
    assert.match(
      html(list.children[0]),
      /^<li role=option id=suggestions-0 aria-selected=false>Books<\/li>$/,
    );
    assert.equal(await press("Enter"), false, "nothing is chosen yet");
    assert.equal(await press("ArrowUp"), true);
    assert.equal(chosen().indexOf(true), count - 1, "up from nothing");
    await press("ArrowDown");
    assert.deepEqual([
      chosen().indexOf(true),
      input.getAttribute("aria-activedescendant"),
      list.children[0].scrolled,
    ], [
      ...[0, list.children[0].id, 1],
    ]);
    await press("ArrowUp");
    assert.equal(chosen().indexOf(true), count - 1);
    await press("Escape");
    assert.deepEqual([
      list.hidden,
      input.getAttribute("aria-expanded"),
      input.getAttribute("aria-activedescendant"),
    ], [
      ...[true, "false", null],
    ]);
    assert.equal(await press("x"), false);
    assert.equal(list.hidden, true);
    await press("ArrowDown");
    assert.deepEqual([list.hidden, chosen().includes(true)], [false, false]);
    await press("ArrowDown");
    assert.equal(await press("Tab"), true);
    assert.deepEqual([input.value, list.hidden, input.isFocused], [`${SHOP}/Books`, true, true]);
    await types(input, "/od");
    await press("ArrowDown");
    assert.equal(await press("Enter"), true);
    assert.deepEqual([input.value, list.hidden], [`${SHOP}/`, false], "what goes on is offered at once");
    await does(input, "blur");
    assert.equal(list.hidden, true);
    await types(input, `${SHOP}/A`);
    const pressed = await does(list.children[0], "mousedown");
    assert.deepEqual([pressed.defaultPrevented, input.value], [true, `${SHOP}/Authors`]);
    await types(input, `${SHOP}/Authors?$top`);
    await does(list.children[0], "mousedown");
    assert.deepEqual([input.value, texts(list.children)], [`${SHOP}/Authors?$top=`, ["10"]]);
    await types(input, "/nothing");
    assert.deepEqual([list.hidden, input.getAttribute("aria-expanded")], [true, "false"]);
  }));

Deno.test("the console lists what OpenAPI says, and opens it in the explorer", () =>
  withShop(async (shop) => {
    const main = create("main");
    shop.body.append(main);
    showApi(main);
    const [first] = texts(main.one("#openapi").all(".buttons button"));
    assert.equal(first, "Store");
    await does(main.button("Store"), "click");
    assert.equal(shop.asked.at(-1), `GET ${SHOP}/openapi.json`);
    assert.equal(
      html(main.one("#openapi").children[2].children[0]),
      "<p>Store <span class=soft>1.0.0</span></p>",
    );
    assert.equal(
      html(main.one("#openapi .requests").children[0]),
      "<li><details><summary><span class=badge>GET</span> /Books <span class=soft>List Book</span></summary></details></li>",
    );
    const parameters = [{ name: "a", in: "path", schema: { type: "integer" } }, { name: "b", in: "query" }, {
      name: "c",
      in: "query",
      schema: {},
    }, { $ref: "#/components/parameters/top" }];
    const paths = {
      "/x": { parameters: [], get: { description: "Reads", parameters }, post: { summary: "Makes" } },
    };
    shop.answers.set("GET", () => Response.json({ info: { title: "T", version: "1" }, paths }));
    await does(main.button("Store"), "click");
    const [get, post] = main.one("#openapi").all("details");
    assert.deepEqual(texts([get, post]), ["GET /x ", "POST /x Makes"], "what is no method is left out");
    await does(get, "toggle");
    assert.equal(get.children.length, 1);
    for (let time = 0; time < 2; time++) {
      get.open = post.open = true;
      await does(get, "toggle");
      await does(post, "toggle");
    }
    assert.equal(
      html([...get.childNodes].slice(1)),
      "<p>Reads</p><div><h3>Parameters</h3><ul><li>a (path, integer)</li><li>b (query)</li><li>c (query)</li>" +
        "<li>$top</li></ul></div><button type=button class=small>Open in the explorer</button>",
    );
    assert.equal(
      html([...post.childNodes].slice(1)),
      "<button type=button class=small>Open in the explorer</button>",
    );
    await does(post.one("button"), "click");
    assert.deepEqual([main.one("#explorer input").value, main.one("#explorer select").value], [
      `${SHOP}/x`,
      "POST",
    ]);
    assert.ok(main.one("#explorer input").isFocused);
    shop.answers.set("GET", () => Response.json({}, { status: 403 }));
    await does(main.button("Office"), "click");
    assert.deepEqual(texts(main.one("#openapi").all("[role=alert] p")).slice(1), [
      "This needs one of the roles: editor",
      "Log in as ann",
    ]);
  }));

/** Loads the main module anew, as a browser does, in a page that the server sent. */
async function start({ body }: ShopPage, hash = ""): Promise<PageElement> {
  const [title, overview] = [create("h1"), create("main")];
  title.append("shop");
  overview.append("Welcome");
  body.replaceChildren(title, overview);
  window.location.hash = hash;
  await import(`../../src/console/page/main.js?load=${crypto.randomUUID()}`);
  await settled();
  return body;
}

const go = async (hash: string) => {
  window.location.hash = hash;
  await settled();
};

Deno.test("the console begins with its frame, and goes where the fragment of the URL says", () =>
  withShop(async (shop) => {
    const { body } = shop;
    await start(shop);
    assert.deepEqual(shop.asked, ["GET /-/console/info.json"]);
    assert.equal(requests.length, 0);
    assert.deepEqual([...body.children].map(({ localName, id }) => `${localName} ${id}`), [
      "a ",
      "header ",
      "main main",
      "div status",
    ]);
    const { document } = window;
    assert.deepEqual([
      document.documentElement.dataset.theme,
      document.documentElement.lang,
      document.title,
    ], ["auto", "en", "Overview · shop"]);
    assert.deepEqual(texts(body.all("header nav a")), [
      "Overview",
      "Data",
      "Operations",
      "API",
      "Messages",
      "Users",
      "Model",
    ]);
    assert.equal(html(body.all("header nav a")[1]), "<a href=#/data id=to-data>Data</a>");
    assert.equal(html(body.one("#user")), "<a id=user href=#/users>Anonymous</a>");
    assert.equal(
      html(body.one("select[aria-label=Language]")),
      `<select aria-label=Language value="en"><option selected value="en">English</option><option value="de">Deutsch</option></select>`,
    );
    assert.equal(
      html(body.one("select[aria-label=Theme]")),
      `<select aria-label=Theme value="auto"><option selected>auto</option><option>light</option><option>dark</option></select>`,
    );
    const main = body.one("#main");
    assert.equal(html(main), `<main id=main tabindex=-1><div class="view overview">Welcome</div></main>`);
    assert.deepEqual([main.isFocused, page.questions], [true, ["top"]]);
    main.blur();
    assert.ok((await does(body.one("a.skip"), "click")).defaultPrevented);
    assert.ok(main.isFocused);
    const current = () =>
      body.all("header nav a").filter((one) => one.getAttribute("aria-current") === "page").map(({ id }) =>
        id
      );
    assert.deepEqual(current(), ["to-overview"]);
    await go("#/users");
    assert.deepEqual([current(), document.title], [["to-users"], "Users · shop"]);
    assert.equal(
      html(main.children[0]).slice(0, 61),
      '<div class="view users"><h2 class=hidden>Users</h2><p>Nobody ',
    );
    await go("#/nothing");
    assert.deepEqual([current(), main.textContent], [["to-overview"], "Welcome"]);
    await go("#/data");
    assert.deepEqual(texts(main.all(".card h2")), ["Store", "Office", "Empty"]);
    assert.equal(
      html(main.all(".card")[2]),
      "<section class=card><h2>Empty</h2><ul class=links><li><a href=#/data/Empty/Things>Things</a></li></ul></section>",
    );
    assert.match(
      main.all(".card")[1].textContent,
      /^OfficeYou have to log in for thisThis needs one of the roles: editorLog in as ann$/,
    );
    await go("#/data/Store/Orders");
    assert.deepEqual(texts(main.all("h2, .crumbs li")), ["Data", "Data", "Store", "Orders", "Orders"]);
    assert.equal(
      html(main.one(".crumbs")),
      "<nav aria-label=Data class=crumbs><ol><li><a href=#/data>Data</a></li><li>Store</li><li><a href=#/data/Store/Orders>Orders</a></li></ol></nav>",
    );
    assert.equal(main.all("fw-grid").length, 1);
    await go("#/data/Store/Books(1)/author");
    assert.deepEqual(texts(main.all("fw-object h2")), ["Jane Austen"]);
    assert.deepEqual(main.all(".crumbs a").map((one) => one.getAttribute("href")), [
      ...["#/data", "#/data/Store/Books(1)", "#/data/Store/Books(1)/author"],
    ]);
    await go("#/data/Store/Nowhere");
    assert.equal(main.one("p").textContent, "There is nothing at Nowhere");
    await go("#/data/Nobody/Books");
    assert.equal(main.one("[role=alert]").textContent, "There is no service Nobody of OData");
    await go("#/new/Store/Orders");
    assert.deepEqual([current(), main.all("h2")[1].textContent], [["to-data"], "New entry in Orders"]);
    await types(main.one("fw-form").all("input")[0], "1");
    page.answer = false;
    page.questions = [];
    await go("#/users");
    assert.deepEqual([page.questions, window.location.hash, main.all("fw-form").length], [
      ...[["Your changes are not saved. Leave them?"], "#/new/Store/Orders", 1],
    ]);
    logIn({ name: "ann" });
    await settled();
    assert.deepEqual(
      [body.one("#user").textContent, main.all("fw-form").length],
      ["ann", 1],
      "what was typed stays",
    );
    page.answer = true;
    await go("#/api");
    assert.deepEqual([unsaved.size, main.all("#explorer").length], [0, 1]);
    const [before] = main.all(".requests").slice(0, 1);
    await go("#/users");
    assert.match(main.one("div.view").textContent, /Logged in as ann/);
    logIn(null);
    await settled();
    assert.match(main.one("div.view").textContent, /Nobody is logged in/, "another user sees other things");
    assert.ok(before, "views that are left listen no more");
    await does(Object.assign(body.one("select[aria-label=Theme]"), { value: "dark" }), "change");
    assert.deepEqual([state.theme, document.documentElement.dataset.theme], ["dark", "dark"]);
    page.questions = [];
    await does(Object.assign(body.one("select[aria-label=Language]"), { value: "de" }), "change");
    assert.deepEqual([localStorage.getItem("fw-language"), page.questions], ["de", ["reload"]]);
    page.questions = [];
    window.dispatchEvent(new window.Event("hashchange"));
    await settled();
    assert.deepEqual(page.questions, [], "the same place");
  }));

Deno.test("the console says that its server does not answer", () =>
  withShop(async (shop) => {
    shop.answers.set("GET /-/console/info.json", () => Promise.reject(new TypeError("gone")));
    const body = await start(shop, "#/users");
    assert.deepEqual(texts(body.children), ["The server does not answer: gone", "shop", "Welcome"]);
    assert.deepEqual(state.info, { services: [], users: [] });
  }));
