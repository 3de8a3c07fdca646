/**
 * Named bounds of everything a client can grow (`auth` 11).
 *
 * @module
 */

/** Bounds in effect; `fw.limits.<name>` overrides one. */
export interface Limits {
  /** Characters of path and query: 414 beyond. */
  readonly urlLength: number;
  /** Characters of path and query where the query is the body of a request to `/$query`: 414 beyond. */
  readonly queryLength: number;
  /** Values that a query of a URL may read by estimate (rows, columns, levels): 400 beyond; 0: no budget. */
  readonly queryCost: number;
  /** Databases of tenants that a process has open: 503 beyond, until one was not used for a while. */
  readonly tenantDatabases: number;
  /** Bytes of a JSON body, counted while reading and after inflating: 413 beyond. */
  readonly bodyBytes: number;
  /** Bytes of a media stream: 413 beyond. */
  readonly streamBytes: number;
  /** Milliseconds until a body has arrived: 408 beyond. */
  readonly readingMs: number;
  /** Milliseconds that a request may take from its arrival to the answer: 504 beyond. */
  readonly handlerMs: number;
  /** Nesting of JSON bodies: 400 beyond. */
  readonly jsonDepth: number;
  /** Members of a body that its type does not have: 400 at once beyond, each of fewer is told with the nearest name. */
  readonly unknownMembers: number;
  /**
   * Characters of all texts that the expressions of a query join for one row, for example by `concat` in `$compute`: 400
   * beyond.
   */
  readonly computedLength: number;
  /** Bytes of an answer to a reading request that is not streamed, and of the rows read for any answer: 413 beyond. */
  readonly answerBytes: number;
  /** Bytes of the bodies in the answer of a batch: later requests of it are 413, and not run. */
  readonly batchAnswerBytes: number;
  /** Bytes of the header with messages: the last of them says how many were left out. */
  readonly messagesHeaderBytes: number;
  /** Parts of a batch: 429 beyond. */
  readonly batchParts: number;
  /** Headers of a part of a batch: 400 beyond. */
  readonly partHeaders: number;
  /** Asynchronous requests of a service that run or whose results are kept; others are answered at once. */
  readonly asyncRequests: number;
  /** The same, of one user. */
  readonly asyncRequestsOfUser: number;
  /** Milliseconds that an asynchronous request may take: its result is 504 beyond. */
  readonly asyncMs: number;
  /** Milliseconds that the result of an asynchronous request is kept: 404 beyond. */
  readonly asyncResultMs: number;
  /** Characters of all results of asynchronous requests that are kept: the oldest of the same user goes first, 404 beyond. */
  readonly asyncResultLength: number;
  /** Rows of a collection whose changes are tracked: the preference is not applied beyond, a delta link gives 410. */
  readonly deltaRows: number;
  /** Collections of a service that clients follow by delta links and streams: that not read for longest goes first, 410 then. */
  readonly deltaSnapshots: number;
  /** The same, of one user. */
  readonly deltaSnapshotsOfUser: number;
  /** Characters of the keys and tags of their rows that are kept. */
  readonly deltaLength: number;
  /** Milliseconds that a delta link counts: 410 beyond. */
  readonly deltaMs: number;
  /** Rows that one request changes one by one (links, delta payloads, sets of rows): 400 beyond. */
  readonly changedRows: number;
  /** Values of a collection that POST adds to: 400 beyond. */
  readonly collectionValues: number;
  /** Nesting of `$filter` expressions: 400 beyond. */
  readonly filterDepth: number;
  /** Nodes of a `$filter` expression: 400 beyond. */
  readonly filterNodes: number;
  /** Entries of an `in` list: 400 beyond. */
  readonly inList: number;
  /** Nesting of `$expand`: 400 beyond. */
  readonly expandDepth: number;
  /** Items of all `$expand` of a URL: 400 beyond. */
  readonly expandItems: number;
  /** Collections inside of one another in `$expand` that are repeated, as several rows share their owner: 400 beyond. */
  readonly expandRepetitions: number;
  /** Segments of a path, and steps of a path in an expression: 400 beyond. */
  readonly pathSteps: number;
  /** Nesting of lambda expressions, and of `$filter(…)` and `$count(…)` in paths: 400 beyond. */
  readonly lambdaDepth: number;
  /** Collections that stand beside each other: sets of `$crossjoin`, what `join` and aggregates lead over: 400 beyond. */
  readonly joinedCollections: number;
  /** Transformations of `$apply` that are run, those of `rollup` once per set of groups: 400 beyond. */
  readonly transformations: number;
  /** Sets of groups of one `rollup`: 400 beyond. */
  readonly groupingSets: number;
  /** Nodes of the query that a URL means, names of `$compute` and aliases replaced by their values: 400 beyond. */
  readonly queryNodes: number;
  /** Calls of own functions in the expressions of a URL: 400 beyond. */
  readonly functionCalls: number;
  /** Rows that an own function in an expression is called for, where it takes values of rows: 400 beyond. */
  readonly functionRows: number;
  /** Nodes of a recursive hierarchy that `$apply` reads: 400 beyond. */
  readonly hierarchyNodes: number;
  /**
   * Milliseconds that a query of an engine in the process itself (SQLite, Memory) may take, as it keeps all others waiting: 504
   * beyond. SQLite watches what goes through rows of several tables or in subqueries.
   */
  readonly statementMs: number;
  /** Rows of a page: larger results are paged. */
  readonly pageSize: number;
  /** Rows of a collection that are answered as one text; larger ones are streamed. */
  readonly bufferedRows: number;
  /** Answers of a service that are streamed at the same time; others are made as one text. */
  readonly streams: number;
  /** Milliseconds that a client may take for a part of a streamed answer: it is broken off beyond. */
  readonly stalledStreamMs: number;
  /** Milliseconds that a streamed answer may take: it is broken off beyond. */
  readonly streamMs: number;
  /** Streams of events that clients hold open in a process: 429 beyond; clients without login have half of them. */
  readonly liveStreams: number;
  /** The same, of one user. */
  readonly liveStreamsOfUser: number;
  /** Milliseconds after which a stream of events ends, so that its client comes again and logs in again. */
  readonly liveStreamMs: number;
  /** Milliseconds of silence after which a stream of events gets a comment. */
  readonly liveSilenceMs: number;
  /** Events of an application that are kept for clients which come again; the oldest go first: 410 for who misses them. */
  readonly liveEvents: number;
  /** Milliseconds that they are kept. */
  readonly liveEventMs: number;
  /** Characters of the payload of an event that clients get: larger ones are left out, which the log tells. */
  readonly liveEventLength: number;
  /** Entries of a cache of plans per service. */
  readonly planCache: number;
  /** Linked models kept for sets of feature toggles; the one used longest ago goes first. */
  readonly toggleModels: number;
  /** Bytes of an inbound message: dead letter beyond. */
  readonly messageBytes: number;
  /** Characters of an event name. */
  readonly eventName: number;
  /** Messages that wait in memory for a channel that is down, where there is no outbox: emit is refused beyond. */
  readonly waitingMessages: number;
  /** How long a commit waits for channels to store its messages, where the outbox is in memory. */
  readonly storedMessagesMs: number;
  /** How long a start waits for a broker; then it goes on, and connects as soon as the broker is there. */
  readonly brokerStartMs: number;
  /** Bytes of the answer of a remote service: 502 beyond. */
  readonly remoteAnswerBytes: number;
  /** Pages of a result of a remote service that are followed: 502 beyond. */
  readonly remotePages: number;
  /** Redirects of one call of a remote service that are followed: 502 beyond. */
  readonly remoteRedirects: number;
  /** Bytes of the answer of a token endpoint: no token beyond. */
  readonly tokenAnswerBytes: number;
  /** Milliseconds until a token endpoint has answered: no token beyond. */
  readonly tokenRequestMs: number;
  /** Fetched tokens that are kept. */
  readonly tokenCache: number;
  /** Characters of an `Authorization` header with a token: 401 beyond. */
  readonly tokenLength: number;
  /** Characters of the header with the client certificate: 401 beyond. */
  readonly certificateLength: number;
  /** Client certificates that are kept as they were read. */
  readonly certificates: number;
  /** Entries of the cache of verified tokens. */
  readonly verifiedTokens: number;
  /** Logins with the right password that are kept, so that the next request with them compares no password. */
  readonly verifiedLogins: number;
  /** Documents of identity services (sets of keys, configurations) that are kept, per kind of document. */
  readonly keySets: number;
  /** Bytes of such a document, counted while reading: 503 beyond. */
  readonly keySetBytes: number;
  /** Milliseconds until it has arrived: 503 beyond. */
  readonly keySetMs: number;
  /** Documents never used successfully that are fetched at the same time; others wait for `keySetMs`, then 503. */
  readonly keySetRequests: number;
}

