import assert from "node:assert/strict";
import { createCustomStrategy } from "../../src/auth/custom_strategy.ts";
import { EventContext, type HttpRequest, type HttpResponse } from "../../src/context/event_context.ts";
import { createHttpContext } from "../../src/context/http_context.ts";
import { runWithContext } from "../../src/context/store.ts";
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

Deno.test("createCustomStrategy() takes factories, arrays and modules", async () => {
  const factory = (options: { name: string }) => (_request: Request, ctx: EventContext) => {
    ctx.user = { id: options.name };
  };
  const { context } = await authenticate({ default: factory }, { name: "made" });
  assert.equal(context.user.id, "made");
});

Deno.test("createCustomStrategy() leaves a request anonymous where no user is set", async () => {
  const { result, strategy } = await authenticate((request: Request, _ctx: EventContext) => {
    request.headers.get("x-user");
  });
  assert.deepEqual(result, { anonymous: true });
  assert.equal(strategy.isEmpty, false);
});

Deno.test("createCustomStrategy() recognizes an empty implementation, with a warning", async () => {
  const empty = [
    () => {},
    (_req: unknown, _res: unknown, next: Next) => next(),
    function (_req: unknown, _res: unknown, next: Next) {
      next();
    },
  ];
  for (const implementation of empty) {
    const { strategy, warnings } = await authenticate(implementation);
    assert.equal(strategy.isEmpty, true, String(implementation));
    assert.equal(warnings.length, 1);
  }
});

Deno.test("createCustomStrategy() refuses modules without function", async () => {
  await assert.rejects(authenticate({ default: {} }), ConfigurationError);
});
