/** Reading third-party recordings, tested with synthetic cassettes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRecordings } from '../../scripts/recorded/recordings.ts';
import { printReport, reportOn } from '../../scripts/recorded/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'trivium-recorded-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CHAT = { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] };
const ANSWER = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};
const PYTHON = `interactions:
- request:
    body: '${JSON.stringify(CHAT)}'
    uri: https://api.openai.com/v1/chat/completions
    method: POST
  response:
    body:
      string: !!binary ${gzipSync(JSON.stringify(ANSWER)).toString('base64')}
    status: {code: 200, message: OK}
- request:
    body: '{"model":"nope","messages":[]}'
    uri: https://api.openai.com/v1/chat/completions
  response:
    body: {string: '{"error":{"message":"m","code":"model_not_found"}}'}
    status: {code: 404, message: Not Found}
`;
const RUBY = `http_interactions:
- request:
    method: post
    uri: https://api.anthropic.com/v1/messages
    body: {encoding: UTF-8, string: '{"model":"claude-x","max_tokens":9,"top_k":-1,"messages":[{"role":"user","content":"Hi"}]}'}
  response:
    status: {code: 200, message: OK}
    body: {encoding: UTF-8, string: "event: message_start\\ndata: {\\"type\\":\\"message_start\\",\\"message\\":{\\"id\\":\\"m\\",\\"model\\":\\"x\\",\\"usage\\":{\\"input_tokens\\":3,\\"output_tokens\\":1}}}\\n\\nevent: message_delta\\ndata: {\\"type\\":\\"message_delta\\",\\"delta\\":{\\"stop_reason\\":\\"end_turn\\"},\\"usage\\":{\\"output_tokens\\":4}}\\n\\n"}
`;
const HAR = {
  log: {
    entries: [
      {
        request: {
          url: 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent?key=k',
          postData: { text: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }) },
        },
        response: {
          status: 200,
          content: { encoding: 'base64', text: Buffer.from('{"candidates":[],"x":1}').toString('base64') },
        },
      },
      { request: { url: 'https://example.com/other' }, response: { status: 200, content: { text: '' } } },
    ],
  },
};

beforeAll(() => {
  writeFileSync(join(folder, 'python.yaml.gz'), gzipSync(PYTHON));
  writeFileSync(join(folder, 'ruby.yml'), RUBY);
  writeFileSync(join(folder, 'browser.har'), JSON.stringify(HAR));
  writeFileSync(join(folder, 'broken.json'), '{');
});

test('cassettes of several libraries and HAR files are read, compressed or not', () => {
  const { exchanges, unreadable } = readRecordings(folder);
  expect(exchanges.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200]);
  expect(unreadable).toEqual([expect.stringContaining('broken.json')]);
});

test('the report lists per dialect what was decoded, understood and metered correctly, and why not', () => {
  const lines: string[] = [];
  printReport(reportOn(readRecordings(folder).exchanges), (line) => lines.push(line));
  expect(lines).toEqual([
    'anthropic-messages: 1 exchanges, 0 of them refused by the host',
    '  decoded        1 of 1',
    '  understood     0 of 1',
    '  metered right  1 of 1 that name a total',
    "      1 × request: 'top_k' must be >= N.",
    'google-generate: 1 exchanges, 0 of them refused by the host',
    '  decoded        0 of 1',
    '  understood     1 of 1',
    '  metered right  0 of 0 that name a total',
    expect.stringContaining('1 × answer: The upstream provider'),
    'openai-chat: 2 exchanges, 1 of them refused by the host',
    '  decoded        1 of 1',
    '  understood     1 of 1',
    '  metered right  1 of 1 that name a total',
  ]);
});
