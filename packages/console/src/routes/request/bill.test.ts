import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Bill } from './bill.tsx';
import type { RequestDetail } from './source.ts';

beforeEach(() => void vi.stubGlobal('window', { matchMedia: () => ({ matches: false }) }));
afterEach(() => vi.unstubAllGlobals());

test('seconds are shown as they are charged, in thousandths', () => {
  const line = { meter: 'videoSeconds', kind: 'video', quantity: 5.042, priceUsd: '0.1', unit: 'perSecond' };
  const request = {
    costLines: [{ ...line, amountUsd: '0.5042' }],
    costUsd: '0.5042',
    estimated: false,
    priceVersion: null,
    unpriced: [],
    usage: { videoSeconds: 5.042 },
    suspect: null,
  } as unknown as RequestDetail;
  expect(renderToStaticMarkup(createElement(Bill, { request })).match(/5\.042</g)).toHaveLength(2);
});
