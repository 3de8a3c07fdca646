/**
 * `deno task release-config`: writes `deno.jsr.json` and `import_map.jsr.json` from the files they follow.
 *
 * @module
 */

const config = JSON.parse(Deno.readTextFileSync("deno.json"));
const { imports, scopes } = JSON.parse(Deno.readTextFileSync("import_map.json")) as {
  imports: Record<string, string>;
  scopes: Record<string, Record<string, string>>;
};

const STANDARD: Readonly<Record<string, string>> = {
  "@std/http/": "jsr:@std/http@^1.1.0/",
  "@std/yaml/": "jsr:@std/yaml@^1.0.0/",
};
const released = Object.entries(imports).map(([name, target]) => {
  const prefix = Object.keys(STANDARD).find((one) => name.startsWith(one));
  return [name, prefix ? STANDARD[prefix] + name.slice(prefix.length) : target] as const;
});

write("deno.jsr.json", { ...config, importMap: "./import_map.jsr.json" });
write("import_map.jsr.json", { imports: Object.fromEntries(released), scopes });

function write(file: string, value: unknown): void {
  Deno.writeTextFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
  console.log(`wrote ${file}`);
}
