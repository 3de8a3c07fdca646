/** Views of the console: users, messages, operations, the model, requests and the frame around them, without a browser. */

import assert from "node:assert/strict";
import { create, does, html, page, type PageElement, settled, types, window } from "./document.ts";
import { type ShopPage, withShop } from "./shop_page.ts";
import { ApiError } from "../../src/console/page/api.js";
import { copyButton, h, newId, replace, svg } from "../../src/console/page/dom.js";
import "../../src/console/page/field.js";
import "../../src/console/page/form.js";
import { showMessages } from "../../src/console/page/letters.js";
import { errorNotice, say, sayMessages } from "../../src/console/page/notice.js";
import { hasOData, pretty, showOperations } from "../../src/console/page/operations.js";
import { chooseLanguage, chooseTheme, logIn, state, unsaved } from "../../src/console/page/state.js";
import { t } from "../../src/console/page/texts.js";
import { showUsers } from "../../src/console/page/users.js";

const SHOP = "/odata/v4/store";
const texts = (elements: Iterable<PageElement>) => Array.from(elements, ({ textContent }) => textContent);
/** Elements that modules of the page make. */
const made = (one: unknown) => one as PageElement;

function withStatus({ body }: ShopPage): PageElement {
  const status = create("div");
  status.setAttribute("id", "status");
  body.append(status);
  return status;
}

Deno.test("elements of the console take attributes, listeners and children, but nothing that is not there", () =>
  withShop(async ({ body }) => {
    let clicked = 0;
    const attributes = {
      a: undefined,
      b: null,
      c: false,
      d: true,
      e: 0,
      f: "",
      onclick: () => clicked++,
      value: "v",
    };
    const input = made(h("input", attributes, "x", [undefined, ["y", null, false]], 0));
    assert.equal(html(input), `<input d e=0 f value="v">xy0</input>`);
    await does(input, "click");
    assert.equal(clicked, 1);
    assert.equal(html(made(svg("rect", { x: 1 }, "t"))), "<rect x=1>t</rect>");
    assert.equal(html(made(h("p"))), "<p></p>");
    const list = made(h("ul", {}, "old"));
    assert.ok(made(replace(list, "a", [undefined, "b"], false, null)) === list);
    assert.equal(html(list), "<ul>ab</ul>");
    const ids = [newId("x"), newId("x")].map((id) => Number(id.slice(2)));
    assert.equal(ids[1] - ids[0], 1);
    const { navigator } = globalThis;
    Object.defineProperty(globalThis, "navigator", {
      configurable: true,
      value: { clipboard: { writeText: (text: string) => Promise.resolve(void page.copied.push(text)) } },
    });
    const { setTimeout: timeout } = globalThis;
    try {
      const [fixed, computed] = [copyButton("Copy", "a"), copyButton("Copy", () => "b")].map(made);
      body.append(fixed, computed);
      assert.equal(html(fixed), `<button type=button class="small copy">Copy</button>`);
      const timers: [() => void, number][] = [];
      fixed.dispatchEvent(new Event("click"));
      Object.assign(globalThis, { setTimeout: (work: () => void, ms: number) => timers.push([work, ms]) });
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      assert.deepEqual([page.copied, fixed.dataset.copied, timers.map(([, ms]) => ms)], [["a"], "", [1500]]);
      timers[0][0]();
      assert.equal(fixed.dataset.copied, undefined);
      computed.dispatchEvent(new Event("click"));
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      assert.deepEqual(page.copied, ["a", "b"]);
    } finally {
      Object.assign(globalThis, { setTimeout: timeout });
      Object.defineProperty(globalThis, "navigator", { configurable: true, value: navigator });
    }
  }));

