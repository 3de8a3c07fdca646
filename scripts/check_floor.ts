/**
 * Runs the conformance suites whose cases are present, or those that are named, and fails when one passes fewer cases than
 * the recorded floor.
 * A floor named `suite figure` is that of a figure which the suite reports apart from its total.
 *
 * @module
 */

const FLOOR_FILE = "tests/conformance/floor.json";
const floor: Readonly<Record<string, number>> = JSON.parse(Deno.readTextFileSync(FLOOR_FILE));

interface Figure {
  readonly passed: number;
  readonly total: number;
}

let below = false;
const suites = new Set(Object.keys(floor).map((name) => name.split(" ")[0]!));
for (const suite of Deno.args.length > 0 ? suites.intersection(new Set(Deno.args)) : suites) {
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
  const result = code === 0 ? JSON.parse(last) as Figure & { apart?: Record<string, Figure> } : undefined;
  for (const [name, least] of Object.entries(floor)) {
    const [ofSuite, figureName] = name.split(" ");
    if (ofSuite !== suite) continue;
    const figure = figureName === undefined ? result : result?.apart?.[figureName];
    console.log(
      `${name}: ${figure ? `${figure.passed}/${figure.total}` : `failed with code ${code}`}, floor ${least}`,
    );
    if (!figure || figure.passed < least) below = true;
  }
}
if (below) {
  console.error(`A suite fell below the floor recorded in ${FLOOR_FILE}`);
  Deno.exit(1);
}
