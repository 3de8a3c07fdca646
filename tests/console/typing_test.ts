/** Fields and forms of the console: what is shown, what was typed, and where errors stand, without a browser. */

import assert from "node:assert/strict";
import { create, does, html, type OwnElement, type PageElement, settled, types } from "./document.ts";
import { type ShopPage, withShop } from "./shop_page.ts";
import { ApiError } from "../../src/console/page/api.js";
import { serviceOf } from "../../src/console/page/csdl.js";
import "../../src/console/page/field.js";
import { mayWrite, partsOf } from "../../src/console/page/form.js";
import "../../src/console/page/grid.js";
import { state, unsaved } from "../../src/console/page/state.js";

interface FieldElement extends OwnElement {
  value: string;
  readonly isChanged: boolean;
  fail(text?: string): void;
}

interface FormElement extends OwnElement {
  values(): unknown;
  set(values: object): void;
  settle(): void;
  fail(error: unknown, more?: readonly PageElement[]): void;
}

const property = (name: string, type: string, more: object = {}) => ({ name, label: name, type, ...more });

function fieldOf(type: string, more: object = {}, shown: object = {}): FieldElement {
  const field = create<FieldElement>("fw-field");
  field.show({ property: property("x", type, more), ...shown });
  return field;
}

const control = (element: PageElement) => element.one("input, select, textarea");

Deno.test("each type of the console has its control", () =>
  withShop(() => {
    const shown = (type: string, more?: object) => html(control(fieldOf(type, more)));
    const about = `id=field aria-describedby="field-hint field-error"`;
    const text = `<input ${about} type=text autocomplete=off></input>`;
    const number = `<input ${about} type=text inputmode=decimal autocomplete=off></input>`;
    const area = `<textarea ${about} rows=3 spellcheck=false></textarea>`;
    const long = (length: string) => `<textarea ${about} rows=3${length}></textarea>`;
    for (const type of ["Byte", "SByte", "Int16", "Int32", "Int64", "Decimal", "Double", "Single"]) {
      assert.equal(shown(`Edm.${type}`), number, type);
    }
    const choices = [{ value: 1, name: "one" }];
    for (
      const [type, more, expected] of [
        ["Edm.Guid", {}, text],
        ["Edm.String", { maxLength: 255 }, text],
        ["Edm.String", { maxLength: 256 }, long(" maxlength=256")],
        ["Edm.String", {}, long("")],
        ["Edm.Int32", { isCollection: true }, area],
        ["Store.Address", {}, area],
        ["Edm.Date", {}, `<input ${about} type=date></input>`],
        ["Edm.TimeOfDay", {}, `<input ${about} type=time step=1></input>`],
        ["Edm.DateTimeOffset", {}, `<input ${about} type=datetime-local step=0.001></input>`],
        [
          "Edm.Boolean",
          {},
          `<select ${about}><option></option><option value="true">yes</option>` +
          `<option value="false">no</option></select>`,
        ],
        [
          "Edm.Int32",
          { choices },
          `<select ${about}><option></option><option value="1">one</option></select>`,
        ],
        ["Edm.Int32", { isMandatory: true }, number.replace(" type", " required type")],
      ] as const
    ) assert.equal(shown(type, more).replace(/(<select[^>]*) value=""/, "$1"), expected, type);
    const locked = fieldOf("Edm.Int32", { isMandatory: true }, { isReadOnly: true, help: () => {} });
    assert.equal(html(control(locked)), number.replace(" type", " disabled type"));
    assert.equal(locked.all("button").length, 0);
  }));

Deno.test("a field of the console has a label, hints, and help where there is some", () =>
  withShop(async ({ body }) => {
    const hints = (type: string, more?: object) => fieldOf(type, more).one(".hint").textContent;
    assert.equal(
      hints("Edm.Int32", { isMandatory: true, maxLength: 9, minimum: 0, maximum: 5, doc: "Why" }),
      "Int32 · required · at most 9 characters · at least 0 · at most 5 · Why",
    );
    assert.deepEqual([hints("Edm.String"), hints("A.B"), hints("Edm.Date", { isCollection: true })], [
      ...["String", "A.B", "Edm.Date []"],
    ]);
    let asked: unknown;
    const field = fieldOf("Edm.Guid", { isMandatory: true }, { help: (one: unknown) => asked = one });
    assert.equal(
      html([...field.children].slice(0, 2)),
      `<label for=field>x<span aria-hidden=true> *</span></label><div class=control><input id=field ` +
        `aria-describedby="field-hint field-error" required type=text autocomplete=off></input>` +
        `<button type=button class=small aria-label="Value help for x">…</button></div>`,
    );
    assert.equal(
      html([...field.children].slice(2)),
      `<p class=hint id=field-hint>Guid · required</p><p class=field-error id=field-error></p>`,
    );
    assert.equal(html(fieldOf("Edm.Guid").one("label")), "<label for=field>x</label>");
    await does(field.one("button"), "click");
    assert.ok(asked === field);
    body.append(field);
    field.focus();
    assert.ok(control(field).isFocused);
  }));

