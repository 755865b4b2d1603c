/** B3: bodies that are not JSON, not text, or JSON of an abusive shape; and odd ones that must be accepted. */
const MODEL = '"model":"compatible/any"';
const MESSAGES = '"messages":[{"role":"user","content":"Hi"}]';
/** A valid body with one more member. */
export const withMember = (member: string): string => `{${MODEL},${MESSAGES},${member}}`;
const withContent = (literal: string): string => `{${MODEL},"messages":[{"role":"user","content":${literal}}]}`;
const nested = (depth: number): string => withMember(`"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`);
const nestedObjects = (depth: number): string =>
  withMember(`"x":${'{"x":'.repeat(depth - 2)}{}${'}'.repeat(depth - 2)}`);
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":${at}`).join(',');

export type BodyCase = readonly [name: string, body: string | Buffer, status: number, param?: string | null];

const NOT_JSON: readonly BodyCase[] = [
  ...[
    '',
    ' ',
    '\n',
    '{',
    '}',
    '{{}}',
    '{"a"',
    '{"a":',
    '{"a":}',
    '{:1}',
    '{,}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1,,"b":2}',
    '{"a":1 "b":2}',
    '{"a" 1}',
    "{'a':1}",
    '{a:1}',
    '{"a":1}}',
    '{"a":1}x',
    '{"a":1}{}',
    '{"a":1} null',
    '{"a":1},',
    '{"a":1;}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":-Infinity}',
    '{"a":undefined}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":-}',
    '{"a":0x1}',
    '{"a":1e}',
    '{"a":1e+}',
    '{"a":1_000}',
    '{"a":1n}',
    '{"a":TRUE}',
    '{"a":tru}',
    '{"a":nul}',
    '{"a":None}',
    '{"a":"\\x41"}',
    '{"a":"\\u12"}',
    '{"a":"\\u12g4"}',
    '{"a":"\\"}',
    '{"a":"b',
    '{"a":"b\n"}',
    '{"a":"b\t"}',
    '{"a":"b\0"}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":[1 2]}',
    '{"a":[1}',
    '{"a":{]}',
    '{"a":]',
    '/*c*/{"a":1}',
    '{"a":1}//c',
    '{"a":1/*c*/}',
    '#{}',
    '\u00a0{"a":1}',
    '\u2028{"a":1}',
    '\f{"a":1}',
    '\v{"a":1}',
    '{"a":1}\u00a0',
    '\ufeff{"a":1}',
    'a=1&b=2',
    '<xml/>',
    'data: {"a":1}\n\n',
    '{"\\z":1}',
  ].map((text): BodyCase => [JSON.stringify(text), text, 400, null]),
];

const NOT_AN_OBJECT: readonly BodyCase[] = [
  'null',
  'true',
  '1',
  '-0',
  '"x"',
  '[]',
  '[{}]',
  `[${withContent('"x"')}]`,
  '[[',
].map((text): BodyCase => [JSON.stringify(text), text, 400, null]);

const bytes = (...values: number[]): Buffer => Buffer.from(values);
const around = (middle: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`{${MODEL},"messages":[{"role":"user","content":"`), middle, Buffer.from('"}]}')]);
const GOOD = withContent('"Hi"');

const NOT_TEXT: readonly BodyCase[] = [
  ['UTF-16 little endian', Buffer.from(GOOD, 'utf16le'), 400, null],
  ['UTF-16 little endian with a mark', Buffer.concat([bytes(0xff, 0xfe), Buffer.from(GOOD, 'utf16le')]), 400, null],
  [
    'UTF-16 big endian with a mark',
    Buffer.concat([bytes(0xfe, 0xff), Buffer.from(GOOD, 'utf16le').swap16()]),
    400,
    null,
  ],
  ['UTF-32', Buffer.from([...GOOD].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0])), 400, null],
  ['gzip', bytes(0x1f, 0x8b, 8, 0, 0, 0, 0, 0), 400, null],
  ['Latin-1', around(bytes(0xe9)), 400, null],
  ['a lone continuation byte', around(bytes(0x80)), 400, null],
  ['a cut character', around(bytes(0xe4, 0xb8)), 400, null],
  ['an overlong slash', around(bytes(0xc0, 0xaf)), 400, null],
  ['an overlong NUL', around(bytes(0xc0, 0x80)), 400, null],
  ['an overlong quote in three bytes', around(bytes(0xe0, 0x80, 0xa2)), 400, null],
  ['a surrogate in three bytes', around(bytes(0xed, 0xa0, 0x80)), 400, null],
  ['a pair of surrogates in six bytes', around(bytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80)), 400, null],
  ['above the last character', around(bytes(0xf4, 0x90, 0x80, 0x80)), 400, null],
  ['five bytes', around(bytes(0xf8, 0x88, 0x80, 0x80, 0x80)), 400, null],
  ['0xFF', around(bytes(0xff)), 400, null],
  ['a cut character at the very end', Buffer.concat([Buffer.from(GOOD), bytes(0xe4)]), 400, null],
  ['characters of every length', around(Buffer.from('é世👩‍👩‍👧\u{10ffff}\ufeff')), 200],
];