Deno.test("the status of the console says what happened, for five seconds", () =>
  withShop((shop) => {
    const status = withStatus(shop);
    const { setTimeout: timeout, clearTimeout: clear } = globalThis;
    const timers: [() => void, number][] = [];
    const cleared: unknown[] = [];
    try {
      Object.assign(globalThis, {
        setTimeout: (work: () => void, ms: number) => timers.push([work, ms]),
        clearTimeout: (id: unknown) => cleared.push(id),
      });
      say("One");
      say("Two");
      assert.deepEqual([status.textContent, status.dataset.shown, cleared.at(-1)], ["Two", "", 1]);
      timers[1][0]();
      assert.deepEqual([status.dataset.shown, timers[1][1]], [undefined, 5000]);
      const said = (headers: Record<string, string>, otherwise?: string) => {
        sayMessages({ header: (name: string) => headers[name] }, otherwise);
        return status.textContent;
      };
      assert.deepEqual([
        said(
          { "fw-messages": '[{"message":"A"},{"message":"B"}]', "sap-messages": '[{"message":"C"}]' },
          "Saved",
        ),
        said({ "sap-messages": '[{"message":"C"}]' }),
        said({ "fw-messages": "{" }, "Saved"),
        said({}, "Saved"),
      ], ["Saved. A. B", "C", "Saved", "Saved"]);
    } finally {
      Object.assign(globalThis, { setTimeout: timeout, clearTimeout: clear });
      Object.assign(say, { timer: undefined });
    }
  }));

Deno.test("errors of the console name their codes, and users that may help", () =>
  withShop(() => {
    const notice = (error: unknown, options?: object) => texts(made(errorNotice(error, options)).all("p"));
    const answer = (status: number, code?: string, details?: readonly object[]) =>
      new ApiError({ status, statusText: "No", body: { error: { message: "Broken", code, details } } });
    assert.deepEqual(notice(new TypeError("gone")), ["The server does not answer: gone"]);
    assert.deepEqual(notice(new Error("odd")), ["odd"]);
    assert.deepEqual(notice(answer(400, "CODE")), ["Broken (400, CODE)"]);
    assert.deepEqual(notice(answer(400, "400")), ["Broken (400)"]);
    assert.deepEqual(notice(answer(400, "A", [{ message: "One" }, { message: "Two" }])), [
      ...["Broken (400, A)", "One", "Two"],
    ]);
    assert.deepEqual(notice(answer(401)), [
      "You have to log in for this (401)",
      "Log in as bobLog in as ann",
    ]);
    assert.deepEqual(notice(answer(403)), ["Broken (403)", "Log in as bobLog in as ann"]);
    assert.deepEqual(notice(answer(403), { where: { service: "Office", member: "Notes" } }), [
      ...["Broken (403)", "This needs one of the roles: editor", "Log in as ann"],
    ]);
    assert.equal(
      html(made(errorNotice(answer(409), { more: [h("hr")] as never }))),
      `<div class="notice error" role=alert><p>Broken<span class=soft> (409)</span></p><hr></hr></div>`,
    );
    const users = Array.from(
      { length: 8 },
      (_, i) => ({ name: `u${i}`, roles: ["a"], hasPassword: i === 0 }),
    );
    const restrictions = { Notes: ["b", "any", "a"] };
    const services = [{ name: "S", requires: "authenticated-user", restrictions, endpoints: [] }, {
      name: "T",
      requires: ["a", "a"],
      restrictions: {},
      endpoints: [],
    }];
    state.info = { isMocked: true, users, services } as never;
    assert.deepEqual(notice(answer(403), { where: { service: "S", member: "Notes" } }), [
      "Broken (403)",
      "This needs one of the roles: b, a",
      [1, 2, 3, 4, 5, 6].map((i) => `Log in as u${i}`).join(""),
    ]);
    assert.equal(notice(answer(403), { where: { service: "T" } })[1], "This needs one of the roles: a");
    assert.deepEqual(notice(answer(403), { where: { service: "S" } }).length, 2, "no role, no hint");
    state.info = { isMocked: false, services } as never;
    assert.deepEqual(notice(answer(401)), ["You have to log in for this (401)"]);
  }));

