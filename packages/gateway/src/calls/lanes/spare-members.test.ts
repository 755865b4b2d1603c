import { findAnyDialect } from '@trivium/protocol/dialects';
import { expect, test } from 'vitest';
import { laneWithoutMembers } from './spare-members.ts';

const chat = findAnyDialect('openai-chat');
const BODY = '{"model":"m", "foo":1.0,"messages":[],"bar":[{}]}';

type Given = Parameters<typeof laneWithoutMembers>;
function spared(message: string, { sparings = 0, strict = false, dialect = chat, body = BODY } = {}) {
  const planned = { dialect, strict } as Given[0];
  const lane = { kind: 'verbatim', body, losses: [{ path: 'seed', why: 'not-forwarded' }] };
  const failure = { target: { dialect: chat }, lane, fault: { kind: 'refused', message } };
  return laneWithoutMembers(planned, failure as unknown as Given[1], sparings);
}

test.each([
  ['Unrecognized request argument supplied: foo', 'foo'],
  ["Unknown parameter: 'foo'.", 'foo'],
  ["property 'foo' is unsupported", 'foo'],
  ['Argument not supported on this model: foo', 'foo'],
  ['foo: Extra inputs are not permitted', 'foo'],
  ['Unrecognized request arguments supplied: foo, bar', 'foo,bar'],
])('%s', (message, names) => {
  const lane = spared(message);
  expect(lane?.losses.map(({ path }) => path).join()).toBe(`seed,${names}`);
  expect(lane?.body).toBe(names === 'foo' ? '{"model":"m","messages":[],"bar":[{}]}' : '{"model":"m","messages":[]}');
});

test('the second retry drops every unknown member, and there is no third', () => {
  expect(spared('bar: Extra inputs are not permitted', { sparings: 1 })?.body).toBe('{"model":"m","messages":[]}');
  expect(spared('bar: Extra inputs are not permitted', { sparings: 2 })).toBeUndefined();
});

test.each([
  ['the refusal is about something else', "'foo' is too long", {}],
  ['the member has a meaning here', 'Unrecognized request argument supplied: messages', {}],
  ['the member is not in the request', 'Unrecognized request argument supplied: baz', {}],
  ['the member is nested', "Unknown parameter: 'messages[0].foo'.", {}],
  ['the caller is strict', 'Unrecognized request argument supplied: foo', { strict: true }],
  [
    'the caller speaks another dialect',
    'Unrecognized request argument supplied: foo',
    { dialect: findAnyDialect('google-generate') },
  ],
  ['the request is long', 'Unrecognized request argument supplied: foo', { body: BODY.padEnd(1_048_577) }],
])('nothing is dropped if %s', (_why, message, options) => {
  expect(spared(message, options as object)).toBeUndefined();
});