const DEPTHS: readonly BodyCase[] = [
  ...[2, 10, 63, 64].map((depth): BodyCase => [`${depth} levels`, nested(depth), 200]),
  ...[65, 66, 1000, 10_000, 1_000_000].map((depth): BodyCase => [`${depth} levels`, nested(depth), 400, null]),
  ['64 levels of objects', nestedObjects(64), 200],
  ['65 levels of objects', nestedObjects(65), 400, null],
  ['a million levels never closed', withMember(`"x":${'['.repeat(1_000_000)}`).slice(0, -1), 400, null],
  ['a million opening braces', '{'.repeat(1_000_000), 400, null],
  ['a million levels of a bare array', '['.repeat(1_000_000), 400, null],
  ['a million levels behind the end', `${GOOD}${'['.repeat(1_000_000)}`, 400, null],
  ['a million brackets inside a string', withContent(`"${'['.repeat(1_000_000)}"`), 200],
  ['a million escaped quotes inside a string', withContent(`"${'\\"['.repeat(500_000)}"`), 200],
  ['depth in messages', withContent(`[${'['.repeat(70)}${']'.repeat(70)}]`), 400, null],
];

const KEYS: readonly BodyCase[] = [
  ['model twice', `{${MODEL},${MODEL},${MESSAGES}}`, 400, 'model'],
  ['messages twice', `{${MODEL},${MESSAGES},${MESSAGES}}`, 400, 'messages'],
  ['twice, once in escapes', `{${MODEL},"mod\\u0065l":"x",${MESSAGES}}`, 400, 'model'],
  ['an unknown member twice', `{${MODEL},${MESSAGES},"x":1,"x":2}`, 400, 'x'],
  ['the empty name twice', `{${MODEL},${MESSAGES},"":1,"":2}`, 400],
  ['twice, far apart', `{${MODEL},${MESSAGES},${keys(1000)},"k0":1}`, 400, 'k0'],
  ['__proto__', withMember('"__proto__":{"a":1}'), 400, '__proto__'],
  ['__proto__ null', withMember('"__proto__":null'), 400, '__proto__'],
  ['__proto__ in escapes', withMember('"\\u005f_proto__":{}'), 400, '__proto__'],
  [
    '__proto__ wholly in escapes',
    withMember('"\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":{}'),
    400,
    '__proto__',
  ],
  ['__proto__ inside', withMember('"x":[{"__proto__":1}]'), 400, '__proto__'],
  ['__proto__ inside, in escapes', withMember('"x":{"y":{"__prot\\u006f__":1}}'), 400, '__proto__'],
  ['__proto__ in a message', `{${MODEL},"messages":[{"role":"user","content":"x","__proto__":{}}]}`, 400, '__proto__'],
  ['__proto__ as a value', withContent('"__proto__"'), 200],
  ['constructor', withMember('"constructor":{"prototype":{"a":1}}'), 200],
  ['names of Object.prototype', withMember('"toString":1,"hasOwnProperty":2,"valueOf":3'), 200],
  ['names like indexes', withMember('"0":1,"1":2,"-1":3,"4294967295":4'), 200],
  ['the empty name', withMember('"":1'), 200],
  ['a name of 100 KB', withMember(`"${'n'.repeat(100_000)}":1`), 200],
  ['names with every escape', withMember('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u2028":1'), 200],
  ['1,001 members', withMember(keys(1001)), 200],
  ['9,000 members', withMember(keys(9000)), 200],
  ['100,000 members', withMember(keys(100_000)), 400, null],
  ['100,000 members inside', withMember(`"x":{${keys(100_000)}}`), 400, null],
];

