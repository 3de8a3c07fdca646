/*
 * The bookshop as a page of OpenUI5 sees it that knows its metadata only: table, value help, tree table.
 */

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { findBrowser, GUARD_MS, openBrowser, shows } from "./browser.ts";
import { findClientPackages } from "./packages.ts";
import { servePage } from "./page_server.ts";
import { type ClientServer, serveBookshop } from "./servers.ts";

const packages = await findClientPackages();
const browserPath = findBrowser();

async function choosesAuthor(page: Page, service: ClientServer): Promise<void> {
  await shows(page, "#books .label", ["Number", "Title", "Author", "Genre", "Price", "Currency"]);
  const authors = page.locator("#books .author_ID input");
  await authors.nth(4).waitFor();
  await authors.first().press("F4");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Charlotte Brontë").waitFor();
  assert.match(await dialog.innerText(), /^Author/);
  await dialog.getByRole("searchbox").fill("Emily");
  await dialog.getByRole("searchbox").press("Enter");
  await dialog.getByText("Charlotte Brontë").waitFor({ state: "detached" });
  const saved = page.waitForResponse((answer) =>
    answer.url().endsWith("$batch") && answer.request().postData()!.includes("PATCH")
  );
  await dialog.getByText("Emily Brontë").click();
  await (await saved).finished();
  await page.waitForFunction(() =>
    // deno-lint-ignore no-explicit-any -- runs in the page
    (globalThis as any).document.querySelector("#books .author_ID input").value === "103"
  );
  const [book] = await service.read(
    SELECT.from("bookshop.Books").columns("author_ID").orderBy("ID").limit(1),
  );
  assert.deepEqual(book, { author_ID: 103 });
}

async function opensTree(page: Page): Promise<void> {
  const rows = async (...names: readonly string[]) => await shows(page, "#genres .node:not(:empty)", names);
  const toggleFirst = async () =>
    await page.locator("#genres td", { has: page.locator(".node") }).first().press("F4");
  await shows(page, "#genres .label", ["Name"]);
  await rows("Drama", "Fiction", "Non-fiction", "Poetry");
  await toggleFirst();
  await rows("Drama", "Comedy", "Tragedy", "Fiction", "Non-fiction", "Poetry");
  await toggleFirst();
  await rows("Drama", "Fiction", "Non-fiction", "Poetry");
}

Deno.test({
  name: "OpenUI5 in Chromium shows the bookshop by its metadata: table, value help, tree table",
  ignore: !packages.areThere || browserPath === undefined,
  fn: async () => {
    const service = await serveBookshop();
    const server = servePage({ page: "openui5_bookshop", packages: packages.folder, service: service.url });
    const browser = await openBrowser(browserPath!);
    try {
      const page = await browser.newPage();
      const errors: Error[] = [];
      page.setDefaultTimeout(GUARD_MS);
      page.on("pageerror", (error) => errors.push(error));
      await page.goto(server.url);
      await choosesAuthor(page, service);
      await opensTree(page);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      await server.stop();
      await service.stop();
    }
  },
});
