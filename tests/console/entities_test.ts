/** Entities of the console: how they are shown, changed, deleted and what is called on them, without a browser. */

import assert from "node:assert/strict";
import { create, does, html, type OwnElement, page, type PageElement, settled, types } from "./document.ts";
import { type ShopPage, withShop } from "./shop_page.ts";
import { serviceOf } from "../../src/console/page/csdl.js";
import "../../src/console/page/field.js";
import { gridFor, newObject } from "../../src/console/page/object_page.js";
import { logIn, unsaved } from "../../src/console/page/state.js";

const SHOP = "/odata/v4/store";
const JSON_TYPE = "application/json;IEEE754Compatible=true";

/** Shows an entity, and says in the status what happened. */
async function objectAt(shop: ShopPage, path: string, name = "Store"): Promise<PageElement> {
  const object = create<OwnElement>("fw-object");
  const status = create("div");
  status.setAttribute("id", "status");
  shop.body.replaceChildren(object, status);
  await object.show({ service: await serviceOf(name), path });
  await settled();
  return object;
}

const status = ({ body }: ShopPage) => body.one("#status");
const texts = (elements: Iterable<PageElement>) => Array.from(elements, ({ textContent }) => textContent);
const at = (shop: ShopPage, from = 0) => shop.asked.slice(from);
const hash = () => location.hash;

/** The control of a property. */
function control(element: PageElement, label: string): PageElement {
  const field = element.all("fw-field").find((one) => one.one("label").textContent === label);
  return field!.one("input, select, textarea");
}

Deno.test("an entity of the console is shown with its operations, media and associations", () =>
  withShop(async (shop) => {
    const object = await objectAt(shop, "Books(1)");
    assert.deepEqual(at(shop), [`GET ${SHOP}/Books(1)`, `GET ${SHOP}/Books(1)/cover`]);
    assert.equal(
      html(object.children).replace(/<fw-form>.*<\/fw-form>/, "-"),
      "<h2>Emma</h2>-<section><h3>Operations</h3><div class=buttons><button type=button>restock</button>" +
        "<button type=button>inStock</button></div></section>" +
        "<section><h3>cover</h3><div class=media><p class=soft>Nothing stored yet</p></div>" +
        "<p><label for=media>Upload a file </label><input id=media type=file></input></p></section>" +
        "<section><h3>Associations</h3><ul class=links><li><a href=#/data/Store/Books(1)/author>author</a></li>" +
        "</ul></section>",
    );
    assert.deepEqual(texts(object.all("fw-form .buttons button")), ["Save", "Delete"]);
    assert.deepEqual(object.all("fw-field").map((one) => one.one("input, select").disabled), [
      ...[true, false, false, false, false, false, false, true],
    ]);
    const price = await objectAt(shop, "Prices(1)");
    assert.deepEqual(texts(price.all("button")), ["restock", "inStock"], "nothing to save or delete");
    assert.ok(price.all("fw-field input").every(({ disabled }) => disabled));
    const author = await objectAt(shop, "Authors(1)");
    assert.deepEqual(texts(author.all("h3")), ["Associations"], "no operations");
    const order = await shop.aside(`${SHOP}/Orders`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ID: 1, buyer: "Ada", items: [{ pos: 1, quantity: 2 }] }),
    });
    assert.equal(order.status, 201);
    await order.body?.cancel();
    const shown = await objectAt(shop, "Orders(1)");
    assert.deepEqual(texts(shown.all("h2, h3")), ["Ada", "items"], "parts are no links");
    assert.deepEqual(texts(shown.all("tbody td")), ["→", "1", "1", "2"]);
    assert.equal(shown.all("button.main").length, 2, "one saves, one makes a part");
  }));

Deno.test("the console says what it could not read, and that there is nothing at a path", () =>
  withShop(async (shop) => {
    const missing = await objectAt(shop, "Books(5)/author");
    assert.equal(missing.textContent, "Not Found (404)");
    const none = await objectAt(shop, "Books(10)/author");
    assert.equal(html(none), "<fw-object><p>There is nothing at Books(10)/author</p></fw-object>");
    shop.answers.set("GET", () => Response.json({}, { status: 401 }));
    const refused = await objectAt(shop, "Books(1)");
    assert.deepEqual(texts(refused.all("p")), [
      "You have to log in for this (401)",
      "Log in as bobLog in as ann",
    ]);
  }));

