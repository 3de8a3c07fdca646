import assert from "node:assert/strict";
import { type ConfigurationLayer, keyPlace, withKeyPlace } from "../../src/config/key_places.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";

function layer(name: string, value: Record<string, unknown>, source = {}): ConfigurationLayer {
  return { source: { name, text: JSON.stringify({ fw: value }, null, 2), ...source }, value };
}

const FIRST = layer("a.json", { server: { port: 1, host: "x" }, requires: { db: { kind: "sqlite" } } });
const SECOND = layer("b.json", { server: { port: 2 } });

Deno.test("keyPlace() is the line in the last source that has the key", () => {
  assert.deepEqual(keyPlace(["server", "port"], [FIRST, SECOND]), { file: "b.json", line: 4 });
  assert.deepEqual(keyPlace(["server", "port"], [SECOND, FIRST]), { file: "a.json", line: 4 });
  assert.deepEqual(keyPlace(["server", "host"], [FIRST, SECOND]), { file: "a.json", line: 5 });
});

Deno.test("keyPlace() is the line of the deepest key there is in front of a key that no source has", () => {
  assert.deepEqual(keyPlace(["requires", "db", "port"], [FIRST, SECOND]), { file: "a.json", line: 8 });
  assert.deepEqual(keyPlace(["requires", "db", "kind", "deeper"], [FIRST]), { file: "a.json", line: 9 });
  assert.deepEqual(keyPlace(["requires", "toString"], [FIRST]), { file: "a.json", line: 7 });
  assert.equal(keyPlace(["query", "limit"], [FIRST, SECOND]), undefined);
});

Deno.test("keyPlace() has no line in a source without text, and no place in code", () => {
  const variable = layer("environment variable X", { server: { port: 3 } }, { text: undefined });
  assert.deepEqual(keyPlace(["server", "port"], [FIRST, variable]), {
    file: "environment variable X",
    line: undefined,
  });
  assert.equal(
    keyPlace(["server", "port"], [FIRST, layer("code", { server: { port: 3 } }, { isCode: true })]),
    undefined,
  );
});

Deno.test("withKeyPlace() puts the place of the key in front of a mistake that has none", () => {
  const cause = new ConfigurationError('"fw.server.port" is taken', {}, {
    others: [new ConfigurationError("more")],
  });
  const found = withKeyPlace(cause, (path) => keyPlace(path, [FIRST])) as ConfigurationError;
  assert.equal(found.message, 'a.json:4: "fw.server.port" is taken\nmore');
  assert.deepEqual([found.file, found.line, found.cause, found.others.length], ["a.json", 4, cause, 1]);
});

Deno.test("withKeyPlace() leaves all other errors as they are", () => {
  const placeOf = () => ({ file: "x.json", line: 1 });
  const others = [
    new Error('"fw.server.port" is taken'),
    new ConfigurationError('"fw.server.port" is taken', { file: "own.json" }),
    new ConfigurationError("The port is taken"),
    new ConfigurationError('see "fw.server.port"'),
  ];
  for (const error of others) assert.equal(withKeyPlace(error, placeOf), error);
  const open = new ConfigurationError('"fw.server.port" is taken');
  assert.equal(withKeyPlace(open, undefined), open);
  assert.equal(withKeyPlace(open, () => undefined), open);
});
