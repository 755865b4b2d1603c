import { expect, test } from 'vitest';
import type { MediaBlock } from '../../canonical/content.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { targetFacts } from '../dialect.fixture.ts';
import { openaiChat } from './index.ts';
import { chatQuirks } from './quirks.ts';

const QUESTION = { role: 'user', content: 'x' };
const understand = (more: JsonObject) => openaiChat.server.understand({ model: 'm', messages: [QUESTION], ...more });

test('an empty list of a hint requests nothing, so dropping it is no loss', () => {
  expect(understand({ transforms: [] }).losses).toEqual([]);
  expect(understand({ transforms: null }).losses).toEqual([]);
  expect(understand({ transforms: ['middle-out'] }).losses).toEqual([{ path: 'transforms', why: 'not-forwarded' }]);
});

const part = (text: string) => ({ type: 'text', text });
const CITED = { type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 0, end_index: 1 } };
test.each([
  ['kept', 'a text', 'ab', [CITED], []],
  ['kept', 'a single part', [part('ab')], [CITED], []],
  ['lost', 'several parts', [part('a'), part('b')], [CITED], ['messages.annotations']],
  ['lost', 'a text, if one is no citation of the web', 'ab', [CITED, { type: 'file' }], ['messages.annotations']],
])('annotations are %s with %s', (_outcome, _name, content, annotations, paths) => {
  const said = { role: 'assistant', content, annotations };
  const { unreadMembers } = understand({ messages: [QUESTION, said, QUESTION] });
  expect(unreadMembers?.(false).map(({ path }) => path)).toEqual(paths);
});

test('hosts of this format read images by URL; the gateway fetches every other file', () => {
  const target = targetFacts({ dialect: 'openai-chat', family: 'f' }, chatQuirks());
  const fetched = (media: MediaBlock['media']) =>
    openaiChat.client.needsBytes?.(
      { kind: 'media', media, source: { via: 'url', url: 'https://a.example/f' } },
      target,
    );
  expect(fetched('image')).toBe(false);
  for (const media of ['document', 'audio', 'video'] as const) expect(fetched(media)).toBe(true);
});
