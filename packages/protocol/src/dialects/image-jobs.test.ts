// Every asynchronous image format against its fixture folder: its request, its polling path, and how it reads answers.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { faultOf, GatewayError } from '../canonical/gateway-error.ts';
import type { ImageCall } from '../canonical/image.ts';
import type { ImageLimits } from '../canonical/image-limits.ts';
import type { Json } from '../canonical/json.ts';
import { imageCall, targetFacts } from './dialect.fixture.ts';
import type { TargetFacts } from './dialect.ts';
import { builtDialects, findImageDialect } from './index.ts';

type Target = { readonly upstreamModel: string; readonly image?: ImageLimits; readonly quirks?: object };
type Cases = {
  readonly target: Target;
  readonly submissions: readonly {
    readonly name: string;
    readonly target?: Partial<Target>;
    readonly call: Partial<ImageCall>;
    readonly body: Json;
    readonly action?: string;
    readonly losses: readonly object[];
  }[];
  readonly refusals: readonly {
    readonly name: string;
    readonly target?: Partial<Target>;
    readonly call: Partial<ImageCall>;
    readonly field: string;
  }[];
  readonly accepted: { readonly answer: Json; readonly place: object };
  readonly answers: readonly {
    readonly name: string;
    readonly answer: Json;
    readonly images?: readonly object[];
    readonly fault?: object;
  }[];
  readonly failures: readonly {
    readonly name: string;
    readonly status: number;
    readonly body: Json;
    readonly fault?: object;
    readonly images?: readonly object[];
  }[];
};

const FOLDER = new URL('../../fixtures/image/', import.meta.url);
const read = (id: string, file: string): Json => JSON.parse(readFileSync(new URL(`${id}/${file}`, FOLDER), 'utf8'));

const dialects = builtDialects
  .flatMap((id) => findImageDialect(id) ?? [])
  .flatMap(({ client, ...rest }) => (client.job === undefined ? [] : [{ ...rest, client, job: client.job }]));

test('has fixtures for every asynchronous format, and a format for all fixtures', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(dialects.map(({ id }) => id).sort());
  expect(dialects.length).toBeGreaterThan(1);
});

const CALL = imageCall();

describe.each(dialects)('$id', ({ id, client, job, quirks }) => {
  const cases = read(id, 'cases.json') as unknown as Cases;
  const factsOf = (own: Partial<Target> = {}): TargetFacts => {
    const { upstreamModel, image = {}, quirks: ownQuirks = {} } = { ...cases.target, ...own };
    const facts = targetFacts({ dialect: id, family: 'host' }, quirks(ownQuirks), { image });
    return { ...facts, upstreamModel };
  };

  test('names the source of its fixtures', () => {
    expect(read(id, 'origin.json')).toMatchObject({ kind: expect.stringMatching(/^(recorded|from-spec|invented)$/) });
  });

  test.each(cases.submissions)('submits: $name', ({ call, target, body, action, losses }) => {
    const encoded = client.encodeCall({ ...CALL, ...call }, factsOf(target));
    expect(encoded).toEqual({ body, losses, ...(action !== undefined && { action }) });
  });

  test.each(cases.refusals)('refuses before anything is sent: $name', ({ call, target, field }) => {
    try {
      client.encodeCall({ ...CALL, ...call }, factsOf(target));
    } catch (error) {
      expect(faultOf(error)).toMatchObject({ kind: 'unsupported', field });
      return;
    }
    throw new Error('was not refused');
  });

  test('finds the job in the answer, and the path to poll', () => {
    expect(job.begun(cases.accepted.answer, factsOf())).toEqual(cases.accepted.place);
    for (const odd of [{}, [], 'odd', { id: '' }] as Json[])
      expect(job.begun(odd, factsOf())).toMatchObject({ fault: { kind: 'upstream-broken' } });
  });

  test.each(cases.answers)('reads: $name', ({ answer, images, fault }) => {
    const isEnd = images !== undefined || fault !== undefined;
    expect(job.read(answer)).toBe(isEnd ? 'done' : 'waiting');
    if (fault !== undefined)
      expect(() => client.decodeAnswer(answer, factsOf())).toThrow(expect.objectContaining({ fault }));
    if (images === undefined) return;
    const { images: found, usage } = client.decodeAnswer(answer, factsOf());
    expect(found).toEqual(images);
    expect(usage).toEqual({ pictures: images.filter((image) => !('blocked' in image)).length });
  });

  test('treats a meaningless answer as a failure, never as an image', () => {
    for (const odd of [{}, [], 'odd'] as Json[])
      expect(() => client.decodeAnswer(odd, factsOf())).toThrow(GatewayError);
  });

  test.each(cases.failures)('reads a status: $name', ({ status, body, fault, images }) => {
    expect(client.isBlocked?.(status, body) ?? false).toBe(images !== undefined);
    if (images === undefined) expect(client.decodeFault(status, body)).toEqual(fault);
    else expect(client.decodeAnswer(body, factsOf()).images).toEqual(images);
  });
});
