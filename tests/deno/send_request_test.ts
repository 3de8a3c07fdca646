import assert from "node:assert/strict";
import { createDenoSender } from "../../src/deno/send_request.ts";

/** Clients that are made and closed while something is sent, by their keys. */
async function connections(
  run: (sender: ReturnType<typeof createDenoSender>) => Promise<void>,
  caCerts?: readonly string[],
): Promise<readonly string[]> {
  const events: string[] = [];
  const { createHttpClient } = Deno;
  const { fetch } = globalThis;
  Deno.createHttpClient = (options: { key?: string; cert?: string; caCerts?: string[] }) => {
    const name = [options.cert, options.key, ...options.caCerts ?? []].join("+");
    events.push(`made ${name}`);
    return { name, close: () => void events.push(`closed ${name}`) } as unknown as Deno.HttpClient;
  };
  globalThis.fetch = (_request: unknown, init?: RequestInit) => {
    events.push(
      init === undefined
        ? "sent"
        : `sent by ${(init as unknown as { readonly client: { readonly name: string } }).client.name}`,
    );
    return Promise.resolve(new Response());
  };
  try {
    await run(createDenoSender(caCerts === undefined ? undefined : { caCerts }));
  } finally {
    Deno.createHttpClient = createHttpClient;
    globalThis.fetch = fetch;
  }
  return events;
}

const pair = (name: string) => ({ certificate: name, key: "k" });
const request = () => new Request("http://localhost/");

Deno.test("requests with a key pair are sent by a connection of their own, which is kept; others by that of the platform", async () => {
  const events = await connections(async ({ send, close }) => {
    await send(request());
    await send(request(), pair("a"));
    await send(request(), pair("a"));
    await send(request(), { certificate: "a", key: "other" });
    close();
    close();
    await send(request(), pair("a"));
  }, ["ca"]);
  assert.deepEqual(events, [
    ...["sent", "made a+k+ca", "sent by a+k+ca", "sent by a+k+ca", "made a+other+ca", "sent by a+other+ca"],
    ...["closed a+k+ca", "closed a+other+ca", "made a+k+ca", "sent by a+k+ca"],
  ]);
});

Deno.test("of more than sixteen key pairs the one that was not used for longest makes room", async () => {
  const events = await connections(async ({ send }) => {
    for (let index = 0; index < 16; index++) await send(request(), pair(`c${index}`));
    await send(request(), pair("c0"));
    await send(request(), pair("c16"));
    await send(request(), pair("c0"));
    await send(request(), pair("c1"));
  });
  assert.deepEqual(events.filter((event) => event.startsWith("closed")), ["closed c1+k", "closed c2+k"]);
  assert.equal(events.filter((event) => event.startsWith("made")).length, 18);
});
