/**
 * Files of message boxes, whose names count from the root of a project.
 *
 * @module
 */

import type { ChannelFactory } from "../messaging/channel_factory.ts";

/**
 * Opens the message boxes of a project wherever the process was started.
 *
 * @param root of the project, absolute
 * @param create opens a box whose name counts from the working directory
 */
export function boxesIn(root: string, create: ChannelFactory): ChannelFactory {
  return (given) => {
    const { file } = given.options;
    return create(
      typeof file === "string" ? { ...given, options: { ...given.options, file: boxIn(root, file) } } : given,
    );
  };
}

function boxIn(root: string, file: string): string {
  const isAbsolute = file.startsWith("/") || file === "~" || file.startsWith("~/") || /^[A-Za-z]:/.test(file);
  return isAbsolute ? file : `${root}/${file}`;
}
