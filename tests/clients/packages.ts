/**
 * The packages of the clients, from npm, in `dist/clients/`.
 *
 * @module
 */

const FOLDER = new URL("../../dist/clients", import.meta.url).pathname;
const GUARD_MS = 5 * 60_000;

const NPM_OPTIONS = [
  "--ignore-scripts",
  "--no-fund",
  "--no-audit",
  "--no-progress",
  "--loglevel=error",
  "--prefer-offline",
  "--fetch-retries=4",
  "--fetch-retry-mintimeout=1000",
  "--fetch-retry-maxtimeout=10000",
];

/** Versions that are known to work together. */
const CLOUD_SDK = "4.5.1";
const OPENUI5 = "1.152.0";

const DEPENDENCIES = {
  "@odata2ts/odata2ts": "0.34.0",
  "@odata2ts/odata-service": "0.18.1",
  "@odata2ts/http-client-fetch": "0.6.2",
  "@sap-cloud-sdk/generator": CLOUD_SDK,
  "@sap-cloud-sdk/odata-v4": CLOUD_SDK,
  "@openui5/sap.ui.core": OPENUI5,
  "@openui5/sap.m": OPENUI5,
  "@openui5/sap.ui.table": OPENUI5,
  "typescript": "^5.9.3",
  "@cap-js-community/odata-v2-adapter": "1.15.10",
  "@cap-js-community/feature-toggle-library": "1.3.4",
  "@cap-js/asyncapi": "1.1.0",
  "@cap-js/attachments": "3.10.0",
  "@cap-js/openapi": "1.6.0",
  "@cap-js/telemetry": "2.0.1",
};

/** Parts of the Cloud SDK that ask for newer ones of the others. */
const CLOUD_SDK_PARTS = [
  "connectivity",
  "generator-common",
  "http-client",
  "odata-common",
  "odata-v2",
  "resilience",
  "util",
];

/**
 * What the packages ask for beside: what is not open source, which is not needed to talk to a service and which we stand in
 * for, and stores of files that no test talks to.
 */
const LEFT_OUT = [
  "@sap/xsenv",
  "@sap/xssec",
  "@sap/cds",
  "@aws-sdk/client-s3",
  "@aws-sdk/lib-storage",
  "@azure/storage-blob",
  "@google-cloud/storage",
];

const PACKAGE = JSON.stringify(
  {
    private: true,
    dependencies: DEPENDENCIES,
    overrides: {
      ...Object.fromEntries(CLOUD_SDK_PARTS.map((part) => [`@sap-cloud-sdk/${part}`, CLOUD_SDK])),
      ...Object.fromEntries(LEFT_OUT.map((name) => [name, `file:${FOLDER}/nothing`])),
    },
  },
  null,
  2,
);

/** The packages on this machine. */
export interface ClientPackages {
  /** Where `node_modules` lies. */
  readonly folder: string;
  /** Whether they are installed; tests that need them are ignored otherwise. */
  readonly areThere: boolean;
}

/**
 * Installs the packages once. Where that is not possible, the reason is printed and a test that is ignored stands for
 * those that need them; with `FW_REQUIRE_SERVICES=1` that test fails.
 */
export async function findClientPackages(): Promise<ClientPackages> {
  const reason = await install();
  if (reason !== undefined) missing("packages of clients", reason);
  return { folder: FOLDER, areThere: reason === undefined };
}

/** Says that something is not on this machine. */
export function missing(what: string, reason: string): void {
  const isRequired = Deno.env.get("FW_REQUIRE_SERVICES") === "1";
  if (!isRequired) console.warn(`Tests are skipped: ${reason}`);
  Deno.test({
    name: `needs ${what}`,
    ignore: !isRequired,
    fn: () => {
      throw new Error(reason);
    },
  });
}

/** Installs what is not installed, and gives the reason if it cannot be. */
async function install(): Promise<string | undefined> {
  await Deno.mkdir(`${FOLDER}/nothing`, { recursive: true });
  // Test files run side by side.
  using lock = await Deno.open(`${FOLDER}/lock`, { create: true, write: true });
  await lock.lock(true);
  const stamp = `${FOLDER}/installed.json`;
  if (await readIfExists(stamp) === PACKAGE) return undefined;
  await Deno.writeTextFile(`${FOLDER}/nothing/package.json`, '{ "name": "nothing", "version": "1.0.0" }');
  await Deno.writeTextFile(`${FOLDER}/nothing/index.js`, "module.exports = {};\n");
  await Deno.writeTextFile(`${FOLDER}/package.json`, PACKAGE);
  console.log("installing the packages of clients into dist/clients (npm, at most 5 minutes)");
  const start = performance.now();
  const failure = await npmInstall();
  if (failure !== undefined) return `npm cannot install the packages of clients: ${failure}`;
  console.log(`installed the packages of clients in ${Math.round((performance.now() - start) / 1000)} s`);
  await Deno.writeTextFile(stamp, PACKAGE);
}

async function npmInstall(): Promise<string | undefined> {
  try {
    const { code, stderr } = await new Deno.Command("npm", {
      args: ["install", ...NPM_OPTIONS],
      cwd: FOLDER,
      stdout: "inherit",
      stderr: "piped",
      signal: AbortSignal.timeout(GUARD_MS),
    }).output();
    if (code === 0) return undefined;
    return new TextDecoder().decode(stderr).split("\n").find((line) => /request|No matching/.test(line)) ??
      `it ended with ${code}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "there is no npm";
    throw error;
  }
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
