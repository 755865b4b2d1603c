/** Which price a meter is charged at: its own kind first, then its fallbacks, and nothing else. */
import type { Meter, PriceKind, PriceUnit } from '@trivium/protocol/canonical';
import type { PriceFacts } from '../../kernel/price.ts';

export interface MeterRule {
  /** Price rows of another unit do not apply to this meter. */
  readonly unit: PriceUnit;
  /** In order of preference: the first kind with a row of this unit is charged. */
  readonly kinds: readonly PriceKind[];
  /** Several meters may measure the same thing: if one of them has a price, the others are only reported. */
  readonly thing?: 'picture' | 'video';
}

const tokens = (...kinds: readonly PriceKind[]): MeterRule => ({ unit: 'perMTokens', kinds });

/**
 * Cache reads do not fall back on the price of writes: they never cost more than fresh input. A cache write of unknown
 * lifetime is charged as five minutes where a host prices writes by lifetime only.
 */
export const METER_RULES: Readonly<Record<Meter, MeterRule>> = {
  prompt: tokens('prompt'),
  inputCacheRead: tokens('input_cache_read', 'prompt'),
  inputCacheWrite5Min: tokens('input_cache_write_5_min', 'input_cache_write', 'prompt'),
  inputCacheWrite1H: tokens('input_cache_write_1_h', 'input_cache_write', 'prompt'),
  inputCacheWrite: tokens('input_cache_write', 'input_cache_write_5_min', 'prompt'),
  inputImage: tokens('prompt'),
  inputAudio: tokens('audio', 'prompt'),
  inputDocument: tokens('prompt'),
  toolUsePrompt: tokens('prompt'),
  completion: tokens('completion'),
  internalReasoning: tokens('internal_reasoning', 'completion'),
  outputImage: { ...tokens('image'), thing: 'picture' },
  outputAudio: tokens(),
  outputVideo: { ...tokens('video', 'audio_and_video'), thing: 'video' },
  webSearch: { unit: 'perCount', kinds: ['web_search'] },
  searchUnits: { unit: 'perCount', kinds: ['prompt'] },
  pictures: { unit: 'perCount', kinds: ['image'], thing: 'picture' },
  videos: { unit: 'perCount', kinds: ['video', 'audio_and_video'], thing: 'video' },
  videoSeconds: { unit: 'perSecond', kinds: ['video', 'audio_and_video'], thing: 'video' },
  audioSeconds: { unit: 'perSecond', kinds: ['audio'] },
  characters: { unit: 'perCount', kinds: ['audio'] },
  // What an operator's price of a passed-through path counts.
  units: { unit: 'perCount', kinds: ['prompt'] },
};

/** Video with sound has its own kind; a host without a price for silent video charges the same for both. */
export const kindsOf = (meter: Meter, { withSound }: PriceFacts, speaks: boolean): readonly PriceKind[] => {
  if (meter === 'outputAudio' && speaks) return SPOKEN;
  const { kinds, thing } = METER_RULES[meter];
  return thing === 'video' && withSound !== false ? WITH_SOUND : kinds;
};
/** For models that speak, the price of sound is that of what they say; for all others, of what they hear. */
const SPOKEN: readonly PriceKind[] = ['audio'];
const WITH_SOUND: readonly PriceKind[] = ['audio_and_video'];
