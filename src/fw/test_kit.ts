/**
 * The test kit behind `fw.test`. It needs a file system and a runner of tests, so the room `test` brings it.
 *
 * @module
 */

import { ConfigurationError } from "../errors/configuration_error.ts";

/**
 * Tests a project: `const { GET, expect } = fw.test(folder)`. Its members are those of `ProjectTest` of
 * `@fw/runtime/test`, whose `fwTest` is the same function with types.
 */
export type TestKit = ((...words: readonly string[]) => unknown) & Readonly<Record<string, unknown>>;

const held: { kit: TestKit | undefined } = { kit: undefined };

/** Sets the test kit. */
export function setTestKit(kit: TestKit): void {
  held.kit = kit;
}

/**
 * The test kit.
 *
 * @throws ConfigurationError outside of tests
 */
export function testKit(): TestKit {
  if (held.kit) return held.kit;
  throw new ConfigurationError(
    'The test kit is not loaded: run tests with "fw test", or import "@fw/runtime/test" before',
  );
}
