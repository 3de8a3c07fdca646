/**
 * Modules that `require` is answered by here instead of looking for them: names under which existing code asks for the
 * facade (api 11.11), and for what runs tests.
 *
 * @module
 */

import Module from "node:module";
import { fw } from "../fw.ts";

/** What a module is answered by. */
export interface AnsweredModule {
  /** What `require` gives. */
  exports(): unknown;
  /** Only where no such module is installed. */
  readonly isFallback?: boolean;
}

/** Names under which existing handlers ask for the facade. Nothing is ever looked for under them. */
const FACADE: AnsweredModule = { exports: () => fw };

const answers: Map<string, AnsweredModule> = new Map([
  ["@sap/cds", FACADE],
  ["@sap/cds/lib", FACADE],
  ["@fw/runtime", FACADE],
]);

type Load = (this: unknown, request: string, ...others: readonly unknown[]) => unknown;

let isActive = false;

/**
 * Answers a module from now on.
 *
 * @param name what is asked for
 * @param answer what it is answered by
 */
export function answerModule(name: string, answer: AnsweredModule): void {
  answers.set(name, answer);
  activateAnswers();
}

/** Begins to answer. */
export function activateAnswers(): void {
  if (isActive) return;
  isActive = true;
  // The loader of the platform has this member, which its types leave out.
  const loader = Module as unknown as { _load: Load };
  const load = loader._load;
  loader._load = function (this: unknown, request, ...others) {
    const answer = answers.get(request);
    if (!answer) return load.call(this, request, ...others);
    if (!answer.isFallback) return answer.exports();
    try {
      return load.call(this, request, ...others);
    } catch (error) {
      if ((error as { code?: string }).code === "MODULE_NOT_FOUND") return answer.exports();
      throw error;
    }
  };
}