Deno.test("users of the console log in and out, with a password where they have one", () =>
  withShop(async ({ body }) => {
    const show = () => (body.replaceChildren(), showUsers(body), body);
    assert.deepEqual(texts(show().all("p")), [
      "Nobody is logged in ",
      "Roles: None",
      "Roles: editor",
      "Roles: editor, any",
    ]);
    assert.equal(
      html(body.all("li").at(-1)),
      `<li class=card><h3>eve</h3><p>Roles: editor, any</p><div class=buttons><input type=password ` +
        `aria-label="Password eve" placeholder=Password autocomplete=off></input>` +
        `<button type=button aria-label="Log in as eve">Log in</button></div></li>`,
    );
    await does(body.button("Log in as ann"), "click");
    assert.deepEqual(state.login, { name: "ann", password: "" });
    assert.deepEqual(texts(show().all("[aria-current] h3, p")).slice(0, 3), [
      "Logged in as ann Log out",
      "Roles: None",
      "ann",
    ]);
    assert.equal(sessionStorage.getItem("fw-login"), '{"name":"ann","password":""}');
    await does(body.button("Log out"), "click");
    assert.equal(state.login, null);
    show().one("input[type=password]").value = "pw";
    await does(body.button("Log in as eve"), "click");
    assert.deepEqual(state.login, { name: "eve", password: "pw" });
    show().one("form.other input").value = "zoe";
    assert.ok((await does(body.one("form.other"), "submit")).defaultPrevented);
    assert.deepEqual(state.login, { name: "zoe" });
    assert.match(
      html(body.one("form.other")),
      /^<form class=other><label for=other>Other user<\/label><input id=other required autocomplete=off value="zoe">/,
    );
    state.info = { isMocked: false, user: { id: "op", roles: ["a", "b"] } } as never;
    assert.deepEqual(texts(show().all("p")), [
      ...["This system logs users in by itself; this is who you are to it.", "op: a, b"],
    ]);
    assert.equal(body.children.length, 2);
    state.info = { isMocked: false } as never;
    assert.equal(texts(show().all("p"))[1], "Nobody is logged in");
  }));

Deno.test("a page that begins anew knows who is logged in, and speaks the language of the browser unless one is chosen", () =>
  withShop(async () => {
    const beginAnew = async (language: string) => {
      const { navigator } = globalThis;
      Object.defineProperty(globalThis, "navigator", { configurable: true, value: { language } });
      try {
        const specifier = `../../src/console/page/state.js?${newId("anew")}`;
        const { state: { login, language, theme } } = await import(specifier) as { state: typeof state };
        return [login, language, theme];
      } finally {
        Object.defineProperty(globalThis, "navigator", { configurable: true, value: navigator });
      }
    };
    assert.deepEqual(await beginAnew("de-AT"), [null, "de", "auto"]);
    assert.deepEqual(await beginAnew("DE"), [null, "de", "auto"]);
    assert.deepEqual(await beginAnew("den"), [null, "en", "auto"]);
    assert.deepEqual(await beginAnew("en-DE"), [null, "en", "auto"]);
    logIn({ name: "eve", password: "pw" });
    chooseLanguage("en");
    chooseTheme("dark");
    assert.deepEqual(await beginAnew("de"), [{ name: "eve", password: "pw" }, "en", "dark"]);
  }));

Deno.test("the console keeps language and theme, and speaks German where that is chosen", () =>
  withShop(() => {
    chooseTheme("dark");
    const { documentElement } = window.document;
    assert.deepEqual([state.theme, localStorage.getItem("fw-theme"), documentElement.dataset.theme], [
      "dark",
      "dark",
      "dark",
    ]);
    chooseLanguage("de");
    assert.deepEqual([localStorage.getItem("fw-language"), page.questions], ["de", ["reload"]]);
    assert.deepEqual([t("Data"), t("{0} to {1} of {2}", 1, 2, 3), t("{0}"), t("toString")], [
      ...["Data", "1 to 2 of 3", "{0}", "toString"],
    ]);
    state.language = "de";
    assert.deepEqual([t("Data"), t("Source"), t("toString"), t("Value help for {0}", "x")], [
      ...["Daten", "Quelltext", "toString", "Werthilfe für x"],
    ]);
    unsaved.add({});
    const leaving = new window.Event("beforeunload", { cancelable: true });
    window.dispatchEvent(leaving);
    unsaved.clear();
    const going = new window.Event("beforeunload", { cancelable: true });
    window.dispatchEvent(going);
    assert.deepEqual([leaving.defaultPrevented, going.defaultPrevented], [true, false]);
  }));

