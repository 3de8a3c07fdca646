/**
 * Clients generated from the metadata of running services: compiled with a program that uses them, run by Node.
 *
 * @module
 */

const PROGRAMS = new URL("./programs", import.meta.url).pathname;
const GUARD_MS = 300_000;

/** A folder for one client. */
export interface Workshop {
  /** Made anew, beside the packages. */
  readonly folder: string;
  /** Where `node_modules` lies. */
  readonly packages: string;
  /** Name of the client: its program is `programs/<name>.ts`. */
  readonly name: string;
}

/** Gives a client a folder of its own, with the settings of the compiler. */
export async function openWorkshop(packages: string, name: string): Promise<Workshop> {
  const folder = `${packages}/${name}`;
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify(compilerSettings(name)));
  return { folder, packages, name };
}

/** Writes the metadata of a service as `<name>.xml`, and gives the path. */
export async function writeMetadata(
  { folder }: Workshop,
  name: string,
  url: string,
): Promise<string> {
  const response = await fetch(`${url}/$metadata`, { headers: ALICE });
  const file = `${folder}/${name}.xml`;
  await Deno.writeTextFile(file, await response.text());
  return file;
}

/** The administrator of a development server. */
export const ALICE: Readonly<Record<string, string>> = { authorization: `Basic ${btoa("alice:")}` };

/** Runs a command of the packages in the folder. */
export async function runCommand(
  { folder, packages }: Workshop,
  [command, ...args]: readonly string[],
): Promise<string> {
  return await run(`${packages}/node_modules/.bin/${command}`, args, folder);
}

/** Compiles the program with what was generated. */
export async function compileProgram(workshop: Workshop): Promise<void> {
  const { folder, name } = workshop;
  await Deno.copyFile(`${PROGRAMS}/${name}.ts`, `${folder}/${name}.ts`);
  await runCommand(workshop, ["tsc"]);
}

/** Runs the compiled program, and gives the JSON that it prints last. */
export async function runProgram({ folder, name }: Workshop, args: readonly string[]): Promise<unknown> {
  const output = await run("node", [`js/${name}.js`, ...args], folder);
  return JSON.parse(output.trimEnd().split("\n").at(-1)!);
}

const compilerSettings = (name: string) => ({
  compilerOptions: {
    target: "es2022",
    lib: ["es2022", "dom"],
    module: "commonjs",
    moduleResolution: "node10",
    esModuleInterop: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    outDir: "js",
  },
  files: [`${name}.ts`],
});

async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd,
    signal: AbortSignal.timeout(GUARD_MS),
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${err}${out}`);
  return out;
}
