import assert from "node:assert/strict";
import { fw } from "../../src/fw.ts";
import { createStrategy } from "../../src/auth/create_strategy.ts";
import { createCustomStrategy } from "../../src/auth/custom_strategy.ts";
import { EventContext, type HttpRequest, type HttpResponse } from "../../src/context/event_context.ts";
import { createHttpContext } from "../../src/context/http_context.ts";
import { currentContext, replaceContext, runWithContext } from "../../src/context/store.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";

type Next = (error?: unknown) => void;

async function authenticate(implementation: unknown, options: Record<string, unknown> = {}) {
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const strategy = await createCustomStrategy({ implementations: [implementation], options, warn });
  const request = new Request("http://x/", { headers: { "x-user": "ann" } });
  const context = new EventContext({ http: createHttpContext(request) });
  const result = await runWithContext(context, () => strategy.authenticate(request, context));
  return { result, context, warnings, strategy };
}

Deno.test("createCustomStrategy() runs a web-style function", async () => {
  const { context, result } = await authenticate((request: Request, ctx: EventContext) => {
    ctx.user = { id: request.headers.get("x-user")! };
  });
  assert.equal(context.user.id, "ann");
  assert.ok("user" in result);
});

Deno.test("createCustomStrategy() runs a function of req, res and next, which may answer, throw or go on [5.5.1b]", async () => {
  const { context } = await authenticate((req: HttpRequest, _res: HttpResponse, next: Next) => {
    (req as { user?: unknown }).user = { id: req.get("x-user") };
    next();
  });
  assert.equal(context.user.id, "ann");
  const answered = await authenticate((_req: HttpRequest, res: HttpResponse, _next: Next) => {
    res.status(418).send("no");
  });
  assert.equal((answered.result as { response: Response }).response.status, 418);
  const failing = (_req: HttpRequest, _res: HttpResponse, _next: Next) => {
    throw new Error("the secret is 42");
  };
  await assert.rejects(authenticate(failing), (error: Error) => !error.message.includes("42"));
});

Deno.test("createCustomStrategy() waits for a web-style function, which may answer", async () => {
  const { context } = await authenticate(async (_request: Request, ctx: EventContext) => {
    await Promise.resolve();
    ctx.user = { id: "late" };
  });
  assert.equal(context.user.id, "late");
  for (const later of [false, true]) {
    const response = new Response("no", { status: 418 });
    const { result } = await authenticate((_request: Request, _ctx: EventContext) =>
      later ? Promise.resolve(response) : response
    );
    assert.equal((result as { response: Response }).response, response);
  }
});

Deno.test("createCustomStrategy() answers what a function of req, res and next throws by its status, else 401", async () => {
  const thrown: readonly (readonly [unknown, number])[] = [
    [Object.assign(new Error("no"), { status: 403 }), 403],
    [new Error("no"), 401],
    ["no", 401],
    [{ status: 403 }, 401],
  ];
  for (const [error, status] of thrown) {
    const failing = (_req: HttpRequest, _res: HttpResponse, _next: Next) => {
      throw error;
    };
    await assert.rejects(authenticate(failing), { name: "ServiceError", status });
  }
});

Deno.test("createCustomStrategy() takes factories, arrays and modules", async () => {
  const factory = (options: { name: string }) => (_request: Request, ctx: EventContext) => {
    ctx.user = { id: options.name };
  };
  const { context } = await authenticate({ default: factory }, { name: "made" });
  assert.equal(context.user.id, "made");
});

Deno.test("the factory of a strategy gets the configuration of authentication", async () => {
  const given: unknown[] = [];
  const impl = (options: object) => {
    given.push(options);
    return (_request: Request, _ctx: EventContext) => {};
  };
  const auth = { kind: "custom", name: "made", impl };
  await createStrategy({ env: { requires: { auth } }, production: true, warn: () => {} });
  assert.deepEqual(given, [auth]);
});

Deno.test("createCustomStrategy() waits for what factories promise, and refuses what makes no function", async () => {
  const step = (_request: Request, ctx: EventContext) => {
    ctx.user = { id: "late" };
  };
  for (const made of [step, [step]]) {
    const { context } = await authenticate((_options: object) => Promise.resolve(made));
    assert.equal(context.user.id, "late");
  }
  for (const made of [undefined, 1, [step, 1]]) {
    await assert.rejects(authenticate((_options: object) => made), ConfigurationError);
  }
});

Deno.test("createCustomStrategy() leaves a request anonymous where no user is set", async () => {
  const { result, strategy } = await authenticate((request: Request, _ctx: EventContext) => {
    request.headers.get("x-user");
  });
  assert.deepEqual(result, { anonymous: true });
  assert.equal(strategy.isEmpty, false);
});

