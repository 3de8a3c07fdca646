import assert from "node:assert/strict";
import type { ApplicationService, ServiceRequest } from "../../mod.ts";
import { type Answer, errorOf, type Library, type LibraryOptions, withLibrary } from "./library.ts";

type Handler = (req: ServiceRequest) => unknown;

const running = (handler: Handler) => (srv: ApplicationService) => void srv.on("run", handler as never);

/** Runs a test with the action `run` of both services handled by a function. */
function failing(
  handler: Handler,
  test: (library: Library) => Promise<unknown>,
  options: LibraryOptions = {},
): Promise<void> {
  return withLibrary({ ...options, catalog: running(handler), rest: running(handler) }, test);
}

/** The error that `run` answers. */
async function errorFrom(
  handler: Handler,
  { status, headers }: { status: number; headers?: Record<string, string> },
): Promise<Record<string, unknown>> {
  let error!: Record<string, unknown>;
  await failing(handler, async (library) => {
    error = errorOf(await library.post("run", {}, headers), status);
  });
  return error;
}

Deno.test("Missing or wrong credentials get 401 and a challenge [7.1.401]", () =>
  withLibrary({
    env: { requires: { auth: { kind: "mocked", users: { ann: { password: "secret", roles: ["admin"] } } } } },
  }, async (library) => {
    const wrong = { authorization: `Basic ${btoa("ann:wrong")}` };
    const broken = { authorization: "Basic %%%" };
    for (const headers of [{}, wrong, broken]) {
      const answer = await library.get("/odata/v4/admin/Books", headers);
      const { code, message } = errorOf(answer, 401);
      assert.deepEqual([code, message], ["401", "Unauthorized"]);
      assert.match(answer.headers.get("www-authenticate")!, /^Basic/);
    }
    const right = { authorization: `Basic ${btoa("ann:secret")}` };
    assert.equal((await library.get("/odata/v4/admin/Books", right)).status, 200);
  }));

Deno.test("A user without the role gets 403 with code 403 and message Forbidden [7.1.403]", () =>
  withLibrary({}, async (library) => {
    for (const path of ["Books", "Books(201)", "$metadata", "Nothing"]) {
      const answer = await library.send("GET", `/odata/v4/admin/${path}`, { user: "bob" });
      const { code, message } = errorOf(answer, 403);
      assert.deepEqual([code, message], ["403", "Forbidden"], path);
    }
  }));

Deno.test("Input that lacks a mandatory value gets 400 [7.1.400]", () =>
  withLibrary((srv) => void srv.on("order", () => "ordered"), async (library) => {
    assert.equal(errorOf(await library.post("Books", { ID: 1 }), 400).target, "title");
    assert.equal(errorOf(await library.post("order", { book: 1 }), 400).target, "quantity");
    assert.deepEqual(await library.stored(), ["Heights", "The Raven"]);
  }));

Deno.test("Errors are JSON: {error: {code, message, target?}} with the status of the error [7.2.0a] [1.5]", async () => {
  const handler: Handler = (req) => req.reject({ status: 422, code: "C1", message: "Text", target: "field" });
  await failing(handler, async (library) => {
    for (const path of ["run", "/rest/rest/run"]) {
      const answer = await library.post(path);
      assert.equal(answer.status, 422);
      assert.match(answer.headers.get("content-type")!, /^application\/json/);
      const { "@Common.numericSeverity": _, ...error } = answer.body.error as Record<string, unknown>;
      assert.deepEqual(error, { code: "C1", message: "Text", target: "field" });
    }
  });
  const untargeted = await errorFrom((req) => req.reject(422, "Text"), { status: 422 });
  assert.equal("target" in untargeted, false);
});

Deno.test("Every answer beyond a protocol is JSON as well [7.2.0a]", () =>
  withLibrary({}, async (library) => {
    const answers: readonly Answer[] = [
      await library.get("/nowhere"),
      await library.get("/odata/v4/nowhere"),
      await library.get(`Books?$filter=title eq '${"x".repeat(20_000)}'`),
      await library.send("POST", "Books", {
        body: "no json",
        headers: { "content-type": "application/json" },
      }),
      await library.send("POST", "Books", { body: "<a/>", headers: { "content-type": "text/xml" } }),
      await library.send("PUT", "Books", { body: {} }),
    ];
    assert.deepEqual(answers.map(({ status }) => status), [404, 404, 414, 400, 415, 405]);
    for (const { body, headers } of answers) {
      assert.match(headers.get("content-type")!, /^application\/json/);
      const error = body.error as unknown as Record<string, unknown>;
      assert.deepEqual([typeof error.code, typeof error.message], ["string", "string"]);
    }
  }));

