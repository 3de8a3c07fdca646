/**
 * The catalogue of error codes. A code never changes its meaning; clients and tests match on codes, never on texts.
 *
 * @module
 */

/** An entry of the catalogue. */
export interface ErrorCode {
  /** Identifies the error for clients. */
  readonly code: string;
  /** The HTTP status it comes with. */
  readonly status: number;
  /** The key of its text in the bundles. */
  readonly text: string;
  /** When it is used. */
  readonly explanation: string;
}

const ENTRIES: readonly (readonly [code: string, status: number, explanation: string])[] = [
  ["MULTIPLE_ERRORS", 400, "Several errors were found; each is one of the details"],
  ["ASSERT_MANDATORY", 400, "An element annotated @mandatory is missing, null or blank"],
  ["ASSERT_NOT_NULL", 400, "An element declared not null has no value after the before handlers"],
  ["ASSERT_RANGE", 400, "A value lies outside the range of @assert.range"],
  ["ASSERT_ENUM", 400, "A value is none of the symbols of its enum"],
  ["ASSERT_FORMAT", 400, "A value does not match the pattern of @assert.format"],
  ["ASSERT_DATA_TYPE", 400, "A value is not of the declared type"],
  ["DIVISION_BY_ZERO", 400, "A whole number or decimal is divided by zero"],
  ["VALUE_OUT_OF_RANGE", 400, "A calculated value is too large or too long for its type"],
  ["COMPUTED_TOO_LONG", 400, "The texts that a query joins are longer than fw.limits.computedLength"],
  ["ANSWER_TOO_LARGE", 413, "An answer is larger than fw.limits.answerBytes"],
  ["BATCH_ANSWER_TOO_LARGE", 413, "The answers of a batch are larger than fw.limits.batchAnswerBytes"],
  ["TOO_MANY_UNKNOWN_MEMBERS", 400, "A body has more unknown members than fw.limits.unknownMembers"],
  [
    "MESSAGES_LEFT_OUT",
    200,
    "The last message beside an answer: others exceed fw.limits.messagesHeaderBytes",
  ],
  [
    "ASSERT_CHARACTERS",
    400,
    "A text has the character U+0000 or a lone surrogate, which databases cannot keep",
  ],
  ["ASSERT_ARRAY", 400, "A collection was given something else than an array"],
  [
    "ASSERT_KEY_ONLY",
    400,
    "A reference was given with members beside its key, which belong to another entity",
  ],
  ["ASSERT_TARGET", 400, "The target of an association does not exist, or the user may not read it"],
  ["ENTITY_ALREADY_EXISTS", 409, "A row with the same key exists"],
  ["UNIQUE_CONSTRAINT_VIOLATION", 409, "Another unique constraint is violated"],
  ["FK_CONSTRAINT_VIOLATION", 400, "A foreign key constraint is violated"],
  ["ENTITY_IS_READ_ONLY", 405, "A write to an entity that is read-only"],
  ["ENTITY_IS_INSERT_ONLY", 405, "Anything but an insert into an insert-only entity"],
  ["ENTITY_IS_NOT_CRUD", 405, "The capability for this event is switched off"],
  ["ENTITY_IS_AUTOEXPOSED", 405, "An auto-exposed entity is addressed directly"],
  ["INVALID_PUT", 405, "PUT addresses a collection"],
  ["INVALID_PATCH", 405, "PATCH addresses a collection"],
  ["DRAFT_ALREADY_EXISTS", 409, "An active instance has a draft already"],
  ["INVALID_FLOW_TRANSITION_SINGLE", 409, "An action needs another status (@from)"],
  ["INVALID_FLOW_TRANSITION_MULTI", 409, "An action needs one of several other statuses (@from)"],
  ["FLOW_WITHOUT_PREVIOUS", 409, "A row has no earlier status to go back to (@to: $flow.previous)"],
  ["DRAFT_ACTIVE_DELETE_FORBIDDEN_DRAFT_EXISTS", 403, "An active instance is to be deleted that has a draft"],
  ["DRAFT_CHANGED_MEANWHILE", 200, "An activated draft replaced values that others had changed meanwhile"],
  ["DRAFT_LOCKED_BY_ANOTHER_USER", 403, "A draft is held by somebody else"],
  ["DRAFT_NOT_EXISTING", 404, "There is no such draft"],
  ["DRAFT_MODIFICATION_ONLY_VIA_ROOT", 422, "Parts are changed by the path from their root"],
  ["INVALID_DRAFT_REQUEST", 400, "What belongs to drafts is addressed in another way"],
  [
    "TOO_MANY_REQUESTS",
    429,
    "More requests than fw.server.rate_limits allows; Retry-After says when to come again",
  ],
  ["TOO_MANY_STREAMS", 429, "More streams of events are open than fw.limits.liveStreams(OfUser) allows"],
  ["EVENTS_GONE", 410, "Events behind the last one that a client has are kept no more: it reads anew"],
  [
    "ASYNC_REQUEST_LOST",
    503,
    "The process that did an asynchronous request has ended before it was done: nothing was changed",
  ],
  [
    "ASYNC_PARTS_LOST",
    500,
    "The process that did an asynchronous batch has ended before all was done: parts of it may have been done",
  ],
  [
    "ASYNC_ANSWER_LOST",
    500,
    "The process that did an asynchronous request has ended when it was done: only its answer is lost",
  ],
  [
    "HANDLER_TIMEOUT",
    504,
    "The request took longer than fw.limits.handlerMs; its transaction was rolled back",
  ],
];

/** All codes beside the plain status codes (`"404"`, …), by code. */
export const ERROR_CODES: ReadonlyMap<string, ErrorCode> = new Map(
  ENTRIES.map(([code, status, explanation]) => [code, { code, status, text: code, explanation }]),
);
