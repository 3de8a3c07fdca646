import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { withProject } from "../deno/project.ts";
import { findBrowser, GUARD_MS, openBrowser, shows } from "./browser.ts";
import { ALICE } from "./generated_client.ts";
import { findClientPackages } from "./packages.ts";
import { servePage } from "./page_server.ts";
import { type ClientServer, serveFolder } from "./servers.ts";
import { SHOP } from "./shop.ts";

const packages = await findClientPackages();
const browserPath = findBrowser();

/** The page, open in a browser, and the service behind it. */
interface Shop {
  readonly page: Page;
  readonly service: ClientServer;
}

async function withPage(run: (shop: Shop) => Promise<void>): Promise<void> {
  await withProject(SHOP, async (folder) => {
    const service = await serveFolder(folder);
    const server = servePage({ page: "openui5", packages: packages.folder, service: service.url });
    const browser = await openBrowser(browserPath!);
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(GUARD_MS);
      const errors: Error[] = [];
      page.on("pageerror", (error) => errors.push(error));
      await page.goto(server.url);
      await run({ page, service });
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      await server.stop();
      await service.stop();
    }
  });
}

/** The control of a class in the row of a book. */
const inRow = (page: Page, title: string, selector: string) =>
  page.locator("#books .sapMLIB", { has: page.getByText(title, { exact: true }) }).locator(selector);

const setStock = (page: Page, title: string, stock: string) => inRow(page, title, ".stock input").fill(stock);
const press = (page: Page, id: string) => page.locator(`#${id}`).click();

/** What the database holds of books: title and stock by number. */
async function stocks({ service }: Shop): Promise<readonly unknown[]> {
  const rows = await service.read(SELECT.from("shop.Books").columns("ID", "title", "stock").orderBy("ID"));
  return rows.map(({ ID, title, stock }) => [ID, title, stock]);
}

/** Changes a book beside the page. */
async function change({ service }: Shop, id: number, data: unknown): Promise<void> {
  const response = await fetch(`${service.url}/odata/v4/shop/Books(${id})`, {
    method: "PATCH",
    headers: { ...ALICE, "content-type": "application/json", "if-match": "*" },
    body: JSON.stringify(data),
  });
  await response.body?.cancel();
  assert.equal(response.status, 200);
}

async function listsBooks({ page }: Shop): Promise<void> {
  await shows(page, "#books .title", ["Emma", "Persuasion", "Wuthering Heights"]);
  await shows(page, "#books .author", ["Jane Austen", "Jane Austen", "Emily Brontë"]);
  await shows(page, "#books .price", ["1,234,567,890.4567", "9.9000", "11.1100"]);
  await shows(page, "#books .sold", ["3", "0", "9,007,199,254,740,993"]);
  await shows(page, "#books .review", ["Stormy", "Long"]);
  await shows(page, "#count", ["3"]);
}

/** Presses a button and waits for the answers of the batch that it sends, not of one that is under way. */
async function send(page: Page, button: ReturnType<Page["locator"]>): Promise<void> {
  const sent = page.waitForRequest(/\$batch$/);
  await button.click();
  const answer = await (await sent).response();
  await answer!.finished();
}

async function createsBook(shop: Shop): Promise<void> {
  const { page } = shop;
  await page.locator("#newTitle input").fill("Agnes Grey");
  await page.locator("#newStock input").fill("1");
  await press(page, "create");
  await send(page, page.locator("#save"));
  await shows(page, "#count", ["4"]);
  await shows(page, "#books .title", ["Agnes Grey", "Emma", "Persuasion", "Wuthering Heights"]);
  await shows(page, "#messages .message", [
    "Warning FEW Only few are left /Books(103)/stock",
    "Information NEW A new book: größer",
  ]);
  assert.deepEqual((await stocks(shop)).at(-1), [103, "Agnes Grey", 1]);
  await press(page, "forget");
}

async function editsBook(shop: Shop): Promise<void> {
  const { page } = shop;
  await setStock(page, "Emma", "9");
  await send(page, page.locator("#save"));
  assert.deepEqual((await stocks(shop))[1], [2, "Emma", 9]);
}

async function refusesChangeSet(shop: Shop): Promise<void> {
  const { page } = shop;
  const before = await stocks(shop);
  await setStock(page, "Persuasion", "8");
  await setStock(page, "Emma", "5000");
  await send(page, page.locator("#save"));
  await shows(page, "#messages .message", [
    "Error ASSERT_RANGE The value must lie between 0 and 1000 /Books(2)/stock",
  ]);
  await shows(page, "#books .sapMLIB:has([aria-invalid=true]) .title", ["Emma"]);
  assert.deepEqual(await stocks(shop), before);
  await press(page, "reset");
  await press(page, "forget");
}

