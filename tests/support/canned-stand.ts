/** A stand with models `canned/any` (verbatim) and `canned-nameless/any` (translated) that send the answers of the test. */
import { type CannedStand, cannedHosts, openStandBesideCanned } from './canned-upstream.ts';
import type { LaneRoad } from './lanes.ts';
import type { StandOptions } from './stand.ts';

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

export const openCannedStand = (config?: StandOptions['config']): Promise<CannedStand> =>
  openStandBesideCanned((url) => ({
    ...(config !== undefined && { config }),
    alsoHosts: () =>
      cannedHosts(url, {
        canned: { dialect: 'openai-chat' },
        'canned-nameless': { dialect: 'openai-chat', quirks: { messageNames: false } },
      }),
  }));