Deno.test("changes of the console are saved under the condition that nobody else made some", () =>
  withShop(async (shop) => {
    const object = await objectAt(shop, "Books(1)");
    const before = shop.asked.length;
    await does(object.one("form"), "submit");
    assert.equal(shop.asked.length, before, "nothing was changed");
    await types(control(object, "stock"), "7");
    assert.equal(unsaved.size, 1);
    await does(object.one("form"), "submit");
    assert.deepEqual(at(shop, before), [
      ...[`PATCH ${SHOP}/Books(1)`, `GET ${SHOP}/Books(1)`, `GET ${SHOP}/Books(1)/cover`],
    ]);
    const { headers, body } = shop.sent[before];
    assert.deepEqual(["if-match", "content-type", "prefer"].map((name) => headers.get(name)), [
      ...['W/"a"', JSON_TYPE, "return=representation"],
    ]);
    assert.equal(body, '{"stock":7}');
    assert.deepEqual([status(shop).textContent, status(shop).dataset.shown, unsaved.size], ["Saved", "", 0]);
    assert.equal(control(object, "stock").value, "7");
    await types(control(object, "stock"), "700");
    await does(object.one("form"), "submit");
    assert.equal(control(object, "stock").getAttribute("aria-invalid"), "true");
    assert.equal(unsaved.size, 1);
    const author = await objectAt(shop, "Authors(1)");
    shop.answers.set(
      "GET",
      () => new Response(`{"ID":1,"name":"x"}`, { headers: { "content-type": "application/json" } }),
    );
    await types(control(author, "name"), "Jane");
    await does(author.one("form"), "submit");
    assert.equal(shop.sent.at(-2)!.headers.get("if-match"), null, "no tag, no condition");
    shop.answers.set("GET", () => Response.json({ ID: 1 }, { headers: { etag: '"e"' } }));
    const tagged = await objectAt(shop, "Authors(1)");
    await types(control(tagged, "name"), "Jane Austen");
    shop.answers.set("PATCH", () => new Response(null, { status: 204 }));
    await does(tagged.one("form"), "submit");
    assert.equal(shop.sent.at(-2)!.headers.get("if-match"), '"e"', "that of the header");
  }));

