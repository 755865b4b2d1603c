import { expect, test } from 'vitest';
import { changeOf, EMPTY_FORM, formOf, isComplete, isOfKind, setLine, type Template } from './template-words.ts';
import { valueName } from './templates.tsx';

const TEMPLATE: Template = {
  each: 'tag:user',
  per: 'week',
  usd: '2.5',
  timeZone: 'Europe/Berlin',
  weekStartsOn: 'sunday',
  anchorDay: 1,
  softPercent: [75, 95],
  missing: 'shared',
  onLimit: { model: 'openai/gpt-5.5-mini', usd: '0.5' },
  setBy: 'operator',
};

test('a template that is opened and saved asks for the same, with what its period uses', () => {
  const { setBy: _setBy, anchorDay: _anchorDay, ...asked } = TEMPLATE;
  expect(changeOf(formOf(TEMPLATE))).toEqual(asked);
  expect(
    changeOf(formOf({ ...TEMPLATE, each: 'member:mem_1', per: 'total', softPercent: [], onLimit: 'refuse' })),
  ).toEqual({
    each: 'member:mem_1',
    per: 'total',
    usd: '2.5',
  });
});

test('the command line asks for the same', () =>
  expect(setLine('acme', changeOf(formOf(TEMPLATE)))).toBe(
    'trivium budgets set-template acme 2.5 --each tag:user --per week --time-zone Europe/Berlin --week-starts-on sunday --soft 75,95 --missing shared --on-limit openai/gpt-5.5-mini --on-limit-usd 0.5',
  ));

test('one value is not taken for a kind of values', () => {
  expect(['member', 'key', 'tag:user'].every(isOfKind)).toBe(true);
  expect(['account', 'member:mem_1', 'key:key_1', 'tag:user=ann'].some(isOfKind)).toBe(false);
});

test('a form without an amount or a tag is not sent', () => {
  expect(isComplete(EMPTY_FORM)).toBe(false);
  expect(isComplete({ ...EMPTY_FORM, usd: '5' })).toBe(true);
  expect(isComplete({ ...EMPTY_FORM, usd: '5', kind: 'tag' })).toBe(false);
  expect(isComplete({ ...EMPTY_FORM, usd: '5', onLimit: 'model' })).toBe(false);
  expect(isComplete({ ...EMPTY_FORM, usd: '5', onLimit: 'model', model: 'a/b', beyond: '-1' })).toBe(false);
  expect(isComplete({ ...EMPTY_FORM, usd: '5', onLimit: 'model', model: 'a/b' })).toBe(true);
});

test('a value is shown by its name, else by its id, and requests without one as such', () => {
  const names = new Map([['mem_1', 'Ann']]);
  expect(valueName('member:mem_1', names)).toBe('Ann');
  expect(valueName('member:mem_2', names)).toBe('mem_2');
  expect(valueName('tag:user=a:b', names)).toBe('a:b');
  expect(valueName('member:', names)).toBe('without one');
  expect(valueName('tag:user=', names)).toBe('without one');
});
