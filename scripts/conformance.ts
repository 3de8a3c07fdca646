/**
 * `deno task conformance`: runs one of the conformance suites; the last line is `passed/total`.
 *
 * @module
 */

import { taskArgs } from "./parse_args.ts";
import type { SuiteResult } from "./conformance/suite_result.ts";

const USAGE =
  "deno task conformance <abnf|cdl|http|metadata|roundtrip|spec> [--cases DIR] [--json] [--verbose] [--deviating] [--only PREFIX]";
const { options, rest } = taskArgs(USAGE);
const casesDir = String(options.cases ?? "../shared/conformance");

/** Suites: the files they need below the folder of cases, and how they are run. */
const SUITES: Readonly<Record<string, { needs: string; run(): Promise<SuiteResult> }>> = {
  abnf: {
    needs: "abnf",
    run: async () => (await import("./conformance/abnf.ts")).runAbnfSuite(casesDir),
  },
  cdl: {
    needs: "cdl",
    run: async () => (await import("./conformance/cdl.ts")).runCdlSuite(casesDir),
  },
  http: {
    needs: "cap",
    run: async () =>
      (await import("./conformance/http.ts")).runHttpSuite(casesDir, {
        verbose: options.verbose === true,
        deviating: options.deviating === true,
        only: options.only as string | undefined,
      }),
  },
  metadata: {
    needs: "cap",
    run: async () => (await import("./conformance/metadata.ts")).runMetadataSuite(casesDir),
  },
  roundtrip: {
    needs: "cap",
    run: async () => (await import("./conformance/round_trip.ts")).runRoundTripSuite(casesDir),
  },
  spec: {
    needs: "spec-rules.json",
    run: async () => await (await import("./conformance/spec.ts")).runSpecSuite(casesDir),
  },
};

const suite = SUITES[rest[0] ?? ""];
if (!suite) {
  console.error(`Usage: ${USAGE}`);
  Deno.exit(2);
}
if (!exists(`${casesDir}/${suite.needs}`)) {
  console.log(
    `skipped: no cases in ${casesDir}/${suite.needs}; CONTRIBUTING.md says where to get the public ones`,
  );
  Deno.exit(0);
}
const result = await suite.run();
if (options.json) {
  const { suite: name, passed, total, failed, apart } = result;
  console.log(JSON.stringify({ suite: name, passed, total, failed, apart }));
} else {
  if (result.failed.length > 0) console.log(`failing: ${result.failed.join(" ")}`);
  for (const note of result.notes ?? []) console.log(note);
  console.log(`${result.passed}/${result.total}`);
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
