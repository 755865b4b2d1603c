/** A payment, and the interface of adapters for payment providers. */

/** A provider's event about a payment: not trusted before its signature is verified. */
export type Payment = {
  readonly provider: string;
  readonly eventId: string;
  readonly orderId: string;
  readonly amountMinor: bigint;
  /** In lower case. */
  readonly currency: string;
};

/** The amount to pay, and the credit the account gets for it. */
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
  /** A valid event about something else. */
  | { readonly kind: 'other' }
  /** Why the event was rejected; for the log, not for its sender. */
  | { readonly kind: 'rejected'; readonly why: string };

export interface PaymentAdapter {
  readonly provider: string;
  read(header: (name: string) => string | undefined, body: string, nowMs: number): ReadPayment;
}
