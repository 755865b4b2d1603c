import { crc32 } from 'node:zlib';
import { GatewayError } from '@trivium/protocol/canonical';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AwsEventStream } from './aws-event-stream.ts';

type Headers = readonly (readonly [name: string, type: number, value: Buffer])[];

const text = (name: string, value: string): Headers[number] => [name, 7, Buffer.from(value)];

function message(headers: Headers, payload: string): Buffer {
  const head = Buffer.concat(
    headers.map(([name, type, value]) => {
      const length = type === 7 || type === 6 ? Buffer.from([value.length >> 8, value.length & 255]) : Buffer.alloc(0);
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([type]), length, value]);
    }),
  );
  const body = Buffer.from(payload);
  const start = Buffer.alloc(12);
  start.writeUInt32BE(16 + head.length + body.length, 0);
  start.writeUInt32BE(head.length, 4);
  start.writeUInt32BE(crc32(start.subarray(0, 8)), 8);
  const all = Buffer.concat([start, head, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(all));
  return Buffer.concat([all, sum]);
}

const chunk = (data: string): Buffer =>
  message(
    [text(':event-type', 'chunk'), text(':message-type', 'event')],
    JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abc' }),
  );

const faultOf = (bytes: Buffer): unknown => {
  try {
    return new AwsEventStream().write(bytes);
  } catch (error) {
    return error instanceof GatewayError ? error.fault.kind : error;
  }
};

describe('AwsEventStream', () => {
  test('returns each event as a server-sent event', () => {
    const stream = new AwsEventStream();
    expect(stream.write(Buffer.concat([chunk('{"a":"é😀"}'), chunk('{"b":2}')]))).toBe(
      'data: {"a":"é😀"}\n\ndata: {"b":2}\n\n',
    );
    expect(stream.end()).toBe('');
  });

  test('returns named events as they are, and exceptions by name; other encoders made these', () => {
    const event =
      'AAAAlAAAAFe0q5ruCzpldmVudC10eXBlBwARY29udGVudEJsb2NrRGVsdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJjb250ZW50QmxvY2tJbmRleCI6MCwiZGVsdGEiOnsidGV4dCI6ImhpIn193lVpUw==';
    const exception =
      'AAAAgwAAAGGp0UTlDzpleGNlcHRpb24tdHlwZQcAE3Rocm90dGxpbmdFeGNlcHRpb24NOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcACWV4Y2VwdGlvbnsibWVzc2FnZSI6InNsb3cifZNQMRw=';
    const read = (base64: string) => new AwsEventStream().write(Buffer.from(base64, 'base64'));
    expect(read(event)).toBe('event: contentBlockDelta\ndata: {"contentBlockIndex":0,"delta":{"text":"hi"}}\n\n');
    expect(read(exception)).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"throttlingException","message":"slow"}}\n\n',
    );
  });

  test('a name or a payload cannot end a line', () => {
    const named = (name: string, payload: string) =>
      new AwsEventStream().write(message([text(':event-type', name), text(':message-type', 'event')], payload));
    expect(named('a\ndata: x', '{}')).toBe('');
    expect(named('metadata', '{\r"a":1}')).toBe('event: metadata\ndata: {\ndata: "a":1}\n\n');
  });

  test('reads the published example of an empty message and one with a payload', () => {
    const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex');
    expect(new AwsEventStream().write(message([], ''))).toBe(new AwsEventStream().write(empty));
    expect(message([], '')).toEqual(empty);
  });

  test('returns the same text however the bytes are split', () => {
    const bytes = Buffer.concat([chunk('{"text":"Grüße"}'), chunk('{"n":1}'), chunk('{"n":2}')]);
    const whole = new AwsEventStream().write(bytes);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
        const stream = new AwsEventStream();
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const parts = at.slice(1).map((end, index) => stream.write(bytes.subarray(at[index], end)));
        expect(parts.join('')).toBe(whole);
      }),
    );
  });

  test('skips headers of every other type', () => {
    const others: Headers = [
      ['yes', 0, Buffer.alloc(0)],
      ['no', 1, Buffer.alloc(0)],
      ['byte', 2, Buffer.alloc(1)],
      ['short', 3, Buffer.alloc(2)],
      ['int', 4, Buffer.alloc(4)],
      ['long', 5, Buffer.alloc(8)],
      ['bytes', 6, Buffer.from([1, 2, 3])],
      ['time', 8, Buffer.alloc(8)],
      ['uuid', 9, Buffer.alloc(16)],
    ];
    const bytes = message([...others, text(':message-type', 'event')], '{"bytes":"e30="}');
    expect(new AwsEventStream().write(bytes)).toBe('data: {}\n\n');
  });

  test('returns an exception as an error event with its own message', () => {
    const bytes = message(
      [text(':message-type', 'exception'), text(':exception-type', 'throttlingException')],
      '{"message":"slow down"}',
    );
    expect(new AwsEventStream().write(bytes)).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"throttlingException","message":"slow down"}}\n\n',
    );
  });

  test('an event over several lines stays one event', () => {
    expect(new AwsEventStream().write(chunk('{\n"a":1}'))).toBe('data: {\ndata: "a":1}\n\n');
  });

  test('returns nothing for events without content', () => {
    const bytes = message([text(':message-type', 'event'), text(':event-type', 'initial-response')], '{}');
    expect(new AwsEventStream().write(bytes)).toBe('');
  });

  test.each([
    ['a changed payload', (bytes: Buffer) => (bytes[bytes.length - 8] = (bytes[bytes.length - 8] ?? 0) ^ 1)],
    ['a changed length', (bytes: Buffer) => (bytes[3] = (bytes[3] ?? 0) ^ 1)],
    ['a changed checksum', (bytes: Buffer) => (bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1)],
  ])('refuses %s', (_what, spoil) => {
    const bytes = chunk('{"a":1}');
    spoil(bytes);
    expect(faultOf(bytes)).toBe('upstream-broken');
  });

  test('refuses a message longer than its bound without waiting for it', () => {
    const start = Buffer.alloc(12);
    start.writeUInt32BE(0x7fffffff, 0);
    start.writeUInt32BE(crc32(start.subarray(0, 8)), 8);
    expect(faultOf(start)).toBe('upstream-broken');
  });

  test('refuses headers that exceed their section', () => {
    expect(faultOf(message([['x', 6, Buffer.alloc(0)]], '').fill(0xff, 14, 16))).toBe('upstream-broken');
  });
});
