/**
 * Runs the conformance suites whose cases are present and fails when one passes fewer cases than the recorded floor.
 *
 * @module
 */

const FLOOR_FILE = "tests/conformance/floor.json";
const floor: Readonly<Record<string, number>> = JSON.parse(Deno.readTextFileSync(FLOOR_FILE));

let below = false;
for (const [suite, least] of Object.entries(floor)) {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/conformance.ts", suite, "--json"],
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout).trim();
  const last = text.slice(text.lastIndexOf("\n") + 1);
  if (code === 0 && last.startsWith("skipped")) {
    console.log(`${suite}: ${last}`);
    continue;
  }
  const result = code === 0 ? JSON.parse(last) as { passed: number; total: number } : undefined;
  const figure = result ? `${result.passed}/${result.total}` : `failed with code ${code}`;
  console.log(`${suite}: ${figure}, floor ${least}`);
  if (!result || result.passed < least) below = true;
}
if (below) {
  console.error(`A suite fell below the floor recorded in ${FLOOR_FILE}`);
  Deno.exit(1);
}
