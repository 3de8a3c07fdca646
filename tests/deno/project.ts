/**
 * Projects in temporary folders, and what is printed of them.
 *
 * @module
 */

/** Root of this repository: where the import map lies. */
export const REPOSITORY: string = new URL("../..", import.meta.url).pathname;

/** A project of one entity and one service. */
export const SMALL: Readonly<Record<string, string>> = {
  "db/schema.cds": "namespace shop;\nentity Books { key ID : Integer; title : String(40); }\n",
  "db/data/shop-Books.csv": "ID;title\n1;Emma\n2;Persuasion\n",
  "srv/cat_service.cds":
    "using { shop } from '../db/schema';\nservice CatService {\n  entity Books as projection on shop.Books;\n  function hello() returns String;\n}\n",
  "srv/cat_service.ts": `import fw from "@fw/runtime";
export class CatService extends fw.ApplicationService {
  override init() {
    this.on("hello", () => "one");
    return super.init();
  }
}
`,
};

/** Writes files below a new folder and removes them after the test. */
export async function withProject(
  files: Readonly<Record<string, string>>,
  test: (folder: string) => void | Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw-project-" });
  try {
    await writeFiles(folder, files);
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes files below a folder. */
async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = `${folder}/${name}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text);
  }
}

/** What a process that has ended left behind. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Has writing and removing files and making folders take a while, so that who does not wait for it is too early. */
export async function withSlowFiles<T>(run: () => Promise<T>): Promise<T> {
  const { writeTextFile, mkdir, remove } = Deno;
  const slowly = <Given extends readonly unknown[]>(
    act: (...given: Given) => Promise<void>,
    ms: number,
  ) => {
    return async (...given: Given) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      await act(...given);
    };
  };
  Object.assign(Deno, {
    ...{ writeTextFile: slowly(writeTextFile, 2), mkdir: slowly(mkdir, 10), remove: slowly(remove, 40) },
  });
  try {
    return await run();
  } finally {
    Object.assign(Deno, { writeTextFile, mkdir, remove });
  }
}

const WRITERS = ["log", "info", "warn", "error", "debug"] as const;

/**
 * Runs what a process would, in that of the test.
 *
 * @param run gives the exit code
 */
export async function printedBy(run: () => Promise<number>): Promise<Ended> {
  const writers = WRITERS.map((name) => [name, console[name]] as const);
  let output = "";
  for (const name of WRITERS) {
    console[name] = (...values: readonly unknown[]) => void (output += `${values.map(String).join(" ")}\n`);
  }
  try {
    const code = await run();
    return { code, output };
  } finally {
    Object.assign(console, Object.fromEntries(writers));
  }
}
