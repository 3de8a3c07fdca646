/**
 * An application that keeps the events it gets over HTTP, as a module for Workers.
 *
 * @module
 */

import { createRuntime, type Runtime } from "../../mod.ts";
import { createHttpChannel } from "../../src/messaging/http/mod.ts";

const runtime: Runtime = createRuntime({
  model: {
    definitions: {
      Log: { kind: "service" },
      "Log.Entries": {
        kind: "entity",
        elements: { ID: { key: true, type: "cds.Integer" }, text: { type: "cds.String" } },
      },
    },
  },
  name: "receiver",
  handlers: {
    Log: async (srv) => {
      const messaging = await runtime.connect("messaging");
      messaging.on("Shop.sold", async ({ data }) => {
        const { ID, text } = data as { ID: number; text: string };
        await srv.run({ INSERT: { into: "Log.Entries", entries: [{ ID, text }] } });
      });
    },
  },
  env: {
    requires: {
      db: { kind: "memory" },
      messaging: { kind: "http-messaging", path: "/events", requires: "admin" },
    },
    log: { levels: { default: "error" } },
  },
  kinds: { channels: { "http-messaging": () => createHttpChannel } },
});

export default runtime;