Deno.test("operations of the console are called with what was typed", () =>
  withShop(async (shop) => {
    const { body } = shop;
    const status = withStatus(shop);
    const main = create("main");
    body.append(main);
    const leave = await showOperations(main);
    assert.deepEqual(texts(main.all("h2")), ["Store", "Office", "Empty"]);
    assert.deepEqual(texts(main.all("summary")), ["Action order", "Action close", "Function cheapest"]);
    assert.equal(
      html(main.lastElementChild),
      "<section><h2>Empty</h2><p class=soft>No operations</p></section>",
    );
    assert.equal(main.all("section[data-refused=Office]").length, 1);
    const [order, close, cheapest] = main.all("details.card");
    assert.equal(html(order.children[0]), "<summary><span class=badge>Action</span> order</summary>");
    await types(order.all("input")[0], "1");
    await types(order.all("input")[1], "4");
    assert.equal(unsaved.size, 1);
    await does(order.one("form"), "submit");
    assert.deepEqual([shop.asked.at(-1), shop.sent.at(-1)!.body], [
      `POST ${SHOP}/order`,
      '{"book":1,"quantity":4}',
    ]);
    assert.equal(shop.sent.at(-1)!.headers.get("if-match"), null);
    assert.match(order.one("pre").textContent, /"left": 5/);
    assert.deepEqual([order.one("h3").textContent, status.textContent, unsaved.size], ["Result", "Done", 0]);
    await does(close.one("form"), "submit");
    assert.equal(html(close.lastElementChild), "<div><h3>Result</h3><p>Done, without a result</p></div>");
    assert.equal(status.textContent, "Done, without a result");
    await does(cheapest.one("form"), "submit");
    assert.equal(shop.asked.at(-1), `GET ${SHOP}/cheapest()`);
    await types(cheapest.all("input, textarea")[0], "4");
    await types(cheapest.all("input, textarea")[1], "it's");
    await does(cheapest.one("form"), "submit");
    assert.equal(
      shop.asked.at(-1),
      `GET ${SHOP}/cheapest(limit=@limit,title=@title)?@limit=4&@title=%27it%27%27s%27`,
    );
    assert.match(cheapest.one("pre").textContent, /"value": "it's below 4"/);
    logIn({ name: "ann" });
    await settled();
    assert.equal(main.all("section[data-refused]").length, 0, "another user may see what was refused");
    assert.match(cheapest.one("pre").textContent, /below 4/, "what was typed and answered stays");
    leave();
    assert.deepEqual(
      [[{ protocol: "rest" }], [{ protocol: "rest" }, { protocol: "odata" }], []].map((endpoints) =>
        hasOData({ endpoints })
      ),
      [false, true, false],
    );
    assert.deepEqual(
      [undefined, "", "text", new Blob(["abc"]), { a: 1 }, 0].map((one) => html([pretty(one) ?? ""])),
      ["", "", "text", "3 B", '{\n  "a": 1\n}', "0"].map((one) =>
        one === "" ? "" : `<pre id=text tabindex=0>${one}</pre>`
      ),
    );
  }));