async function meetsConflict(shop: Shop): Promise<void> {
  const { page } = shop;
  await change(shop, 3, { title: "Persuasion, changed" });
  await setStock(page, "Persuasion", "4");
  await send(page, page.locator("#save"));
  await shows(page, "#messages .message", ["Error 412 Precondition Failed"]);
  assert.deepEqual((await stocks(shop))[2], [3, "Persuasion, changed", 0]);
  await press(page, "reset");
  await press(page, "forget");
  await send(page, page.locator("#refresh"));
  await shows(page, "#books .title", ["Agnes Grey", "Emma", "Persuasion, changed", "Wuthering Heights"]);
  await setStock(page, "Persuasion, changed", "4");
  await send(page, page.locator("#save"));
  assert.deepEqual((await stocks(shop))[2], [3, "Persuasion, changed", 4]);
}

async function callsOperations(shop: Shop): Promise<void> {
  const { page } = shop;
  await send(page, inRow(page, "Agnes Grey", ".restock"));
  await shows(page, "#books .stock input", ["11", "9", "4", "5"]);
  await shows(page, "#messages .message", ["Success Stock is up to date"]);
  await send(page, inRow(page, "Persuasion, changed", ".worthButton"));
  await shows(page, "#books .worth", ["29.7000"]);
}

async function deletesBook(shop: Shop): Promise<void> {
  const { page } = shop;
  await send(page, inRow(page, "Emma", ".delete"));
  await shows(page, "#count", ["3"]);
  await shows(page, "#books .title", ["Agnes Grey", "Persuasion, changed", "Wuthering Heights"]);
  assert.deepEqual((await stocks(shop)).map((row) => (row as unknown[])[0]), [1, 3, 103]);
}

async function filters({ page, service }: Shop): Promise<void> {
  await send(page, page.locator("#expensive"));
  await shows(page, "#books .title", ["Wuthering Heights"]);
  await shows(page, "#count", ["1"]);
  await change({ page, service }, 103, { published: "1847-12-14" });
  await send(page, page.locator("#liked"));
  await shows(page, "#books .title", ["Agnes Grey", "Wuthering Heights"]);
}

async function createsPart(shop: Shop): Promise<void> {
  const { page, service } = shop;
  await inRow(page, "Agnes Grey", ".praise").click();
  await send(page, page.locator("#save"));
  await shows(page, "#books .review", [`It's great & "good"`, "Stormy", "Long"]);
  assert.deepEqual(
    await service.read(SELECT.from("shop.Reviews").columns("text", "stars").where({ book_ID: 103 })),
    [{ text: `It's great & "good"`, stars: 5 }],
  );
}

async function sumsUp({ page }: Shop): Promise<void> {
  await send(page, page.locator("#totals"));
  await shows(page, "#sums .total", ["20", "1 16", "2 4"]);
  await send(page, page.locator("#sums .open").nth(1));
  await shows(page, "#sums .total", ["20", "1 16", "1 Agnes Grey 11", "1 Wuthering Heights 5", "2 4"]);
}

/** What the page is used for, in order; each step continues where the one before ended. */
const STEPS: Readonly<Record<string, (shop: Shop) => Promise<void>>> = {
  "a list with $expand and $count, exact numbers": listsBooks,
  "create: messages of the header with targets": createsBook,
  "edit with the entity tag": editsBook,
  "a change set that is refused changes nothing; its error is shown at the field": refusesChangeSet,
  "a conflict of entity tags is shown, and gone after reading again": meetsConflict,
  "bound action and function": callsOperations,
  "create a part": createsPart,
  "delete": deletesBook,
  "filter, also by parts and without regard to case, and search": filters,
  "sums of groups, opened by level": sumsUp,
};

Deno.test({
  name:
    "ODataModel V4 of OpenUI5 in Chromium lists, creates, edits and deletes in batches, shows messages and conflicts",
  ignore: !packages.areThere || browserPath === undefined,
  fn: () =>
    withPage(async (shop) => {
      for (const [name, step] of Object.entries(STEPS)) {
        try {
          await step(shop);
        } catch (cause) {
          throw new Error(`Step "${name}" failed: ${cause}`, { cause });
        }
      }
    }),
});
