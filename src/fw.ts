/**
 * The facade and the runtime, wired together: the only place that knows all rooms below.
 *
 * @module
 */

import { setPassUndefined } from "./cqn/builders/entity_argument.ts";
import { setEntityResolver, setLockWait, setQueryRunner, setStartWatcher } from "./cqn/query_runner.ts";
import { currentRuntime, hasRuntime } from "./fw/current.ts";
import { watchStart } from "./fw/unawaited_queries.ts";
import { fw } from "./fw/facade.ts";

setQueryRunner((query) => fw.db.run(query));
// queries are built before there is a runtime as well
setEntityResolver((name) => hasRuntime() ? currentRuntime().model.entity(name) : undefined);
setLockWait(() =>
  (fw.env as { readonly sql?: { readonly lock_acquire_timeout?: number } }).sql?.lock_acquire_timeout
);
setStartWatcher(watchStart);
// existing code counts on it; new code is told where it happens
setPassUndefined((text) => {
  const runtime = hasRuntime() ? currentRuntime() : undefined;
  if (!runtime?.env.isLenient) return false;
  runtime.env.remarks.add(text);
  runtime.env.remarks.say(runtime.log("service"));
  return true;
});

export { fw };
export { createRuntime } from "./fw/create_runtime.ts";
