import assert from "node:assert/strict";
import { REPOSITORY, SMALL, withProject } from "../deno/project.ts";
import { startProcess } from "../deno/project_processes.ts";

const { "srv/cat_service.ts": _typed, ...PROJECT } = SMALL;

/**
 * Runs `fw test` on a project with more files. The tests in these files are what the command is given: those that it is to
 * leave out say why, and it has to print that.
 */
async function outcomeOf(files: Readonly<Record<string, string>>): Promise<{ code: number; output: string }> {
  let outcome = { code: -1, output: "" };
  await withProject({ ...PROJECT, ...files }, async (folder) => {
    const args = [`${REPOSITORY}src/cli/mod.ts`, "test", folder];
    outcome = await startProcess({ args, variables: { DENO_NO_UPDATE_CHECK: "1" } }).ended;
  });
  return outcome;
}

Deno.test("fw test: CommonJS tests in the style of jest and chai test a project by cds.test", async () => {
  const { code, output } = await outcomeOf({
    "test/books.test.js": `const cds = require('@sap/cds')
describe('books', () => {
  const { GET, POST, expect, axios, data } = cds.test(__dirname + '/..')
  let count = 0
  beforeEach(() => { count++ })
  it('reads', async () => {
    const { status, data } = await GET('/odata/v4/cat/Books', { params: { $select: 'title' } })
    expect(status).to.equal(200)
    expect(data.value).to.be.an('array').of.length(2)
    expect(data.value).to.containSubset([{ title: 'Emma' }])
  })
  it('reads by a tag, and finds the query globals', async () => {
    const { headers } = await GET \`/odata/v4/cat/Books(1)\`
    expect(headers['content-type']).toMatch(/json/)
    const { Books } = cds.entities('shop')
    expect(await SELECT.one.from(Books, 1)).to.eql({ ID: 1, title: 'Emma' })
  })
  it('rejects 4xx', async () => {
    await expect(GET('/odata/v4/cat/Books(7)')).to.be.rejectedWith(/404/)
    await expect(axios.get('/odata/v4/cat/Nothing')).rejects.toMatchObject({ response: { status: 404 } })
  })
  it('restores data', async () => {
    await POST('/odata/v4/cat/Books', { ID: 3, title: 'Lady Susan' })
    await data.reset()
    expect((await GET('/odata/v4/cat/Books')).data.value.length).toBe(2)
    expect(count).to.equal(4)
  })
  it('calls back', (done) => { setTimeout(done, 1) })
  it('is left out', { skip: 'shows that a skipped test does not run' }, () => { throw new Error() })
  xit('is left out, too', () => { throw new Error() })
  it.each([[1, 2], [2, 3]])('%s and %s', (a, b) => expect(b - a).toBe(1))
})`,
  });
  assert.equal(code, 0, output);
  assert.match(output, /1 passed \(8 steps\) \| 0 failed \| 0 ignored \(2 steps\)/);
  assert.match(output, /is left out, reason: shows that a skipped test does not run \.\.\. ignored/);
  assert.match(output, /is left out, too, reason: marked with skip \.\.\. ignored/);
});

Deno.test("fw test: ES modules import node:test, @cap-js/cds-test and @sap/cds", async () => {
  const { code, output } = await outcomeOf({
    "test/esm.test.mjs": `import { describe, test, before } from 'node:test'
import assert from 'node:assert'
import cds from '@sap/cds'
import cdsTest from '@cap-js/cds-test'
const { GET } = cdsTest(import.meta.dirname + '/..')
describe('esm', () => {
  let ready
  before(() => { ready = true })
  test('reads', async (t) => {
    assert.equal(ready, true)
    assert.equal(typeof t.test, 'function')
    assert.equal((await GET('/odata/v4/cat/Books/$count')).data, 2)
    assert.equal(cds.entities('shop').Books.name, 'shop.Books')
  })
})`,
  });
  assert.equal(code, 0, output);
  assert.match(output, /1 passed \(1 step\)/);
});

