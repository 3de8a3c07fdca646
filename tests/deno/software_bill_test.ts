import assert from "node:assert/strict";
import { writeSoftwareBill } from "../../src/deno/software_bill.ts";
import { withProject, withSlowFiles } from "./project.ts";

Deno.test("a bill names the group of a package that has a scope, and none of others", async () => {
  const lock = { version: "5", jsr: { "@std/http@1.0.0": {} }, npm: { "vite@5.0.0_sass@1.0.0": {} } };
  const files = { "package.json": '{ "name": "shop" }', "deno.lock": JSON.stringify(lock) };
  await withProject(files, async (folder) => {
    const { components } = JSON.parse(await Deno.readTextFile(await writeSoftwareBill(folder)));
    const [http, vite] = ["pkg:jsr/%40std/http@1.0.0", "pkg:npm/vite@5.0.0"];
    assert.deepEqual(components, [
      { type: "library", "bom-ref": http, group: "@std", name: "http", version: "1.0.0", purl: http },
      { type: "library", "bom-ref": vite, name: "vite", version: "5.0.0", purl: vite },
    ]);
  });
});

/** The bill of a project with a lock file. */
async function billOf(files: Readonly<Record<string, string>>): Promise<string> {
  let text = "";
  await withProject(files, async (folder) => {
    await withSlowFiles(async () => {
      const file = await writeSoftwareBill(folder);
      assert.equal(file, `${folder}/gen/sbom.json`);
      text = Deno.readTextFileSync(file);
    });
  });
  return text;
}

Deno.test("a bill is that of CycloneDX 1.6, with name and version of the project", async () => {
  const lock = { "deno.lock": "{}" };
  const bill = (version: object) => ({
    ...{ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 },
    metadata: { component: { type: "application", "bom-ref": "application", name: "shop", ...version } },
    components: [],
  });
  const named = { ...lock, "package.json": '{ "name": "shop" }' };
  assert.equal(await billOf(named), `${JSON.stringify(bill({}), null, 2)}\n`);
  const versioned = { ...lock, "package.json": '{ "name": "shop", "version": "1.2.3" }' };
  assert.deepEqual(JSON.parse(await billOf(versioned)), bill({ version: "1.2.3" }));
  for (const text of ["[]", "null", '{ "jsr": [], "npm": null }']) {
    assert.deepEqual(JSON.parse(await billOf({ ...named, "deno.lock": text })), bill({}), text);
  }
});

Deno.test("packages of a bill are sorted, each there once, with their hashes", async () => {
  const hex = "0123456789abcdef".repeat(4);
  const lock = {
    jsr: { "@std/http@1.0.0": { integrity: hex }, "@b/c@2.0.0-rc.1+x": null },
    npm: {
      "vite@5.0.0_sass@1.0.0": {},
      "vite@5.0.0_sass@2.0.0": { integrity: "sha512-AAEPEP8=" },
      "acorn@8.0.0": { integrity: "sha256-/wA=" },
      "acorn@7.0.0": { integrity: "sha384-/w==" },
      "old@1.0.0": { integrity: "sha1-AAEC" },
      "odd@1.0.0": { integrity: hex.toUpperCase() },
      "long@1.0.0": { integrity: `${hex}0` },
      "number@1.0.0": { integrity: 1 },
      "x@1.0.0": { integrity: "md5 sha256-AAEC" },
    },
  };
  const { components } = JSON.parse(
    await billOf({ "deno.lock": JSON.stringify(lock), "package.json": "{}" }),
  );
  const shown = components.map((
    { purl, hashes }: { purl: string; hashes?: readonly { alg: string; content: string }[] },
  ) => [purl, ...(hashes ?? []).map(({ alg, content }) => `${alg} ${content}`)].join(" "));
  assert.deepEqual(shown, [
    "pkg:jsr/%40b/c@2.0.0-rc.1%2Bx",
    `pkg:jsr/%40std/http@1.0.0 SHA-256 ${hex}`,
    "pkg:npm/acorn@7.0.0 SHA-384 ff",
    "pkg:npm/acorn@8.0.0 SHA-256 ff00",
    "pkg:npm/long@1.0.0",
    "pkg:npm/number@1.0.0",
    "pkg:npm/odd@1.0.0",
    "pkg:npm/old@1.0.0",
    "pkg:npm/vite@5.0.0 SHA-512 00010f10ff",
    "pkg:npm/x@1.0.0",
  ]);
});

Deno.test("without a lock file there is no bill", () =>
  withProject({ "package.json": "{}" }, async (folder) => {
    await assert.rejects(writeSoftwareBill(folder), {
      name: "ConfigurationError",
      message:
        `${folder}/deno.lock: There is no deno.lock that says which packages are used: "deno install" writes it`,
    });
    assert.throws(() => Deno.statSync(`${folder}/gen`), Deno.errors.NotFound);
  }));
