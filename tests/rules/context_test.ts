import assert from "node:assert/strict";
import {
  type ApplicationService,
  EventContext,
  fw,
  type Row,
  SELECT,
  type ServiceRequest,
  User,
} from "../../mod.ts";
import type { Library } from "./library.ts";
import { withLibrary } from "./library.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DELAY = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const TENANTS = {
  env: {
    requires: {
      multitenancy: true,
      auth: { kind: "mocked", users: { ann: { tenant: "t1", roles: ["admin"] }, bea: { tenant: "t2" } } },
    },
  },
};

/** Calls the action `run`, whose handler is `look`; gives what it returned. */
async function looking<T>(
  look: (req: ServiceRequest) => T | Promise<T>,
  call: (library: Library) => Promise<unknown> = (library) => library.post("run"),
  options: object = {},
): Promise<T[]> {
  const seen: T[] = [];
  const catalog = (srv: ApplicationService) => {
    srv.on("run", async (req: ServiceRequest) => {
      seen.push(await look(req));
      return "run";
    });
  };
  await withLibrary({ ...options, catalog, admin: catalog }, call);
  return seen;
}

const members = (context: EventContext | undefined) =>
  context &&
  { id: context.id, user: context.user.id, locale: context.locale, time: context.timestamp.getTime() };

Deno.test("The request is the event context, also by fw.context [2.1.1] [2.1.2] [2.1.3]", async () => {
  const [seen] = await looking((req) => {
    assert.ok(req instanceof EventContext);
    assert.equal(fw.context, req);
    return { own: members(req), current: members(fw.context) };
  });
  assert.ok(seen.own);
  assert.deepEqual(seen.current, seen.own);
});

Deno.test("fw.context is there after awaits, in timers, microtasks, streams and nested calls [2.1.3]", async () => {
  const headers = { "x-correlation-id": "mine", "accept-language": "de" };
  const [seen] = await looking(async () => {
    const ids: (string | undefined)[] = [];
    const note = () => ids.push(fw.context?.id);
    await DELAY(1);
    note();
    await new Promise<void>((resolve) => setTimeout(() => (note(), resolve()), 1));
    await new Promise<void>((resolve) => queueMicrotask(() => (note(), resolve())));
    await Promise.all([1, 2].map(async () => (await DELAY(1), note())));
    const stream = new ReadableStream({
      async pull(controller) {
        await DELAY(1);
        note();
        controller.close();
      },
    });
    for await (const _ of stream);
    await (async function* () {
      await DELAY(1);
      yield note();
    })().next();
    await SELECT.from("library.Books");
    note();
    return ids;
  }, (library) => library.post("run", {}, headers));
  assert.deepEqual(seen, Array(8).fill("mine"));
});

Deno.test("Nested service calls and what they start have the context of the request [2.1.3] [2.1.1]", async () => {
  const seen: unknown[] = [];
  await withLibrary({
    catalog: (srv) => {
      srv.on("run", async (req) => {
        const admin = await fw.connect.to("library.AdminService");
        await admin.tx(req).send("run", { n: 1 });
        await admin.read("Books");
        await srv.emit("Ordered", { book: 1 });
        return "run";
      });
      srv.on("Ordered", (event) => void seen.push(["event", members(event), event.user.id]));
    },
    admin: (srv) => {
      srv.on("run", (req) => void seen.push(["send", members(req), members(fw.context)]));
      srv.on("READ", "Books", (req) => void seen.push(["read", members(req), members(fw.context)]));
    },
  }, async (library) => {
    await library.send("POST", "run", {
      body: {},
      headers: { "x-correlation-id": "mine", "accept-language": "fr" },
      user: "alice",
    });
    const given = seen[0] as [string, { time: number }];
    const expected = { id: "mine", user: "mock/alice", locale: "fr", time: given[1].time };
    assert.deepEqual(seen, [
      ["send", expected, expected],
      ["read", expected, expected],
      ["event", expected, "mock/alice"],
    ]);
  });
});

Deno.test("Spawned work has a context of its own, not that of the request", async () => {
  let job: Promise<unknown> | undefined;
  await withLibrary((srv) => {
    srv.on("run", () => {
      job = new Promise((resolve) => {
        fw.spawn({ user: "worker" }, () => resolve(members(fw.context)));
      });
      return "run";
    });
  }, async (library) => {
    await library.send("POST", "run", { body: {}, headers: { "x-correlation-id": "mine" }, user: "alice" });
    const { id, user, locale } = await job as { id: string; user: string; locale: unknown };
    assert.deepEqual({ user, locale }, { user: "worker", locale: undefined });
    assert.match(id, UUID);
    assert.equal(fw.context, undefined);
  });
});

