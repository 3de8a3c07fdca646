/** The lint plugin: what compiles, and does not do what was meant (guide: handlers). */

import assert from "node:assert/strict";
import plugin from "../../src/lint/mod.ts";

/** What is found in code, by the rule and the text it is about. */
function found(code: string): readonly string[] {
  return Deno.lint.runPlugin(plugin, "srv/shop.ts", code).map(({ id, range: [from, to] }) =>
    `${id}: ${code.slice(from, to).split("\n")[0]}`
  );
}

const inService = (init: string, more = "") =>
  `class Shop extends fw.ApplicationService { async init() { ${init} await super.init(); } ${more} }`;

Deno.test("queries that nobody awaits are found, in all their forms", () => {
  for (
    const query of [
      "UPDATE(Books).set({ stock: 1 })",
      "SELECT.from(Books)",
      "SELECT.one.from(Books, 1).columns('title')",
      "INSERT.into(Books).entries({ ID: 1 })",
      "DELETE.from(Books).where`stock = 0`",
      "cds.ql.UPDATE(Books).set({ stock: 1 })",
      "cds.ql.SELECT.from(Books).where`stock = 0`",
      "fw.SELECT`from ${Books}`",
    ]
  ) {
    assert.deepEqual(found(`${query};`), [`fw/await-queries: ${query}`]);
    assert.deepEqual(found(`if (sold) ${query};`), [`fw/await-queries: ${query}`]);
    for (
      const code of [
        `await ${query};`,
        `const query = ${query};`,
        `return ${query};`,
        `void ${query};`,
        `${query}.then(done, failed);`,
        `${query}.catch(failed);`,
        `${query}.finally(done);`,
        `const read = () => ${query};`,
        `await Promise.all([${query}]);`,
      ]
    ) assert.deepEqual(found(`async function f() { ${code} }`), [], code);
  }
});

Deno.test("calls of services that nobody awaits are found", () => {
  for (const call of ["this.emit('Sold', {})", "this.send('order')", "this.read('Books').where({ ID: 1 })"]) {
    assert.deepEqual(found(inService(`this.on('order', async () => { ${call}; });`)), [
      `fw/await-calls: ${call}`,
    ]);
    assert.deepEqual(found(inService(`this.on('order', async () => { await ${call}; });`)), []);
    assert.deepEqual(found(inService(`this.on('order', () => ${call});`)), []);
    assert.deepEqual(found(`class Shop { order() { ${call}; } }`), [], "no service");
  }
  assert.deepEqual(found("const db = await cds.connect.to('db'); db.run(query);"), [
    "fw/await-calls: db.run(query)",
  ]);
  assert.deepEqual(found("const { Shop } = fw.services; Shop.emit('Sold');"), [
    "fw/await-calls: Shop.emit('Sold')",
  ]);
  assert.deepEqual(found("fw.services.Shop.send('order');"), [
    "fw/await-calls: fw.services.Shop.send('order')",
  ]);
  assert.deepEqual(found("cds.db.run(query);"), ["fw/await-calls: cds.db.run(query)"]);
  assert.deepEqual(found("(await fw.connect.to('Shop')).emit('Sold');"), [
    "fw/await-calls: (await fw.connect.to('Shop')).emit('Sold')",
  ]);
  assert.deepEqual(found("socket.send('order'); emitter.emit('x'); cache.delete(1);"), []);
});

Deno.test("calls of members that are no services are left alone", () => {
  for (
    const object of [
      ...["app.locals.shop", "app.shop", "fw.cache", "services.Shop", "route.to('b')", "a.route.to('b')"],
      ...["a.connect.by('b')", "connect.to('b')", "app.locals"],
    ]
  ) assert.deepEqual(found(`${object}.send('order'); const one = ${object}; one.emit('x');`), [], object);
});

Deno.test("misspelt events are found, and those of actions left alone", () => {
  for (const [event, phase] of [["CREAT", "before"], ["UPDAET", "on"], ["read", "after"], ["DELTE", "on"]]) {
    assert.deepEqual(found(inService(`this.${phase}('${event}', 'Books', () => {});`)), [
      `fw/known-events: '${event}'`,
    ]);
  }
  assert.deepEqual(found(inService("this.before(['CREATE', 'UDPATE'], 'Books', () => {});")), [
    "fw/known-events: 'UDPATE'",
  ]);
  for (
    const event of ["CREATE", "each", "error", "*", "save", "cancel", "SHARE", "REOPEN", "submitOrder", "NEW"]
  ) {
    assert.deepEqual(found(inService(`this.on('${event}', () => {});`)), [], event);
  }
  assert.deepEqual(found("element.on('CREAT', () => {});"), []);
});

