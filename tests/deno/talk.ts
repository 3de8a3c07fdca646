/**
 * Requests as bytes, for what `fetch` does not send.
 *
 * @module
 */

/**
 * Sends bytes to a server and gives what it answers until it closes, has said enough, or the time is over.
 *
 * @param port where it listens
 * @param text what is sent
 * @param options what is enough; the time, for servers that wait for more
 */
export async function talk(
  port: number,
  text: string,
  { enough, ms = 300 }: { readonly enough?: RegExp; readonly ms?: number } = {},
): Promise<string> {
  const connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  await connection.write(new TextEncoder().encode(text));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65536);
  let answer = "";
  const timer = setTimeout(() => connection.close(), ms);
  try {
    for (let n = await connection.read(buffer); n !== null; n = await connection.read(buffer)) {
      answer += decoder.decode(buffer.subarray(0, n), { stream: true });
      if (enough?.test(answer)) break;
    }
    connection.close();
  } catch {
    // closed by the timer
  }
  clearTimeout(timer);
  return answer;
}