Deno.test("Assigning a plain object to fw.context makes a context of it [2.1.4] [2.1.5]", async () => {
  const [seen] = await looking(async () => {
    fw.context = { tenant: "t9", user: "u9" };
    await DELAY(1);
    const { context } = fw;
    assert.ok(context instanceof EventContext);
    assert.ok(context.user instanceof User);
    return { tenant: context.tenant, user: context.user.id, hasTime: context.timestamp instanceof Date };
  });
  assert.deepEqual(seen, { tenant: "t9", user: "u9", hasTime: true });
});

Deno.test("Assigning a transaction to fw.context assigns its context [2.1.6]", async () => {
  const [seen] = await looking(async (req) => {
    const tx = fw.tx({ tenant: "t9", user: "u9" }) as { context: EventContext; rollback(): Promise<void> };
    fw.context = tx;
    const isSame = fw.context === tx.context;
    const user = fw.context!.user.id;
    await tx.rollback();
    fw.context = req;
    return { isSame, user };
  });
  assert.deepEqual(seen, { isSame: true, user: "u9" });
});

Deno.test("The correlation id comes from the first of four headers and goes back [2.1.id.a] [4.1.h.corr]", async () => {
  const names = ["x-correlation-id", "x-correlationid", "x-request-id", "x-vcap-request-id"];
  const ids = await looking((req) => req.id, async (library) => {
    for (const first of [0, 1, 2, 3]) {
      const headers = Object.fromEntries(
        names.slice(first).reverse().map((name) => [name, `by ${name}`.replace(" ", "-")]),
      );
      const answer = await library.post("run", {}, headers);
      assert.equal(answer.headers.get("x-correlation-id"), `by-${names[first]}`);
    }
  });
  assert.deepEqual(ids, names.map((name) => `by-${name}`));
});

Deno.test("Without correlation header each request gets a new UUID [2.1.id.b]", async () => {
  const answered: (string | null)[] = [];
  const ids = await looking((req) => req.id, async (library) => {
    for (let i = 0; i < 3; i++) answered.push((await library.post("run")).headers.get("x-correlation-id"));
  });
  for (const id of ids) assert.match(id, UUID);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(answered, ids);
});

Deno.test("The locale is that of Accept-Language, normalized; undefined without [2.1.locale] [4.1.h.lang]", async () => {
  const given = ["de-AT", "en-GB", "fr;q=0.5, de;q=0.8", "PT-br", "zh-tw", undefined];
  const locales = await looking((req) => req.locale, async (library) => {
    for (const one of given) {
      await library.post("run", {}, one === undefined ? {} : { "accept-language": one });
    }
  });
  assert.deepEqual(locales, ["de", "en_GB", "de", "pt", "zh_TW", undefined]);
});

Deno.test("The tenant is that of the user, undefined without multitenancy [2.1.tenant.a]", async () => {
  const call = async (library: Library) => {
    for (const user of ["ann", "bea"]) await library.send("POST", "run", { body: {}, user });
  };
  assert.deepEqual(await looking((req) => req.tenant, call, TENANTS), ["t1", "t2"]);
  const single = { env: { requires: { auth: TENANTS.env.requires.auth } } };
  assert.deepEqual(await looking((req) => req.tenant, call, single), [undefined, undefined]);
});

Deno.test("Rows of one tenant are not seen by another [2.1.tenant.b]", () =>
  withLibrary(TENANTS, async (library) => {
    const books = async (user: string) => {
      const { body } = await library.send("GET", "Books?$select=ID&$orderby=ID", { user });
      return (body.value as unknown as Row[]).map((book) => book.ID);
    };
    await library.send("POST", "Books", { body: { ID: 1, title: "Of t1" }, user: "ann" });
    await library.send("DELETE", "Books(251)", { user: "bea" });
    assert.deepEqual(await books("ann"), [1, 201, 251]);
    assert.deepEqual(await books("bea"), [201]);
    const taken = await library.send("POST", "Books", { body: { ID: 1, title: "Of t2" }, user: "bea" });
    assert.equal(taken.status, 201);
    const { body } = await library.send("GET", "Books(1)?$select=title", { user: "ann" });
    assert.equal(body.title, "Of t1");
  }));

Deno.test("The timestamp is constant for the whole request [2.1.timestamp.a]", async () => {
  const times = await looking(async (req) => {
    const first = req.timestamp;
    assert.ok(first instanceof Date);
    await DELAY(5);
    assert.equal(req.timestamp, first);
    assert.equal(fw.context!.timestamp, first);
    return first.getTime();
  }, async (library) => {
    await library.post("run");
    await DELAY(2);
    await library.post("run");
  });
  assert.notEqual(times[0], times[1]);
});

