/**
 * A console in Chromium, and what is watched while it is used.
 *
 * @module
 */

import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";

const GUARD_MS = 60_000;
const THEMES = ["dark", "light"] as const;
/** What axe looks for in the other theme: colours are all that differs. */
const RULES_OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** How a console is looked at. */
export interface Look {
  readonly theme: "light" | "dark";
  readonly width: number;
  readonly language: "en" | "de";
}

/** An open console. */
export interface OpenConsole {
  readonly page: Page;
  readonly url: string;
  readonly look: Look;
  /** Goes to a view. */
  go(fragment: string): Promise<void>;
  /** Fails if somebody could not use what is shown. */
  assertAccessible(where: string): Promise<void>;
}

/** Opens the console at a URL; errors in its console, and scripts of rows that ran, fail the test. */
export async function withConsole(
  { browser, url, look }: { readonly browser: Browser; readonly url: string; readonly look: Look },
  use: (console: OpenConsole) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: 900 },
    colorScheme: look.theme,
    locale: look.language,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(GUARD_MS);
  page.on("dialog", (dialog) => dialog.accept().catch(() => {}));
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    // browsers say of each answer of 4xx that it is one
    const isAnswer = /the server responded with a status of 4\d\d/.test(message.text());
    if (/error|warning/.test(message.type()) && !isAnswer) errors.push(message.text());
  });
  const go = async (fragment: string) => {
    await page.goto(`${url}/#/${fragment}`);
    await page.reload();
    await page.waitForFunction(() =>
      document.querySelector("main .view") && !document.querySelector("[aria-busy]")
    );
  };
  try {
    await use({ page, url, look, go, assertAccessible: (where) => assertAccessible(page, look, where) });
    assert.deepEqual(errors, []);
    assert.equal(await page.evaluate("globalThis.stolen"), undefined);
  } finally {
    await context.close();
  }
}

/** What axe finds in both themes, and whether all fits the width. */
async function assertAccessible(page: Page, look: Look, where: string): Promise<void> {
  await page.evaluate(axe.source);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    const runOnly = theme === look.theme ? undefined : RULES_OF_COLOURS;
    const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
    const { violations } = await page.evaluate(`axe.run(document, ${options})`) as {
      violations: readonly { id: string; nodes: readonly { html: string; failureSummary: string }[] }[];
    };
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]!.html} ${nodes[0]!.failureSummary}`);
    assert.deepEqual(found, [], `${where}, ${theme}`);
  }
  await page.emulateMedia({ colorScheme: look.theme });
  const [needed, there] = await page.evaluate(
    "[document.documentElement.scrollWidth, innerWidth]",
  ) as number[];
  assert.ok(needed! <= there!, `${where}: ${needed} pixels in a window of ${there}`);
}

declare const document: { querySelector(selector: string): unknown };
