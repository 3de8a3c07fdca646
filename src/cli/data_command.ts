/**
 * `fw data export|import`
 *
 * @module
 */

import { exportData, importData } from "../deno/transfer_data.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { type Command, unknownWord, UsageError } from "./parse_command.ts";
import { counted } from "../util/counted.ts";

/** What `fw help data` prints. */
export const DATA_HELP = `Usage: fw data export [entity ...] [options]
       fw data import <file ...> [options]

Rows of the database of a project in files, one for each entity, named like those of initial data: my-shop-Books.csv.
Both work row by row, whatever the size. An import stores all rows of all files, or none: a row that cannot be stored is
named by file and line.

  --dest FOLDER     export: where the files go (default: data)
  --format FORMAT   export: csv (default), or jsonl, which tells empty texts from null
  --upsert          import: change rows that are there already, instead of refusing them
  --project FOLDER  root of the project (default: here)
  --to DATABASE     instead of the configured database: sqlite:db.sqlite, postgres://user:password@host/database
  --tenant ID       whose, with multitenancy
  --profile NAME    whose configuration

Examples:
  fw data export my.shop.Books --format jsonl --dest backup
  fw data import backup/my-shop-Books.jsonl --upsert`;

/** Rows between two lines about the progress. */
const TOLD_ROWS = 100_000;

type Texts = Readonly<Record<string, string | undefined>>;

/** Exports and imports rows. */
export async function dataCommand({ words: [action = "", ...names], options }: Command): Promise<number> {
  const { project = Deno.cwd(), to, tenant, dest = "data", format = "csv" } = options as Texts; // all take values
  const target = { to, tenant };
  if (action === "export") {
    if (format !== "csv" && format !== "jsonl") {
      throw new ConfigurationError(`Expected csv or jsonl after --format, but found "${format}"`);
    }
    const entities = names.length > 0 ? names : undefined;
    await exportData(project, { ...target, entities, folder: dest, format, onProgress: told() });
    return 0;
  }
  if (action === "import" && names.length > 0) {
    const onProgress = told();
    const progress = (file: string, rows: number) => onProgress(file, rows, false);
    const counts = await importData(project, names, {
      ...target,
      upsert: options.upsert === true,
      onProgress: progress,
    });
    for (const [index, rows] of counts.entries()) onProgress(names[index], rows, true);
    return 0;
  }
  if (action === "import") throw new UsageError("fw data import needs the names of files");
  throw unknownWord("action", action, ["export", "import"]);
}

/** Tells of files that are done, and of large ones now and then. */
function told(): (file: string, rows: number, isDone: boolean) => void {
  let last = 0;
  return (file, rows, isDone) => {
    if (isDone) {
      console.log(`${file}: ${counted(rows, "row")}`);
      last = 0;
    } else if (rows - last >= TOLD_ROWS) {
      console.log(`${file}: ${rows} rows so far`);
      last = rows;
    }
  };
}
