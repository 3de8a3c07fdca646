/** The page that tells what an application offers. */

import assert from "node:assert/strict";
import { renderWelcomePage } from "../../src/http/welcome_page.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { linkModel } from "../../src/model/link_model.ts";

const MODEL = linkModel(parseCdl(`
  entity db.T { key ID : Integer; }
  @requires: ['boss', 'chief'] service Kept { @odata.singleton entity Only as projection on db.T; }
  @restrict: [{ grant: 'READ' }] service Limited { entity Things as projection on db.T; }
  service Open { action run(a : Integer, b : String); function now() returns Integer; }
`));

const page = (...names: readonly (readonly [name: string, protocol: string])[]) =>
  renderWelcomePage({
    title: "Shop",
    services: names.map(([name, protocol]) => ({
      service: MODEL.service(name)!,
      endpoints: [{ protocol, path: `/${protocol}/${name}` }],
    })),
  });

Deno.test("mock users stand on the page with their roles, where there are some", () => {
  const users = [{ name: "ann", roles: ["boss", "<x>"] }, { name: "b&b", roles: [] }];
  const shown = renderWelcomePage({ title: "Shop", services: [], users });
  assert.match(shown, /<h2>Mock users<\/h2>/);
  assert.match(
    shown,
    /<li><code>ann<\/code> boss, &lt;x&gt;<\/li><li><code>b&amp;b<\/code><\/li>/,
  );
  for (const given of [{}, { users: [] }]) {
    assert.doesNotMatch(renderWelcomePage({ title: "Shop", services: [], ...given }), /Mock users/);
  }
});

Deno.test("title and version are on the page as text, pages as links below the base", () => {
  const shown = renderWelcomePage({
    ...{
      title: "<Shop>",
      version: "1.0 'a'",
      services: [],
      pages: ["app/my page/index.html"],
      base: "../..",
    },
  });
  assert.match(shown, /<title>&lt;Shop&gt;<\/title>/);
  assert.match(shown, /<h1>&lt;Shop&gt; <span class="version">1.0 &#39;a&#39;<\/span><\/h1>/);
  assert.match(
    shown,
    /<a href="\.\.\/\.\.\/app\/my%20page\/index\.html">\/app\/my page\/index\.html<\/a>/,
  );
  const plain = renderWelcomePage({ title: "Shop", services: [] });
  assert.doesNotMatch(plain, /<h2>Pages<|class="version"/);
});

Deno.test("a page has the console, or the style of one without", () => {
  const both = [true, false].map((hasConsole) => renderWelcomePage({ title: "S", services: [], hasConsole }));
  assert.deepEqual(both.map((one) => one.includes('<script type="module"')), [true, false]);
  assert.deepEqual(both.map((one) => one.includes("<style>")), [false, true]);
  assert.ok(!renderWelcomePage({ title: "S", services: [] }).includes("<script"));
});

Deno.test("services show whom they are for, their entities and operations", () => {
  const shown = page(["Kept", "odata"], ["Limited", "rest"], ["Open", "hcql"]);
  assert.match(shown, /<h2>Kept <span class="badge" title="boss, chief">restricted<\/span><\/h2>/);
  assert.match(shown, /<h2>Limited <span class="badge" title="see @restrict">restricted<\/span><\/h2>/);
  assert.match(shown, /<h2>Open <\/h2>/);
  assert.match(shown, /<a href="\.\/odata\/Kept\/Only">Only<\/a>/);
  assert.match(shown, /<a href="\.\/rest\/Limited\/Things\?\$top=10">Things<\/a>/);
  assert.match(shown, /<span class="kind">action<\/span> run\(a, b\)<\/li>/);
  assert.match(shown, /<span class="kind">function<\/span> now\(\)<\/li>/);
});

Deno.test("descriptions are linked for the protocols that have them", () => {
  for (
    const [protocol, metadata, openapi] of [
      ...[["odata", true, true], ["rest", false, true], ["hcql", false, false]] as const,
    ]
  ) {
    const shown = page(["Open", protocol]);
    assert.equal(shown.includes(`href="./${protocol}/Open/$metadata"`), metadata, protocol);
    assert.equal(shown.includes(`href="./${protocol}/Open/openapi.json"`), openapi, protocol);
    assert.ok(shown.includes(`<a href="./${protocol}/Open">/${protocol}/Open</a>`), protocol);
  }
});
