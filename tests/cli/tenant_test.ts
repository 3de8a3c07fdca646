import assert from "node:assert/strict";
import { withProject } from "../deno/project.ts";
import { runCommand } from "./run_command.ts";

const FILES = {
  "deno.json": JSON.stringify({ name: "shop" }),
  "srv/shop.cds":
    "entity db.Books { key ID : Integer; title : String; }\nservice Shop { entity Books as projection on db.Books; }",
  ".fwrc.json": JSON.stringify({
    requires: { multitenancy: true, db: { kind: "sqlite", credentials: { url: "shop.sqlite" } } },
  }),
};

async function fw(...args: readonly string[]): Promise<readonly [number, string]> {
  const { code, output } = await runCommand("tenant", ...args);
  return [code, output];
}

function databasesIn(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => name.endsWith(".sqlite"))
    .sort();
}

Deno.test("fw tenant subscribes, lists and unsubscribes tenants with their databases", async () => {
  await withProject(FILES, async (folder) => {
    assert.deepEqual(await fw("list", folder), [0, "No tenants\n"]);
    assert.deepEqual(await fw("subscribe", "acme", folder), [0, "Tenant acme has subscribed\n"]);
    assert.match((await fw("subscribe", "acme", folder))[1], /had subscribed already/);
    await fw("subscribe", "other", folder);
    const [, list] = await fw("list", folder);
    assert.match(list, /^acme +ready +\d{4}-.*\nother +ready/);
    assert.ok(databasesIn(folder).includes("shop-acme.sqlite"));
    assert.deepEqual(await fw("unsubscribe", "acme", folder), [
      0,
      "Tenant acme has unsubscribed; its database is removed\n",
    ]);
    assert.ok(!databasesIn(folder).includes("shop-acme.sqlite"));
    assert.deepEqual(await fw("unsubscribe", "other", folder, "--keep-data"), [
      0,
      "Tenant other has unsubscribed; its database stays\n",
    ]);
    assert.ok(databasesIn(folder).includes("shop-other.sqlite"));
    assert.deepEqual(await fw("unsubscribe", "other", folder), [1, "Tenant other has not subscribed\n"]);
  });
});

Deno.test("fw tenant upgrade brings all databases to the model, and goes on where it ended", async () => {
  await withProject(FILES, async (folder) => {
    for (const tenant of ["t1", "t2", "t3"]) await fw("subscribe", tenant, folder);
    const model = FILES["srv/shop.cds"].replace("title : String;", "title : String; stock : Integer;");
    await Deno.writeTextFile(`${folder}/srv/shop.cds`, model);
    assert.match((await fw("list", folder))[1], /^t1 +to be upgraded/);
    // what stands in the way of a tenant does not stop the others
    const inTheWay = `${folder}/shop-t2.sqlite`;
    const bytes = await Deno.readFile(inTheWay);
    await Deno.writeTextFile(inTheWay, "no database");
    const [code, output] = await fw("upgrade", folder, "--jobs", "2");
    assert.equal(code, 1);
    assert.match(output, /t1 is upgraded with \d+ statement/);
    assert.match(output, /t2: .*cannot be opened/);
    assert.match(output, /3\/3 /);
    assert.match(output, /1 of 3 tenants could not be upgraded/);
    assert.match((await fw("list", folder))[1], /^t2 +failed +\S+ +.*cannot be opened/m);
    await Deno.writeFile(inTheWay, bytes);
    const [again, second] = await fw("upgrade", folder);
    assert.equal(again, 0, second);
    assert.match(second, /t1 is up to date/);
    assert.match(second, /t2 is upgraded/);
    assert.match(second, /All tenants are up to date/);
  });
});

Deno.test("fw tenant names wrong words, wrong tenants and projects without tenants", async () => {
  await withProject(FILES, async (folder) => {
    assert.match((await fw("upgarde", folder))[1], /did you mean "upgrade"\?/);
    assert.match((await fw("subscribe"))[1], /needs the id of a tenant/);
    assert.match((await fw("subscribe", "../x", folder))[1], /"\.\.\/x" is no name of a tenant/);
    assert.match((await fw("upgrade", folder, "--tenant", "nobody"))[1], /"nobody" has not subscribed/);
    assert.match((await fw("upgrade", folder, "--jobs", "many"))[1], /Expected a number after --jobs/);
    await Deno.writeTextFile(`${folder}/.fwrc.json`, "{}");
    assert.match((await fw("list", folder))[1], /"fw\.requires\.multitenancy" is not set/);
  });
});
