/**
 * Events about finished checkouts from a payment provider that signs them with a shared secret and the time (`t=…,v1=…`
 * over `<t>.<body>`). Without a secret there is no adapter: unsigned events are not accepted.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '@trivium/protocol/canonical';
import type { PaymentAdapter, ReadPayment } from './payment.ts';

const SIGNATURE_HEADER = 'stripe-signature';
/** An older event is treated as a replay, one from the future as a forgery. */
const TOLERANCE_MS = 300_000;
const MAX_SIGNATURES = 8;
const MIN_SECRET_LENGTH = 16;
/** The only event that confirms a payment. */
const PAID = 'checkout.session.completed';

const rejected = (why: string): ReadPayment => ({ kind: 'rejected', why });

export function signedEvents(provider: string, secrets: readonly string[]): PaymentAdapter {
  if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_LENGTH))
    throw new Error(`a secret of at least ${MIN_SECRET_LENGTH} characters is needed to verify payments`);
  return {
    provider,
    read: (header, body, nowMs) => {
      const { time, signatures } = partsOf(header(SIGNATURE_HEADER) ?? '');
      if (time === undefined || signatures.length === 0) return rejected('it is not signed');
      if (Math.abs(nowMs - time * 1000) > TOLERANCE_MS) return rejected('it is not of now');
      const isGenuine = secrets.some((secret) => {
        const expected = createHmac('sha256', secret).update(`${time}.${body}`).digest();
        return signatures.some((given) => given.length === expected.length && timingSafeEqual(given, expected));
      });
      if (!isGenuine) return rejected('its signature is not genuine');
      return readEvent(provider, body);
    },
  };
}

function partsOf(header: string): { readonly time: number | undefined; readonly signatures: readonly Buffer[] } {
  let time: number | undefined;
  const signatures: Buffer[] = [];
  for (const part of header.split(',')) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === 't' && /^[0-9]{1,12}$/.test(value)) time = Number(value);
    if (name === 'v1' && /^[0-9a-f]{64}$/.test(value) && signatures.length < MAX_SIGNATURES)
      signatures.push(Buffer.from(value, 'hex'));
  }
  return { time, signatures };
}

function readEvent(provider: string, body: string): ReadPayment {
  const event = objectIn(body);
  const eventId = stringAt(event, 'id');
  if (event === undefined || eventId === undefined || eventId === '') return rejected('it has no id');
  const session = objectAt(objectAt(event, 'data'), 'object');
  if (stringAt(event, 'type') !== PAID || stringAt(session, 'payment_status') !== 'paid') return { kind: 'other' };
  const orderId = stringAt(session, 'client_reference_id');
  const amount = session?.['amount_total'];
  const currency = stringAt(session, 'currency')?.toLowerCase();
  if (orderId === undefined || typeof amount !== 'number' || !Number.isSafeInteger(amount) || currency === undefined)
    return rejected('it does not say which order was paid with what');
  return { kind: 'payment', payment: { provider, eventId, orderId, amountMinor: BigInt(amount), currency } };
}

function objectIn(body: string): JsonObject | undefined {
  try {
    const parsed: Json = JSON.parse(body);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
