/**
 * A headless Chromium of this machine.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Browser, chromium, type Page } from "playwright-core";
import { missing } from "./packages.ts";

/** How long a start and each step of a page may take on a busy machine, in milliseconds. */
export const GUARD_MS = 180_000;

const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/**
 * Looks for Chromium. Where there is none, the reason is printed and a test that is ignored stands for those that need
 * it; with `FW_REQUIRE_SERVICES=1` that test fails.
 *
 * @returns its path, or undefined
 */
export function findBrowser(): string | undefined {
  const given = Deno.env.get("TEST_CHROMIUM");
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  const paths = NAMES.flatMap((name) => folders.map((folder) => `${folder}/${name}`));
  const found = [...given === undefined ? [] : [given], ...paths].find(isFile);
  if (found === undefined) missing("Chromium", `There is no ${NAMES.join(", ")} (TEST_CHROMIUM)`);
  return found;
}

/** Starts it. */
export async function openBrowser(executablePath: string): Promise<Browser> {
  return await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: GUARD_MS });
}

/** Waits until the elements of a page show texts, in order. */
export async function shows(page: Page, selector: string, expected: readonly string[]): Promise<void> {
  const wanted = JSON.stringify(expected);
  try {
    await page.waitForFunction(
      ([selector, wanted]) => {
        // deno-lint-ignore no-explicit-any -- runs in the page
        const { document } = globalThis as any;
        const elements = [...document.querySelectorAll(selector)];
        return JSON.stringify(elements.map((one) => (one.value ?? one.innerText).trim())) === wanted;
      },
      [selector, wanted],
    );
  } catch {
    assert.deepEqual(await page.locator(selector).allInnerTexts(), expected, `${selector} of the page`);
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
