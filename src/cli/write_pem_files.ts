/**
 * PEM files of a service key (spec 5.3.3).
 *
 * @module
 */

import type { ClientKeyPair } from "../auth/token_client/client_key_pair.ts";
import { ConfigurationError } from "../errors/configuration_error.ts";
import { writeOutput } from "./write_output.ts";

/**
 * Writes `certificate.pem` and `key.pem`, readable by their owner only; files of these names are replaced.
 *
 * @param folder where to; it is created if it is missing
 * @param keyPair what they hold
 * @throws ConfigurationError when folder or files cannot be written
 */
export async function writePemFiles(folder: string, { certificate, key }: ClientKeyPair): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new ConfigurationError(`Cannot be made: ${(cause as Error).message}`, { file: folder }, { cause });
  }
  for (const [name, text] of [["certificate.pem", certificate], ["key.pem", key]] as const) {
    const path = `${folder}/${name}`;
    try {
      // A new file, so that neither the mode nor the readers of an old one hold for it.
      await Deno.remove(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    await writeOutput(path, text, { mode: 0o600, createNew: true });
  }
}