Deno.test("two ways lead on in the console where somebody else changed an entity", () =>
  withShop(async (shop) => {
    const change = async (changed: string, stock: number) => {
      const headers = { "content-type": "application/json", "if-match": "*" };
      const body = JSON.stringify({ stock, changed });
      const answer = await shop.aside(`${SHOP}/Books(1)`, { method: "PATCH", headers, body });
      await answer.body?.cancel();
    };
    const object = await objectAt(shop, "Books(1)");
    await change("x", 50);
    await types(control(object, "stock"), "7");
    await does(object.one("form"), "submit");
    assert.deepEqual(texts(object.all("[role=alert] p")).slice(1), [
      "Somebody else has changed this entry",
      "Your input is still here. Take the other version, or save yours over it.",
      "Take the other versionSave mine",
    ]);
    assert.match(object.one("[role=alert]").textContent, /\(412/);
    assert.deepEqual([control(object, "stock").value, unsaved.size], ["7", 1]);
    await does(object.button("Take the other version"), "click");
    assert.deepEqual([control(object, "stock").value, unsaved.size], ["50", 0]);
    await change("y", 60);
    await types(control(object, "stock"), "8");
    await does(object.one("form"), "submit");
    await does(object.button("Save mine"), "click");
    const patches = shop.asked.flatMap((one, i) => one.startsWith("PATCH") ? [shop.sent[i]] : []);
    assert.deepEqual(patches.map(({ headers }) => headers.get("if-match")), ['W/"a"', 'W/"x"', "*"]);
    assert.deepEqual([control(object, "stock").value, status(shop).textContent], ["8", "Saved"]);
    await change("z", 60);
    await types(control(object, "stock"), "9");
    await does(object.one("form"), "submit");
    shop.answers.set("PATCH", () => Response.json({ error: { message: "Not now" } }, { status: 503 }));
    await does(object.button("Save mine"), "click");
    assert.equal(object.one("[role=alert]").textContent, "Not now (503)");
  }));

Deno.test("an entity of the console is deleted when that is confirmed", () =>
  withShop(async (shop) => {
    const object = await objectAt(shop, "Books(1)");
    const before = shop.asked.length;
    await does(object.button("Delete"), "click");
    assert.equal(
      html(shop.body.one("dialog")),
      `<dialog aria-label="Delete this entry for good?" open><p>Delete this entry for good?</p><div class=buttons>` +
        `<button type=button class=main>Delete</button><button type=button>Cancel</button></div></dialog>`,
    );
    await does(shop.body.button("Cancel"), "click");
    assert.deepEqual([shop.asked.length, shop.body.all("dialog").length], [before, 0]);
    await types(control(object, "stock"), "7");
    shop.answers.set("DELETE", () => Response.json({ error: { message: "In use" } }, { status: 409 }));
    await does(object.button("Delete"), "click");
    await does(shop.body.one("dialog").button("Delete"), "click");
    assert.deepEqual([object.one("[role=alert]").textContent, unsaved.size, hash()], ["In use (409)", 1, ""]);
    shop.answers.clear();
    await does(object.button("Delete"), "click");
    await does(shop.body.one("dialog").button("Delete"), "click");
    assert.deepEqual([shop.asked.at(-1), shop.sent.at(-1)!.headers.get("if-match")], [
      ...[`DELETE ${SHOP}/Books(1)`, 'W/"a"'],
    ]);
    assert.deepEqual([status(shop).textContent, unsaved.size, hash()], ["Deleted", 0, "#/data/Store/Books"]);
    shop.answers.set("DELETE", () => new Response(null, { status: 204 }));
    shop.answers.set("GET", () => Response.json({ ID: 1 }));
    for (
      const [path, up] of [
        ["Orders(1)/items(parent_ID=1,pos=2)", "Orders(1)/items"],
        ["Books(2)/author", "Books(2)"],
      ]
    ) {
      const one = await objectAt(shop, path);
      await does(one.button("Delete"), "click");
      await does(shop.body.one("dialog").button("Delete"), "click");
      assert.equal(hash(), `#/data/Store/${up}`);
      assert.equal(shop.sent.at(-1)!.headers.get("if-match"), null);
    }
  }));

Deno.test("drafts of the console are edited, activated and discarded", () =>
  withShop(async (shop) => {
    logIn({ name: "ann" });
    const headers = { "content-type": "application/json", authorization: `Basic ${btoa("ann:")}` };
    const made = await shop.aside("/odata/v4/office/Notes", {
      method: "POST",
      headers,
      body: `{"text":"new"}`,
    });
    const { ID } = await made.json();
    const path = (isActive: boolean) => `Notes(ID=${ID},IsActiveEntity=${isActive})`;
    const draft = await objectAt(shop, path(false), "Office");
    assert.equal(html(draft.one("h2")), "<h2>new<span class=badge>Draft</span></h2>");
    assert.deepEqual(
      texts(draft.all("fw-field label")),
      ["ID", "text"],
      "what drafts are made of is not shown",
    );
    assert.deepEqual(texts(draft.all(".buttons button")), ["Save", "Activate", "Discard draft"]);
    assert.deepEqual(texts(draft.all("h3")), [], "nor are their associations and operations");
    await types(control(draft, "text"), "better");
    await does(draft.button("Activate"), "click");
    assert.deepEqual([shop.asked.at(-1), shop.sent.at(-1)!.body], [
      ...[`POST /odata/v4/office/${path(false)}/Office.draftActivate`, "{}"],
    ]);
    assert.equal(shop.sent.at(-1)!.headers.get("content-type"), JSON_TYPE);
    assert.deepEqual([hash(), status(shop).textContent, unsaved.size], [
      ...[`#/data/Office/${path(true)}`, "Saved", 0],
    ]);
    const active = await objectAt(shop, path(true), "Office");
    assert.equal(html(active.one("h2")), "<h2>new</h2>");
    assert.deepEqual(texts(active.all(".buttons button")), ["Edit", "Delete"]);
    assert.ok(active.all("fw-field").every((one) => one.one("input, textarea").disabled));
    await does(active.button("Edit"), "click");
    assert.equal(shop.asked.at(-1), `POST /odata/v4/office/${path(true)}/Office.draftEdit`);
    assert.equal(hash(), `#/data/Office/${path(false)}`);
    const tag = active.one("form");
    await does(active.button("Edit"), "click");
    assert.match(tag.one("[role=alert]").textContent, /\(409/, "there is a draft already");
    shop.answers.set("GET", () => Response.json({ ID, IsActiveEntity: false, "@odata.etag": '"e"' }));
    const tagged = await objectAt(shop, path(false), "Office");
    await does(tagged.button("Activate"), "click");
    assert.equal(shop.sent.at(-1)!.headers.get("if-match"), '"e"');
  }));

Deno.test("a new entity of the console is sent with its parts, and shown then", () =>
  withShop(async (shop) => {
    const service = await serviceOf("Store");
    const status = create("div");
    status.setAttribute("id", "status");
    const show = (path: string) => {
      const made = newObject(service, path) as unknown as PageElement;
      shop.body.replaceChildren(made, status);
      return made;
    };
    const form = show("Orders");
    assert.equal(html(form.one("h2")), "<h2>New entry in Orders</h2>");
    assert.equal(
      html(form.one("form").lastElementChild),
      `<div class=buttons><button class=main>Create</button><a class=button href=#/data/Store/Orders>Cancel</a></div>`,
    );
    await types(control(form, "ID"), "5");
    await does(form.button("Add items"), "click");
    await types(form.one(".card").all("input")[0], "1");
    await does(form.one("form"), "submit");
    assert.deepEqual([shop.asked.at(-1), shop.sent.at(-1)!.body], [
      ...[`POST ${SHOP}/Orders`, '{"ID":5,"items":[{"pos":1}]}'],
    ]);
    assert.equal(shop.sent.at(-1)!.headers.get("prefer"), "return=representation");
    assert.deepEqual([hash(), status.textContent, unsaved.size], ["#/data/Store/Orders(5)", "Created", 0]);
    const part = show("Orders(5)/items");
    assert.deepEqual(texts(part.all("label")), ["pos", "quantity"], "the path says what they are parts of");
    await types(control(part, "pos"), "2");
    await types(control(part, "quantity"), "50");
    await does(part.one("form"), "submit");
    assert.equal(control(part, "quantity").getAttribute("aria-invalid"), "true");
    await types(control(part, "quantity"), "5");
    await does(part.one("form"), "submit");
    assert.equal(hash(), "#/data/Store/Orders(5)/items(parent_ID=5,pos=2)");
    for (
      const answer of [new Response(null, { status: 204 }), Response.json({ buyer: "x" }, { status: 201 })]
    ) {
      shop.answers.set("POST", () => answer);
      await does(show("Orders").one("form"), "submit");
      assert.equal(hash(), "#/data/Store/Orders");
    }
    shop.answers.set("POST", () => Response.json({ error: { message: "No" } }, { status: 403 }));
    const refused = show("Orders");
    await does(refused.one("form"), "submit");
    assert.equal(refused.all("[role=alert] p")[0].textContent, "No (403)");
  }));

Deno.test("rows can be made where a grid of the console leads to a set that allows it", () =>
  withShop(async (shop) => {
    const service = await serviceOf("Store");
    const shown = async (path: string) => {
      shop.body.replaceChildren(gridFor(service, path) as unknown as PageElement);
      await settled();
      return shop.body;
    };
    await does((await shown("Books")).button("New entry in Books"), "click");
    assert.equal(hash(), "#/new/Store/Books");
    assert.equal((await shown("Prices")).all(".toolbar .main").length, 0);
    await does(shop.body.button("restock 1"), "click");
    assert.equal(shop.body.one("dialog h2").textContent, "Call restock");
  }));

Deno.test("operations on an entity of the console are called in a dialog, with its tag", () =>
  withShop(async (shop) => {
    const object = await objectAt(shop, "Books(1)");
    await does(object.button("restock"), "click");
    const dialog = shop.body.one("dialog");
    assert.equal(
      html(dialog.children).replace(/<fw-form>.*<\/fw-form>/, "-"),
      "<h2>Call restock</h2>-<div></div><div class=buttons><button type=button>Close</button></div>",
    );
    assert.deepEqual([dialog.getAttribute("aria-label"), dialog.getAttribute("open")], ["Call restock", ""]);
    assert.deepEqual(texts(dialog.all("label")), ["copies"]);
    await types(control(dialog, "copies"), "99");
    await does(dialog.one("form"), "submit");
    assert.equal(dialog.one(".field-error").textContent, "The shelf is full");
    await types(control(dialog, "copies"), "9");
    const before = shop.asked.length;
    await does(dialog.one("form"), "submit");
    assert.deepEqual(at(shop, before), [
      ...[`POST ${SHOP}/Books(1)/Store.restock`, `GET ${SHOP}/Books(1)`, `GET ${SHOP}/Books(1)/cover`],
    ]);
    const { headers, body } = shop.sent[before];
    assert.deepEqual([headers.get("if-match"), headers.get("content-type"), body], [
      ...['W/"a"', JSON_TYPE, '{"copies":9}'],
    ]);
    assert.equal(status(shop).textContent, "Done. Restocked");
    assert.match(
      html(dialog.children[2]),
      /^<div><h3>Result<\/h3><pre id=text tabindex=0>\{\n {2}"@odata.context".*"stock": 9,/s,
    );
    assert.equal(unsaved.size, 0);
    await does(dialog.button("Close"), "click");
    assert.equal(shop.body.all("dialog").length, 0);
    await does(object.button("inStock"), "click");
    await does(shop.body.one("dialog form"), "submit");
    assert.ok(shop.asked.includes(`GET ${SHOP}/Books(1)/Store.inStock()`));
    assert.match(shop.body.one("dialog pre").textContent, /"value": true/);
  }));

Deno.test("media of the console are shown, kept as files, and uploaded", () =>
  withShop(async (shop) => {
    const object = await objectAt(shop, "Books(1)");
    const upload = async (files: readonly unknown[]) => {
      const input = object.one("input[type=file]");
      input.files = files;
      await does(input, "change");
    };
    const before = shop.asked.length;
    await upload([]);
    assert.equal(shop.asked.length, before);
    await upload([new Blob(["GIF"], { type: "image/gif" })]);
    assert.deepEqual(at(shop, before), [`PUT ${SHOP}/Books(1)/cover`, `GET ${SHOP}/Books(1)/cover`]);
    const { headers } = shop.sent[before];
    assert.deepEqual([headers.get("content-type"), headers.get("if-match")], ["image/gif", 'W/"a"']);
    assert.equal(status(shop).textContent, "Saved");
    assert.match(
      html(object.one(".media")),
      /<a href=blob:\S+ download=cover>Download \(image\/png, 3 B\)<\/a>|<img src=blob:\S+ alt=cover>/,
    );
    assert.equal(shop.sent.at(-1)!.headers.get("accept"), "*/*");
    const shows = async (body: BodyInit, type: string) => {
      shop.answers.set("GET", () => new Response(body, { headers: { "content-type": type } }));
      await upload([new Blob(["x"])]);
      return html(object.one(".media")).replace(/blob:[^ ]+/, "-");
    };
    for (const type of ["png", "jpeg", "gif", "webp", "avif", "bmp"]) {
      assert.equal(await shows("x", `image/${type}`), `<div class=media><img src=- alt=cover></img></div>`);
    }
    assert.equal(
      shop.sent.findLast(({ body }) => body)!.headers.get("content-type"),
      "application/octet-stream",
    );
    for (
      const [body, type, size] of [["<svg/>", "image/svg+xml", 6], ["text", "text/plain", 4], [
        "[1]",
        "application/json",
        3,
      ]] as const
    ) {
      assert.equal(
        await shows(body, type),
        `<div class=media><a href=- download=cover>Download (${type}, ${size} B)</a></div>`,
      );
    }
    shop.answers.set("PUT", () => Response.json({ error: { message: "Too large" } }, { status: 413 }));
    await upload([new Blob(["x"])]);
    assert.equal(object.one(".media").textContent, "Too large (413)");
    shop.answers.set("GET", () => Promise.reject(new TypeError("gone")));
    shop.answers.delete("PUT");
    await upload([new Blob(["x"])]);
    assert.equal(object.one(".media").textContent, "The server does not answer: gone");
    shop.answers.clear();
    shop.answers.set(`GET ${SHOP}/Books(1)/cover`, () => new Response(null, { status: 204 }));
    const untagged = await objectAt(shop, "Books(1)");
    assert.equal(untagged.one(".media").textContent, "Nothing stored yet");
    assert.equal(page.questions.length, 0);
  }));