Deno.test("values of the console are typed as texts and sent as JSON", () =>
  withShop(async () => {
    const choices = [{ value: 1, name: "one" }];
    for (
      const [type, value, text, typed, sent, more] of [
        ["Edm.Int32", 0, "0", "12", 12],
        ["Edm.Int32", null, "", " 7 ", 7],
        ["Edm.Int32", 1, "1", " ", " "],
        ["Edm.Double", 1.5, "1.5", "1e3", 1000],
        ["Edm.Double", 1, "1", "much", "much"],
        ["Edm.Double", 1, "1", "Infinity", "Infinity"],
        ["Edm.Int64", "9007199254740993", "9007199254740993", "12", "12"],
        ["Edm.Decimal", "1.50", "1.50", "2.50", "2.50"],
        ["Edm.String", "a", "a", "12", "12"],
        ["Edm.String", "a", "a", "", null],
        ["Edm.Boolean", true, "true", "false", false],
        ["Edm.Boolean", false, "false", "true", true],
        ["Edm.Date", "2020-01-02", "2020-01-02", "2020-01-03", "2020-01-03"],
        ["Edm.TimeOfDay", "10:00:01", "10:00:01", "11:30", "11:30:00"],
        ["Edm.TimeOfDay", "10:00:01", "10:00:01", "11:30:05", "11:30:05"],
        ["Edm.Guid", "a", "a", "11:30", "11:30"],
        [
          "Edm.DateTimeOffset",
          "2020-01-02T03:04:05+01:00",
          "2020-01-02T02:04:05",
          "2020-01-02T03:04",
          "2020-01-02T03:04:00Z",
        ],
        ["Edm.DateTimeOffset", null, "", "2020-01-02T03:04:05.678", "2020-01-02T03:04:05.678Z"],
        ["Edm.Int32", [1], "[\n 1\n]", "[2]", [2], { isCollection: true }],
        ["Store.Address", { a: 1 }, '{\n "a": 1\n}', '{"a":2}', { a: 2 }],
        ["Store.Size", 1, "1", "1", "1", { choices }],
      ] as const
    ) {
      const field = fieldOf(type, more, { value });
      assert.deepEqual([control(field).value, field.isChanged], [text, false], type);
      await types(control(field), typed);
      assert.deepEqual([field.value, field.isChanged], [sent, typed !== text], `${type} ${typed}`);
    }
    const wrong = fieldOf("Store.Address");
    await types(control(wrong), "{");
    assert.throws(() => wrong.value, { name: "SyntaxError", message: /^Not valid JSON: / });
    const locked = fieldOf("Edm.String", {}, { value: "a", isReadOnly: true });
    await types(control(locked), "b");
    assert.equal(locked.isChanged, false);
  }));

Deno.test("an error at a field of the console stays until something else is typed", () =>
  withShop(async () => {
    const field = fieldOf("Edm.String", {}, { value: "a" });
    const error = () => [control(field).getAttribute("aria-invalid"), field.one(".field-error").textContent];
    field.fail("Too long");
    assert.deepEqual(error(), ["true", "Too long"]);
    field.fail();
    assert.deepEqual(error(), [null, ""]);
    field.fail("Too long");
    await types(control(field), "b");
    assert.deepEqual(error(), [null, ""]);
    field.fail("Too long");
    field.value = "c";
    assert.deepEqual([...error(), control(field).value], [null, "", "c"]);
    field.value = null as unknown as string;
    assert.equal(control(field).value, "");
  }));

/** A form for books. */
async function formOf({ body }: ShopPage, options: object): Promise<FormElement> {
  const form = create<FormElement>("fw-form");
  body.append(form);
  form.show({ service: await serviceOf("Store"), ...options });
  await settled();
  return form;
}

