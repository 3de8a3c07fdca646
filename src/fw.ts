/**
 * The facade and the runtime, wired together: the only place that knows all rooms below.
 *
 * @module
 */

import { setEntityResolver, setQueryRunner } from "./cqn/query_runner.ts";
import { setStartWatcher } from "./cqn/started_queries.ts";
import { currentRuntime } from "./fw/current.ts";
import { watchStart } from "./fw/unawaited_queries.ts";
import { fw } from "./fw/facade.ts";

setQueryRunner((query) => fw.db.run(query));
setEntityResolver((name) => currentRuntime().model.entity(name));
setStartWatcher(watchStart);

export { fw };
export { createRuntime } from "./fw/create_runtime.ts";
