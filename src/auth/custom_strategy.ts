/**
 * Custom strategies (spec 5.5, auth 1): web-style `(request, context)`, classic `(req, res, next)`, or a factory.
 *
 * @module
 */

import { type EventContext, type HttpRequest, toUser } from "../context/event_context.ts";
import { type ClassicMiddleware, runMiddleware } from "../context/http_context.ts";
import { currentContext, replaceContext, runWithContext } from "../context/store.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { ServiceError } from "../errors/service_error.ts";
import type { AuthenticationResult, AuthenticationStrategy } from "./strategy.ts";

/** A function of any of the three forms. */
// deno-lint-ignore ban-types
type Middleware = Function;

/** What a custom strategy is made from. */
export interface CustomStrategyOptions {
  /** Functions, or modules that export one by default. */
  readonly implementations: readonly unknown[];
  /** Handed to factories. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Takes the warning about an empty implementation. */
  readonly warn: (text: string) => void;
}

/** A strategy, and whether it is empty, which switches authentication off (spec 5.5.1). */
export interface CustomStrategy extends AuthenticationStrategy {
  readonly isEmpty: boolean;
}

/**
 * Creates the strategy; factories are called once.
 *
 * @throws ConfigurationError when an implementation is no function
 */
export async function createCustomStrategy(given: CustomStrategyOptions): Promise<CustomStrategy> {
  const steps: Middleware[] = [];
  let isEmpty = true;
  const implementations = given.implementations.flatMap(exported);
  if (implementations.length === 0) {
    throw new ConfigurationError(`"fw.requires.auth.impl" must name a function, but is an empty list`);
  }
  for (const implementation of implementations) {
    if (typeof implementation !== "function") {
      throw new ConfigurationError(
        `"fw.requires.auth.impl" must export a function, but exports ${typeof implementation}`,
      );
    }
    const made = await instantiate(implementation, given.options);
    isEmpty &&= made.every(doesNothing);
    steps.push(...made);
  }
  if (isEmpty) given.warn("The custom authentication does nothing: authentication is switched off");
  return {
    kind: "custom",
    challenge: "Bearer",
    isEmpty,
    authenticate: (request, context) => run(steps, request, context),
  };
}

function exported(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(exported);
  if (typeof value !== "object" || value === null) return [value];
  const module = value as Readonly<Record<string, unknown>>;
  return exported(module.default ?? module["module.exports"]);
}

/**
 * Three parameters make it classic, two web-style, fewer a factory. A function that takes nothing, makes nothing and does
 * nothing stands for no step at all.
 */
async function instantiate(
  step: Middleware,
  options: Readonly<Record<string, unknown>>,
): Promise<readonly Middleware[]> {
  if (step.length >= 2) return [step];
  const made = await step(options);
  if (made === undefined && step.length === 0 && doesNothing(step)) return [];
  const steps = Array.isArray(made) ? made : [made];
  if (steps.every((one) => typeof one === "function")) return steps;
  throw new ConfigurationError(`The factory of "fw.requires.auth.impl" must return a function`);
}

async function run(
  steps: readonly Middleware[],
  request: Request,
  context: EventContext,
): Promise<AuthenticationResult> {
  const anonymous = context.user;
  for (const step of steps) {
    const answer = step.length >= 3 ? await runClassic(step, context) : await step(request, context);
    if (answer instanceof Response) return { response: answer };
  }
  adoptAssigned(context);
  return context.user === anonymous ? { anonymous: true } : { user: context.user, tenant: context.tenant };
}

/** `fw.context = {user}` in a middleware replaces the context: its user and tenant become those of the request. */
function adoptAssigned(context: EventContext): void {
  const assigned = currentContext();
  if (assigned === undefined || assigned === context) return;
  context.user = assigned.user;
  context.tenant = assigned.tenant;
  replaceContext(context);
}

/** Setting `req.user` or `req.tenant` is deprecated, but accepted (spec 2.1). */
type ClassicRequest = HttpRequest & { user?: unknown; tenant?: string };

async function runClassic(step: Middleware, context: EventContext): Promise<Response | undefined> {
  const http = context.http!;
  try {
    const response = await runMiddleware(step as ClassicMiddleware, http);
    if (response) return response;
  } catch (error) {
    throw hidden(error);
  }
  const { user, tenant } = http.req as ClassicRequest;
  if (user !== undefined) context.user = toUser(user as string);
  if (tenant !== undefined) context.tenant = tenant;
  return undefined;
}

/** An error of a custom strategy is answered without its text. */
function hidden(error: unknown): Error {
  const status = error instanceof Error ? (error as { status?: number }).status ?? 401 : 401;
  return new ServiceError({ status, cause: error });
}

/**
 * Whether a middleware does nothing: called once, with arguments that notice every look at them, it looks at none of
 * them, nor at the current context, and calls `next` at once without an argument, or, in the web style, returns nothing.
 * What never looks at a request does the same for each. A middleware that looks at anything, answers, throws, waits
 * before it calls `next`, or returns a promise in the web style is not empty. Its source text plays no role.
 *
 * @param step the function; with three parameters or more `(req, res, next)`, else `(request, context)`
 */
// deno-lint-ignore ban-types
function doesNothing(step: Function): boolean {
  const seen = { isTouched: false, calls: 0 };
  const probe = untouchable(() => seen.isTouched = true);
  const next = (...args: readonly unknown[]) => {
    seen.calls++;
    if (args.length > 0) seen.isTouched = true;
  };
  const isClassic = step.length >= 3;
  // the probe is no context: looking at what it has in place of one is noticed like any other look
  const context = probe as EventContext;
  const outcome = runWithContext(context, () => {
    const returned = attempt(() => step(probe, probe, next));
    return { returned, isReplaced: currentContext() !== context };
  });
  if (outcome.returned instanceof Failure || outcome.isReplaced || seen.isTouched) return false;
  if (isClassic) return seen.calls === 1;
  return outcome.returned === undefined && seen.calls <= 1;
}

class Failure {}

/** What a function returns, or that it threw; a promise that fails later is of no interest. */
function attempt(run: () => unknown): unknown {
  try {
    const returned = run();
    if (returned instanceof Promise) returned.catch(() => {});
    return returned;
  } catch {
    return new Failure();
  }
}

/**
 * An object that calls back and throws at every operation on it. Only a `Proxy` notices the names nobody thought of:
 * what it would miss would switch authentication off.
 */
function untouchable(onTouch: () => void): object {
  const trap = () => {
    onTouch();
    throw new TypeError("A custom authentication was called to see whether it does anything");
  };
  const traps = [
    ...["get", "set", "has", "deleteProperty", "defineProperty", "getOwnPropertyDescriptor", "ownKeys"],
    ...["getPrototypeOf", "setPrototypeOf", "isExtensible", "preventExtensions"],
  ];
  return new Proxy({}, Object.fromEntries(traps.map((name) => [name, trap])));
}