const labels = (form: PageElement) => form.all("label").map(({ textContent }) => textContent);

Deno.test("a form of the console shows what can be typed first, and locks what cannot be changed", () =>
  withShop(async (shop) => {
    const properties = [
      property("ID", "Edm.Int32", { isKey: true }),
      property("sum", "Edm.Int32", { isComputed: true, isMandatory: true }),
      property("code", "Edm.Int32", { isImmutable: true, standard: 7 }),
      property("cover", "Edm.Stream", { isMedia: true }),
      property("name", "Edm.String", { maxLength: 9, standard: "me" }),
    ];
    const shown = (form: PageElement) => form.all("input").map((one) => [one.disabled, one.value]);
    const fresh = await formOf(shop, { properties, row: { ID: 5 } });
    assert.deepEqual(labels(fresh), ["ID", "code", "name"], "no media, and nothing computed");
    assert.deepEqual(shown(fresh), [[false, "5"], [false, "7"], [false, "me"]]);
    const known = await formOf(shop, { properties, row: { ID: 5, sum: 6, code: 0 }, isNew: false });
    assert.deepEqual(labels(known), ["ID", "code", "name", "sum *"]);
    assert.deepEqual(shown(known), [[true, "5"], [true, "0"], [false, ""], [true, "6"]]);
    const locked = await formOf(shop, { properties, isNew: false, isReadOnly: true, submit: { text: "Go" } });
    assert.deepEqual(shown(locked).map(([disabled]) => disabled), [true, true, true, true]);
    assert.equal(html(locked.one("form").lastElementChild), "<div class=buttons></div>");
    const more = create("hr");
    const form = await formOf(shop, { properties: [], submit: { text: "Go" }, more: [more] });
    assert.equal(
      html(form),
      "<fw-form><form novalidate><div></div><div class=fields></div><div class=buttons><button class=main>Go</button>" +
        "<hr></hr></div></form></fw-form>",
    );
    assert.equal(html(await formOf(shop, { properties: [] })).includes("button class"), false);
  }));

Deno.test("a form of the console sends what was changed, once, and remembers what is not saved", () =>
  withShop(async (shop) => {
    const runs: unknown[] = [];
    const answer = Promise.withResolvers<void>();
    const form = await formOf(shop, {
      properties: [property("a", "Edm.Int32"), property("b", "Edm.Int32")],
      row: { a: 1, b: 2 },
      isNew: false,
      submit: {
        text: "Go",
        run: (values: unknown, own: unknown) => (runs.push(values, own === form), answer.promise),
      },
    });
    const [a] = form.all("input");
    await types(a, "5");
    assert.deepEqual([form.values(), unsaved.size, unsaved.has(form)], [{ a: 5 }, 1, true]);
    await types(a, "1");
    assert.deepEqual([form.values(), unsaved.size], [{}, 0]);
    await types(a, "6");
    const event = new Event("submit", { bubbles: true, cancelable: true });
    let outer = 0;
    shop.body.addEventListener("submit", () => outer++);
    form.one("form").dispatchEvent(event);
    assert.deepEqual([event.defaultPrevented, form.one("button.main").disabled, outer], [true, true, 0]);
    answer.resolve();
    await settled();
    assert.deepEqual([runs, form.one("button.main").disabled], [[{ a: 6 }, true], false]);
    assert.equal(unsaved.size, 1, "whoever sends it settles it");
    form.settle();
    assert.equal(unsaved.size, 0);
    await types(a, "7");
    shop.body.replaceChildren();
    assert.equal(unsaved.size, 0, "a form that is gone");
    form.set({ b: 9, c: 1 });
    assert.deepEqual(form.all("input").map(({ value }) => value), ["7", "9"]);
  }));

/** An error with parts, as a service answers it. */
function refused(...details: readonly { readonly message: string; readonly target?: string }[]): ApiError {
  const [first, ...others] = details;
  const body = { error: { code: "E", ...first, details: others } };
  return new ApiError({ status: 400, statusText: "Bad Request", body });
}

