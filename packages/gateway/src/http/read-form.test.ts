// S7: every form, however broken or cut, ends with a parsed form or a refusal, without waiting.
import { GatewayError } from '@trivium/protocol/canonical';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { boundaryOf } from './form-parts.ts';
import { FormBody } from './read-form.ts';

vi.setConfig({ testTimeout: 60_000 });

const TYPE = 'multipart/form-data; boundary=b';

function read(bytes: Buffer, cuts: readonly number[] = []): { text: string; files: Buffer[] } | string {
  try {
    const form = new FormBody(TYPE);
    const places = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((one, other) => one - other);
    for (const [index, from] of [0, ...places].entries())
      form.take(bytes.subarray(from, places[index] ?? bytes.length));
    const { text, files } = form.end();
    return { text, files: files.map(({ pieces }) => Buffer.concat(pieces)) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.fault.kind).toBe('malformed');
    return error.message;
  }
}

const everyByte = (bytes: Buffer): number[] => [...bytes.keys()];
const field = (name: string, value: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE = '--b\r\nContent-Disposition: form-data; name=image; filename="a.png"\r\nContent-Type: image/PNG\r\n\r\n';

describe('what a form says', () => {
  test('fields and files in their order, with preamble and epilogue', () => {
    const bytes = Buffer.from(
      `before\r\n${field('prompt', 'a\r\ncat')}${FILE}\u0001--b\r\n-\r\n${field('n', '1')}${field('n', '2')}--b--\r\nafter --b`,
      'latin1',
    );
    const form = read(bytes);
    if (typeof form === 'string') throw new Error(form);
    expect(JSON.parse(form.text)).toMatchObject({ prompt: 'a\r\ncat', image: { file: 0 }, n: ['1', '2'] });
    expect(form.files.map(String)).toEqual(['\u0001--b\r\n-']);
    expect(read(bytes, everyByte(bytes))).toEqual(form);
  });

  test('names in quotes, escaped, folded and without quotes', () => {
    const part = (disposition: string): string => `--b\r\ncontent-disposition: ${disposition}\r\n\r\nx\r\n--b--`;
    const nameOf = (disposition: string): unknown => {
      const form = read(Buffer.from(part(disposition)));
      return typeof form === 'string' ? form : Object.keys(JSON.parse(form.text));
    };
    expect(nameOf('form-data; name="a \\"b\\""')).toEqual(['a "b"']);
    expect(nameOf('form-data;\r\n name=plain ; other="1;2"')).toEqual(['plain']);
    expect(nameOf('FORM-DATA; Name="ü"')).toEqual(['ü']);
    expect(nameOf('form-data; name="a')).toContain('cannot be read');
    expect(nameOf('attachment; name="a"')).toContain('has no name');
    expect(nameOf('form-data')).toContain('has no name');
  });

  test('the boundary of the type, in quotes or not', () => {
    expect(boundaryOf('multipart/form-data; boundary=a-b')).toBe('a-b');
    expect(boundaryOf('multipart/form-data; charset=utf-8; Boundary="a b"')).toBe('a b');
    expect(boundaryOf('multipart/form-data; boundary=')).toBeUndefined();
    expect(boundaryOf(`multipart/form-data; boundary=${'x'.repeat(201)}`)).toBeUndefined();
  });
});

describe('broken forms', () => {
  test.each([
    [
      'a part head without its empty line',
      '--b\r\ncontent-disposition: form-data; name="a"\r\n--b--\r\n',
      'no empty line',
    ],
    [
      'the same, and another part',
      `--b\r\ncontent-disposition: form-data; name="a"\r\n${field('b', '1')}--b--`,
      'no empty line',
    ],
    ['a head that never ends', `--b\r\n${'x: y\r\n'.repeat(5000)}`, 'longer than 8192 bytes'],
    ['no part at all', '', 'ends before'],
    ['no last boundary', field('a', '1'), 'ends before'],
    ['a boundary that goes on', `--bee\r\n\r\n--b--`, 'not followed by a line end'],
    ['a part without a head', '--b\r\n\r\nx\r\n--b--', 'has no name'],
    ['a field of too many bytes', field('a', 'x'.repeat(1_050_000)), 'longer than 1048576 bytes'],
    ['too many fields', field('a', '').repeat(65), 'more than 64 fields'],
    ['too many files', `${FILE}\r\n`.repeat(33), 'more than 32 files'],
    ['a name of too many bytes', field('n'.repeat(129), ''), 'more than 128 bytes'],
    ['a boundary with too many spaces after it', `--b${' '.repeat(8193)}`, 'followed by too many spaces'],
  ])('%s', (_what, text, problem) => {
    expect(read(Buffer.from(text))).toContain(problem);
  });

  test('a field that is not UTF-8 is refused by its name, and a file may hold any bytes', () => {
    const bytes = (text: string): Buffer => Buffer.from(`${text}--b--`, 'latin1');
    expect(read(bytes(field('a', '\u00ff')))).toBe("The field 'a' of the form is not valid UTF-8.");
    expect(read(bytes(`${FILE}\u00ff\r\n`))).toMatchObject({ files: [Buffer.from([0xff])] });
  });

  test.each(['multipart/form-data', `multipart/form-data; boundary=${'x'.repeat(201)}`])(
    'a form whose type is %s has no boundary to be read by',
    (type) => {
      expect(() => new FormBody(type)).toThrow('its boundary is missing or too long');
    },
  );

  test('any form, complete, mangled or cut short, in any pieces, has one result', () => {
    const token = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\r',
      '\n',
      '-',
      ':',
      ';',
      '"',
      field('a', '1'),
      FILE,
      'x',
      '\u0000ÿ',
    );
    const whole = fc
      .array(
        fc.oneof(
          fc.tuple(fc.string({ maxLength: 3 }), fc.string()).map(([name, value]) => field(name, value)),
          fc.string().map((bytes) => `${FILE}${bytes}\r\n`),
        ),
        { maxLength: 4 },
      )
      .map((parts) => `${parts.join('')}--b--`);
    const text = fc.oneof(
      whole,
      fc.array(token, { maxLength: 30 }).map((tokens) => tokens.join('')),
    );
    fc.assert(
      fc.property(text, fc.nat(), fc.array(fc.nat(5000), { maxLength: 12 }), (written, shortBy, cuts) => {
        const all = Buffer.from(written);
        const bytes = all.subarray(0, all.length - (shortBy % 3 === 0 ? shortBy % (all.length + 1) : 0));
        const answer = read(bytes);
        expect(read(bytes, cuts)).toEqual(answer);
        expect(read(bytes, everyByte(bytes))).toEqual(answer);
      }),
      { numRuns: 3000 },
    );
  });
});
