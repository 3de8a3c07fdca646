/**
 * What clients follow.
 *
 * @module
 */

import type { LiveData } from "../../service/live/live_data.ts";
import type { LiveStream } from "../../service/live/live_streams.ts";

/** What a stream tells. */
export interface Followed {
  /** The texts to send, as they come; it ends when the stream is over. */
  readonly parts: AsyncGenerator<string, void>;
  /** Gives back what it holds. */
  readonly close: () => void;
}

/** What is followed with. */
export interface Following {
  readonly live: LiveData;
  readonly stream: LiveStream;
  /** What the client has already, as it was told before. */
  readonly last: string | undefined;
}
