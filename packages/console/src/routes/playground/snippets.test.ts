import { expect, test } from 'vitest';
import { snippetsOf } from './snippets.ts';

const GATEWAY = 'https://gw.example.com';

test.each([{}, { instances: [] }, { instances: 'x' }])('a video body changed by hand to %j can be copied', (body) => {
  for (const { text } of snippetsOf(
    'video',
    { gatewayUrl: GATEWAY, model: 'google/veo', body, isStream: false },
    false,
  ))
    expect(text()).toContain('veo');
});

test.each(['chat', 'responses', 'messages', 'genai', 'image', 'video'] as const)(
  'the forms of %s name the address of the gateway',
  (mode) => {
    for (const { text } of snippetsOf(mode, { gatewayUrl: GATEWAY, model: 'a/b', body: {}, isStream: false }, false))
      expect(text()).toContain(GATEWAY);
  },
);
