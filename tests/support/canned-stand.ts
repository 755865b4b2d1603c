/** A stand whose models `canned/any` (verbatim) and `canned-nameless/any` (translated) say what the test tells them to. */
import { type Canned, openCannedUpstream } from './canned-upstream.ts';
import type { LaneRoad } from './lanes.ts';
import { openStand, type Stand, type StandOptions } from './stand.ts';

export type CannedStand = Stand & { say(answer: Canned): void };

export const CANNED_LANES: readonly LaneRoad[] = [
  { lane: 'verbatim', model: 'canned/any', servedBy: 'canned', thinker: 'canned/any', user: {} },
  {
    lane: 'translated',
    model: 'canned-nameless/any',
    servedBy: 'canned-nameless',
    thinker: 'canned-nameless/any',
    user: { name: 'ann' },
  },
];

export async function openCannedStand(config?: StandOptions['config']): Promise<CannedStand> {
  const upstream = await openCannedUpstream();
  const host = { dialect: 'openai-chat', baseUrl: upstream.url, credential: 'sk-canned' };
  const model = { contextLength: 128_000, maxOutputTokens: 16_384 };
  const stand = await openStand({
    ...(config !== undefined && { config }),
    alsoHosts: () => ({
      providers: { canned: host, 'canned-nameless': { ...host, quirks: { messageNames: false } } },
      models: [
        { id: 'canned/any', ...model, endpoints: [{ provider: 'canned', upstreamModel: 'any' }] },
        { id: 'canned-nameless/any', ...model, endpoints: [{ provider: 'canned-nameless', upstreamModel: 'any' }] },
      ],
    }),
  });
  return {
    ...stand,
    say: upstream.say,
    close: async () => {
      await stand.close();
      await upstream.close();
    },
  };
}
