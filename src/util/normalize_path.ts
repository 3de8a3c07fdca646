/**
 * Paths in their shortest form.
 *
 * @module
 */

/**
 * Removes `.` and `..` from a path.
 *
 * @param path relative or absolute, with `/`
 * @returns the shortest form
 */
export function normalizePath(path: string): string {
  const result: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    const isUp = part === ".." && result.length > 0 && result[result.length - 1] !== "..";
    if (isUp) result.pop();
    else if (part !== ".." || !path.startsWith("/")) result.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + result.join("/");
}
