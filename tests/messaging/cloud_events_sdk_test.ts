import assert from "node:assert/strict";
import { CloudEvent, HTTP } from "cloudevents";
import fc from "fast-check";
import { readEvents, writeBinary, writeStructured } from "../../src/messaging/http/event_format.ts";
import { propertyRuns } from "../property_runs.ts";

const attribute = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 })
  .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text));

const events = fc.record({
  id: attribute,
  subject: attribute,
  extension: attribute,
  data: fc.jsonValue({ maxDepth: 4 }).filter((value) => typeof value === "object" && value !== null),
}).map(({ id, subject, extension, data }) => ({
  topic: "my.Event",
  data,
  headers: {
    specversion: "1.0",
    id,
    subject,
    extension,
    source: "/app",
    type: "my.Event",
    time: "2026-01-02T03:04:05.678Z",
    datacontenttype: "application/json",
  },
}));

Deno.test("the SDK of CloudEvents reads the structured events that we write (CloudEvents JSON 3)", () => {
  fc.assert(
    fc.property(events, (event) => {
      const { headers, body } = writeStructured(event);
      const read = HTTP.toEvent({ headers: { ...headers }, body: String(body) });
      assert.ok(read instanceof CloudEvent);
      const { data, ...attributes } = JSON.parse(JSON.stringify(read));
      assert.deepEqual(attributes, event.headers);
      assert.deepEqual(data, JSON.parse(JSON.stringify(event.data)));
    }),
    propertyRuns(200, 5),
  );
});

Deno.test("we read the structured events that the SDK of CloudEvents writes (CloudEvents JSON 3)", () => {
  fc.assert(
    fc.property(events, ({ headers, data }) => {
      const written = HTTP.structured(new CloudEvent({ ...headers, data }));
      const body = new TextEncoder().encode(String(written.body));
      const [read] = readEvents(new Headers(written.headers as Record<string, string>), body, {
        jsonDepth: 64,
      });
      assert.deepEqual(read.headers, headers);
      assert.deepEqual(read.data, JSON.parse(JSON.stringify(data)));
    }),
    propertyRuns(200, 5),
  );
});

Deno.test("what we write as binary event we read again, whatever the characters (CloudEvents HTTP 3.1)", () => {
  fc.assert(
    fc.property(events, (event) => {
      const { headers, body } = writeBinary(event);
      const [read] = readEvents(new Headers(headers), new TextEncoder().encode(String(body)), {
        jsonDepth: 64,
      });
      assert.deepEqual(read.headers, event.headers);
      assert.deepEqual(read.data, JSON.parse(JSON.stringify(event.data)));
    }),
    propertyRuns(200, 5),
  );
});
