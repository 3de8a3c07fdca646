/** Front ends: files that are served at the root, below services and own routes. */
export interface FrontEnds {
  /** Whether a path is that of a file. */
  has(path: string): Promise<boolean>;
  /** Answers GET and HEAD of a path by a file; undefined where there is none. */
  answer(request: Request, path: string): Promise<Response | undefined>;
  /** Paths of the pages, without leading slash, for people to choose from. */
  pages(): readonly string[];
}

/** A file that the page of the console loads. */
export interface ConsoleFile {
  /** Its media type. */
  readonly type: string;
  /** Its content. */
  readonly text: string;
}

/** The files of the console by name. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** A source file of the model, as people wrote it. */
export interface SourceText {
  /** Path below the root of the project. */
  readonly name: string;
  /** What it says. */
  readonly text: string;
}

/** Where the files of the console are, below the root of the application. */
export const CONSOLE_PATH = "/-/console";
