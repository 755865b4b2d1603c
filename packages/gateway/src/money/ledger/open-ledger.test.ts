import { expect, test } from 'vitest';
import { costOf } from '../prices/cost.ts';
import { EndpointRates } from '../prices/rates.ts';
import { OpenLedger } from './open-ledger.ts';

test('a hold is open until it is settled or released, whichever comes first', () => {
  const ledger = new OpenLedger();
  const request = {
    caller: { keyId: 'k', accountId: 'a', strict: false, mayUse: () => true },
    modelId: 'm',
    maxOutputTokens: undefined,
  };
  const [one, two] = [ledger.hold({ ...request, requestId: '1' }), ledger.hold({ ...request, requestId: '2' })];
  expect(ledger.openHolds).toBe(2);
  one.settle({
    usage: {},
    estimated: false,
    cost: costOf({}, new EndpointRates({ prices: {}, otherPrices: [] }, 'v').rates()),
  });
  one.release();
  expect(ledger.openHolds).toBe(1);
  two.release();
  expect(ledger.openHolds).toBe(0);
});
