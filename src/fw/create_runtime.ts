/**
 * Creating runtimes.
 *
 * @module
 */

import { ownContext, setLatestRuntime } from "./current.ts";
import { Runtime, type RuntimeOptions } from "./runtime.ts";

/**
 * Creates an isolated runtime. It starts with its first request, or by `start()`.
 *
 * @param options model, configuration, handlers, kinds
 * @returns the runtime, a web handler: `export default createRuntime({ model })`
 * @throws ConfigurationError when the model or the configuration is wrong
 *
 * @example A service from a compiled model
 * ```ts
 * import { createRuntime } from "@fw/runtime";
 *
 * const model = {
 *   definitions: {
 *     "Hello": { kind: "service" },
 *     "Hello.greet": {
 *       kind: "function",
 *       params: { name: { type: "cds.String" } },
 *       returns: { type: "cds.String" },
 *     },
 *   },
 * } as const;
 *
 * const runtime = createRuntime({
 *   model,
 *   handlers: { Hello: (srv) => srv.on("greet", (req) => `Hello ${(req.data as { name: string }).name}`) },
 *   env: { log: { levels: { default: "silent" } } },
 * });
 * const response = await runtime.fetch(new Request("http://localhost/odata/v4/hello/greet(name='you')"));
 * if ((await response.json()).value !== "Hello you") throw new Error("not greeted");
 * ```
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const runtime = createRuntimeAside(options);
  setLatestRuntime(runtime);
  return runtime;
}

/**
 * Creates a runtime that is the current one in its own requests only.
 *
 * @param options model, configuration, handlers, kinds
 * @throws ConfigurationError when the model or the configuration is wrong
 */
export function createRuntimeAside(options: RuntimeOptions): Runtime {
  const runtime = new Runtime(options);
  runtime.adopt = (context) => ownContext(context, runtime);
  return runtime;
}
