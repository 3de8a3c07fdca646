/** Clause 13.3: remote services call a server that listens. */

import assert from "node:assert/strict";
import { createRuntime, type Row, SELECT } from "../../../mod.ts";
import { denoKinds } from "../../../src/deno/deno_kinds.ts";
import type { RemoteError } from "../../../src/odata/remote/remote_client.ts";
import type { RemoteService } from "../../../src/odata/remote/remote_service.ts";
import { createCertificate } from "../../../src/test/identity/certificate.ts";
import { LIBRARY, LIBRARY_ROWS } from "../library.ts";
import { describeClauses } from "./requirement.ts";

const clause = describeClauses(import.meta.url);

const SILENT = { log: { levels: { default: "silent" } } };
const ROOT = "/odata/v4/shop";

/** What a test sees of the server. */
interface Called {
  readonly remote: RemoteService;
  /** Requests that came, the last one at the end. */
  readonly requests: Request[];
  last(): Request;
}

/** Stands in front of the server. */
type Front = (
  request: Request,
  serve: (request: Request) => Promise<Response>,
) => Promise<Response> | Response;

async function withServer(
  run: (called: Called) => Promise<void>,
  front: Front = (request, serve) => serve(request),
): Promise<void> {
  const runtime = createRuntime({
    model: LIBRARY,
    data: LIBRARY_ROWS,
    kinds: denoKinds,
    env: SILENT,
    profiles: ["development"],
  });
  await runtime.start();
  const requests: Request[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    requests.push(request.clone());
    return front(request, (given) => runtime.fetch(given));
  });
  const url = `http://127.0.0.1:${server.addr.port}${ROOT}`;
  const client = await connect({ credentials: { url } });
  try {
    await run({ remote: client.remote, requests, last: () => requests.at(-1)! });
  } finally {
    await client.close();
    await server.shutdown();
    await runtime.close();
  }
}

/** A runtime that calls the library elsewhere. */
async function connect(entry: object): Promise<{ remote: RemoteService; close(): Promise<void> }> {
  const requires = { ShopService: { kind: "odata", ...entry } };
  const client = createRuntime({ model: LIBRARY, kinds: denoKinds, env: { ...SILENT, requires } });
  await client.start();
  return { remote: await client.connect("ShopService") as RemoteService, close: () => client.close() };
}