Deno.test("errors of the console stand at their fields, and all others above the form", () =>
  withShop(async (shop) => {
    const navigation = { name: "author" };
    const form = await formOf(shop, {
      properties: [property("a", "Edm.Int32"), property("author_ID", "Edm.Int32", { navigation })],
    });
    const [a, author] = form.all("fw-field");
    const errors = () => form.all(".field-error").map(({ textContent }) => textContent);
    const notice = () => form.all("[role=alert] p").map(({ textContent }) => textContent);
    form.fail(refused({ message: "A", target: "in/a" }, { message: "Author", target: "/Books(1)/author" }));
    assert.deepEqual([errors(), notice(), control(a).isFocused], [["A", "Author"], [], true]);
    form.values();
    assert.deepEqual(errors(), ["", ""], "what is sent again may be right");
    form.fail(refused({ message: "Author", target: "author_ID" }, { message: "Else", target: "b" }));
    assert.deepEqual([errors(), notice(), control(author).isFocused], [
      ["", "Author"],
      ["Author (400, E)", "Else"],
      true,
    ]);
    form.values();
    control(author).blur();
    const more = [create("hr")];
    form.fail(refused({ message: "Nowhere" }), more);
    assert.deepEqual([errors(), notice(), shop.body.isFocused], [["", ""], ["Nowhere (400, E)"], true]);
    assert.equal(form.all("hr").length, 1);
    assert.equal(form.one("form").children[0].scrolled, 1);
    form.fail(new ApiError({ status: 500, statusText: "Broken", body: "" }));
    assert.deepEqual(notice(), ["Broken (500)"]);
    form.fail(new SyntaxError("Not valid JSON"));
    assert.deepEqual(notice(), ["Not valid JSON"]);
    form.settle();
    assert.deepEqual(notice(), []);
    const failing = await formOf(shop, {
      properties: [],
      submit: { text: "Go", run: () => Promise.reject(refused({ message: "No" })) },
    });
    await does(failing.one("form"), "submit");
    assert.equal(failing.one("[role=alert]").textContent, "No (400, E)");
    assert.equal(failing.one("button.main").disabled, false);
    const forbidden = new ApiError({ status: 403, statusText: "Forbidden", body: "" });
    const office = await formOf(shop, { properties: [], where: { service: "Office", member: "Notes" } });
    office.fail(forbidden);
    assert.equal(office.all("[role=alert] p")[1].textContent, "This needs one of the roles: editor");
    failing.one("form").dispatchEvent(new Event("submit", { cancelable: true }));
    assert.equal(failing.all("[role=alert]").length, 0, "while it is sent again");
    await settled();
  }));

Deno.test("parts of a new entity are typed within its form", () =>
  withShop(async (shop) => {
    const service = await serviceOf("Store");
    const [items, ...others] = partsOf(service, service.types.get("Store.Orders"));
    assert.deepEqual([items.name, items.label, items.type, others], ["items", "items", "Store.Items", []]);
    const names = items.properties.map(({ name }: { readonly name: string }) => name);
    assert.deepEqual(names, ["pos", "quantity"], "what leads back is given");
    assert.deepEqual(partsOf(service, service.types.get("Store.Authors")), []);
    const texts = { name: "texts", isPart: true, isCollection: true, type: "X" };
    const one = { name: "one", isPart: true, isCollection: false, type: "X" };
    const parts = partsOf(service, { name: "Y", navigations: [texts, one, { ...texts, name: "more" }] });
    assert.deepEqual(parts, [{ name: "more", label: undefined, type: "X", properties: [] }]);
    const form = await formOf(shop, {
      properties: [property("buyer", "Edm.Guid")],
      parts: [{
        ...items,
        properties: [
          ...items.properties,
          property("sum", "Edm.Int32", { isComputed: true }),
          property("cover", "Edm.Stream", { isMedia: true }),
          property("note", "Edm.Guid", { standard: "n" }),
        ],
      }],
    });
    assert.equal(
      html(form.one("section")),
      `<section aria-labelledby=part><h3 id=part>items</h3><div></div>` +
        `<button type=button class=small>Add items</button></section>`,
    );
    assert.deepEqual(form.values(), {});
    await does(form.button("Add items"), "click");
    await does(form.button("Add items"), "click");
    assert.deepEqual(form.all(".card").map((card) => card.getAttribute("aria-label")), [
      "items 1",
      "items 2",
    ]);
    const [first, second] = form.all(".card");
    assert.ok(second.all("input")[0].isFocused);
    assert.equal(unsaved.size, 0, "nothing was typed");
    assert.deepEqual(labels(first), ["pos", "quantity", "note"]);
    assert.equal(first.all("input")[2].value, "n");
    await types(second.all("input")[1], "99");
    assert.deepEqual([form.values(), unsaved.size], [{ items: [{}, { quantity: 99 }] }, 1]);
    const errors = () =>
      form.all(".card").map((card) => card.all(".field-error").map((one) => one.textContent));
    const clear = () => form.all("input").forEach((one) => one.dispatchEvent(new Event("input")));
    for (const target of ["items/1/quantity", "items(1)/quantity", "/Orders/items(1)/quantity"]) {
      form.fail(refused({ message: "Many", target }));
      assert.deepEqual(
        [errors(), form.all("[role=alert]").length],
        [[["", "", ""], ["", "Many", ""]], 0],
        target,
      );
      clear();
    }
    for (const target of ["items/quantity", "items/5/quantity"]) {
      form.fail(refused({ message: "Many", target }));
      assert.deepEqual(errors(), [["", "Many", ""], ["", "", ""]], target);
      clear();
    }
    form.fail(refused({ message: "Else", target: "items/0/price" }));
    assert.equal(form.one("[role=alert]").textContent, "Else (400, E)");
    form.fail(refused({ message: "Buyer", target: "items/0/buyer" }));
    assert.equal(form.all(".field-error")[0].textContent, "Buyer");
    await does(first.one("button"), "click");
    assert.deepEqual([form.values(), form.all(".card").length], [{ items: [{ quantity: 99 }] }, 1]);
    await types(second.all("input")[1], "98");
    assert.equal(unsaved.size, 1, "one row is one to lose");
    await does(second.one("button"), "click");
    form.settle();
    form.fail(refused({ message: "None", target: "items/0/quantity" }));
    assert.equal(form.one("[role=alert]").textContent, "None (400, E)");
  }));

