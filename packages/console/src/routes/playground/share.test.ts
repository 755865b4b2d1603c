import { expect, test } from 'vitest';
import { newDraft } from './draft.ts';
import { draftOfHash, hashOfDraft } from './share.ts';

test('a draft survives the link, also a long one', () => {
  const draft = { ...newDraft('chat'), system: '中文 😀 '.repeat(100_000) };
  expect(draftOfHash(`#${hashOfDraft(draft)}`)).toEqual(draft);
});
