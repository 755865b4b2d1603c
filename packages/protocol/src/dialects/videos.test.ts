// Every video format against its fixture folder: its request, its task id, and how it reads each answer about a task.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../canonical/gateway-error.ts';
import type { Json } from '../canonical/json.ts';
import type { VideoCall } from '../canonical/video.ts';
import { videoDialects } from './index.ts';
import type { VideoTarget } from './media-dialects.ts';

type Cases = {
  readonly target: VideoTarget;
  readonly submissions: readonly {
    name: string;
    call: VideoCall;
    path: string;
    body: Json;
    losses: readonly object[];
  }[];
  readonly accepted: { readonly answer: Json; readonly task: string };
  readonly refused?: readonly { readonly answer: Json; readonly fault: object }[];
  readonly poll: object;
  readonly answers: readonly { name: string; answer: Json; progress: object }[];
  /** The other form of a format that has two. */
  readonly cloud?: { readonly target: VideoTarget; readonly poll: object };
  readonly clips?: {
    /** A finished task that does not say where its clips are. */
    readonly unnamed: Json;
    readonly answer: Json;
    readonly progress: object;
    /** Without `progress`: the refusal does not end the task. */
    readonly refusals?: readonly { name: string; status: number; answer: Json; progress?: object }[];
  };
};

const FOLDER = new URL('../../fixtures/video/', import.meta.url);
const casesOf = (id: string): Cases => JSON.parse(readFileSync(new URL(`${id}/cases.json`, FOLDER), 'utf8')) as Cases;

test('has fixtures for every format, and a format for all fixtures', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(videoDialects.map(({ id }) => id).sort());
});

describe.each(videoDialects)('$id', (dialect) => {
  const cases = casesOf(dialect.id);
  const submitted = dialect.submit(cases.submissions[0]!.call, cases.target);

  test.each(cases.submissions)('submits: $name', ({ call, path, body, losses }) => {
    expect(dialect.submit(call, cases.target)).toEqual({ path, body, losses, headers: submitted.headers });
  });

  test('finds the task in the answer, and polls it', () => {
    const task = dialect.taskOf(cases.accepted.answer, submitted);
    expect(task).toEqual({ id: cases.accepted.task, path: submitted.path });
    expect(dialect.poll(task!, cases.target)).toEqual(cases.poll);
  });

  test.each([{}, { id: '' }, [], 'odd'] as Json[])('reads no task from %j', (answer) => {
    expect(dialect.taskOf(answer, submitted)).toBeUndefined();
  });

  test.each(cases.answers)('reads: $name', ({ answer, progress }) => {
    expect(dialect.progressOf(answer)).toEqual(progress);
  });

  test('does not treat a meaningless answer as an end', () => {
    expect(dialect.progressOf({})).toEqual({ state: 'waiting' });
    expect(() => dialect.progressOf('odd')).toThrow(GatewayError);
  });

  test.each([
    [400, 'refused'],
    [401, 'upstream-broken'],
    [429, 'upstream-over-rate'],
    [503, 'upstream-overloaded'],
    [504, 'upstream-timeout'],
  ])('calls status %i %s', (status, kind) => {
    expect(dialect.decodeFault(status, { error: { message: 'no' } }).kind).toBe(kind);
  });
});

describe('features of single formats', () => {
  test.each(
    videoDialects.flatMap((dialect) =>
      (casesOf(dialect.id).refused ?? []).map((refusal) => ({ dialect, id: dialect.id, ...refusal })),
    ),
  )('$id: a refusal in a 200, $fault.message', ({ dialect, id, answer, fault }) => {
    const { submissions, target } = casesOf(id);
    const submitted = dialect.submit(submissions[0]!.call, target);
    expect(() => dialect.taskOf(answer, submitted)).toThrow(expect.objectContaining({ fault }));
  });

  test.each(videoDialects.filter(({ id }) => casesOf(id).cloud !== undefined))(
    '$id: the cloud is asked its own way',
    (dialect) => {
      const { cloud, accepted, submissions } = casesOf(dialect.id);
      const submitted = dialect.submit({ ...submissions[0]!.call, enhancePrompt: true }, cloud!.target);
      expect(submitted).toMatchObject({
        path: cloud!.target.path,
        body: { parameters: { enhancePrompt: true } },
        losses: [],
      });
      expect(dialect.poll(dialect.taskOf(accepted.answer, submitted)!, cloud!.target)).toEqual(cloud!.poll);
    },
  );

  test.each(videoDialects.filter(({ id }) => casesOf(id).clips !== undefined))('$id: clips by name', (dialect) => {
    const { clips } = casesOf(dialect.id);
    expect(dialect.clipsOf(clips!.answer)).toEqual(clips!.progress);
    expect(() => dialect.progressOf(clips!.unnamed)).toThrow('did not name its clips');
  });

  test.each(
    videoDialects.flatMap((dialect) =>
      (casesOf(dialect.id).clips?.refusals ?? []).map((refusal) => ({ dialect, id: dialect.id, ...refusal })),
    ),
  )('$id: in place of clips, $name', ({ dialect, status, answer, progress }) => {
    expect(dialect.noClips?.(status, answer)).toEqual(progress);
  });

  test.each(videoDialects.filter(({ stances }) => stances['video.lastFrame'] === 'refused'))(
    '$id: a last frame it cannot use is refused, never dropped',
    (dialect) => {
      const { submissions, target } = casesOf(dialect.id);
      const call = { ...submissions[0]!.call, lastFrame: { base64: 'AAAA', mimeType: 'image/png' } };
      expect(() => dialect.submit(call, target)).toThrow(/video\.lastFrame/);
    },
  );
});