/** The bounds without configuration. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  urlLength: 16 * 1024,
  queryLength: 65_536,
  queryCost: 0,
  tenantDatabases: 200,
  bodyBytes: 1024 * 1024,
  streamBytes: 16 * 1024 * 1024,
  readingMs: 30_000,
  handlerMs: 60_000,
  jsonDepth: 64,
  unknownMembers: 100,
  computedLength: 1024 * 1024,
  answerBytes: 8 * 1024 * 1024,
  batchAnswerBytes: 4 * 1024 * 1024,
  messagesHeaderBytes: 8 * 1024,
  batchParts: 100,
  partHeaders: 100,
  asyncRequests: 100,
  asyncRequestsOfUser: 10,
  asyncMs: 600_000,
  asyncResultMs: 600_000,
  asyncResultLength: 64 * 1024 * 1024,
  deltaRows: 5000,
  deltaSnapshots: 1000,
  deltaSnapshotsOfUser: 30,
  deltaLength: 64 * 1024 * 1024,
  deltaMs: 3_600_000,
  changedRows: 1000,
  collectionValues: 10_000,
  filterDepth: 100,
  filterNodes: 500,
  inList: 1000,
  expandDepth: 8,
  expandItems: 50,
  expandRepetitions: 1,
  pathSteps: 20,
  lambdaDepth: 3,
  joinedCollections: 4,
  transformations: 64,
  groupingSets: 64,
  queryNodes: 20_000,
  functionCalls: 16,
  functionRows: 1000,
  hierarchyNodes: 10_000,
  statementMs: 5000,
  pageSize: 1000,
  bufferedRows: 1000,
  streams: 100,
  stalledStreamMs: 30_000,
  streamMs: 600_000,
  liveStreams: 1000,
  liveStreamsOfUser: 20,
  liveStreamMs: 3_600_000,
  liveSilenceMs: 15_000,
  liveEvents: 10_000,
  liveEventMs: 3_600_000,
  liveEventLength: 262_144,
  planCache: 1000,
  toggleModels: 32,
  messageBytes: 1024 * 1024,
  eventName: 512,
  waitingMessages: 10_000,
  storedMessagesMs: 5_000,
  brokerStartMs: 3_000,
  remoteAnswerBytes: 32 * 1024 * 1024,
  remotePages: 100,
  remoteRedirects: 5,
  tokenAnswerBytes: 256 * 1024,
  tokenRequestMs: 10_000,
  tokenCache: 100,
  tokenLength: 16 * 1024,
  certificateLength: 16 * 1024,
  certificates: 100,
  verifiedTokens: 1000,
  verifiedLogins: 1000,
  keySets: 1000,
  keySetBytes: 1024 * 1024,
  keySetMs: 2000,
  keySetRequests: 32,
});

/**
 * The bounds in effect.
 *
 * @param env configuration: `limits`, `query.limit.max`
 */
export function limitsOf(env: Readonly<Record<string, unknown>>): Limits {
  const page = (env.query as { limit?: { max?: number } } | undefined)?.limit?.max;
  return {
    ...DEFAULT_LIMITS,
    ...(page ? { pageSize: page } : {}),
    ...env.limits as Partial<Limits> | undefined,
  };
}
