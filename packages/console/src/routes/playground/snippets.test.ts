import { expect, test } from 'vitest';
import { MODES } from './draft.ts';
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

test.each(MODES)('the forms of %s name the address of the gateway', (mode) => {
  for (const { text } of snippetsOf(mode, { gatewayUrl: GATEWAY, model: 'a/b', body: {}, isStream: false }, false))
    expect(text()).toContain(GATEWAY);
});

test('speech is saved from a terminal as sound, and a recording is sent as a form', () => {
  const call = { gatewayUrl: GATEWAY, model: 'a/b', body: { response_format: 'wav' }, isStream: false };
  const [speech] = snippetsOf('speech', call, false);
  expect(speech?.text()).toContain('-o speech.wav');
  expect(speech?.text()).not.toContain('stream_format');
  const [listen] = snippetsOf('transcription', call, false);
  expect(listen?.text()).toContain("-F file=@talk.mp3 \\\n  -F 'model=a/b' \\\n  -F 'response_format=wav'");
});