Deno.test("fw test: failing tests, hooks and files make the command fail", async () => {
  const failing = {
    "a.test.js": `it('fails', () => { expect({ a: 1 }).to.deep.equal({ a: 2 }) })`,
    "b.test.js":
      `describe('b', () => { before(() => { throw new Error('no start') }); it('waits', () => {}) })`,
    "c.test.js": `require('./missing')`,
    "d.test.js": `it('passes', () => {})`,
  };
  const { code, output } = await outcomeOf(failing);
  assert.equal(code, 1);
  assert.match(output, /Expected \{ a: 1 \} to equal \{ a: 2 \}/);
  assert.match(output, /no start/);
  assert.match(output, /missing/);
  assert.match(output, /1 of 4 test files passed/);
});

Deno.test("fw test: mock functions note their calls, only runs alone", async () => {
  const { code, output } = await outcomeOf({
    "mock.test.js": `test('another', () => { throw new Error() })
test('mocks, alone', { only: true }, async () => {
  const holder = { double: n => 2 * n }
  const spy = jest.spyOn(holder, 'double')
  expect(holder.double(2)).toBe(4)
  expect(spy).toHaveBeenCalledTimes(1)
  expect(spy).toHaveBeenCalledWith(2)
  spy.mockReturnValueOnce(7)
  expect([holder.double(2), holder.double(2)]).toEqual([7, 4])
  jest.restoreAllMocks()
  expect(holder.double).not.toBe(spy)
  expect(jest.fn().mockResolvedValue(1)()).to.be.a(Promise)
})`,
  });
  assert.equal(code, 0, output);
  assert.match(output, /another, reason: others are marked with only \.\.\. ignored/);
  assert.match(output, /mocks, alone \.\.\. ok/);
});

Deno.test("fw test: a folder without tests and a missing file are mistakes", async () => {
  const { code, output } = await outcomeOf({});
  assert.equal(code, 1);
  assert.match(output, /No test file found: expected names like books\.test\.js/);
});

Deno.test("fw test: models are compiled and loaded before a project has started", async () => {
  const { code, output } = await outcomeOf({
    "early.test.js": `const cds = require('@sap/cds')
const LOG = cds.log('early')
const query = SELECT.from('shop.Books').columns('title')
describe('early', () => {
  const csn = CDL\`entity Foo { key ID : Integer; }\`
  const model = cds.load(__dirname + '/db/schema.cds')
  it('has both', async () => {
    expect(cds.linked(csn).definitions.Foo.kind).to.equal('entity')
    expect((await model).definitions).to.have.property('shop.Books')
    expect(cds.load(__dirname + '/db/schema.cds', { sync: true }).definitions).to.have.property('shop.Books')
    expect(query.SELECT.from).to.eql({ ref: ['shop.Books'] })
    expect(LOG.info).to.be.a('function')
  })
})`,
  });
  assert.equal(code, 0, output);
});

Deno.test("fw test: tests read, change and assign the configuration before their project starts, and wrap the kit", async () => {
  const { code, output } = await outcomeOf({
    "test/env.test.js": `const cds = require('@sap/cds')
cds.test.in(__dirname, '..')
cds.env.requires.auth.users = { bob: { password: 'b', roles: ['admin'] } }
cds.env.own = { deep: [1] }
const kit = cds.test
cds.test = Object.setPrototypeOf(function () { return kit(...arguments) }, kit.constructor.prototype)
describe('configuration', () => {
  const { GET, expect } = cds.test.in(__dirname + '/..') && cds.test()
  it('is that of the running project', async () => {
    expect(cds.options.in_memory).to.equal(true)
    expect(cds.env.own.deep).to.eql([1])
    const { status } = await GET('/odata/v4/cat/Books', { auth: { username: 'bob', password: 'b' } })
    expect(status).to.equal(200)
    await expect(GET('/odata/v4/cat/Books', { auth: { username: 'bob', password: 'c' } })).to.be.rejectedWith(/401/)
    cds.env.own.deep.push(2)
    expect(cds.env.own.deep.length).to.equal(2)
    cds.env = cds.env.for(cds)
    expect(cds.env.own).to.equal(undefined)
    expect(global.cds).to.equal(cds)
  })
})`,
  });
  assert.equal(code, 0, output);
});
