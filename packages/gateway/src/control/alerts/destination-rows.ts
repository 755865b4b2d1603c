/** Operators' alert destinations, and the messages waiting to be sent to them. */
import { type Selectable, sql } from 'kysely';
import type { Static } from 'typebox';
import type { SealedSecret, Vault } from '../../people/secrets/vault.ts';
import { type Db, OPERATOR, type Store } from '../../store/postgres/store.ts';
import { storedAs } from '../api/shown.ts';
import { nextDueInMs, settledColumns } from '../webhooks/delivery-rows.ts';
import type { Attempted, Delivery, DueMessage, MessageRows } from '../webhooks/dispatcher.ts';
import type { DestinationKind } from './bodies.ts';
import type { AlertDestinationChange } from './contract.ts';
import type { AlertDestinationsTable } from './tables.ts';

export type DestinationRow = Selectable<AlertDestinationsTable>;

/** The encrypted part: the address, and the secret that signs messages. */
export type DestinationAddress =
  | { readonly url: string; readonly secret?: string }
  | { readonly to: readonly string[] };

export type DueAlert = DueMessage & {
  readonly destinationId: string;
  readonly kind: DestinationKind;
  readonly body: string;
  /** Undefined if it cannot be decrypted. */
  readonly address: DestinationAddress | undefined;
};

export const MAX_DESTINATIONS = 64;

const destinationIdentity = (id: string): string => `alert_destinations:${id}`;

type SealedColumns = Pick<DestinationRow, 'sealed' | 'wrapped_key' | 'wrapping'>;
const sealedOf = ({ sealed, wrapped_key: wrappedKey, wrapping }: SealedColumns): SealedSecret => ({
  sealed,
  wrappedKey,
  wrapping,
});

export const sealAddress = (vault: Vault, id: string, address: DestinationAddress): SealedSecret =>
  vault.seal(destinationIdentity(id), JSON.stringify(address));

export const insertDestination = (
  db: Db,
  {
    sealed,
    ...destination
  }: Pick<DestinationRow, 'id' | 'kind' | 'name' | 'shown' | 'events'> & {
    readonly sealed: SealedSecret;
  },
): Promise<DestinationRow> =>
  db
    .insertInto('alert_destinations')
    .values({ ...destination, ...storedAs(sealed) })
    .returningAll()
    .executeTakeFirstOrThrow();

export const listDestinations = (db: Db): Promise<DestinationRow[]> =>
  db.selectFrom('alert_destinations').selectAll().orderBy('created_at').orderBy('id').execute();

export const findDestination = (db: Db, id: string): Promise<DestinationRow | undefined> =>
  db.selectFrom('alert_destinations').selectAll().where('id', '=', id).executeTakeFirst();

export const changeDestination = (
  db: Db,
  id: string,
  change: Static<typeof AlertDestinationChange>,
): Promise<DestinationRow | undefined> =>
  db.updateTable('alert_destinations').set(storedAs(change)).where('id', '=', id).returningAll().executeTakeFirst();

/** Another address, and with it the kind of its messages. */
export const moveDestination = (
  db: Db,
  id: string,
  { sealed, ...destination }: Pick<DestinationRow, 'kind' | 'shown'> & { readonly sealed: SealedSecret },
): Promise<DestinationRow | undefined> =>
  db
    .updateTable('alert_destinations')
    .set({ ...destination, ...storedAs(sealed) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export const deleteDestination = async (db: Db, id: string): Promise<boolean> => {
  const { numDeletedRows } = await db.deleteFrom('alert_destinations').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
};

/** Rewraps all under the operator's current key; returns how many were changed. */
export async function rewrapDestinations(db: Db, vault: Vault): Promise<number> {
  const old = (await listDestinations(db)).filter((row) => !vault.isCurrent(sealedOf(row)));
  for (const row of old)
    await db
      .updateTable('alert_destinations')
      .set(storedAs(vault.rewrap(destinationIdentity(row.id), sealedOf(row))))
      .where('id', '=', row.id)
      .execute();
  return old.length;
}

type ClaimedRow = SealedColumns & {
  readonly id: string;
  readonly destination_id: string;
  readonly kind: DestinationKind;
  readonly body: string;
  readonly tries: number;
};

export class AlertMessages implements MessageRows<DueAlert> {
  readonly #store: Store;
  readonly #vault: () => Vault | undefined;

  constructor(store: Store, vault: () => Vault | undefined) {
    this.#store = store;
    this.#vault = vault;
  }

  /** Without `secrets.keys` no address can be decrypted: the messages wait for a node that has them. */
  async claim(limit: number, claimMs: number): Promise<readonly DueAlert[]> {
    const vault = this.#vault();
    if (vault === undefined) return [];
    const { rows } = await this.#store.within(OPERATOR, (db) =>
      sql<ClaimedRow>`
        with due as (
          select id from alert_messages
          where state = 'due' and due_at <= now() order by due_at limit ${limit} for update skip locked
        )
        update alert_messages m
        set tries = m.tries + 1, due_at = now() + make_interval(secs => ${claimMs / 1000})
        from due, alert_destinations d
        where m.id = due.id and d.id = m.destination_id
        returning m.id, m.destination_id, m.body, m.tries, d.kind, d.sealed, d.wrapped_key, d.wrapping`.execute(db),
    );
    return rows.map(({ id, destination_id: destinationId, kind, body, tries, ...sealed }) => ({
      id,
      destinationId,
      kind,
      body,
      tries,
      address: openAddress(vault, destinationId, sealed),
    }));
  }

  async nextDueInMs(): Promise<number | undefined> {
    if (this.#vault() === undefined) return undefined;
    return this.#store.within(OPERATOR, (db) => nextDueInMs(db, 'alert_messages'));
  }

  async settle(
    { id, destinationId }: DueAlert,
    delivery: Delivery,
    attempted: Attempted,
    gone: boolean,
  ): Promise<void> {
    await this.#store.within(OPERATOR, async (db) => {
      await db.updateTable('alert_messages').set(settledColumns(delivery, attempted)).where('id', '=', id).execute();
      if (gone) await endDestination(db, destinationId);
    });
  }

  async forget(beforeMs: number): Promise<number> {
    const { numDeletedRows } = await this.#store.within(OPERATOR, (db) =>
      db
        .deleteFrom('alert_messages')
        .where('state', '<>', 'due')
        .where('created_at', '<', new Date(beforeMs))
        .executeTakeFirst(),
    );
    return Number(numDeletedRows);
  }
}

/** Nothing more is sent to it, pending messages included. */
async function endDestination(db: Db, id: string): Promise<void> {
  await db.updateTable('alert_destinations').set({ gone_at: sql<Date>`now()` }).where('id', '=', id).execute();
  await db
    .updateTable('alert_messages')
    .set({ state: 'failed' })
    .where('destination_id', '=', id)
    .where('state', '=', 'due')
    .execute();
}

export function openAddress(vault: Vault, id: string, row: SealedColumns): DestinationAddress | undefined {
  try {
    const address: DestinationAddress = JSON.parse(vault.open(destinationIdentity(id), sealedOf(row)));
    return address;
  } catch {
    return undefined;
  }
}