Deno.test("a misspelt event is one letter off; words that are further off may be events of somebody's own", () => {
  const hints = (event: string) =>
    Deno.lint.runPlugin(plugin, "srv/shop.ts", inService(`this.on('${event}', () => {});`)).map(({ hint }) =>
      hint
    );
  for (
    const [event, meant] of [
      ...[["CREAATE", "CREATE"], ["CRETE", "CREATE"], ["CREATA", "CREATE"], ["CRAETE", "CREATE"]],
      ...[["UPPSERT", "UPSERT"], ["DELEET", "DELETE"], ["DISCADR", "DISCARD"], ["ACTIVATEE", "ACTIVATE"]],
      ...[["create", "CREATE"], ["Upsert", "UPSERT"]],
    ]
  ) assert.deepEqual(hints(event), [`Did you mean "${meant}"?`], event);
  for (
    const event of ["CREEEATE", "DISKARDD", "ACTVTE", "DSCRD", "ACTIXXTE", "ACTIVATE", "discard", "Activate"]
  ) {
    assert.deepEqual(hints(event), [], event);
  }
});

Deno.test("an init() that leaves out the one of its class is found", () => {
  const [problem] = found("class Shop extends ApplicationService { init() { this.on('order', () => 1); } }");
  assert.match(problem!, /^fw\/call-super-init: init\(\)/);
  assert.deepEqual(
    found("class Shop extends cds.ApplicationService { init() { return super.init(); } }"),
    [],
  );
  assert.deepEqual(found("class Shop extends cds.ApplicationService { async init() { super.init(); } }"), [
    "fw/call-super-init: super.init()",
  ]);
  assert.deepEqual(found("class Shop extends cds.ApplicationService {}"), []);
  assert.deepEqual(found("class Page extends Component { init() {} }"), []);
  const outer =
    "class A extends X.Service { init() { class B extends X.Service { init() { return super.init(); } } } }";
  assert.equal(found(outer).length, 1, "that of another class does not count");
});

Deno.test("what is no query, no call of a service and no registration is left alone", () => {
  for (
    const code of [
      ...["SELECT.one;", "SELECT;", "cds.ql.UPDATE;", "let shop; shop.emit('x');", "a['b'].SELECTED();"],
      "const { Shop } = app.locals; Shop.emit('x');",
      "const { Shop } = services; Shop.emit('x');",
      "const { ...all } = fw.services; all.emit('x');",
      "const [Shop] = fw.services; Shop.emit('x');",
      "const fw = connect.services; const { Shop } = fw; Shop.emit('x');",
      inService("this.send('order').then(done); this.emit('x').catch(failed); this.read('A').finally(done);"),
      inService("this.#send('order'); this.entities('x'); await this.send('CREAT');", "#send() {}"),
      inService("this.on(event, () => {}); this.on(7, () => {}); this.on(null, () => {}); this.on();"),
      inService("this.on([, 'CREATE', ...events, 7], () => {}); this.on(/CREAT/, () => {});"),
      "const page = { init() { return super.init(); } };",
      "class Page extends ServiceBase { init() { this.emit('x'); } }",
      "class Page extends app.pages[0] { init() { this.emit('x'); } }",
      "class Shop extends fw.ApplicationService { static init() {} }",
      "class Shop extends fw.ApplicationService { start() {} init = () => {}; }",
    ]
  ) assert.deepEqual(found(code), [], code);
  assert.deepEqual(found("fw.db.run(query);"), ["fw/await-calls: fw.db.run(query)"]);
  assert.deepEqual(found("const { Shop: shop, ...all } = cds.services; shop.emit('x'); all.emit('x');"), [
    "fw/await-calls: shop.emit('x')",
  ]);
});

Deno.test("another method of the base class is not its init()", () => {
  assert.deepEqual(found("class Shop extends fw.ApplicationService { init() { super.start(); } }"), [
    "fw/call-super-init: init() { super.start(); }",
  ]);
});

Deno.test("what holds for a class holds again when a class within it has ended", () => {
  for (const inner of ["class B {}", "const B = class {};", "register(class extends Page { init() {} });"]) {
    assert.deepEqual(found(inService(`${inner} this.emit('x'); this.on('CREAT', () => {});`)), [
      ...["fw/await-calls: this.emit('x')", "fw/known-events: 'CREAT'"],
    ], inner);
  }
  const expression = "const B = class extends Page { init() { return super.init(); } };";
  const [problem, ...others] = found(`class A extends fw.ApplicationService { init() { ${expression} } }`);
  assert.match(problem!, /^fw\/call-super-init: init\(\) \{ const B/);
  assert.deepEqual(others, []);
  const service = "const B = class extends fw.ApplicationService { init() { this.emit('x'); } };";
  assert.deepEqual(found(service), [
    ...["fw/await-calls: this.emit('x')", "fw/call-super-init: init() { this.emit('x'); }"],
  ]);
  assert.deepEqual(found(`class A { f() { ${service} this.emit('x'); } }`).length, 2);
});