Deno.test("messages of the console: channels, events, what waits, what went through, what was given up", () =>
  withShop(async (shop) => {
    const { body } = shop;
    const status = withStatus(shop);
    const main = create("main");
    body.append(main);
    const letter = {
      id: "a/b",
      event: "Sold",
      service: "Store",
      attempts: 3,
      lastError: "Out of paper\n at x",
    };
    let letters: object[] = [letter, { ...letter, id: "c", lastError: null }];
    shop.answers.set("GET /-/dead-letters/states", () =>
      Response.json({
        value: [
          { target: "db", place: "outbox", waiting: 0, oldestAgeMs: 1500, dead: 2 },
          { target: "messaging", place: "channel" },
        ],
      }));
    shop.answers.set("GET /-/dead-letters/a%2Fb", () => Response.json({ data: 1 }));
    shop.answers.set("GET /-/dead-letters", () => Response.json({ value: letters }));
    const at = "2020-01-02T03:04:05Z";
    const message = { topic: "Store.Sold", at, channel: "messaging", text: '{"a":1}' };
    shop.answers.set("GET /-/messages", () =>
      Response.json({
        value: [message, { ...message, group: "g", deliveries: 1 }, {
          ...message,
          group: "g",
          deliveries: 2,
          text: '{"a"',
        }],
      }));
    logIn({ name: "ann" });
    showMessages(main);
    await settled();
    assert.deepEqual(texts(main.all("h2")), [
      "Channels",
      "Events",
      "Waiting",
      "Dead letters",
      "Last messages",
    ]);
    assert.equal(
      html([...main.children[0].children].slice(1)),
      "<ul><li>messaging: local-messaging, consumer group <code>shop</code></li></ul>",
    );
    assert.equal(html([...main.children[1].children].slice(1)), "<ul><li><code>Store.Sold</code></li></ul>");
    const cells = (section: number) =>
      main.children[section].all("tbody tr").map((row) => texts(row.children));
    assert.deepEqual(cells(2), [["db", "Outbox", "0", "2 s", "2"], ["messaging", "Channel", "–", "–", "–"]]);
    assert.deepEqual(cells(3), [["Sold", "Store", "3", "Out of paper", "ShowReplayDiscard"], [
      "Sold",
      "Store",
      "3",
      "",
      "ShowReplayDiscard",
    ]]);
    const time = new Date(at).toLocaleTimeString("en");
    assert.deepEqual(cells(4), [
      ["Store.Sold", time, "Sent", "messaging", 'Show{\n  "a": 1\n}'],
      ["Store.Sold", time, "Received", "messaging", 'Show{\n  "a": 1\n}'],
      ["Store.Sold", time, "Received again", "messaging", 'Show{"a"…'],
    ]);
    assert.deepEqual(texts(main.children[2].all("th")), [
      "Service",
      "Place",
      "Waiting",
      "Oldest",
      "Dead letters",
    ]);
    assert.deepEqual([...main.children[2].all("tbody tr")[0].children].map(({ dataset }) => dataset.label), [
      ...["Service", "Place", "Waiting", "Oldest", "Dead letters"],
    ]);
    assert.match(
      html(main.children[2].one(".scroll")),
      /^<div class="scroll cells" tabindex=0 role=region aria-label=Waiting><table><thead><tr><th scope=col>Service/,
    );
    const [row] = main.children[3].all("tbody tr");
    const press = async (name: string) =>
      await does(row.all("button").find((one) => one.textContent === name)!, "click");
    assert.deepEqual(row.all("button").map((one) => one.getAttribute("aria-label")), [
      "Show Sold",
      "Replay Sold",
      "Discard Sold",
    ]);
    await press("Show");
    assert.equal(row.one("pre").textContent, '{\n  "data": 1\n}');
    shop.answers.set("POST", () => Response.json({ error: { message: "Still no paper" } }, { status: 500 }));
    await press("Replay");
    assert.deepEqual([shop.asked.at(-1), row.one("[role=alert]").textContent], [
      "POST /-/dead-letters/a%2Fb/replay",
      "Still no paper (500)",
    ]);
    shop.answers.set("POST", () => new Response(null, { status: 204 }));
    letters = [letter];
    await press("Replay");
    assert.deepEqual([status.textContent, cells(3).length], ["Replayed", 1]);
    const discard = main.children[3].button("Discard Sold");
    const before = shop.asked.length;
    await does(discard, "click");
    await does(body.one("dialog").button("Cancel"), "click");
    assert.equal(shop.asked.length, before);
    shop.answers.set("DELETE", () => new Response(null, { status: 204 }));
    letters = [];
    await does(discard, "click");
    await does(body.one("dialog").button("Discard"), "click");
    assert.deepEqual([shop.asked[before], status.textContent], ["DELETE /-/dead-letters/a%2Fb", "Discard"]);
    assert.equal(html(main.children[3].lastElementChild), "<div><p class=soft>No dead letters</p></div>");
    for (const path of ["states", "messages"]) {
      shop.answers.set(
        path === "states" ? "GET /-/dead-letters/states" : "GET /-/messages",
        () => new Response(null, { status: 404 }),
      );
      await does(main.children[3].button("Refresh"), "click");
    }
    assert.deepEqual([texts(main.children[2].children), texts(main.children[4].children)], [[
      "Waiting",
      "None",
    ], ["Last messages", "None"]]);
    shop.answers.set("GET /-/messages", () => new Response("no", { status: 500 }));
    await does(main.children[3].button("Refresh"), "click");
    assert.equal(main.children[3].one("[role=alert]").textContent, "no (500)");
    state.info = { ...state.info as unknown as object, channels: [], services: [] } as never;
    const none = create("main");
    showMessages(none);
    await settled();
    assert.deepEqual(texts(none.all("p.soft")).slice(0, 3), [
      "No channels: events stay in the process",
      "None",
      "None",
    ]);
  }));
