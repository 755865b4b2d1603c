import { expect, test } from 'vitest';
import { PatientFetcher } from './patient-fetcher.ts';

test('runs a bounded number at once, in order, and a failure starts the next one', async () => {
  const begun: string[] = [];
  let running = 0;
  let most = 0;
  const fetcher = new PatientFetcher(
    {
      fetch: async (url) => {
        begun.push(url);
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        if (url === 'b') throw new Error('gone');
        return { mimeType: 'image/png', base64: url };
      },
    },
    2,
  );
  const outcomes = await Promise.allSettled([...'abcde'].map((url) => fetcher.fetch(url, 'image')));
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value.base64 : 'failed'))).toEqual([
    'a',
    'failed',
    'c',
    'd',
    'e',
  ]);
  expect({ begun, most, running }).toEqual({ begun: [...'abcde'], most: 2, running: 0 });
});