Deno.test("Several errors are answered as MULTIPLE_ERRORS with details [7.2.0b] [7.2.6]", async () => {
  const error = await errorFrom((req) => {
    req.error(400, "One", "a");
    req.error(400, "Two", "b");
  }, { status: 400 });
  assert.equal(error.code, "MULTIPLE_ERRORS");
  assert.deepEqual((error.details as { message: string }[]).map(({ message }) => message), ["One", "Two"]);
});

Deno.test("status is the HTTP status, else a numeric code from 300 to 599 [7.2.1]", async () => {
  const cases: readonly (readonly [object, number, string])[] = [
    [{ status: 409, code: 404 }, 409, "404"],
    [{ status: 409, code: "X" }, 409, "X"],
    [{ code: 404 }, 404, "404"],
    [{ code: 400 }, 400, "400"],
    [{ code: 599, $sanitize: false }, 599, "599"],
    [{ code: 299, message: "T", $sanitize: false }, 500, "299"],
    [{ code: 601, message: "T", $sanitize: false }, 500, "601"],
    [{ code: "X", $sanitize: false }, 500, "X"],
    [{ message: "No status" }, 500, "500"],
  ];
  for (const [given, status, code] of cases) {
    const error = await errorFrom((req) => req.reject(given as never), { status });
    assert.equal(error.code, code, JSON.stringify(given));
  }
  await failing((req) => req.reject({ code: 304 }), async (library) => {
    const { status, text } = await library.post("run");
    assert.deepEqual([status, text], [304, ""]);
  });
});

Deno.test("A string code is the key of the text; without code the message is, and becomes the code if found [7.2.2] [2.4.code] [2.4.message]", async () => {
  const texts = async (given: object) => {
    const { code, message } = await errorFrom((req) => req.reject({ status: 409, ...given }), {
      status: 409,
    });
    return [code, message];
  };
  assert.deepEqual(await texts({ code: "SOLD_OUT", args: ["It"] }), ["SOLD_OUT", "It is sold out"]);
  assert.deepEqual(await texts({ code: "SOLD_OUT", message: "Given", args: ["It"] }), [
    "SOLD_OUT",
    "It is sold out",
  ]);
  assert.deepEqual(await texts({ code: "UNKNOWN", message: "Given" }), ["UNKNOWN", "Given"]);
  assert.deepEqual(await texts({ message: "SOLD_OUT", args: ["It"] }), ["SOLD_OUT", "It is sold out"]);
  assert.deepEqual(await texts({ code: "OWN", message: "SOLD_OUT", args: ["It"] }), [
    "OWN",
    "It is sold out",
  ]);
  assert.deepEqual(await texts({ message: "No key" }), ["409", "No key"]);
});

Deno.test("Texts come in the preferred language, with fallback [7.2.3] [4.1.h.lang]", async () => {
  const text = async (language: string | undefined, key = "SOLD_OUT") => {
    const headers: Record<string, string> = language === undefined ? {} : { "accept-language": language };
    const error = await errorFrom((req) => req.reject(409, key, ["X"]), { status: 409, headers });
    return error.message;
  };
  assert.equal(await text("de"), "X ist ausverkauft");
  assert.equal(await text("de-AT"), "X ist ausverkauft");
  assert.equal(await text("fr, de;q=0.5"), "X est épuisé");
  assert.equal(await text("fr;q=0.2, de;q=0.5"), "X ist ausverkauft");
  assert.equal(await text("pl"), "X is sold out");
  assert.equal(await text(undefined), "X is sold out");
  assert.equal(await text("fr", "GREETING"), "Hello X");
  assert.equal(await text("de", "No such key"), "No such key");
});

Deno.test("Each part of a batch is answered in its own language [7.2.3]", () =>
  failing((req) => req.reject(409, "SOLD_OUT", ["X"]), async (library) => {
    const run = (language: string) => ({
      method: "POST",
      url: "run",
      body: {},
      headers: { "accept-language": language },
    });
    const answers = await library.batch([run("de"), run("fr"), run("en")], {
      headers: { "accept-language": "it" },
    });
    assert.deepEqual(answers.map((answer) => errorOf(answer, 409).message), [
      "X ist ausverkauft",
      "X est épuisé",
      "X is sold out",
    ]);
  }));

