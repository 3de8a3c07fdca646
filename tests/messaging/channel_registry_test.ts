/** Which channel a configuration entry has, and what is told of one that has none (messaging 1). */

import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { ChannelRegistry, type ChannelRegistryOptions } from "../../src/messaging/channel_registry.ts";
import { createLocalChannel } from "../../src/messaging/local_channel.ts";
import { recordingLog } from "./channels.ts";

function registryOf(
  requires: Readonly<Record<string, unknown>>,
  more: Partial<ChannelRegistryOptions> = {},
): ChannelRegistry {
  return new ChannelRegistry({
    ...{ requires, limits: DEFAULT_LIMITS, log: recordingLog() },
    kinds: {
      "local-messaging": () => createLocalChannel,
      "outer": () => async ({ channel, options }) => await channel(String(options.inner)),
    },
    ...more,
  });
}

Deno.test("an entry without channel is told with what may be meant", async () => {
  const requires = {
    ...{ messaging: { kind: "local-messaging" }, off: false, nothing: null },
    ...{ short: { kind: "local" }, typo: { kind: "local-mesaging" }, unknown: { kind: "else" }, none: {} },
    ...{ one: { kind: "outer", inner: "two" }, two: { kind: "outer", inner: "one" } },
  };
  const kinds = "expected one of local-messaging, outer";
  const cases: readonly (readonly [name: string, message: string])[] = [
    [
      "mesaging",
      "fw.requires.mesaging is missing, expected a messaging service, did you mean 'messaging'",
    ],
    ["other-things", "fw.requires.other-things is missing, expected a messaging service"],
    ["of", "fw.requires.of is missing, expected a messaging service"],
    ["off", "fw.requires.off is switched off, expected a messaging service"],
    ["nothing", "fw.requires.nothing is switched off, expected a messaging service"],
    ["short", `fw.requires.short.kind is 'local', ${kinds}; did you mean 'local-messaging'?`],
    ["typo", `fw.requires.typo.kind is 'local-mesaging', ${kinds}; did you mean 'local-messaging'?`],
    ["unknown", `fw.requires.unknown.kind is 'else', ${kinds}`],
    ["none", `fw.requires.none.kind is 'undefined', ${kinds}`],
    ["one", "Channels contain each other: one -> two -> one"],
  ];
  for (const [name, message] of cases) {
    await assert.rejects(registryOf(requires).get(name), (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.equal(error.message, message);
      return true;
    });
  }
});

Deno.test("an entry that names no kind has that of the default; each channel is made once, and observed", async () => {
  const observed: string[] = [];
  const registry = registryOf({ messaging: true, other: {}, outer: { kind: "outer", inner: "other" } }, {
    defaultKind: "local-messaging",
    observe: (channel, name) => (observed.push(name), channel),
  });
  const channel = await registry.get("messaging");
  assert.equal(channel.kind, "local-messaging");
  assert.equal(await registry.get("messaging"), channel);
  await registry.get("other");
  await registry.get("outer");
  assert.deepEqual(observed, ["messaging", "other", "outer"]);
});

Deno.test("an entry is that of a messaging service by its kind, or by its name where it has none", () => {
  const cases: readonly (readonly [name: string, entry: unknown, expected: boolean])[] = [
    ["messaging", true, true],
    ["messaging", {}, true],
    ["messaging", false, false],
    ["messaging", undefined, false],
    ["messaging", { kind: "odata" }, false],
    ["other", true, false],
    ["other", {}, false],
    ["other", { kind: "local-messaging" }, true],
    ["other", { kind: "toString" }, false],
  ];
  for (const [name, entry, expected] of cases) {
    assert.equal(registryOf({ [name]: entry }).isChannel(name), expected, `${name} ${JSON.stringify(entry)}`);
  }
});
