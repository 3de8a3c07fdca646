import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { parseCdl } from "../../src/model/cdl/compile_cdl.ts";
import { isWanted, parseAnnotationsList } from "../../src/odata/headers/prefer.ts";

const wants = (list: string, term: string, qualifier?: string) =>
  isWanted(parseAnnotationsList(list)!, term, qualifier);

Deno.test("include-annotations: the most specific identifier decides [OData 8.2.8.4]", () => {
  const cases: readonly (readonly [list: string, term: string, wanted: boolean, qualifier?: string])[] = [
    ["*", "display.subject", true],
    ["-*", "display.subject", false],
    ["display.*", "display.subject", true],
    ["display.*", "display.style.subject", true],
    ["display.*", "displayed.subject", false],
    ["display.subject", "display.subject", true],
    ["display.subject", "display.subjects", false],
    ["*,-display.*", "display.subject", false],
    ["*,-display.*", "other.subject", true],
    ["-*,display.*", "display.subject", true],
    ["*,-display.*,display.style.*", "display.style.subject", true],
    ["display.*,-display.subject", "display.subject", false],
    ["-display.*", "other.subject", true],
    ["display.*#tablet", "display.subject", true, "tablet"],
    ["display.*#tablet", "display.subject", false, "phone"],
    ["display.*#tablet", "display.subject", false],
    ["*,-*#tablet", "display.subject", false, "tablet"],
    ["*,-*#tablet", "display.subject", true],
    ["display.subject,-display.subject#tablet", "display.subject", false, "tablet"],
    ["-display.subject#tablet,display.subject", "display.subject", false, "tablet"],
    // both in and out: undefined, the first one counts
    ["display.subject,-display.subject", "display.subject", true],
    ["-display.*,display.*", "display.subject", false],
    ["display.*#tablet,-display.*#tablet", "display.subject", true, "tablet"],
    ["Org.OData.Core.V1.*", "Core.Description", true],
    ["Core.*", "Org.OData.Core.V1.Description", true],
    ["-Org.OData.Core.V1.Description,*", "Core.Description", false],
  ];
  for (const [list, term, wanted, qualifier] of cases) {
    assert.equal(wants(list, term, qualifier), wanted, `${list} ${term} ${qualifier ?? ""}`);
  }
});

Deno.test("include-annotations: a malformed list counts as absent", () => {
  for (const list of ["", "display", "display.", "*.*", "--*", "*#", "a.b;c.d", "display.*,"]) {
    assert.equal(parseAnnotationsList(list), undefined, list);
  }
});

const MODEL = parseCdl(`
  service S @(protocol: ['odata-v4', 'rest']) {
    @cds.persistence.skip entity Things { key ID : Integer; @title: 'Name' @Core.Description: 'What it is' name : String; }
  }`);

const ROW = {
  ID: 1,
  name: "x",
  "@My.Label": "one",
  "name@My.Label#de": "ein",
  "name@Other.Term": { a: 1 },
  "absent@My.Label": 1,
  "@odata.etag": "forged",
};

Deno.test("include-annotations is applied to rows and metadata, and confirmed [OData 8.2.8.4] [OData 8.2.8.13]", async () => {
  const runtime = createRuntime({
    model: MODEL,
    handlers: { S: (srv) => void srv.on(["READ", "CREATE"], "Things", () => [ROW]) },
    env: { requires: { auth: { kind: "dummy" }, db: false } },
  });
  const send = async (path: string, prefer?: string, init: RequestInit = {}) => {
    const response = await runtime.fetch(
      new Request(`http://localhost${path}`, {
        ...init,
        headers: { ...init.headers, ...(prefer === undefined ? {} : { prefer }) },
      }),
    );
    return { applied: response.headers.get("preference-applied"), text: await response.text() };
  };
  const rowOf = (text: string) => JSON.parse(text).value[0];
  try {
    const path = "/odata/v4/s/Things";
    const plain = await send(path);
    assert.deepEqual([plain.applied, rowOf(plain.text)], [null, { ID: 1, name: "x" }]);
    const prefer = 'odata.include-annotations="My.*"';
    const some = await send(path, prefer);
    assert.equal(some.applied, prefer);
    assert.deepEqual(rowOf(some.text), { ID: 1, name: "x", "@My.Label": "one", "name@My.Label#de": "ein" });
    const all = await send(path, 'include-annotations="*,-My.Label"');
    assert.equal(all.applied, 'include-annotations="*,-My.Label"');
    assert.deepEqual(rowOf(all.text), { ID: 1, name: "x", "name@Other.Term": { a: 1 } });
    const none = await send(path, 'include-annotations="-*"');
    assert.deepEqual([none.applied, rowOf(none.text)], ['include-annotations="-*"', { ID: 1, name: "x" }]);
    const malformed = await send(path, 'include-annotations="nonsense"');
    assert.deepEqual([malformed.applied, rowOf(malformed.text)], [null, { ID: 1, name: "x" }]);
    const both = await send(path, 'odata.maxpagesize=5, odata.include-annotations="-*"');
    assert.match(both.applied!, /odata\.include-annotations="-\*"/);
    const created = await send(path, prefer, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"ID":1}',
    });
    assert.equal(JSON.parse(created.text)["@My.Label"], "one");
    assert.equal(created.applied, prefer);
    const rest = await send("/rest/s/Things", prefer);
    assert.deepEqual([rest.applied, JSON.parse(rest.text)], [null, [{ ID: 1, name: "x" }]]);

    const metadata = async (list?: string, accept = "application/xml") =>
      await send("/odata/v4/s/$metadata", list && `include-annotations="${list}"`, { headers: { accept } });
    const whole = (await metadata()).text;
    assert.match(whole, /Core\.Description/);
    assert.match(whole, /Common\.Label/);
    const core = await metadata("Org.OData.Core.V1.*");
    assert.match(core.text, /Core\.Description/);
    assert.doesNotMatch(core.text, /Common\.Label/);
    assert.equal(core.applied, 'include-annotations="Org.OData.Core.V1.*"');
    const json = await metadata("-Core.Description", "application/json");
    assert.doesNotMatch(json.text, /Core\.Description/);
    assert.match(json.text, /Common\.Label/);
    assert.doesNotMatch((await metadata("-*")).text, /<Annotation /);
    assert.equal((await metadata()).text, whole);
  } finally {
    await runtime.close();
  }
});