const NUMBERS: readonly BodyCase[] = [
  ['1e400 in an unknown field', withMember('"x":1e400'), 200],
  ['-1e400 in an unknown field', withMember('"x":-1e400'), 200],
  ['1e-400 in an unknown field', withMember('"x":1e-400'), 200],
  ['a thousand digits in an unknown field', withMember(`"x":${'9'.repeat(1000)}`), 200],
  ['1e400 as temperature', withMember('"temperature":1e400'), 400, 'temperature'],
  ['1e400 as max_tokens', withMember('"max_tokens":1e400'), 400, 'max_tokens'],
  ['0 as max_tokens', withMember('"max_tokens":0'), 400, 'max_tokens'],
  ['-0 as max_tokens', withMember('"max_tokens":-0'), 400, 'max_tokens'],
  ['1.5 as max_tokens', withMember('"max_tokens":1.5'), 400, 'max_tokens'],
  ['1.0 as max_tokens', withMember('"max_tokens":1.0'), 200],
  ['1e2 as max_tokens', withMember('"max_tokens":1e2'), 200],
  ...['9007199254740991', '9007199254740992', '9007199254740993'].map(
    (text): BodyCase => [`${text} as max_tokens`, withMember(`"max_tokens":${text}`), 200],
  ),
  ...['9007199254740991', '9007199254740993', '-9007199254740993'].map(
    (text): BodyCase => [`${text} as seed`, withMember(`"seed":${text}`), 200],
  ),
  ['text as a number', withMember('"temperature":"1"'), 400, 'temperature'],
  ['an array as a number', withMember('"temperature":[1]'), 400, 'temperature'],
  ['true as a number', withMember('"max_tokens":true'), 400, 'max_tokens'],
];

const STRINGS: readonly BodyCase[] = [
  ['a lone high surrogate', withContent('"\\ud800"'), 200],
  ['a lone low surrogate', withContent('"\\udc00x"'), 200],
  ['surrogates in the wrong order', withContent('"\\udc00\\ud800"'), 200],
  ['a NUL', withContent('"a\\u0000b"'), 200],
  ['line separators', withContent('"a\u2028b\u2029c"'), 200],
  ['a mark in the middle', withContent('"a\ufeffb"'), 200],
  ['10 MB', withContent(`"${'x'.repeat(10 * 1024 * 1024)}"`), 200],
  ['10 MB of escapes', withContent(`"${'\\n'.repeat(5 * 1024 * 1024)}"`), 200],
  ['33 MB', withContent(`"${'x'.repeat(33 * 1024 * 1024)}"`), 413, null],
  ['a number as content', withContent('1'), 400, 'messages[0].content'],
  ['an object as content', withContent('{}'), 400, 'messages[0].content'],
  ['model null', `{"model":null,${MESSAGES}}`, 400, 'model'],
  ['model empty', `{"model":"",${MESSAGES}}`, 400, 'model'],
  ['model an array', `{"model":["compatible/any"],${MESSAGES}}`, 400, 'model'],
  ['a model of 1 MB', `{"model":"${'m'.repeat(1_000_000)}",${MESSAGES}}`, 404, 'model'],
  ['a model with a line break', `{"model":"a\\nb",${MESSAGES}}`, 404, 'model'],
  ['a model named as a prototype member', `{"model":"toString",${MESSAGES}}`, 404, 'model'],
  ['no messages', `{${MODEL}}`, 400, 'messages'],
  ['messages empty', `{${MODEL},"messages":[]}`, 400, 'messages'],
  [
    'messages an object like an array',
    `{${MODEL},"messages":{"0":{"role":"user","content":"x"},"length":1}}`,
    400,
    'messages',
  ],
  ['a message that is null', `{${MODEL},"messages":[null]}`, 400, 'messages[0]'],
  ['a message that is a list', `{${MODEL},"messages":[[]]}`, 400, 'messages[0]'],
  [
    'a role from the prototype',
    `{${MODEL},"messages":[{"role":"constructor","content":"x"}]}`,
    400,
    'messages[0].role',
  ],
];

const many = (count: number, of: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => of(at)).join();

/** S1: far more items of one kind than any agent sends. */
const COUNTS: readonly BodyCase[] = [
  ['10,000 members', withMember(`"x":{${many(10_000, (at) => `"k${at}":1`)}}`), 200],
  ['10,001 members', withMember(`"x":{${many(10_001, (at) => `"k${at}":1`)}}`), 400, null],
  ['400,000 members of metadata', withMember(`"metadata":{${many(400_000, (at) => `"k${at}":"v"`)}}`), 400, null],
  ['200,001 elements', withMember(`"x":[${many(200_001, () => '1')}]`), 400, null],
  ['1.5 million empty objects', withMember(`"x":[${many(10, () => `[${many(150_000, () => '{}')}]`)}]`), 400, null],
];

export const BODIES: Readonly<Record<string, readonly BodyCase[]>> = {
  'not JSON': NOT_JSON,
  'not an object': NOT_AN_OBJECT,
  'not text': NOT_TEXT,
  depth: DEPTHS,
  counts: COUNTS,
  keys: KEYS,
  numbers: NUMBERS,
  strings: STRINGS,
};
