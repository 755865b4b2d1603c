import { describe, expect, test } from 'vitest';
import { credentialRedactor, MAX_LOGGED_TEXT, REDACTED, redactor, upstreamRedactor } from './redact.ts';
import { addressRedactor } from './redact-addresses.ts';

const SECRET = 'correct-horse/battery+staple';
const PEM = `-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\nBgkqhkiG9w0B\n-----END PRIVATE KEY-----`;
const redact = upstreamRedactor([SECRET, PEM], ['gpu.models.example', 'ollama', 'db.example.org']);

test('a clean text that is remembered stays as it is, and a secret is found every time', () => {
  const redactLine = redactor([SECRET]);
  const lines = [
    'user-4711',
    `for ${SECRET}`,
    'user-4711',
    `for ${SECRET}`,
    'half a \ud83d pair',
    'half a \ud83d pair',
  ];
  expect(lines.map(redactLine)).toEqual([
    'user-4711',
    `for ${REDACTED}`,
    'user-4711',
    `for ${REDACTED}`,
    'half a \ud83d pair',
    'half a \ud83d pair',
  ]);
  // Another redactor knows other secrets.
  expect(redactor(['user-4711'])('user-4711')).toBe(REDACTED);
});

describe('S5: a text of an upstream error loses', () => {
  test.each([
    ['a configured credential', `refused ${SECRET}!`, `refused ${REDACTED}!`],
    ['the token of a directory', 'for scim-trivium-abcDEF_12-34567890!', `for ${REDACTED}!`],
    ['it in a URL', `?q=${encodeURIComponent(SECRET)}`, `?q=${REDACTED}`],
    ['it in base64', `seen ${Buffer.from(SECRET).toString('base64')}`, `seen ${REDACTED}`],
    ['it as a password', `got ${Buffer.from(`:${SECRET}`).toString('base64')}`, `got ${REDACTED}`],
    ['a key in PEM, and one in a JSON string', `a ${PEM} b ${JSON.stringify(PEM)}`, `a ${REDACTED} b "${REDACTED}"`],
    [
      'a PEM block that is not configured, also without its end',
      'x -----BEGIN RSA PRIVATE KEY-----\nMII',
      `x ${REDACTED}`,
    ],
    ['a bearer token', 'header "Authorization: Bearer abcdefghijklm"', /Bearer \[redacted\]"$/],
    ['a key by its form', 'Incorrect API key: sk-proj-abc123def456.', `Incorrect API key: ${REDACTED}.`],
    ['a masked key', 'Incorrect API key provided: sk-abcd********wxyz.', `Incorrect API key provided: ${REDACTED}.`],
    ['cloud keys', 'AKIAIOSFODNN7EXAMPLE AIzaSyA1234567890abcdefghijklmno', `${REDACTED} ${REDACTED}`],
    ['access tokens', 'ya29.a0AfH6SMBx-1234 x', `${REDACTED} x`],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc', REDACTED],
    ['a header', 'x-api-key: a1b2c3d4', `x-api-key: ${REDACTED}`],
    ['a member inside a string', '{\\"api_key\\":\\"a1b2c3d4\\"}', `{\\"api_key\\":\\"${REDACTED}\\"}`],
    [
      'a parameter',
      'GET https://api.example.com/v1?key=a1b2c3d4&alt=sse',
      `GET https://api.example.com/v1?key=${REDACTED}&alt=sse`,
    ],
    [
      'a signature',
      'https://x.example.com/a?X-Amz-Signature=9f86d081',
      `https://x.example.com/a?X-Amz-Signature=${REDACTED}`,
    ],
    [
      'a configured host',
      'from GPU.models.example or https://gpu.models.example/v1.',
      `from ${REDACTED} or ${REDACTED}.`,
    ],
    [
      'a configured host without a dot, where it is an address',
      'http://ollama/api ollama:11434',
      `${REDACTED} ${REDACTED}`,
    ],
    ['an internal URL', 'POST http://vllm.internal:8000/v1/x?y=1, refused', `POST ${REDACTED}, refused`],
    ['one with escaped slashes', 'POST http:\\/\\/vllm.internal\\/v1', `POST ${REDACTED}`],
    ['one in URL encoding', 'to=http%3A%2F%2Fvllm.internal%3A8000', /^(?!.*vllm)/],
    ['names of a cluster', 'dial vllm.prod.svc.cluster.local and db.prod.svc', `dial ${REDACTED} and ${REDACTED}`],
    [
      'addresses',
      'connect 10.1.2.3:443, 192.168.0.7 and 203.0.113.9',
      `connect ${REDACTED}, ${REDACTED} and ${REDACTED}`,
    ],
    ['addresses of version 6', 'connect [fd00::1]:80 and fe80::1 and ::1', /^(?!.*(?:fd00|fe80|::1))/],
    ['this machine', 'localhost refused; http://LOCALHOST/x', `${REDACTED} refused; ${REDACTED}`],
    ['any host with a port', 'upstream vllm-0:8000, gw.example.com:443', `upstream ${REDACTED}, ${REDACTED}`],
  ])('%s', (_what, text, expected) => {
    if (expected instanceof RegExp) expect(redact(text)).toMatch(expected);
    else expect(redact(text)).toBe(expected);
    // Logs redact texts that are already redacted: nothing more may change.
    expect(redact(redact(text))).toBe(redact(text));
  });
});

test.each([
  "Invalid 'messages[1].content[0].image_url'. Expected a valid URL, but got a value with an invalid format.",
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.",
  'messages.1.content.0: Invalid `signature` in `thinking` block',
  'max_tokens: 4096 > 2048, see https://docs.example.com/en/api#max (or ask at help.example.com)',
  'Missing bearer or basic authentication in header; set the API key parameter',
  'Unexpected token: function in std::string at 12:30:45, model gpt-4o-2024-08-06, 3.14:2',
  'Cannot fetch gs://my-bucket/file.png or s3://other/file.png',
  '* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name.',
  'ollama could not load the model',
])('stays as it is: %s', (text) => {
  expect(redact(text)).toBe(text);
});

test('logs keep addresses, which operators need, and lose credentials', () => {
  const inLogs = redactor([SECRET]);
  expect(inLogs('connect ECONNREFUSED 10.1.2.3:443')).toBe('connect ECONNREFUSED 10.1.2.3:443');
  expect(inLogs(`${SECRET} ${PEM}`)).toBe(`${REDACTED} ${REDACTED}`);
});

test('a secret that the length limit cuts is not shown in part', () => {
  for (const from of [1, 5, 20, 27]) {
    const text = redact(`${'word '.repeat(MAX_LOGGED_TEXT / 5)}`.slice(0, MAX_LOGGED_TEXT - from) + SECRET);
    expect(text.length).toBeLessThanOrEqual(MAX_LOGGED_TEXT);
    expect(text).not.toContain('cor');
  }
});

test('the length of what is read is bounded', () => {
  expect(redact('a.b '.repeat(1_000_000)).length).toBeLessThanOrEqual(MAX_LOGGED_TEXT);
});

/** Without the length limit: a quadratic expression would need 10^11 steps at this length. */
test.each([
  'eyJaaaaaaaaaa-',
  'token=',
  'a.',
  'http://a',
  '-----BEGIN A-----',
  '-----BEGIN ',
  'key ',
  'bearer ',
  'f::',
  '1.',
  'a:',
  'sk-',
  '\\"api_key\\":\\"',
  'u:p',
])('many beginnings of secrets and addresses take linear time: %s', (piece) => {
  const text = piece.repeat(Math.ceil(300_000 / piece.length));
  const shown = addressRedactor(['gpu.models.example'], REDACTED)(credentialRedactor([SECRET])(text));
  expect(shown.length).toBeLessThanOrEqual(text.length + REDACTED.length);
});
