/**
 * The forms of `tx` (`api` 6).
 *
 * @module
 */

import { EventContext, type EventContextProperties } from "../../context/event_context.ts";
import { currentContext, runWithContext } from "../../context/store.ts";
import type { HandlerOwner } from "../handlers/handlers.ts";
import { RootTransaction, type RootTransactionOptions, runManaged, transactionOf } from "./transaction.ts";

/** A request or context, a transaction, or the members of a new context. */
export type ContextArgument = EventContext | { readonly context: EventContext } | EventContextProperties;

/** What a service has in addition when it is bound to a transaction. */
export interface TransactionMembers {
  /** The context of the transaction. */
  readonly context: EventContext;
  /** The root transaction. */
  readonly rootTransaction: RootTransaction;
  /** Gives this: a database begins its own with the first statement. */
  begin(): Promise<this>;
  /**
   * Commits; resolves to the given result. Of a joined transaction, which its owner ends, it does nothing.
   *
   * @param result handed through
   */
  commit<T>(result?: T): Promise<T | undefined>;
  /**
   * Rolls back; throws the given error again. Of a joined transaction it only does the latter.
   *
   * @param error the reason
   */
  rollback(error?: unknown): Promise<void>;
}

/** A service bound to a transaction. */
export type TransactionService<S> = Omit<S, "context" | "rootTransaction"> & TransactionMembers;

/** What begins transactions: a service. */
export interface TransactionOwner extends HandlerOwner {
  /** What its root transactions are made from. */
  readonly rootOptions: RootTransactionOptions;
}

/** What runs in a managed transaction. */
export type TransactionBody<S, T> = (tx: TransactionService<S>) => T | Promise<T>;

/**
 * Begins a transaction, or joins the one of a request.
 *
 * @param service what is bound to the transaction
 * @param given a request, a transaction, or members of a new context
 * @param run what runs in it; without it the caller ends the transaction
 */
export function beginTransaction<S extends TransactionOwner, T>(
  service: S,
  given: ContextArgument | undefined,
  run?: TransactionBody<S, T>,
): TransactionService<S> | Promise<T> {
  const joined = given === undefined ? undefined : joinable(given);
  if (joined) {
    const tx = bind(service, { context: joined, root: transactionOf(joined)!, isOwner: false });
    return run ? runWithContext(joined, async () => await run(tx)) : tx;
  }
  const own = newContext(given);
  const begin = () => {
    const root = new RootTransaction(own, service.rootOptions);
    root.watch();
    return bind(service, { context: own, root, isOwner: true });
  };
  return run ? runBegun(begin, run) : begin();
}

/** Where no transaction can begin any more, the promise is rejected. */
async function runBegun<S, T>(
  begin: () => TransactionService<S>,
  run: TransactionBody<S, T>,
): Promise<T> {
  const tx = begin();
  return await runManaged(tx.rootTransaction, async () => await run(tx));
}

const NO_CONTEXT =
  "A function, a request, a transaction, or an object with tenant, user, locale, … is expected by tx()";

/** A context with an open transaction, or of a transaction object. */
function joinable(given: ContextArgument): EventContext | undefined {
  if (typeof given !== "object" || given === null) throw new TypeError(NO_CONTEXT);
  if (!(given instanceof EventContext) && !hasContext(given)) return undefined;
  const context = EventContext.for(given);
  return transactionOf(context) ? context : undefined;
}

function hasContext(given: ContextArgument): given is { readonly context: EventContext } {
  return "context" in given && given.context instanceof EventContext;
}

/** A child of a given context; of the current one for plain members. */
function newContext(given: ContextArgument | undefined): EventContext {
  if (given instanceof EventContext) return new EventContext({}, given);
  if (given !== undefined && hasContext(given)) return new EventContext({}, given.context);
  return new EventContext(given, currentContext());
}

interface Binding {
  readonly context: EventContext;
  readonly root: RootTransaction;
  readonly isOwner: boolean;
}

function bind<S extends object>(service: S, { context, root, isOwner }: Binding): TransactionService<S> {
  return Object.create(service, {
    begin: {
      async value(this: TransactionService<S>) {
        return await Promise.resolve(this);
      },
    },
    context: { value: context },
    rootTransaction: { value: root },
    commit: {
      value: async (result?: unknown) => {
        if (isOwner) await root.commit();
        return result;
      },
    },
    rollback: {
      value: async (error?: unknown) => {
        if (isOwner) await root.rollback(error);
        if (error !== undefined) throw error;
      },
    },
  });
}
