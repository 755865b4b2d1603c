/** Every format has its questions or says why it has none, and so has every provider that is shipped. */
import { DIALECT_IDS } from '@trivium/protocol/canonical';
import { startSimulator } from '@trivium/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shapesFor } from '../../packages/gateway/src/app/check-live/judge-media.ts';
import { openLiveCheck } from '../../packages/gateway/src/app/check-live/open-check.ts';
import { probesOf } from '../../packages/gateway/src/app/check-live/probes.ts';
import { fixtureLines, reportText } from '../../packages/gateway/src/app/check-live/report.ts';
import * as registry from '../../packages/gateway/src/models/providers/registry.ts';
import { FORMATS } from '../../scripts/check-live/deviations.ts';
import { SECRET } from '../../scripts/check-live/hosts.ts';
import { MEDIA_FORMATS, MEDIA_PLACES, mediaConfig } from '../../scripts/check-live/media-hosts.ts';

const ONLY_CALLERS = ['openai-completions'];

test('every format that a host is asked in is checked against the faithful simulator', () => {
  expect([...FORMATS, ...MEDIA_FORMATS, ...ONLY_CALLERS].sort()).toEqual([...DIALECT_IDS].sort());
});

test.each(DIALECT_IDS)('%s has questions and known shapes, or a reason', (format) => {
  const probes = probesOf(format);
  if (typeof probes === 'string') {
    expect({ format, probes }).toEqual({ format, probes: expect.stringContaining('only callers') });
    expect(ONLY_CALLERS).toContain(format);
    return;
  }
  expect(probes.length).toBeGreaterThan(0);
  expect(Object.keys(shapesFor(format)?.roots ?? {})).not.toEqual([]);
});

test.each(Object.values(registry).map((provider) => [provider.id, Object.keys(provider.offers)] as const))(
  '%s is asked in each of its formats',
  (_provider, formats) => {
    expect(formats.length).toBeGreaterThan(0);
    for (const format of formats) {
      expect(DIALECT_IDS).toContain(format);
      expect(typeof probesOf(format as (typeof DIALECT_IDS)[number])).not.toBe('string');
    }
  },
);

describe('against hosts of media', () => {
  let simulator: Awaited<ReturnType<typeof startSimulator>>;
  beforeAll(async () => {
    simulator = await startSimulator({});
  });
  afterAll(async () => {
    await simulator.close();
  });
  const open = (format: string, boundNanoUsd: bigint) =>
    openLiveCheck(mediaConfig(simulator.url), {
      provider: MEDIA_PLACES[format] ?? '',
      model: `check/${format}`,
      format,
      boundNanoUsd,
    });

  /** One of each kind; `npm run check-live:planted` asks in every format. */
  test.each(['google-embed', 'bfl-images', 'elevenlabs-speech', 'deepgram-transcription'])(
    '%s answers as known, within what was shown',
    async (format) => {
      const check = await open(format, 50_000_000n);
      const { rows, spentNanoUsd } = await check.run();
      await check.close();
      const plain = rows.find(({ probe }) => probe === 'plain');
      expect({ outcome: plain?.outcome, why: plain?.why, differences: plain?.differences }).toEqual({
        outcome: 'as known',
        why: undefined,
        differences: [],
      });
      expect(rows.filter(({ outcome }) => outcome === 'different' || outcome === 'failed')).toEqual([]);
      expect(spentNanoUsd <= check.plan.mostNanoUsd).toBe(true);
      const shown =
        reportText({ provider: 'host', checkedAt: '', bound: '', spentUsd: '', rows }, check.redact) +
        fixtureLines('host', rows, check.redact);
      for (const content of [SECRET, 'grey square', 'recording of', 'base64,']) expect(shown).not.toContain(content);
    },
  );

  test('a clip above the bound is not ordered', async () => {
    const asked = simulator.truth.read().length;
    const check = await open('ark-video', 3_000_000n);
    const { rows, spentNanoUsd } = await check.run();
    await check.close();
    const clips = rows.filter(({ probe }) => probe !== 'models');
    expect(clips.map(({ probe, outcome, why }) => ({ probe, outcome, why }))).toEqual([
      { probe: 'plain', outcome: 'not asked', why: 'price above the bound' },
    ]);
    expect(spentNanoUsd).toBe(0n);
    expect(simulator.truth.read().length).toBe(asked);
  });

  test('a clip is ordered once, and asked for once', async () => {
    const asked = simulator.truth.read().length;
    const check = await open('ark-video', 4_000_000n);
    await check.run();
    await check.close();
    // The order, and the question how it is.
    expect(simulator.truth.read().length - asked).toBe(2);
  });
});
