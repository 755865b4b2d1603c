/** Money of responses in the background: statements of the ledger, within the transactions that queue and end them. */
import type { BackgroundMoney } from '../../media/responses/background/ports.ts';
import type { Command } from '../../money/ledger/core/commands.ts';
import { boundedScopes } from '../../money/ledger/ledger-database.ts';
import { PostgresLedger } from '../../money/ledger/postgres-ledger.ts';
import { keptOf } from '../../money/usage/encoded-event.ts';
import { usageEventOf } from '../../money/usage/event.ts';
import { BLAMED_OUTCOMES } from '../../money/usage/outcome-class.ts';
import type { Store } from '../../store/postgres/store.ts';
import type { Tables } from '../../store/postgres/tables.ts';
import type { Log } from '../../telemetry/log.ts';

/** Holds of responses in the background belong to no process: their node never counts as dead. */
export const EPOCH = 'background';

export const moneyIn = (store: Store, log: Pick<Log, 'redact'>): BackgroundMoney => ({
  hold: (db, account, request, quote, scopes) =>
    store.asWriter(db, async (writer) => {
      const ledger = new PostgresLedger<Tables>(writer);
      const [terms] = await ledger.termsOf([account]);
      const { unlimited, budgeted } = terms!;
      if (quote.unpriced.length > 0 && !(unlimited && budgeted.size === 0)) return { kind: 'unpriced' };
      const [result] = await ledger.apply([
        {
          do: 'hold',
          account,
          request,
          epoch: EPOCH,
          amount: quote.holdNanoUsd,
          scopes: boundedScopes(scopes, terms!),
          priceVersion: quote.priceVersion,
          idempotencyKey: '',
        },
      ]);
      if (result?.is === 'refused')
        return { kind: 'too-poor', scope: result.scope, recallable: result.recallable > 0n };
      if (result?.is !== 'granted') throw new Error(`the ledger database answered ${result?.is} to a hold`);
      return { kind: 'held' };
    }),
  end: (db, { accountId: account, requestId: request, id }, record) =>
    store.asWriter(db, async (writer) => {
      const kept = record && keptOf(usageEventOf(record, log.redact));
      const usage = kept && { usage: { ...kept } };
      const cost = record?.chargedNanoUsd ?? 0n;
      const command: Command =
        record?.bill === undefined || cost === 0n
          ? { do: 'release', account, hold: request, ...usage }
          : {
              do: 'settle',
              account,
              request,
              lease: '',
              cost,
              priceVersion: record.bill.cost.priceVersion,
              estimated: record.bill.estimated,
              memo: `background ${id}`,
              ...usage,
            };
      const [answer] = await new PostgresLedger<Tables>(writer, BLAMED_OUTCOMES).apply([command]);
      if (answer?.is !== 'done') throw new Error(`the ledger database answered ${answer?.is} to the end of ${id}`);
    }),
});