const queryOf = ({ url }: Request) => url.slice(url.indexOf("?") + 1);
const json = (body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json", ...headers } });

clause(
  "every request says the versions it understands, those with body version and type [OData 13.3.1] [OData 13.3.2] [OData 13.3.15]",
  () =>
    withServer(async ({ remote, requests }) => {
      await remote.read("Books", 1);
      await remote.create("Loans", { ID: 9, days: 1, book_ID: 1 });
      await remote.update("Books", 1).with({ stock: 3 });
      await remote.delete("Loans", 9);
      assert.deepEqual(requests.map(({ method }) => method), ["GET", "POST", "PATCH", "DELETE"]);
      for (const { headers, method } of requests) {
        assert.equal(headers.get("odata-maxversion"), "4.01", method);
        assert.match(headers.get("accept")!, /metadata=minimal/);
        if (method !== "POST" && method !== "PATCH") continue;
        assert.deepEqual([headers.get("odata-version"), headers.get("content-type")], [
          "4.0",
          "application/json",
        ]);
      }
    }),
);

clause(
  "rows, single values, counts, expanded rows, no content and exact numbers are read [OData 13.3.3]",
  () =>
    withServer(async ({ remote }) => {
      const [row] = await remote.read("Books").columns("ID", "title", "price").where({ ID: 1 }) as Row[];
      assert.deepEqual({ ...row, price: Number(row.price) }, {
        ID: 1,
        title: "Wuthering Heights",
        price: 11.5,
      });
      const author = await remote.read("Authors", 2).columns(
        "name",
        { ref: ["books"], expand: [{ ref: ["ID"] }] } as never,
      ) as unknown as Row;
      assert.deepEqual((author.books as Row[]).map(({ ID }) => ID), [2, 3]);
      assert.equal(await remote.run(SELECT.one.from("Books", 99)), null);
      const counted = await remote.read("Books").columns({ func: "count", args: ["*"] } as never);
      assert.deepEqual(counted, [{ count: 4 }]);
      await remote.create("Loans", { ID: 9, days: 1 });
      assert.equal(await remote.delete("Loans", 9), 1);
    }),
);

clause(
  "redirects of reads and writes are followed on the host of the service, and no further than the limit [OData 13.3.4]",
  async () => {
    const moved = (status: number): Front => (request, serve) => {
      const { pathname, search, origin } = new URL(request.url);
      if (!pathname.includes("/shop/")) {
        return serve(new Request(`${origin}${pathname.replace("/moved/", "/shop/")}${search}`, request));
      }
      const location = `${pathname.replace("/shop/", "/moved/")}${search}`;
      return new Response(null, { status, headers: { location } });
    };
    for (const status of [301, 302, 303, 307, 308]) {
      await withServer(async ({ remote, requests }) => {
        assert.equal(
          (await remote.read("Books", 1) as unknown as Row).title,
          "Wuthering Heights",
          String(status),
        );
        assert.deepEqual(requests.map(({ method }) => method), ["GET", "GET"]);
      }, moved(status));
    }
    for (const status of [307, 308]) {
      await withServer(async ({ remote, requests, last }) => {
        await remote.create("Loans", { ID: 9, days: 7, book_ID: 1 });
        assert.deepEqual(requests.map(({ method }) => method), ["POST", "POST"]);
        assert.equal(last().headers.get("content-type"), "application/json");
        assert.equal((await remote.read("Loans", 9) as unknown as Row).days, 7);
      }, moved(status));
    }
    const refusals: readonly Front[] = [
      (request) => new Response(null, { status: 302, headers: { location: request.url } }),
      () => new Response(null, { status: 302, headers: { location: "http://localhost:1/" } }),
      () => new Response(null, { status: 302, headers: { location: "http://[" } }),
      () => new Response(null, { status: 302 }),
    ];
    for (const front of refusals) {
      await withServer(async ({ remote, requests }) => {
        await assert.rejects(async () => await remote.read("Books", 1), { status: 502 });
        assert.ok(requests.length <= 6);
      }, front);
    }
    // whether a change is to be sent again is not said by 301 and 302
    await withServer(async ({ remote, requests }) => {
      await assert.rejects(async () => await remote.delete("Loans", 1), { status: 502 });
      assert.equal(requests.length, 1);
    }, moved(302));
  },
);

clause(
  "all pages are read, from relative and complete links, none from another host [OData 13.3.5]",
  async () => {
    const paged = (link: (request: Request) => string): Front => (request) =>
      request.url.includes("skiptoken")
        ? json({ value: [{ ID: 3 }] })
        : json({ value: [{ ID: 1 }, { ID: 2 }], "@odata.nextLink": link(request) });
    for (const link of [() => "Books?$skiptoken=2", ({ url }: Request) => `${url}&$skiptoken=2`]) {
      await withServer(async ({ remote, requests }) => {
        const rows = await remote.read("Books").columns("ID") as Row[];
        assert.deepEqual(rows.map(({ ID }) => ID), [1, 2, 3]);
        assert.equal(requests.length, 2);
      }, paged(link));
    }
    await withServer(async ({ remote }) => {
      await assert.rejects(async () => await remote.read("Books").columns("ID"), { status: 502 });
    }, paged(() => "http://localhost:1/Books?$skiptoken=2"));
  },
);

clause(
  "unknown properties, navigations and annotations in answers are no error, nor are answers of 4.01 [OData 13.3.6] [OData 13.3.20]",
  () =>
    withServer(async ({ remote }) => {
      const rows = await remote.read("Books").columns("ID", "title") as Row[];
      assert.equal(rows.length, 1);
      assert.deepEqual([rows[0].ID, rows[0].title], [1, "T"]);
    }, () =>
      json({
        "@context": "$metadata#Books",
        "@count": 1,
        "@x.note": { y: 1 },
        "value": [{
          "@id": "Books(1)",
          "ID": 1,
          "title": "T",
          "later": { a: [1] },
          "nav": [{ ID: 1 }],
          "title@x.y": 1,
        }],
      }, { "odata-version": "4.01" })),
);

clause(
  "updates are PATCH, upserts PUT, bodies are those of 4.0 with the names of the model [OData 13.3.7] [OData 13.3.17] [OData 13.3.18]",
  async () => {
    const bodies: Record<string, unknown>[] = [];
    await withServer(async ({ remote, last }) => {
      await remote.update("Books", 1).with({ stock: 3, author: { ID: 1 } });
      assert.deepEqual([last().method, new URL(last().url).pathname], ["PATCH", `${ROOT}/Books(1)`]);
      await remote.upsert({ ID: 9, days: 1 }).into("Loans");
      assert.deepEqual([last().method, new URL(last().url).pathname], ["PUT", `${ROOT}/Loans(9)`]);
      assert.equal(bodies[0].stock, 3);
      for (const body of bodies) {
        for (const name of Object.keys(body)) {
          assert.ok(!name.startsWith("@") || name.startsWith("@odata."), name);
        }
      }
    }, async (request, serve) => {
      bodies.push(await request.clone().json());
      return await serve(request);
    });
  },
);

clause(
  "options have their $, operators and functions their letter case [OData 13.3.8] [OData 13.3.9]",
  () =>
    withServer(async ({ remote, last }) => {
      const query = SELECT.from("Books").columns("ID").where(
        "stock >= 5 and (title like '%a%' or not title in ('x','y')) and length(title) > 2",
      ).orderBy("title desc").limit(2, 1);
      await remote.run(query);
      const names = [...new URL(last().url).searchParams.keys()];
      assert.deepEqual(names.sort(), ["$filter", "$orderby", "$select", "$skip", "$top"]);
      const text = decodeURIComponent(queryOf(last())).replace(/'[^']*'/g, "''");
      for (const word of text.match(/\b(ge|and|or|not|in|contains|length|gt|desc|eq)\b/gi)!) {
        assert.equal(word, word.toLowerCase());
      }
    }),
);

clause(
  "a plus, and all else with a meaning in URLs, is encoded [OData 13.3.10]",
  () =>
    withServer(async ({ remote, last }) => {
      const title = "a+b&c=d#e%f/g?h'i j";
      await remote.create("Books", { ID: 77, title });
      const rows = await remote.read("Books").columns("ID").where({ title }) as Row[];
      assert.deepEqual(rows.map(({ ID }) => ID), [77]);
      assert.match(queryOf(last()), /a%2Bb%26c=d%23e%25f/);
      assert.doesNotMatch(queryOf(last()), /\+/);
    }),
);

clause("a service behind Basic authentication is called over https [OData 13.3.11]", async () => {
  const own = await createCertificate({ subject: "CN=localhost", names: ["localhost"] });
  const seen: (string | null)[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "localhost", onListen: () => {}, cert: own.pem, key: own.key },
    ({ headers }) => {
      seen.push(headers.get("authorization"));
      return json({ value: [{ ID: 1 }] });
    },
  );
  const trusting = Deno.createHttpClient({ caCerts: [own.pem] });
  const requires = {
    ShopService: {
      kind: "odata",
      credentials: { url: `https://localhost:${server.addr.port}`, username: "ann", password: "s3cret" },
    },
  };
  const kinds = { ...denoKinds, fetch: (request: Request) => fetch(request, { client: trusting }) };
  const client = createRuntime({ model: LIBRARY, kinds, env: { ...SILENT, requires } });
  await client.start();
  try {
    const remote = await client.connect("ShopService") as RemoteService;
    assert.equal((await remote.read("Books") as Row[]).length, 1);
    assert.deepEqual(seen, [`Basic ${btoa("ann:s3cret")}`]);
  } finally {
    await client.close();
    trusting.close();
    await server.shutdown();
  }
});