Deno.test("value help of the console puts what was chosen into the fields", () =>
  withShop(async (shop) => {
    const service = await serviceOf("Store");
    const { properties } = service.types.get("Store.Books");
    const form = await formOf(shop, { properties, place: "Books" });
    assert.deepEqual(form.all(".control button").map((one) => one.getAttribute("aria-label")), [
      "Value help for author_ID",
    ]);
    await does(form.button("Value help for author_ID"), "click");
    const dialog = shop.body.one("dialog");
    assert.equal(
      html(dialog).replace(/<fw-grid.*fw-grid>/, "-"),
      `<dialog aria-label="Value help for author_ID" open><h2>Value help for author_ID</h2>-` +
        `<div class=buttons><button type=button>Close</button></div></dialog>`,
    );
    assert.match(shop.asked.at(-1)!, /^GET \/odata\/v4\/store\/Authors\?/);
    await does(dialog.button("Choose 2"), "click");
    assert.deepEqual([form.values(), shop.body.all("dialog").length], [{
      author_ID: 2,
    }, 0]);
    assert.ok(form.all("fw-field input").some(({ isFocused }) => isFocused) && unsaved.has(form));
    await does(form.button("Value help for author_ID"), "click");
    await does(shop.body.button("Close"), "click");
    assert.deepEqual([(form.values() as Row).author_ID, shop.body.all("dialog").length], [2, 0]);
    const Parameters = [
      { LocalDataProperty: "b", ValueListProperty: "name" },
      { ValueListProperty: "ID" },
    ];
    const lists = await formOf(shop, {
      properties: [
        property("a", "Edm.Guid", { valueList: { CollectionPath: "Authors", Parameters } }),
        property("b", "Edm.Guid"),
        property("c", "Edm.Guid", { valueList: { CollectionPath: "Nowhere" } }),
      ],
    });
    assert.equal(lists.all(".control button").length, 1);
    await does(lists.button("Value help for a"), "click");
    await does(shop.body.button("Choose 1"), "click");
    assert.deepEqual(lists.values(), { b: "Jane Austen" });
    assert.equal((await formOf(shop, { properties, service: undefined })).all(".control button").length, 0);
  }));

type Row = Readonly<Record<string, unknown>>;

Deno.test("the console writes where a set allows it", () =>
  withShop(async () => {
    const service = await serviceOf("Store");
    assert.deepEqual(
      [["Books", "Insertable"], ["Prices", "Insertable"], ["Prices", "Deletable"], [undefined, "Updatable"]]
        .map(([set, what]) => mayWrite(service, set, what)),
      [true, false, false, false],
    );
    assert.equal(state.language, "en");
  }));
