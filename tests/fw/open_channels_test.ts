/** Which kinds of channels there are, and which one an entry without kind has. */

import assert from "node:assert/strict";
import type { Kinds } from "../../src/fw/kinds.ts";
import { channelKinds, openChannels } from "../../src/fw/open_channels.ts";
import { DEFAULT_LIMITS } from "../../src/config/limits.ts";
import { recordingLog } from "../messaging/channels.ts";

const own = (kind: string) => () => () => ({ kind }) as never;

Deno.test("channels are those that run everywhere, and those of the table of kinds, which win", () => {
  assert.deepEqual(Object.keys(channelKinds({})), ["local-messaging", "composite-messaging"]);
  const channels = { "local-messaging": own("mine"), nats: own("nats") };
  const kinds = channelKinds({ channels });
  assert.deepEqual(Object.keys(kinds), ["local-messaging", "composite-messaging", "nats"]);
  assert.equal(kinds["local-messaging"], channels["local-messaging"]);
});

Deno.test("an entry without kind has the channel of production there, else the default one, else that of the process", async () => {
  const cases: readonly [Kinds, boolean, string][] = [
    [{}, false, "local-messaging"],
    [{}, true, "local-messaging"],
    [{ defaultChannel: "a" }, false, "a"],
    [{ defaultChannel: "a" }, true, "a"],
    [{ productionChannel: "b" }, false, "local-messaging"],
    [{ defaultChannel: "a", productionChannel: "b" }, false, "a"],
    [{ defaultChannel: "a", productionChannel: "b" }, true, "b"],
  ];
  for (const [kinds, production, expected] of cases) {
    const channels = { a: own("a"), b: own("b") };
    const registry = openChannels({
      ...{ kinds: { ...kinds, channels }, production, requires: { messaging: {} }, application: "app" },
      ...{ limits: DEFAULT_LIMITS, log: recordingLog() },
      observe: (channel) => channel,
      web: { route: () => {}, fetch },
    });
    assert.equal((await registry.get("messaging")).kind, expected);
  }
});
