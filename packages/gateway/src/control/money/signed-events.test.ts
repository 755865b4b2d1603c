import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signedEvents } from './signed-events.ts';

const SECRET = 'whsec_0123456789abcdef';
const NOW_S = 1_800_000_000;
const SESSION = { client_reference_id: 'order_1', amount_total: 2000, currency: 'USD', payment_status: 'paid' };
const event = (more: object = {}, session: object = {}): string =>
  JSON.stringify({
    id: 'evt_1',
    type: 'checkout.session.completed',
    data: { object: { ...SESSION, ...session } },
    ...more,
  });
const sign = (body: string, secret = SECRET, time: number | string = NOW_S): string =>
  `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;

const adapter = signedEvents('cards', [SECRET, 'whsec_of_last_year_xx']);
const read = (body: string, signature: string | undefined, nowS = NOW_S) =>
  adapter.read((name) => (name === 'stripe-signature' ? signature : undefined), body, nowS * 1000);

describe('signedEvents', () => {
  test('reads a genuine payment', () => {
    expect(read(event(), sign(event()))).toEqual({
      kind: 'payment',
      payment: { provider: 'cards', eventId: 'evt_1', orderId: 'order_1', amountMinor: 2000n, currency: 'usd' },
    });
  });

  test('accepts any of its secrets, so that they can be rotated', () => {
    expect(read(event(), sign(event(), 'whsec_of_last_year_xx')).kind).toBe('payment');
    expect(read(event(), `${sign(event(), 'whsec_of_a_stranger_')},${sign(event()).split(',')[1]}`).kind).toBe(
      'payment',
    );
  });

  test.each([
    ['without a signature', undefined],
    ['with an empty one', ''],
    ['with another secret', sign(event(), 'whsec_of_a_stranger_')],
    ['signed with nothing', sign(event(), '')],
    ['of another body', sign(event({ id: 'evt_2' }))],
    ['without its time', sign(event()).split(',')[1]],
    ['with another time than was signed', sign(event()).replace(String(NOW_S), String(NOW_S + 1))],
    ['with a time that is none', sign(event(), SECRET, 'now')],
  ])('rejects an event %s', (_, signature) => {
    expect(read(event(), signature).kind).toBe('rejected');
  });

  test('rejects events that are too old or from the future, even with a valid signature', () => {
    expect(read(event(), sign(event()), NOW_S + 301).kind).toBe('rejected');
    expect(read(event(), sign(event()), NOW_S - 301).kind).toBe('rejected');
    expect(read(event(), sign(event()), NOW_S + 299).kind).toBe('payment');
  });

  test.each([
    ['of another type', event({ type: 'charge.refunded' })],
    ['of a checkout that is not paid yet', event({}, { payment_status: 'unpaid' })],
  ])('leaves alone an event %s', (_, body) => {
    expect(read(body, sign(body))).toEqual({ kind: 'other' });
  });

  test.each([
    ['no id', event({ id: '' })],
    ['no order', event({}, { client_reference_id: null })],
    ['half a cent', event({}, { amount_total: 0.5 })],
    ['an amount in words', event({}, { amount_total: '2000' })],
    ['no currency', event({}, { currency: null })],
    ['no JSON', 'paid!'],
  ])('rejects a genuine event with %s', (_, body) => {
    expect(read(body, sign(body)).kind).toBe('rejected');
  });

  test.each([[[]], [['']], [['short']]])('does not exist without a sufficiently long secret: %j', (secrets) => {
    expect(() => signedEvents('cards', secrets)).toThrow(/secret/);
  });
});