Deno.test("createCustomStrategy() recognizes an implementation that does nothing, with a warning [5.5.1d]", async () => {
  const empty = [
    () => {},
    (_req: unknown, _res: unknown, next: Next) => next(),
    (_request: Request, _context: EventContext) => {},
    // neither names nor the way it is written matter
    function (_a: unknown, _b: unknown, go: Next) {
      const text = "auth() // req.user = { id }";
      if (text.length > 0) go();
      return;
    },
    async (_req: unknown, _res: unknown, next: Next) => await next(),
    () => (_req: unknown, _res: unknown, next: Next) => next(),
    [() => {}, (_req: unknown, _res: unknown, next: Next) => next()],
    { default: () => {} },
  ];
  for (const implementation of empty) {
    const { strategy, warnings, result } = await authenticate(implementation);
    assert.equal(strategy.isEmpty, true, String(implementation));
    assert.equal(warnings.length, 1);
    assert.deepEqual(result, { anonymous: true });
  }
});

/** Middleware that does something, whatever its source looks like. */
const BUSY: readonly [name: string, implementation: unknown][] = [
  ["reads a header", (req: HttpRequest, _res: HttpResponse, next: Next) => (req.get("x-user"), next())],
  ["looks for a member", (req: object, _res: unknown, next: Next) => next("user" in req ? 1 : undefined)],
  ["looks only where something is", (req: HttpRequest | undefined, _: unknown, next: Next) => {
    if (req?.headers === undefined) return next();
    next();
  }],
  ["catches what it meets", (req: HttpRequest, _res: unknown, next: Next) => {
    try {
      req.get("x-user");
    } catch { /* as if it had found nothing */ }
    next();
  }],
  ["sets a header", (_req: unknown, res: HttpResponse, next: Next) => (res.status(401), next())],
  ["sets the user of the context", (_req: unknown, _res: unknown, next: Next) => {
    fw.context = { user: "ann" };
    next();
  }],
  ["reads the context", (_req: unknown, _res: unknown, next: Next) => (fw.context?.user, next())],
  ["fails", (_req: unknown, _res: unknown, next: Next) => next(new Error("no"))],
  ["throws", (_req: unknown, _res: unknown, _next: Next) => {
    throw new Error("no");
  }],
  ["throws in the web style", (_request: Request, _context: EventContext) => {
    throw new Error("no");
  }],
  ["waits first", async (_req: unknown, _res: unknown, next: Next) => {
    await Promise.resolve();
    next();
  }],
  ["is asynchronous in the web style", async (_request: Request, _context: EventContext) => await 1],
  [
    "looks like it is empty",
    Object.assign(
      (req: HttpRequest, _res: unknown, next: Next) => (req.get("x-user"), next()),
      { toString: () => "(req, res, next) => next()" },
    ),
  ],
];

for (const [name, implementation] of BUSY) {
  Deno.test(`createCustomStrategy() takes no middleware for empty that ${name} [5.5.1d]`, async () => {
    const warnings: string[] = [];
    for (const all of [[implementation], [() => {}, implementation]]) {
      const { isEmpty } = await createCustomStrategy({
        implementations: all,
        options: {},
        warn: (text) => void warnings.push(text),
      });
      assert.deepEqual([isEmpty, warnings], [false, []]);
    }
  });
}

Deno.test("createCustomStrategy() takes a wrapper of a middleware neither for a factory nor for empty", async () => {
  const wrapped = (...args: readonly unknown[]) => void (args[0] as HttpRequest).headers;
  await assert.rejects(authenticate(wrapped), ConfigurationError);
  await assert.rejects(authenticate([]), ConfigurationError);
});

Deno.test("createCustomStrategy() goes on in the context of the request where a function assigns another one", async () => {
  const implementation = (_request: Request, _ctx: EventContext) => {
    replaceContext(new EventContext({ user: "own", tenant: "t9" }));
  };
  const strategy = await createCustomStrategy({
    implementations: [implementation],
    options: {},
    warn: () => {},
  });
  const request = new Request("http://x/");
  const context = new EventContext({ http: createHttpContext(request) });
  await runWithContext(context, async () => {
    await strategy.authenticate(request, context);
    assert.equal(currentContext(), context);
    assert.deepEqual([context.user.id, context.tenant], ["own", "t9"]);
  });
});

Deno.test("createCustomStrategy() leaves user and tenant alone where a function takes the context away", async () => {
  const { result } = await authenticate((request: Request, _ctx: EventContext) => {
    request.headers.get("x-user");
    replaceContext(undefined);
  });
  assert.deepEqual(result, { anonymous: true });
});

Deno.test("createCustomStrategy() refuses modules without function", async () => {
  await assert.rejects(authenticate({ default: {} }), ConfigurationError);
});
