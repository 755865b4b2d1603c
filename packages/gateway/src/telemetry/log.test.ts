import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { NOTHING_PRODUCED } from '@trivium/protocol/canonical';
import { describe, expect, test } from 'vitest';
import type { RequestRecord } from '../kernel/record.ts';
import { createLog, type LogFields } from './log.ts';
import { MAX_LOGGED_TEXT, REDACTED, redactor } from './redact.ts';
import { usageLog } from './usage-log.ts';

const collect = (level: 'info' | 'debug' | 'warn' = 'info', knownSecrets: readonly string[] = []) => {
  const lines: string[] = [];
  const log = createLog({ level, knownSecrets, write: (line) => void lines.push(line) });
  return { log, lines, last: (): Record<string, unknown> => JSON.parse(lines.at(-1) ?? '{}') };
};

describe('redactor', () => {
  const redact = redactor(['correct-horse']);
  test.each([
    ['key sk-proj-abcdefghijkl was refused', `key ${REDACTED} was refused`],
    ['sk-trivium-AbC_dEf-123456', REDACTED],
    ['gsk_abcdefghijklmnop', REDACTED],
    ['AIzaSyA1234567890abcdefghijklmno', REDACTED],
    ['Authorization: Bearer abcdefgh12345678', /^(?!.*abcdefgh)/],
    ['{"x-api-key":"whatever-1234"}', /^(?!.*whatever)/],
    ['http://user:pa55word@proxy:3128/', `http://${REDACTED}@proxy:3128/`],
    ['the correct-horse stands', `the ${REDACTED} stands`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc', REDACTED],
  ])('%s', (text, expected) => {
    expect(redact(text)).toMatch(
      expected instanceof RegExp ? expected : new RegExp(`^${expected.replace(/[[\]/]/g, '\\$&')}$`),
    );
  });

  test('leaves ordinary words alone and bounds the length', () => {
    expect(redact('upstream openai answered 503 for openai/gpt-4o')).toBe(
      'upstream openai answered 503 for openai/gpt-4o',
    );
    expect(redact('x'.repeat(100_000)).length).toBeLessThanOrEqual(MAX_LOGGED_TEXT + 1);
  });
});

describe('createLog', () => {
  test('writes one JSON line with level, time and message', () => {
    const { log, lines, last } = collect();
    log.info('listening', { url: 'http://127.0.0.1:8080' });
    expect(lines).toHaveLength(1);
    expect(last()).toMatchObject({ level: 'info', msg: 'listening', url: 'http://127.0.0.1:8080' });
    expect(Date.parse(String(last()['time']))).not.toBeNaN();
  });

  test('drops every field that is not declared', () => {
    const { log, lines } = collect();
    const smuggled = { requestId: 'r1', body: 'private words', headers: { authorization: 'x' } } as LogFields;
    log.info('seen', smuggled);
    expect(lines[0]).toContain('r1');
    expect(lines[0]).not.toMatch(/private|headers|authorization/);
  });

  test('redacts messages, fields, errors and their causes', () => {
    const { log, lines } = collect('info', ['known-secret-1']);
    const cause = new Error('refused known-secret-1');
    log.error('bad key sk-abcdefghijkl', {
      problem: 'known-secret-1',
      error: new Error('Bearer abcdefghijkl', { cause }),
    });
    expect(lines[0]).not.toMatch(/known-secret-1|abcdefghijkl/);
    expect(lines[0]).toContain('refused');
  });

  test('applies known secrets and the level of a reload', () => {
    const { log, lines } = collect('warn');
    log.info('quiet');
    expect(lines).toEqual([]);
    log.setLevel('info');
    log.setKnownSecrets(['fresh-secret']);
    log.info('fresh-secret');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('fresh-secret');
  });

  test('logs a thrown value that is not an Error, and a cycle of causes, without looping', () => {
    const { log, last } = collect();
    const circle = new Error('round');
    circle.cause = circle;
    log.error('failed', { error: circle });
    log.error('failed', { error: 'just text' });
    expect(last()['error']).toEqual({ name: 'string', message: 'just text' });
  });
});

describe('standard output', () => {
  test('gets every line, in order, also those still buffered when the process ends', () => {
    const script = `
      import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
      const log = createLog({ level: 'info' });
      for (let index = 0; index < 500; index += 1) log.usage([{ index }]);
      log.info('last');
      await log.close();
    `;
    const args = ['--conditions=trivium-source', '--input-type=module', '-e', script];
    const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trimEnd().split('\n');
    const parsed: { readonly index?: number; readonly msg: string }[] = lines.map((line) => JSON.parse(line));
    expect(parsed.slice(0, -1).map(({ index }) => index)).toEqual(Array.from({ length: 500 }, (_, index) => index));
    expect(parsed.at(-1)?.msg).toBe('last');
  });

  test('keeps no process from ending whose reader is gone', async () => {
    const script = `
      import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
      const log = createLog({ level: 'info' });
      process.stdin.once('data', async () => {
        log.info('a line without a reader');
        await log.close();
        log.info('late');
        process.exit(3);
      });
    `;
    const child = spawn(process.execPath, ['--conditions=trivium-source', '--input-type=module', '-e', script], {
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    child.stdout.destroy();
    child.stdin.write('go');
    expect(await once(child, 'exit')).toEqual([3, null]);
  });
});

describe('a few lines to standard output', () => {
  test('are written by themselves, without a timer that also runs while there are none', async () => {
    const script = `
      let intervals = 0;
      globalThis.setInterval = () => { intervals++; return { unref: () => undefined }; };
      const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)});
      const log = createLog({ level: 'info' });
      log.info(intervals + ' timers');
      process.stdin.resume();
    `;
    const child = spawn(process.execPath, ['--conditions=trivium-source', '--input-type=module', '-e', script]);
    const [line] = await once(child.stdout, 'data');
    child.kill();
    expect(JSON.parse(line)).toMatchObject({ msg: '0 timers' });
  });
});

describe('usageLog', () => {
  const record: RequestRecord = {
    requestId: '01H',
    accountId: 'team',
    keyId: 'app',
    modelId: 'openai/gpt-4o',
    provider: 'openai',
    protocol: 'chat',
    stream: true,
    lane: 'translated',
    laneWhy: 'seal',
    attempts: [
      { provider: 'groq', lane: 'verbatim', fault: 'upstream-broken', durationMs: 1.23456 },
      { provider: 'openai', lane: 'translated', durationMs: 20 },
    ],
    how: 'done',
    reading: { usage: { prompt: 10, completion: 5 }, reported: true, ...NOTHING_PRODUCED },
    losses: [{ path: 'seed', why: 'not-forwarded' }],
    receivedAtMs: 0,
    durationMs: 123.456,
    firstByteMs: 45.678,
    metadata: { job: 'nightly', note: 'sk-abcdefghijkl', nested: { a: 1 } },
  };

  test('writes everything the record contains, and nothing else', () => {
    const { log, last } = collect();
    usageLog(log)([{ ...record, prompt: 'private words' } as RequestRecord]);
    const { time: _time, ...line } = last();
    expect(line).toEqual({
      level: 'info',
      msg: 'request',
      requestId: '01H',
      accountId: 'team',
      keyId: 'app',
      model: 'openai/gpt-4o',
      provider: 'openai',
      protocol: 'chat',
      stream: true,
      lane: 'translated',
      laneWhy: 'seal',
      usage: { prompt: 10, completion: 5 },
      usageBasis: 'reported',
      losses: [{ path: 'seed', why: 'not-forwarded' }],
      status: 200,
      outcome: 'ok',
      attempts: [
        { provider: 'groq', lane: 'verbatim', fault: 'upstream-broken', durationMs: 1.23 },
        { provider: 'openai', lane: 'translated', durationMs: 20 },
      ],
      durationMs: 123.46,
      firstByteMs: 45.68,
      metadata: { job: 'nightly', note: REDACTED },
    });
  });

  test('bounds what the caller wrote', () => {
    const { log, lines } = collect();
    const metadata = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 'v'.repeat(10_000)]));
    const losses = Array.from({ length: 10_000 }, () => ({ path: 'x', why: 'clamped' as const }));
    usageLog(log)([{ ...record, metadata, losses }]);
    expect(lines[0]?.length).toBeLessThan(16_384);
  });
});
