import { expect, test } from 'vitest';
import { snippetsOf } from './snippets.ts';

test.each([{}, { instances: [] }, { instances: 'x' }])('a video body changed by hand to %j can be copied', (body) => {
  for (const { text } of snippetsOf('video', { model: 'google/veo', body, isStream: false }, false))
    expect(text()).toContain('veo');
});
