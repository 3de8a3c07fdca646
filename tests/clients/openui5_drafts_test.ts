import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { withProject } from "../deno/project.ts";
import { findBrowser, GUARD_MS, openBrowser, shows } from "./browser.ts";
import { findClientPackages } from "./packages.ts";
import { servePage } from "./page_server.ts";
import { type ClientServer, serveFolder } from "./servers.ts";

const packages = await findClientPackages();
const browserPath = findBrowser();

/** A service with drafts. */
const ORDERS: Readonly<Record<string, string>> = {
  ".fwrc.json": JSON.stringify({ name: "orders", server: { messages_header: "sap-messages" } }),
  "db/schema.cds": `namespace my;
    entity Orders { key ID : Integer; title : String(40) @mandatory; price : Integer @assert.range: [0, 100]; }`,
  "db/data/my-Orders.csv": "ID,title,price\n1,First,5\n2,Second,7\n",
  "srv/service.cds": `using { my } from '../db/schema';
    service OrderService { @odata.draft.enabled entity Orders as projection on my.Orders; }`,
};

/** The pages of two users, and the service behind them. */
interface Pages {
  readonly alice: Page;
  readonly bob: Page;
  readonly service: ClientServer;
}

const userNamed = (name: string) => ({ authorization: `Basic ${btoa(`${name}:`)}` });

async function withPages(run: (pages: Pages) => Promise<void>): Promise<void> {
  await withProject(ORDERS, async (folder) => {
    const service = await serveFolder(folder);
    const servers = ["alice", "bob"].map((name) =>
      servePage({
        page: "openui5_drafts",
        packages: packages.folder,
        service: service.url,
        user: userNamed(name),
      })
    );
    const browser = await openBrowser(browserPath!);
    try {
      const errors: Error[] = [];
      const [alice, bob] = await Promise.all(servers.map(async ({ url }) => {
        const page = await browser.newPage();
        page.setDefaultTimeout(GUARD_MS);
        page.on("pageerror", (error) => errors.push(error));
        await page.goto(url);
        return page;
      }));
      await run({ alice: alice!, bob: bob!, service });
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      for (const server of servers) await server.stop();
      await service.stop();
    }
  });
}

const press = (page: Page, id: string) => page.locator(`#${id}`).click();

const open = (page: Page, row: number) => page.locator("#orders .open").nth(row).click();

/** Writes into a field and leaves it, which sends the change. */
async function enter(page: Page, field: string, value: string): Promise<void> {
  await page.locator(`#detail .${field} input`).fill(value);
  const sent = page.waitForRequest(/\$batch$/);
  await page.locator(`#detail .${field} input`).press("Tab");
  const answer = await (await sent).response();
  await answer!.finished();
}

async function rows({ service }: Pages): Promise<readonly unknown[]> {
  const found = await service.read(SELECT.from("my.Orders").columns("ID", "title", "price").orderBy("ID"));
  return found.map(({ ID, title, price }) => [ID, title, price]);
}

async function edits(pages: Pages): Promise<void> {
  const { alice } = pages;
  await shows(alice, "#orders .title", ["First", "Second"]);
  await open(alice, 0);
  await shows(alice, "#detail .isActive", ["Yes"]);
  await press(alice, "edit");
  await shows(alice, "#detail .isActive", ["No"]);
  await enter(alice, "editTitle", "Mine");
  await shows(alice, "#orders .state", ["draft", "active"]);
  assert.deepEqual((await rows(pages))[0], [1, "First", 5]);
}

async function isLocked({ bob }: Pages): Promise<void> {
  await press(bob, "refresh");
  await shows(bob, "#orders .title", ["First", "Second"]);
  await shows(bob, "#orders .state", ["locked by mock/alice", "active"]);
  await open(bob, 0);
  await shows(bob, "#detail .isActive", ["Yes"]);
  await press(bob, "edit");
  await shows(bob, "#problem", ["A draft for this entity already exists"]);
}

async function validates({ alice }: Pages): Promise<void> {
  await enter(alice, "editPrice", "500");
  await press(alice, "activate");
  await shows(alice, "#problem", ["The value must lie between 0 and 100"]);
  await alice.locator("#detail .editPrice[class*=Error], #detail .editPrice [aria-invalid=true]").first()
    .waitFor();
}

async function activates(pages: Pages): Promise<void> {
  const { alice } = pages;
  await alice.evaluate("forget()");
  await enter(alice, "editPrice", "50");
  await press(alice, "activate");
  await shows(alice, "#detail .isActive", ["Yes"]);
  await shows(alice, "#orders .state", ["active", "active"]);
  assert.deepEqual((await rows(pages))[0], [1, "Mine", 50]);
}

async function discards(pages: Pages): Promise<void> {
  const { alice } = pages;
  await open(alice, 1);
  await shows(alice, "#detail .isActive", ["Yes"]);
  await press(alice, "edit");
  await shows(alice, "#detail .isActive", ["No"]);
  await enter(alice, "editTitle", "Never");
  await press(alice, "discard");
  await shows(alice, "#orders .title", ["Mine", "Second"]);
  assert.deepEqual((await rows(pages))[1], [2, "Second", 7]);
}

async function creates(pages: Pages): Promise<void> {
  const { alice } = pages;
  await press(alice, "create");
  await shows(alice, "#detail .isActive", ["No"]);
  await press(alice, "activate");
  await shows(alice, "#detail .isActive", ["Yes"]);
  assert.deepEqual((await rows(pages))[2], [3, "New", null]);
}

/** What the pages are used for, in order; each step continues where the one before ended. */
const STEPS: Readonly<Record<string, (pages: Pages) => Promise<void>>> = {
  "edit: the draft is changed, the active instance is not": edits,
  "another user sees the lock, and cannot edit": isLocked,
  "what is wrong is told at activation, and shown at the field": validates,
  "activate": activates,
  "discard": discards,
  "create and activate": creates,
};

Deno.test({
  name:
    "ODataModel V4 of OpenUI5 in Chromium creates, edits, validates, activates and discards drafts of two users",
  ignore: !packages.areThere || browserPath === undefined,
  fn: () =>
    withPages(async (pages) => {
      for (const [name, step] of Object.entries(STEPS)) {
        try {
          await step(pages);
        } catch (cause) {
          throw new Error(`Step "${name}" failed: ${cause}`, { cause });
        }
      }
    }),
});
