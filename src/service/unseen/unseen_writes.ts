/**
 * Writes without requests, where nobody would see them.
 *
 * @module
 */

import type { EventContext } from "../../context/event_context.ts";
import type { LinkedEntity } from "../../model/linked.ts";
import { ApplicationService } from "../application_service.ts";
import { incapability } from "../authorization/assert_capable.ts";
import { assertServiceRoles } from "../authorization/authorize_service.ts";
import { accessOf, isOwnAuthority } from "../authorization/pass.ts";
import { isPrivileged, passOf } from "../authorization/pass_of.ts";
import type { DatabaseService } from "../database_service.ts";
import type { Service } from "../service.ts";
import { transactionOf } from "../transactions/transaction.ts";
import { targetRulesOf } from "../validation/element_rules.ts";
import { defaultStringLength } from "../validation/validate_input.ts";
import { Conclusions, isUnseen, type UnseenSubject } from "./unseen.ts";

type Event = UnseenSubject["event"];

/** A row to write. */
export interface UnseenRow {
  /** The entity of the service. */
  readonly target: LinkedEntity;
  /** Whether the checks of input find and change nothing in it; gets the characters of a String without declared length. */
  readonly isSound: (defaultStringLength: number) => boolean;
}

/** One way of writing rows, and the requests that it stands for. */
export class UnseenWrites {
  readonly #events: readonly Event[];
  readonly #unseen: Conclusions<LinkedEntity>;

  /**
   * @param events what the service would be asked for
   * @param mayBe whether rows of an entity may be written this way at all
   */
  constructor(events: readonly Event[], mayBe: (target: LinkedEntity) => boolean = () => true) {
    this.#events = events;
    this.#unseen = new Conclusions((service, target) => mayBe(target) && this.#isUnseen(service, target));
  }

  /**
   * The database for a row, where requests would come to the same as its statements: nobody takes part in them, and the
   * user may write all rows of the entity. The service takes part in the transaction from then on.
   *
   * @param service the service
   * @param context the context, in a transaction
   * @param row the row
   * @returns undefined where requests have to be sent, nothing has happened then
   * @throws ServiceError 401 or 403 for the user of a service that requires a role
   */
  database(
    service: Service,
    context: EventContext,
    { target, isSound }: UnseenRow,
  ): DatabaseService | undefined {
    if (!(service instanceof ApplicationService)) return undefined;
    if (!this.#unseen.of(service, target, target)) return undefined;
    const { db } = service.host;
    const transaction = transactionOf(context);
    if (!transaction || !db?.asksNobody(context) || !this.#mayDoAll(service, target, context)) {
      return undefined;
    }
    if (!isSound(defaultStringLength(service.host))) return undefined;
    transaction.join(service);
    return db;
  }

  /** Whether the generic steps alone write rows of an entity, whoever asks. */
  #isUnseen(service: ApplicationService, target: LinkedEntity): boolean {
    if (target["@cds.persistence.skip"] === true || !isOwnAuthority(target)) return false;
    if (targetRulesOf(target).length > 0) return false;
    return this.#events.every((event) =>
      incapability(target, event) === undefined &&
      isUnseen(service, { event, entity: target.name, path: target.name })
    );
  }

  #mayDoAll(service: ApplicationService, target: LinkedEntity, context: EventContext): boolean {
    if (isPrivileged(context)) return true;
    const pass = passOf(context, service);
    if (pass.service) assertServiceRoles(pass.service, pass.user, pass.settings);
    for (const event of this.#events) if (accessOf(pass, target, event) !== "all") return false;
    return true;
  }
}
