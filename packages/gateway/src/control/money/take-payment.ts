/**
 * Turns a payment into credit exactly once, and only as its order says: the deposit has the order's id, and the order
 * is closed in the transaction of the deposit. A paid order has its entry in the ledger; an event that fails is
 * delivered again.
 */
import type { Payment, PaymentOrder } from './payment.ts';

export interface Orders<Step> {
  find(orderId: string): Promise<PaymentOrder | undefined>;
  /** Runs in the transaction that credits it. False if another event has paid it. */
  markPaid(step: Step, order: PaymentOrder, eventId: string): Promise<boolean>;
}

/** Adds to an account's credit; repeating the same id adds nothing. Nothing is changed unless entered. */
export interface CreditLedger<Step> {
  deposit(
    deposit: {
      readonly accountId: string;
      readonly id: string;
      readonly nano: bigint;
      readonly memo: string;
    },
    note: (step: Step) => Promise<void>,
  ): Promise<'entered' | 'repeated' | 'refused' | 'other-amount'>;
}

export type Taken =
  | 'credited'
  | 'already-credited'
  | 'unknown-order'
  | 'other-amount'
  | 'paid-otherwise'
  | 'refused-by-ledger';

export async function takePayment<Step>(
  payment: Payment,
  orders: Orders<Step>,
  ledger: CreditLedger<Step>,
): Promise<Taken> {
  const { provider, eventId, orderId, amountMinor, currency } = payment;
  const order = await orders.find(orderId);
  // An order is bound to its provider: a valid event of another provider cannot close it.
  if (order === undefined || order.provider !== provider) return 'unknown-order';
  if (order.amountMinor !== amountMinor || order.currency !== currency) return 'other-amount';
  if (order.state === 'paid') return order.eventId === eventId ? 'already-credited' : 'paid-otherwise';
  const { accountId, creditNano } = order;
  let isClosed = false;
  const outcome = await ledger.deposit(
    { accountId, id: `order:${orderId}`, nano: creditNano, memo: `${provider} ${eventId}` },
    async (step) => {
      isClosed = await orders.markPaid(step, order, eventId);
    },
  );
  if (outcome === 'refused' || outcome === 'other-amount') return 'refused-by-ledger';
  return isClosed ? 'credited' : 'already-credited';
}
