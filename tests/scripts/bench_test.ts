import assert from "node:assert/strict";

async function bench(
  only: string,
  ...group: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/bench.ts", ...group, "--json", "--only", only],
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("deno task bench --only measures the rows with that text in their name, of all groups", async () => {
  const { stdout } = await bench("columns 20");
  const { rows } = JSON.parse(stdout) as { rows: { name: string; ours: number }[] };
  // the smallest of its kind is what it is compared with
  assert.deepEqual(rows.map(({ name }) => name), ["columns 10", "columns 20"]);
});

Deno.test("deno task bench --only names all rows where none has that text", async () => {
  const { code, stderr } = await bench("nothing of the kind");
  assert.equal(code, 1);
  for (
    const name of ["by key", "emit with outbox", "postgres by key", "publish file", "parse url", "rows 10"]
  ) {
    assert.ok(stderr.includes(name), name);
  }
});

Deno.test("deno task bench start compares starts with that of an empty server, and nothing else", async () => {
  const { code, stderr } = await bench("nothing of the kind", "start");
  assert.equal(code, 1);
  assert.match(stderr, /there are: start source, cpu, .*start workerd, memory\s*$/);
  assert.doesNotMatch(stderr, /by key/);
});
