/**
 * What front ends are for the pipeline.
 *
 * @module
 */

/** Front ends: files that are served at the root, below services and own routes. */
export interface FrontEnds {
  /** Whether a path is that of a file. */
  has(path: string): Promise<boolean>;
  /** Answers GET and HEAD of a path by a file; undefined where there is none. */
  answer(request: Request, path: string): Promise<Response | undefined>;
  /** Paths of the pages, without leading slash, for people to choose from. */
  pages(): readonly string[];
}
