/*
 * The EventSource of a browser (HTML Living Standard 9.2): it is cut off, comes again by itself, and misses nothing.
 */

import assert from "node:assert/strict";
import { createRuntime } from "../../mod.ts";
import { optionsOf } from "../service/rules/on_engines.ts";
import { findBrowser, openBrowser } from "./browser.ts";

const CDL = `@requires: 'any' service Open { @requires: 'any' event Ticked { n: Integer; } }`;
const PAGE = `<!doctype html><script>
  window.received = [];
  const source = new EventSource("/odata/v4/open/Ticked");
  source.onopen = () => window.opened = (window.opened ?? 0) + 1;
  source.onmessage = ({ data }) => window.received.push(JSON.parse(data).n);
</script>`;

const browserPath = findBrowser();

if (browserPath !== undefined) {
  Deno.test("a browser follows an event, is cut off, and misses nothing", async () => {
    const runtime = createRuntime(optionsOf({ cdl: CDL }, "sqlite"));
    await runtime.start();
    const listen = (port: number) =>
      Deno.serve(
        { port, hostname: "127.0.0.1", onListen: () => {} },
        (request) =>
          new URL(request.url).pathname === "/page"
            ? new Response(PAGE, { headers: { "content-type": "text/html" } })
            : runtime.fetch(request),
      );
    const server = listen(0);
    const browser = await openBrowser(browserPath);
    try {
      const emit = (n: number) => runtime.services.Open!.emit("Ticked", { n });
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.addr.port}/page`);
      await page.waitForFunction("window.opened === 1");
      await emit(1);
      await page.waitForFunction("window.received.length === 1");
      runtime.live!.streams.end();
      await emit(2);
      await emit(3);
      await page.waitForFunction("window.opened === 2 && window.received.length === 3");
      await emit(4);
      await page.waitForFunction("window.received.length === 4");
      assert.deepEqual(await page.evaluate("window.received"), [1, 2, 3, 4]);
    } finally {
      await browser.close();
      runtime.live!.streams.close();
      await server.shutdown();
      await runtime.close();
    }
  });
}
