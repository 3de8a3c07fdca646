/** Which service a path belongs to. */

import assert from "node:assert/strict";
import { mountFinder } from "../../src/http/mounts.ts";
import type { ProtocolAdapter } from "../../src/service/wire/protocol_adapter.ts";

const adapter = (kind: string) => ({ kind } as ProtocolAdapter);

Deno.test("a path belongs to the longest root that it equals, or continues behind a slash", () => {
  const mounts = new Map([["/a", adapter("a")], ["/a/bc", adapter("a/bc")], ["/a/b", adapter("a/b")]]);
  const find = mountFinder(mounts);
  const found = (path: string) => {
    const mount = find(path);
    return mount && `${mount.adapter.kind}: ${mount.rest}`;
  };
  const cases: Readonly<Record<string, string | undefined>> = {
    ...{
      "/a": "a: ",
      "/a/": "a: ",
      "/a/x/y": "a: x/y",
      "/a/b": "a/b: ",
      "/a/b/c": "a/b: c",
      "/a/bc/d": "a/bc: d",
    },
    ...{
      "/a/bcd": "a: bcd",
      "/ab": undefined,
      "/b/a": undefined,
      "/": undefined,
      "/A": undefined,
      "/x/b": undefined,
    },
  };
  for (const [path, expected] of Object.entries(cases)) assert.equal(found(path), expected, path);
  mounts.set("/", adapter("root")).set("", adapter("empty"));
  assert.equal(found("/other/x"), "empty: other/x", "services may be added later");
  assert.equal(found("/a/x"), "a: x");
});
