import { i18n } from '@lingui/core';
import { afterEach, expect, test } from 'vitest';
import { call } from './client.ts';

afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: {} }));

test('that the gateway does not answer is said in the language of the page', async () => {
  i18n.loadAndActivate({ locale: 'de', messages: { 'The gateway does not answer.': 'Das Gateway antwortet nicht.' } });
  // Without a page there is no address to call.
  await expect(call('get', '/admin/v1/me', {})).rejects.toMatchObject({
    status: 0,
    message: 'Das Gateway antwortet nicht.',
  });
});
