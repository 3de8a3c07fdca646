/**
 * The facade and the runtime, wired together: the only place that knows all rooms below.
 *
 * @module
 */

import { setEntityResolver, setLockWait, setQueryRunner } from "./cqn/query_runner.ts";
import { setStartWatcher } from "./cqn/started_queries.ts";
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

export { fw };
export { createRuntime } from "./fw/create_runtime.ts";
