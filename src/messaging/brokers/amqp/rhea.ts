/**
 * The client for AMQP 1.0. It is a CommonJS module: its types name exports that only its default export has.
 *
 * @module
 */

import * as module from "rhea";

/** The client. */
export const rhea: typeof module = (module as unknown as { readonly default: typeof module }).default;
