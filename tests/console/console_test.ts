/**
 * The console in Chromium: each function on a wide and on a narrow screen, and what it shows in both themes. With
 * `-- --update` it makes the pictures of the manual.
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Browser } from "playwright-core";
import { findBrowser, openBrowser } from "../clients/browser.ts";
import { withProject } from "../deno/project.ts";
import { startCli, urlOf } from "../deno/project_processes.ts";
import { type Look, type OpenConsole, withConsole } from "./console_page.ts";
import { SCRIPT, shopFiles } from "./shop.ts";

const browserPath = findBrowser();
const PICTURES = new URL("../../docs/pictures", import.meta.url).pathname;
/** What was shown when a step failed. */
const FAILED = new URL("../../dist/console_failed.png", import.meta.url).pathname;
const makesPictures = Deno.args.includes("--update");

const LOOKS: readonly Look[] = [
  { theme: "light", width: 1280, language: "en" },
  { theme: "dark", width: 375, language: "de" },
];

/** Names as they are shown. */
function names({ look: { language } }: OpenConsole) {
  const german: Readonly<Record<string, string>> = {
    Save: "Speichern",
    Create: "Anlegen",
    Search: "Suchen",
    Filter: "Filter",
    "Add filter": "Filter hinzufügen",
    Call: "Aufrufen",
    Columns: "Spalten",
    Delete: "Löschen",
    New: "Neu",
    Activate: "Aktivieren",
    "Log in as": "Als",
    "Take the other version": "Andere Fassung übernehmen",
    Edit: "Bearbeiten",
    "Copy curl": "curl kopieren",
    "Next page": "Nächste Seite",
    Send: "Senden",
    Choose: "Wählen",
    "Upload a file": "Datei hochladen",
    Value: "Wert",
    Property: "Eigenschaft",
    "Log out": "Abmelden",
    Service: "Dienst",
    "No dead letters": "Keine aufgegebenen Nachrichten",
  };
  return (text: string) => language === "de" ? german[text] ?? text : text;
}