Deno.test("OData removes custom members of errors unless named with @, REST keeps them [7.2.4] [1.5]", async () => {
  const handler: Handler = (req) => {
    req.error({ status: 409, code: "A", message: "a", own: 1, "@mine": 2 });
    req.error({ status: 409, code: "B", message: "b", "@other": { deep: true } });
  };
  await failing(handler, async (library) => {
    const odata = errorOf(await library.post("run"), 409).details as Record<string, unknown>[];
    assert.deepEqual(odata, [
      { code: "A", message: "a", "@Common.numericSeverity": 4, "@mine": 2 },
      { code: "B", message: "b", "@Common.numericSeverity": 4, "@other": { deep: true } },
    ]);
    const rest = errorOf(await library.post("/rest/rest/run"), 409).details as Record<string, unknown>[];
    assert.equal(rest[0].own, 1);
  });
});

Deno.test("5xx answers hold the generic text only, in every profile and protocol [7.2.5] [1.5] [2.4.sanitize]", async () => {
  const handler: Handler = (req) => {
    const { n } = req.data as { n?: number };
    if (n === 1) throw new Error("password=1 at /srv/x.ts");
    if (n === 2) throw "thrown text";
    if (n === 3) return (req as unknown as { missing(): unknown }).missing();
    req.reject({ status: 500, code: "INTERNAL_CODE", message: "SELECT secret", target: "t", own: 1 });
  };
  const generic = { error: { code: "500", message: "Internal Server Error" } };
  for (const profiles of [["development"], ["test"]]) {
    await failing(handler as Handler, async (library) => {
      for (const n of [0, 1, 2, 3]) {
        for (const path of ["run", "/rest/rest/run"]) {
          const answer = await library.post(path, { n });
          assert.deepEqual([answer.status, answer.body], [500, generic], `${path} ${n}`);
        }
        const [part] = await library.batch([{ method: "POST", url: "run", body: { n } }]);
        assert.deepEqual([part.status, part.body], [500, generic]);
      }
    }, { profiles });
  }
});

Deno.test("The log has the full error of a 5xx under the correlation id [7.2.5]", async () => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(line);
  try {
    await failing(
      () => {
        throw new Error("secret detail");
      },
      (library) => library.post("run", {}, { "x-correlation-id": "id-17" }),
      {
        env: { log: { levels: { default: "error" } } },
      },
    );
  } finally {
    console.error = error;
  }
  assert.match(lines.join("\n"), /secret detail/);
  assert.match(lines.join("\n"), /id-17/);
});

Deno.test("req.error() of a phase ends it with an aggregate; no further phase runs [7.2.6] [6.1.agg]", async () => {
  for (const phase of ["before", "on", "after"] as const) {
    const ran: string[] = [];
    await withLibrary((srv) => {
      const handler = (name: string) => (...given: readonly unknown[]) => {
        ran.push(name);
        const req = given.find((one) =>
          typeof (one as { error?: unknown })?.error === "function"
        ) as ServiceRequest;
        if (name !== phase) return;
        req.error(400, "One", "a");
        req.error(400, "Two", "b");
      };
      srv.before("run", handler("before") as never);
      srv.before("run", () => void ran.push("before 2"));
      srv.on("run", handler("on") as never);
      srv.after("run", handler("after") as never);
      srv.after("run", () => void ran.push("after 2"));
    }, async (library) => {
      const error = errorOf(await library.post("run"), 400);
      assert.equal(error.code, "MULTIPLE_ERRORS");
      assert.equal((error.details as unknown[]).length, 2);
    });
    const all = ["before", "before 2", "on", "after", "after 2"];
    const count = { before: 2, on: 3, after: 5 }[phase];
    assert.deepEqual(ran, all.slice(0, count));
  }
});

Deno.test("req.reject() ends the handler and the request at once [7.2.7] [2.3.reject.a]", async () => {
  const ran: string[] = [];
  await withLibrary((srv) => {
    srv.before("run", (req) => {
      ran.push("before");
      req.reject(409, "No");
      ran.push("unreachable");
    });
    srv.on("run", () => void ran.push("on"));
  }, async (library) => {
    assert.equal(errorOf(await library.post("run"), 409).message, "No");
  });
  assert.deepEqual(ran, ["before"]);
});

Deno.test("A rejected request leaves nothing in the database [7.2.7] [7.2.6]", () =>
  withLibrary((srv) => {
    srv.after("CREATE", "Books", (_, req) => {
      const { ID } = req.data as { ID: number };
      if (ID === 1) req.reject(409, "Too late");
      if (ID === 2) req.error(409, "Too late");
    });
  }, async (library) => {
    for (const ID of [1, 2]) assert.equal((await library.post("Books", { ID, title: "T" })).status, 409);
    assert.deepEqual(await library.stored(), ["Heights", "The Raven"]);
  }));