clause(
  "what a service refuses is an error with the status and body of the refusal as cause [OData 13.3.21]",
  () =>
    withServer(async ({ remote }) => {
      await assert.rejects(
        async () => await remote.read("Books"),
        (error: { status: number; cause: RemoteError }) => {
          assert.deepEqual([error.status, error.cause.status], [502, 501]);
          assert.deepEqual(error.cause.body, { error: { code: "501", message: "Not Implemented" } });
          return true;
        },
      );
    }, () =>
      new Response(JSON.stringify({ error: { code: "501", message: "Not Implemented" } }), {
        status: 501,
        headers: { "content-type": "application/json" },
      })),
);

clause(
  "the metadata of the service are not asked for, whatever they are: the model is that of the application [OData 13.3.19]",
  () =>
    withServer(async ({ remote, requests }) => {
      await remote.read("Books", 1);
      await remote.create("Loans", { ID: 9, days: 1 });
      assert.deepEqual(requests.filter(({ url }) => url.includes("$metadata")), []);
    }),
);

clause.refused(
  "no references, deltas, asynchronous or streamed answers are asked for [OData 13.3.12] [OData 13.3.13] [OData 13.3.14] [OData 13.3.16]",
  () =>
    withServer(async ({ remote, last }) => {
      await remote.read("Books");
      assert.equal(last().headers.get("prefer"), null);
      assert.doesNotMatch(last().headers.get("accept")!, /streaming/);
    }),
);
