/** The page of annotations says what the code reads, and nothing else. */

import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);

/** Annotations of payloads, and marks that passes of the model set for each other: no model has them. */
const OTHERS = [
  ...["@Common.numericSeverity", "@context", "@etag", "@id", "@removed", "@type"],
  ...["@odata.context", "@odata.id", "@odata.removed", "@odata.type"],
  ...["@fw.draft.of", "@fw.requests"],
];

async function readSources(folder: URL): Promise<string> {
  const texts = await Array.fromAsync(Deno.readDir(folder), ({ name, isDirectory }) => {
    if (isDirectory) return readSources(new URL(`${name}/`, folder));
    return name.endsWith(".ts") ? Deno.readTextFile(new URL(name, folder)) : "";
  });
  return texts.join("\n");
}

Deno.test("the manual names all annotations that the code reads, and none that it does not know", async () => {
  const source = await readSources(new URL("src/", ROOT));
  const page = await Deno.readTextFile(new URL("docs/reference/annotations.md", ROOT));
  const told = new Set(
    [...page.matchAll(/`(@[A-Za-z][\w.]*?)(?:\.<name>)?`/g)].map(([, name]) => name!),
  );
  const read = new Set([...source.matchAll(/\["(@[A-Za-z][\w.]*)"\]/g)].map(([, name]) => name!));
  const missing = [...read].filter((name) => {
    const isPart = /\.(?:message|locale)$/.test(name);
    return !told.has(name) && !isPart && !OTHERS.includes(name);
  });
  assert.deepEqual(missing, []);
  assert.deepEqual([...told].filter((name) => !name.endsWith(".message") && !source.includes(name)), []);
});
