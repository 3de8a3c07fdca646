/**
 * The application of the concurrency test as a module for Workers.
 *
 * @module
 */

import type { Runtime } from "../../mod.ts";
import { createConcurrencyApp } from "../rules/concurrency_app.ts";

const runtime: Runtime = createConcurrencyApp("memory");

export default runtime;
