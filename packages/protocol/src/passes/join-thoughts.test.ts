import { expect, test } from 'vitest';
import type { Block } from '../canonical/content.ts';
import type { Sealed } from '../canonical/sealed.ts';
import { joinThoughts } from './join-pieces.ts';

const SEAL: Sealed = { owner: { dialect: 'anthropic-messages', family: 'claude' }, kind: 'signature', data: 'sig' };
const thought = (text: string, seal?: Sealed): Block => ({
  kind: 'thinking',
  text,
  form: 'full',
  ...(seal && { seal }),
});
const TEXT: Block = { kind: 'text', text: 'said' };
const always = (): boolean => true;

test('pieces and the signature that closes them are one thought', () => {
  const blocks = [thought('I '), thought('see'), thought('', SEAL), TEXT];
  expect(joinThoughts(blocks, always)).toEqual([thought('I see', SEAL), TEXT]);
});

test('a signed thought is never extended, and nothing is joined across other blocks', () => {
  const blocks = [thought('one', SEAL), thought('', SEAL), thought('lost'), TEXT, thought('', SEAL)];
  expect(joinThoughts(blocks, always)).toEqual(blocks);
});

test('a signature of another owner joins nothing', () => {
  const blocks = [thought('I '), thought('', SEAL)];
  expect(joinThoughts(blocks, () => false)).toBe(blocks);
});
