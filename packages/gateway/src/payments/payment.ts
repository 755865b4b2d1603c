/** What a payment is to us, and what an adapter for a payment provider owes. */

/** A provider's word that somebody has paid: nothing of it is believed before its signature is checked. */
export type Payment = {
  readonly provider: string;
  readonly eventId: string;
  readonly orderId: string;
  readonly amountMinor: bigint;
  /** In lower case. */
  readonly currency: string;
};

/** What is to be paid, and what it is worth to the account. */
export type AgreedOrder = {
  readonly accountId: string;
  readonly id: string;
  readonly provider: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly creditNano: bigint;
};

export type PaymentOrder = AgreedOrder & {
  readonly state: 'open' | 'paid';
  readonly eventId: string | null;
};

export type ReadPayment =
  | { readonly kind: 'payment'; readonly payment: Payment }
  /** Genuine, and about something else. */
  | { readonly kind: 'other' }
  /** Why it is not believed; for the log, not for whoever sent it. */
  | { readonly kind: 'rejected'; readonly why: string };

export interface PaymentAdapter {
  readonly provider: string;
  read(header: (name: string) => string | undefined, body: string, nowMs: number): ReadPayment;
}
