import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { startProcess } from "../deno/project_processes.ts";
import { runCommand } from "./run_command.ts";

const FILES = {
  "deno.json": JSON.stringify({ name: "shop" }),
  "srv/shop.cds": `entity db.Books { key ID : Integer; title : String; }
    service Shop {
      @restrict: [{ grant: 'READ', to: 'reader', where: (title = 'seen') }]
      entity Books as projection on db.Books;
    }`,
  ".fwrc.json": JSON.stringify({
    requires: { auth: { kind: "mocked", users: { rita: { roles: ["reader"], password: "pw" } } } },
  }),
};

Deno.test("fw explain tells the restrictions of a mock user, SQL and plan of a URL", async () => {
  await withProject(FILES, async (folder) => {
    const { code, output } = await runCommand("explain", "/odata/v4/shop/Books", folder, "--user", "rita");
    assert.equal(code, 0, output);
    assert.match(output, /^request {4}\/odata\/v4\/shop\/Books$/m);
    assert.match(output, /^may read {3}\(title = 'seen'\)$/m);
    assert.match(output, /^SQL {8}SELECT .*"db_Books"/m);
    assert.match(output, /^reads by {3}/m);
  });
});

Deno.test("fw explain tells of CQL by a privileged user, as JSON where asked", async () => {
  await withProject(FILES, async (folder) => {
    const query = "SELECT from Shop.Books { title }";
    const { code, output } = await runCommand("explain", query, folder, "--json");
    assert.equal(code, 0, output);
    assert.equal(JSON.parse(output).queries[0].cql, query);
  });
});

Deno.test("fw explain names what it cannot explain", async () => {
  await withProject(FILES, async (folder) => {
    const cases = [
      [["/odata/v4/shop/Nothing"], 1, /^404 /],
      [["SELECT from Nothing"], 1, /^400 There is no entity "Nothing"/],
      [["/odata/v4/shop/Books", "--user", "rina"], 1, /no mock user "rina" .* did you mean "rita"\?/],
      [["/odata/v4/shop/$metadata"], 0, /Nothing is asked of the database/],
    ] as const;
    for (const [[what, ...options], expected, text] of cases) {
      const { code, output } = await runCommand("explain", what, folder, ...options);
      assert.match(output, text);
      assert.equal(code, expected);
    }
  });
});

Deno.test("fw explain works beside a server: in production, for a tenant, without taking messages or doing what waits", async () => {
  const requires = {
    db: { kind: "sqlite", credentials: { url: "db.sqlite" } },
    multitenancy: true,
    auth: { kind: "basic", users: { rita: { password: "pw", roles: ["reader"], tenant: "t1" } } },
    messaging: { kind: "file-based-messaging", file: "box" },
  };
  const files = {
    ...FILES,
    ".fwrc.json": JSON.stringify({ requires }),
    "srv/shop.ts": `import fw from "@fw/runtime";
      export class Shop extends fw.ApplicationService {
        async init() {
          const messaging = await fw.connect.to("messaging");
          messaging.on("came", () => console.log("took a message"));
          await super.init();
        }
      }`,
  };
  await withProject(files, async (folder) => {
    await Deno.writeTextFile(`${folder}/box`, 'came {"data":{}}\n');
    const url = "/odata/v4/shop/Books";
    for (const options of [["--user", "rita"], ["--tenant", "t1"]]) {
      // a profile is a variable of the process
      const args = ["src/cli/mod.ts", "explain", url, folder, "--profile", "production", ...options];
      const { code, output } = await startProcess({ args }).ended;
      assert.equal(code, 0, output);
      assert.match(output, /^SQL {8}SELECT .*"db_Books"/m);
      assert.doesNotMatch(output, /took a message/);
    }
  });
});
