/**
 * A payment becomes credit exactly once, and only as its order says: the deposit bears the order's own id, so that an event that
 * comes twice, two events for one order, or a crash between the two steps change nothing.
 */
import type { Order, Payment } from './payment.ts';

export interface Orders {
  find(orderId: string): Promise<Order | undefined>;
  /** False when another event has paid it. */
  markPaid(order: Order, eventId: string): Promise<boolean>;
}

/** Adds to an account's credit; the same id a second time adds nothing. */
export interface CreditBook {
  deposit(deposit: {
    readonly accountId: string;
    readonly id: string;
    readonly nano: bigint;
    readonly memo: string;
  }): Promise<void>;
}

export type Taken = 'credited' | 'already-credited' | 'unknown-order' | 'other-amount' | 'paid-otherwise';

export async function takePayment(payment: Payment, orders: Orders, book: CreditBook): Promise<Taken> {
  const { provider, eventId, orderId, amountMinor, currency } = payment;
  const order = await orders.find(orderId);
  // An order is bound to the provider it was made for: another one's genuine event cannot close it.
  if (order === undefined || order.provider !== provider) return 'unknown-order';
  if (order.amountMinor !== amountMinor || order.currency !== currency) return 'other-amount';
  if (order.state === 'paid') return order.eventId === eventId ? 'already-credited' : 'paid-otherwise';
  const { accountId, creditNano } = order;
  await book.deposit({ accountId, id: `order:${orderId}`, nano: creditNano, memo: `${provider} ${eventId}` });
  return (await orders.markPaid(order, eventId)) ? 'credited' : 'already-credited';
}
