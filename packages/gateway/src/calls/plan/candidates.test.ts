import { expect, test } from 'vitest';
import type { Caller } from '../../kernel/caller.ts';
import type { Directory, DirectoryEntry, Target } from '../../kernel/target.ts';
import type { Understood } from '../request.ts';
import { candidates, requireModel } from './candidates.ts';

const at = (provider: string): Target => ({ provider }) as unknown as Target;
const MODEL: DirectoryEntry = {
  id: 'm/both',
  outputModalities: new Set(['text', 'image']),
  targets: [at('one'), at('other')],
  imageTargets: [at('other')],
};
const limitedTo = (...providers: string[]): Caller => ({
  keyId: 'k',
  accountId: 'a',
  strict: false,
  mayUse: () => true,
  bounds: { providers: new Set(providers) },
});

const ANYONE: Caller = { keyId: 'k', accountId: 'a', strict: false, mayUse: () => true };
const among = (request: object, model: DirectoryEntry, caller = ANYONE) =>
  candidates({ ...request, caller } as Understood, { find: () => model } as unknown as Directory, undefined);
const usableTargets = (request: object, model: DirectoryEntry, caller?: Caller): readonly Target[] =>
  among(request, model, caller).usable.flatMap(({ targets }) => targets);

test('S9: a key limited to hosts reaches no other host for images either', () => {
  const images = { dialect: { operation: 'image' }, understanding: { model: 'm/both', media: [] } };
  const hostsFor = (caller: Caller): readonly string[] =>
    usableTargets(images, MODEL, caller).map(({ provider }) => provider);
  expect(hostsFor(limitedTo('other'))).toEqual(['other']);
  expect(() => hostsFor(limitedTo('one'))).toThrow('makes no images at any host this request may use');
});

test.each([
  ['image', 'image'],
  ['audio', 'audio'],
  ['video', 'video'],
  ['document', 'file'],
])('%s input goes to hosts that read the modality %s, and to no other', (kind, modality) => {
  const reading = (provider: string, ...modalities: readonly string[]): Target =>
    ({ provider, inputModalities: new Set(modalities) }) as unknown as Target;
  const others = ['text', 'image', 'audio', 'video', 'file'].filter((name) => name !== modality);
  const understood = {
    dialect: { operation: 'text' },
    understanding: {
      media: [{ kind, path: 'messages[0].content[1]' }],
      call: () => ({
        operation: 'text',
        system: [],
        turns: [{ role: 'user', blocks: [{ kind: 'media', media: kind }] }],
      }),
    },
  };
  const targets = [reading('all others', ...others), reading('this', modality)];
  expect(usableTargets(understood, { ...MODEL, targets })).toEqual([targets[1]]);
  expect(() => usableTargets(understood, { ...MODEL, targets: targets.slice(0, 1) })).toThrow(
    `'messages[0].content[1]' holds ${kind} input, which 'm/both' cannot read.`,
  );
});

test('a host that only makes the images of a model can be named, and a key may be limited to it', () => {
  const painted = { ...MODEL, targets: [at('one')], imageTargets: [at('one'), at('painter')] };
  const named = { find: (name: string) => (name === 'm/both' ? painted : undefined), absence: () => ({}) };
  const find = (name: string, caller = limitedTo('one', 'painter')): DirectoryEntry =>
    requireModel(name, caller, named as unknown as Directory);
  expect(find('m/both:painter')).toMatchObject({ targets: [], imageTargets: [{ provider: 'painter' }] });
  expect(find('m/both', limitedTo('painter'))).toMatchObject({ targets: [], imageTargets: [{ provider: 'painter' }] });
  expect(() => find('m/both', limitedTo('nowhere'))).toThrow('may not use any host');
});

test('a host that makes the images is not among those left out, though its target for text is another', () => {
  const asking = (...media: readonly object[]) => ({ dialect: { operation: 'image' }, understanding: { media } });
  const reading = (provider: string, ...modalities: readonly string[]): Target =>
    ({ provider, inputModalities: new Set(modalities) }) as unknown as Target;
  const both = { ...MODEL, imageTargets: [reading('one', 'image'), reading('other', 'image'), reading('painter')] };
  expect(among(asking(), both).excluded).toEqual([]);
  const edit = asking({ kind: 'image', path: 'image' });
  expect(among(edit, both).excluded).toMatchObject([{ provider: 'painter', why: 'unsupported' }]);
});
