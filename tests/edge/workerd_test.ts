import assert from "node:assert/strict";
import { startWorkerd } from "./workerd.ts";

Deno.test("the edge bundle answers a filtered read from the memory database in workerd", async () => {
  const bundled = await new Deno.Command(Deno.execPath(), { args: ["task", "bundle"], stderr: "piped" })
    .output();
  assert.ok(bundled.success, new TextDecoder().decode(bundled.stderr));
  const server = await startWorkerd("dist/edge.js");
  try {
    const query = "$filter=author/name eq 'Emily Brontë'&$select=ID,title&$expand=author($select=name)";
    const response = await fetch(`${server.url}/odata/v4/catalog/Books?${encodeURI(query)}`);
    const { value } = await response.json();
    assert.equal(response.status, 200);
    assert.deepEqual(value, [{
      ID: 201,
      title: "Wuthering Heights",
      author: { ID: 103, name: "Emily Brontë" },
    }]);
    const refused = await fetch(`${server.url}/odata/v4/admin/Books`);
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
    console.log(`workerd: first answer ${Math.round(server.coldStartMs)} ms after its start`);
  } finally {
    await server.stop();
  }
});
