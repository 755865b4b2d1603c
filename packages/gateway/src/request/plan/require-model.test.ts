import { expect, test } from 'vitest';
import type { Caller } from '../../accounts/caller.ts';
import type { Directory, DirectoryEntry, Target } from '../../kernel/target.ts';
import type { Understood } from '../request.ts';
import { requireModel, usableTargets } from './require-model.ts';

const at = (provider: string): Target => ({ provider }) as unknown as Target;
const MODEL: DirectoryEntry = {
  id: 'm/both',
  outputModalities: new Set(['text', 'image']),
  targets: [at('one'), at('other')],
  imageTargets: [at('other')],
};
const directory = { find: () => MODEL } as unknown as Directory;
const limitedTo = (...providers: string[]): Caller => ({
  keyId: 'k',
  accountId: 'a',
  strict: false,
  mayUse: () => true,
  bounds: { providers: new Set(providers) },
});

test('S9: a key limited to hosts reaches no other host for images either', () => {
  const images = { dialect: { operation: 'image' }, understanding: { media: [] } } as unknown as Understood;
  const hostsFor = (caller: Caller): readonly string[] =>
    usableTargets(images, requireModel('m/both', caller, directory)).map(({ provider }) => provider);
  expect(hostsFor(limitedTo('other'))).toEqual(['other']);
  expect(() => hostsFor(limitedTo('one'))).toThrow('makes no images at any host this request may use');
});
