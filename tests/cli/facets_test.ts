/** What `fw add` says is left to be done. */

import assert from "node:assert/strict";
import { FACETS } from "../../src/cli/facets.ts";

Deno.test("what is left to be done for a database or a broker names where it is, in the form of FW_CONFIG", () => {
  const places = [
    ["postgres", "db", "postgres://user@host/database"],
    ["nats", "messaging", "127.0.0.1:4222"],
    ["rabbitmq", "messaging", "amqp://127.0.0.1:5672"],
    ["redis", "messaging", "redis://127.0.0.1:6379"],
  ];
  for (const [name, service, url] of places) {
    const [first] = FACETS[name].next!;
    assert.deepEqual(JSON.parse(first.slice(first.indexOf("{"))), {
      requires: { [service]: { credentials: { url } } },
    });
    assert.ok(first.startsWith(`say where it is, by a binding named ${service} or by FW_CONFIG: `));
  }
});
