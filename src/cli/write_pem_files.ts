/**
 * PEM files of a service key (spec 5.3.3).
 *
 * @module
 */

import type { ClientKeyPair } from "../auth/token_client/client_key_pair.ts";
import { makeFolder, removeIfExists, writeText } from "../deno/write_text.ts";

/**
 * Writes `certificate.pem` and `key.pem`, readable by their owner only; files of these names are replaced.
 *
 * @param folder where to; it is created if it is missing
 * @param keyPair what they hold
 * @throws ConfigurationError when folder or files cannot be written
 */
export async function writePemFiles(folder: string, { certificate, key }: ClientKeyPair): Promise<void> {
  await makeFolder(folder, { mode: 0o700 });
  for (const [name, text] of [["certificate.pem", certificate], ["key.pem", key]] as const) {
    const path = `${folder}/${name}`;
    // a new file, so that neither the mode nor the readers of an old one hold for it
    await removeIfExists(path);
    await writeText(path, text, { mode: 0o600, createNew: true });
  }
}
