/*
 * Metadata as OpenUI5 reads them: a table of `@UI.LineItem` with labels, and the value help of a code list, which nobody has
 * written by hand (`@cds.odata.valuelist`).
 */

import assert from "node:assert/strict";
import { SELECT } from "../../src/cqn/builders/select.ts";
import { withProject } from "../deno/project.ts";
import { findBrowser, GUARD_MS, openBrowser } from "./browser.ts";
import { findClientPackages } from "./packages.ts";
import { servePage } from "./page_server.ts";
import { serveFolder } from "./servers.ts";

const PROJECT: Readonly<Record<string, string>> = {
  ".fwrc.json": JSON.stringify({ name: "trips" }),
  "db/schema.cds": `namespace my;
entity Trips {
  key ID : Integer;
  @title: 'Name' name : String(40);
  @title: 'Harbour' harbour : Association to Harbours;
}
@cds.odata.valuelist @cds.autoexpose @title: 'Harbours' @UI.Identification: [{ Value: city }]
entity Harbours { key code : String(3); city : String(40); }
`,
  "db/data/my-Trips.csv": "ID;name;harbour_code\n1;North;HAM\n2;South;GOA\n",
  "db/data/my-Harbours.csv": "code;city\nGOA;Genova\nHAM;Hamburg\nOSL;Oslo\n",
  "srv/trips.cds": `using { my } from '../db/schema';
@requires: 'authenticated-user'
service Trips { entity Trips as projection on my.Trips; }
annotate Trips.Trips with @UI.LineItem: [{ Value: ID }, { Value: name }, { Value: harbour_code }];
annotate my.Trips with { ID @title: 'Number' };
`,
};

const packages = await findClientPackages();
const browserPath = findBrowser();

Deno.test({
  name: "OpenUI5 in Chromium shows a table and a value help that only the metadata describe",
  ignore: !packages.areThere || browserPath === undefined,
  fn: () =>
    withProject(PROJECT, async (folder) => {
      const service = await serveFolder(folder);
      const server = servePage({ page: "openui5_values", packages: packages.folder, service: service.url });
      const browser = await openBrowser(browserPath!);
      try {
        const page = await browser.newPage();
        const errors: Error[] = [];
        page.setDefaultTimeout(GUARD_MS);
        page.on("pageerror", (error) => errors.push(error));
        await page.goto(server.url);
        await page.locator("#trips .harbour_code input").nth(1).waitFor();
        assert.deepEqual(await page.locator("#trips .label").allInnerTexts(), ["Number", "Name", "Harbour"]);
        assert.deepEqual(await page.locator("#trips .name").allInnerTexts(), ["North", "South"]);
        await page.locator("#trips .harbour_code input").first().press("F4");
        const dialog = page.getByRole("dialog");
        await dialog.getByText("Oslo").waitFor();
        assert.match(
          await dialog.innerText(),
          /Harbour[\s\S]*GOA[\s\S]*Genova[\s\S]*HAM[\s\S]*Hamburg[\s\S]*OSL/,
        );
        const saved = page.waitForResponse((answer) =>
          answer.url().endsWith("$batch") && answer.request().postData()!.includes("PATCH")
        );
        await dialog.getByText("Oslo").click();
        await (await saved).finished();
        await page.waitForFunction(() =>
          // deno-lint-ignore no-explicit-any -- runs in the page
          (globalThis as any).document.querySelector("#trips .harbour_code input").value === "OSL"
        );
        const rows = await service.read(SELECT.from("my.Trips").columns("harbour_code").where({ ID: 1 }));
        assert.deepEqual(rows, [{ harbour_code: "OSL" }]);
        assert.deepEqual(errors, []);
      } finally {
        await browser.close();
        await server.stop();
        await service.stop();
      }
    }),
});