Deno.test("$now is the timestamp of the request, the same in all its statements [2.1.timestamp.b]", () =>
  withLibrary((srv) => {
    srv.on("run", async (req) => {
      const now = async () => {
        await DELAY(3);
        const columns = [{ ref: ["$now"], as: "now" }];
        const query = { SELECT: { one: true, from: { ref: ["library.Books"] }, columns } };
        return String((await srv.host.db!.run(query) as Row).now);
      };
      const times = [await now(), await now()].map((text) => new Date(text).getTime());
      const insert = (ID: number) =>
        srv.run({
          INSERT: { into: { ref: ["library.CatalogService.Books"] }, entries: [{ ID, title: "A" }] },
        });
      await insert(1);
      await DELAY(3);
      await insert(2);
      assert.deepEqual(times, [req.timestamp.getTime(), req.timestamp.getTime()]);
      return req.timestamp.toISOString();
    });
  }, async (library) => {
    const { body, text } = await library.post("run");
    assert.ok(body.value, text);
    const rows = await library.get("Books?$filter=ID lt 3&$select=createdAt,modifiedAt");
    const at = { createdAt: body.value, modifiedAt: body.value };
    assert.deepEqual(
      (rows.body.value as unknown as Row[]).map(({ createdAt, modifiedAt }) => ({ createdAt, modifiedAt })),
      [at, at],
    );
  }));

Deno.test("The user is the one the strategy verified, else fw.User.anonymous [2.1.user.a] [2.1.user.b]", async () => {
  const users = await looking((req) => {
    assert.ok(req.user instanceof fw.User);
    assert.equal(req.user, fw.context!.user);
    return { id: req.user.id, isAdmin: req.user.is("admin"), isNobody: req.user === fw.User.anonymous };
  }, async (library) => {
    await library.send("POST", "run", { body: {}, user: "alice" });
    await library.send("POST", "run", { body: {}, user: "bob" });
    await library.post("run");
  });
  assert.deepEqual(users, [
    { id: "mock/alice", isAdmin: true, isNobody: false },
    { id: "mock/bob", isAdmin: false, isNobody: false },
    { id: "anonymous", isAdmin: false, isNobody: true },
  ]);
});

Deno.test("req.user follows an assignment to fw.context.user in an outer handler [2.1.user.b]", async () => {
  const [seen] = await looking(async (req) => {
    req.user = new User({ id: "other", roles: ["admin"] });
    const admin = await fw.connect.to("library.AdminService");
    admin.on("READ", "Books", (inner) => [{ title: inner.user.id }]);
    return await admin.read("Books") as Row[];
  });
  assert.equal(seen[0].title, "other");
});

Deno.test("A custom strategy may still set req.user, which is deprecated [2.1.user.c]", async () => {
  const impl = (req: { user?: unknown }, _res: unknown, next: () => void) => {
    req.user = { id: "classic", roles: ["admin"] };
    next();
  };
  const options = { env: { requires: { auth: { impl: [impl] } } } };
  const [seen] = await looking(
    (req) => ({ id: req.user.id, isAdmin: req.user.is("admin") }),
    undefined,
    options,
  );
  assert.deepEqual(seen, { id: "classic", isAdmin: true });
});

Deno.test("http is there for HTTP only, and for all child requests [2.1.http.a] [2.1.http.b]", async () => {
  const seen: unknown[] = [];
  await withLibrary({
    catalog: (srv) => {
      srv.on("run", async (req) => {
        seen.push(req.http === undefined ? "none" : [req.http.req.get("x-mine"), typeof req.http.res.set]);
        const admin = await fw.connect.to("library.AdminService");
        admin.prepend((one) => one.on("READ", "*", (inner) => (seen.push(inner.http === req.http), [])));
        await admin.tx({ user: new User({ id: "x", roles: ["admin"] }) }, (tx) => tx.read("Books"));
        await SELECT.from("library.Books");
        return "run";
      });
    },
  }, async (library) => {
    library.runtime.db!.before("READ", "*", (req) => void seen.push(["db", req.http?.req.get("x-mine")]));
    await library.post("run", {}, { "x-mine": "17" });
    assert.deepEqual(seen, [["17", "function"], true, ["db", "17"]]);
    seen.length = 0;
    await library.runtime.services["library.CatalogService"].send("run", { n: 1 });
    assert.deepEqual(seen, ["none", true, ["db", undefined]]);
  });
});

Deno.test("new fw.User({id, roles, attr}) holds all three [2.1.User]", () => {
  const user = new fw.User({ id: "u", roles: ["a", "b"], attr: { country: ["DE"], level: 2 } });
  assert.equal(user.id, "u");
  assert.deepEqual(["a", "b", "c", "any", "authenticated-user"].map((role) => user.is(role)), [
    true,
    true,
    false,
    true,
    true,
  ]);
  assert.deepEqual({ ...user.attr }, { country: ["DE"], level: 2 });
});