async function picture({ page, look }: OpenConsole, name: string, wanted = LOOKS[0]): Promise<void> {
  if (!makesPictures || look !== wanted) return;
  await Deno.mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png` });
}

const field = (open: OpenConsole, label: string) => open.page.getByLabel(label, { exact: true });
const press = (open: OpenConsole, name: string | RegExp) =>
  open.page.getByRole("button", { name, exact: true }).first().click();

async function logIn(open: OpenConsole, user: string): Promise<void> {
  await open.go("users");
  await open.page.getByRole("button", {
    name: open.look.language === "de" ? `Als ${user} anmelden` : `Log in as ${user}`,
  })
    .first().click();
  await open.page.locator("#user", { hasText: user }).waitFor();
}

async function findsBook(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("data");
  await open.page.getByRole("link", { name: "Books" }).first().click();
  await open.page.getByRole("cell", { name: "Emma", exact: true }).waitFor();
  assert.match(await open.page.locator(".pager").innerText(), /33/);
  await press(open, t("Next page"));
  await open.page.getByText(/^21 \D+ 33 \D+ 33$/).waitFor();
  await open.page.getByRole("cell", { name: SCRIPT }).waitFor();
  await open.assertAccessible("grid");
  await open.page.getByRole("searchbox").fill("Wuthering");
  await press(open, t("Search"));
  await open.page.getByText(/^1 \D+ 1 \D+ 1$/).waitFor();
  await picture(open, "find");
  await open.page.getByRole("searchbox").fill("");
  await press(open, t("Search"));
  await open.page.getByRole("button", { name: "price", exact: true }).click();
  await open.page.locator("tbody tr").first().getByText("1.00").waitFor();
  await open.page.locator("summary", { hasText: t("Filter") }).first().click();
  await open.page.getByLabel(t("Value"), { exact: true }).fill("Emma");
  await open.page.getByLabel(t("Property"), { exact: true }).selectOption("title");
  await open.assertAccessible("filter");
  await press(open, t("Add filter"));
  await open.page.getByText(/^1 \D+ 1 \D+ 1$/).waitFor();
  assert.match(await open.page.locator("tbody").innerText(), /9007199254740993/);
}

async function expandsAndFollows(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("data/ShopService/Books");
  await open.page.locator("summary", { hasText: t("Columns") }).click();
  await open.page.getByLabel("author", { exact: true }).check();
  await open.page.getByRole("link", { name: "Emily Brontë" }).first().waitFor();
  await open.assertAccessible("columns");
  await picture(open, "expand");
  await open.page.locator("summary", { hasText: t("Columns") }).click();
  await open.page.getByRole("link", { name: "Emily Brontë" }).first().click();
  await open.page.getByRole("heading", { name: "Emily Brontë" }).waitFor();
  await open.page.getByRole("link", { name: "books", exact: true }).click();
  await open.page.getByRole("cell", { name: "Wuthering Heights" }).waitFor();
}

async function changesPrice(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("data/ShopService/Books(1)");
  await field(open, "price").fill("13.99");
  await field(open, "stock").fill("5000");
  await press(open, t("Save"));
  await open.page.locator("[aria-invalid]").waitFor();
  assert.equal(await field(open, "stock").getAttribute("aria-invalid"), "true");
  await open.assertAccessible("form with an error");
  await field(open, "stock").fill("6");
  await press(open, t("Save"));
  await open.page.locator("#status[data-shown]").waitFor();
  assert.equal(await field(open, "price").inputValue(), "13.99");
  await picture(open, "change");
}

async function meetsConflict(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("data/ShopService/Authors");
  await open.go("data/ShopService/Books(2)");
  await field(open, "price").fill("15");
  const { status } = await fetch(`${open.url}/odata/v4/shop/Books(2)`, {
    method: "PATCH",
    headers: {
      "content-type": "application/json",
      "if-match": "*",
      authorization: `Basic ${btoa("alice:")}`,
    },
    body: JSON.stringify({ notes: `changed at ${Date.now()}` }),
  }).then(async (response) => (await response.body?.cancel(), response));
  assert.equal(status, 200);
  await press(open, t("Save"));
  await open.page.getByRole("alert").waitFor();
  assert.match(await open.page.getByRole("alert").innerText(), /412/);
  assert.equal(await field(open, "price").inputValue(), "15");
  await open.assertAccessible("conflict");
  await picture(open, "conflict");
  await press(open, t("Take the other version"));
  await open.page.waitForFunction(() => !document.querySelector("[role=alert]"));
  const price = () => field(open, "price").inputValue();
  // the other version is read by a request of its own
  for (let tries = 0; await price() === "15" && tries < 100; tries++) await open.page.waitForTimeout(50);
  assert.notEqual(await price(), "15");
}

async function createsOrder(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("data/ShopService/Orders");
  await open.page.getByRole("button", { name: /Orders/ }).click();
  await field(open, "buyer *").fill("Ada").catch(async () =>
    await open.page.getByLabel(/^buyer/).fill("Ada")
  );
  await open.page.getByRole("button", { name: /^(Add items|items hinzufügen)$/ }).click();
  await open.page.getByLabel("pos", { exact: true }).fill("1");
  await open.page.getByLabel("book_ID", { exact: true }).fill("1");
  await open.page.getByLabel("quantity", { exact: true }).fill("99");
  await press(open, t("Create"));
  await open.page.locator("[aria-invalid]").waitFor();
  await open.assertAccessible("order with an error");
  await open.page.getByLabel("quantity", { exact: true }).fill("2");
  assert.equal(await open.page.locator("[aria-invalid]").count(), 0, "what is mended is no error any more");
  await open.assertAccessible("order");
  await picture(open, "order");
  await press(open, t("Create"));
  await open.page.getByRole("heading", { name: "Ada" }).waitFor();
  await open.page.getByRole("heading", { name: "items" }).waitFor();
  await open.page.locator("fw-grid tbody").getByRole("cell", { name: "2", exact: true }).waitFor();
  await press(open, t("Delete"));
  await open.page.locator("dialog").getByRole("button", { name: t("Delete") }).click();
  await open.page.getByRole("heading", { name: "Orders", exact: true }).waitFor();
}

async function callsOperations(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("operations");
  const card = open.page.locator("details", { hasText: "submitOrder" }).first();
  await card.locator("summary").click();
  await card.getByLabel(/^book/).fill("1");
  await card.getByLabel(/^quantity/).fill("99");
  await card.getByRole("button", { name: t("Call") }).click();
  // nobody is logged in: what was typed is still there after the login
  await card.getByRole("alert").getByRole("button", { name: /bob/ }).click();
  await open.page.locator("#user", { hasText: "bob" }).waitFor();
  await open.page.locator("section", { hasText: "DeskService" }).getByText("(403)").waitFor();
  await card.getByRole("button", { name: t("Call") }).click();
  await card.locator("[aria-invalid]").waitFor();
  assert.match(
    await card.innerText(),
    open.look.language === "de" ? /Nur noch \d+ Exemplare/ : /Only \d+ copies/,
  );
  await open.assertAccessible("operation with an error");
  await picture(open, "error");
  await picture(open, "error_german", LOOKS[1]);
  await card.getByLabel(/^quantity/).fill("1");
  await card.getByRole("button", { name: t("Call") }).click();
  await card.getByText(/"stock"/).waitFor();
  await picture(open, "operation");
  const cheapest = open.page.locator("details", { hasText: "cheapest" }).first();
  await cheapest.locator("summary").click();
  await cheapest.getByLabel("limit").fill("10");
  await cheapest.getByRole("button", { name: t("Call") }).click();
  await cheapest.getByText(/"value": 99/).waitFor();
  await open.go("data/ShopService/Books");
  await open.page.getByRole("button", { name: "restock 1", exact: true }).click();
  await open.page.locator("dialog").getByLabel(/^copies/).fill("2");
  await open.assertAccessible("bound action");
  await open.page.locator("dialog").getByRole("button", { name: t("Call") }).click();
  await open.page.locator("dialog").getByText(/"title": "Emma"/).waitFor();
  await open.page.keyboard.press("Escape");
}

async function showsApi(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("data/ShopService/Authors");
  await open.page.locator("#to-api").click();
  await open.page.locator(".requests summary").first().click();
  await open.page.locator("pre.curl").first().waitFor();
  await press(open, t("Copy curl"));
  assert.match(
    await open.page.locator("pre.curl").first().innerText(),
    /^curl -g .*\/odata\/v4\/shop\/Authors\?/,
  );
  const url = open.page.getByRole("combobox", { name: "URL" });
  await url.fill("/odata/v4/shop/Bo");
  await open.page.getByRole("option", { name: "Books" }).waitFor();
  assert.equal(await url.getAttribute("aria-expanded"), "true");
  await url.press("ArrowDown");
  await url.press("Enter");
  assert.equal(await url.inputValue(), "/odata/v4/shop/Books");
  await url.pressSequentially("?$filter=tit");
  await open.page.getByRole("option", { name: "title" }).waitFor();
  await open.assertAccessible("explorer");
  await url.fill("/odata/v4/shop/Books?$filter=title eq 'Emma'");
  await url.press("Escape");
  await press(open, t("Send"));
  await open.page.locator("#explorer pre", { hasText: "Emma" }).first().waitFor();
  await picture(open, "explorer");
  await open.page.locator("#openapi").getByRole("button", { name: "ShopService" }).click();
  await open.page.locator("#openapi summary", { hasText: "/Books" }).first().click();
  await open.assertAccessible("OpenAPI");
}

async function replaysLetter(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("messages");
  const row = open.page.locator("tbody tr", { hasText: "out of paper" }).first();
  for (let tries = 0; await row.count() === 0 && tries < 100; tries++) {
    await open.page.waitForTimeout(100);
    await open.page.reload();
    await open.page.getByRole("table").or(open.page.getByText(t("No dead letters"))).first().waitFor();
  }
  assert.doesNotMatch(await row.innerText(), /\n? at |file:/, "stacks are among the details");
  const state = open.page.locator("tbody tr", { hasText: /Channel|Kanal/ }).first();
  assert.match(await state.innerText(), /^messaging\s/, "what waits, and how much of it was given up");
  const channel = await open.page.getByText(/consumer group|Verbrauchergruppe/).innerText();
  assert.match(channel, /^messaging: file-based-messaging, .* shop$/);
  const label = await state.locator("td").first().evaluate((cell) =>
    getComputedStyle(cell, "::before").content
  );
  const isNarrow = open.look.width < 640;
  assert.equal(
    label,
    isNarrow ? `"${t("Service")}"` : "none",
    "cells name their columns where there is little room",
  );
  const last = open.page.getByRole("region", { name: /Last messages|Letzte Nachrichten/ }).locator(
    "tbody tr",
  );
  assert.match(await last.first().innerText(), /shop|Shop/);
  await last.first().getByText(/^(Show|Zeigen)$/).click();
  await last.first().locator("pre", { hasText: '"headers"' }).waitFor();
  await open.assertAccessible("messages");
  await picture(open, "messages");
  const replayed = open.page.waitForResponse(/\/replay$/);
  await row.getByRole("button", { name: /^(Replay|.* erneut versuchen)/ }).click();
  assert.equal((await replayed).status(), 200);
  await open.page.locator("#status[data-shown]").waitFor();
}

async function switchesUsers(open: OpenConsole): Promise<void> {
  await logIn(open, "bob");
  await open.go("data/DeskService/Notes");
  await open.page.getByRole("alert").waitFor();
  const text = await open.page.getByRole("alert").innerText();
  assert.match(text, /editor/);
  await open.assertAccessible("refused");
  await picture(open, "refused");
  await open.page.getByRole("alert").getByRole("button", { name: /alice/ }).click();
  await open.page.getByRole("heading", { name: "Notes", exact: true }).waitFor();
  await open.go("users");
  await open.assertAccessible("users");
  await picture(open, "users");
}

async function editsDraft(open: OpenConsole): Promise<void> {
  const t = names(open);
  const text = `note ${open.look.width} ${open.look.theme}`;
  await open.go("new/DeskService/Notes");
  await field(open, "text").fill(text);
  await press(open, t("Create"));
  await open.page.getByRole("button", { name: t("Activate") }).waitFor();
  await open.assertAccessible("draft");
  await press(open, t("Activate"));
  await open.page.getByRole("button", { name: t("Edit"), exact: true }).waitFor();
  await press(open, t("Edit"));
  await field(open, "text").fill(`${text}!`);
  await press(open, t("Save"));
  await open.page.getByRole("heading", { name: `${text}!` }).waitFor();
  await press(open, t("Activate"));
  await open.page.getByRole("button", { name: t("Edit"), exact: true }).waitFor();
}

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function showsMedia(open: OpenConsole): Promise<void> {
  const t = names(open);
  await open.go("data/ShopService/Books(1)");
  await open.page.getByLabel(t("Upload a file")).setInputFiles({
    name: "cover.png",
    mimeType: "image/png",
    buffer: Buffer.from(PIXEL, "base64"),
  });
  await open.page.getByRole("img", { name: "cover" }).waitFor();
  await open.go("data/ShopService/Books(99)");
  await open.page.getByRole("heading", { name: SCRIPT, exact: true }).waitFor();
  await open.page.getByRole("button", { name: /author_ID/ }).click();
  await open.assertAccessible("value help");
  await open.page.locator("dialog").getByRole("button", { name: new RegExp(`${t("Choose")} 2|2 `) }).first()
    .click();
  assert.equal(await field(open, "author_ID").inputValue(), "2");
  await field(open, "author_ID").fill("1");
}

async function showsModel(open: OpenConsole): Promise<void> {
  await open.go("model");
  await open.page.locator("svg.diagram rect").first().waitFor();
  await open.page.locator("summary", { hasText: "db/schema.cds" }).click();
  await open.page.getByText("What is on the shelves").first().waitFor();
  await open.assertAccessible("model");
  await picture(open, "model");
}

/** What the console is used for, in order. */
const STEPS: Readonly<Record<string, (open: OpenConsole) => Promise<void>>> = {
  "first page": async (open) => {
    await open.go("overview");
    await open.assertAccessible("overview");
    await picture(open, "overview");
  },
  "find a book": findsBook,
  "expand and follow an association": expandsAndFollows,
  "change a price, with an error at its field": changesPrice,
  "a conflict": meetsConflict,
  "create an order with items": createsOrder,
  "media and value help": showsMedia,
  "operations, as bob": callsOperations,
  "requests, explorer, OpenAPI": showsApi,
  "dead letters": replaysLetter,
  "users and what a 403 asks for": switchesUsers,
  "drafts": editsDraft,
  "model": showsModel,
};

async function serving(use: (url: string, browser: Browser) => Promise<void>): Promise<void> {
  const box = await Deno.makeTempDir({ prefix: "fw-console-" });
  const browser = await openBrowser(browserPath!);
  try {
    await withProject(shopFiles(`${box}/box`), async (folder) => {
      const served = startCli("serve", folder, "--port", "0");
      try {
        await use(await urlOf(served), browser);
      } finally {
        await served.close();
      }
    });
  } finally {
    await browser.close();
    await Deno.remove(box, { recursive: true });
  }
}

for (const look of LOOKS) {
  Deno.test({
    name:
      `the console in Chromium, ${look.theme}, ${look.width} pixels, ${look.language}: each function once`,
    ignore: browserPath === undefined,
    fn: () =>
      serving((url, browser) =>
        withConsole({ browser, url, look }, async (open) => {
          for (const [name, step] of Object.entries(STEPS)) {
            try {
              await step(open);
            } catch (cause) {
              await open.page.screenshot({ path: FAILED });
              throw new Error(`Step "${name}" failed: ${cause}`, { cause });
            }
          }
        })
      ),
  });
}

declare const document: { querySelector(selector: string): unknown };
declare function getComputedStyle(element: unknown, pseudo: string): { readonly content: string };
