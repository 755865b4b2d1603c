/** Google models with their thinking settings and output modalities, and some with difficult names. */
import type { StandOptions } from './stand.ts';

const common = { tools: true, structuredOutput: true, temperature: true };
const budget = (min: number, max: number, canDisable: boolean): object => ({ kind: 'budget', min, max, canDisable });
const ALL_INPUTS = ['text', 'image', 'audio', 'video', 'file'];

const gemini = (name: string, thinking: object, more: object = {}): object => ({
  id: `google/${name}`,
  contextLength: 128_000,
  maxOutputTokens: 8192,
  inputModalities: ALL_INPUTS,
  capabilities: { ...common, thinking },
  endpoints: [{ provider: 'google', dialect: 'google-generate' }],
  ...more,
});

const renamed = (id: string): object => ({
  ...gemini('gemini-2.0-flash', { kind: 'none' }),
  id,
  endpoints: [{ provider: 'google', dialect: 'google-generate', upstreamModel: 'gemini-2.0-flash' }],
});

export const TOP_TIER = 'google/gemini-2.5-pro';
export const LIGHT_TIER = 'google/gemini-2.5-flash-lite';
/** Thinking levels low and high only. */
export const THIRD_PRO = 'google/gemini-3-pro-preview';
/** All four thinking levels. */
export const THIRD_FLASH = 'google/gemini-3-flash-preview';
export const NO_THINKING = 'google/gemini-2.0-flash';
export const PAINTER = 'google/gemini-2.5-flash-image';
/** Makes images, but not in every aspect ratio. */
export const SQUARE_PAINTER = 'google/gemini-square-image';
export const SPEAKER = 'google/gemini-2.5-flash-preview-tts';
export const COLONED = 'google/gemini:free';
export const SLASHED = 'google/family/gemini';
export const PINNED = 'google/gemini@1.5';
export const SPACED = 'google/gemini flash';

/** At the cloud edition, which has additional tools and fields. */
export const CLOUD = 'google/cloud-gemini';

export const moreModels: NonNullable<StandOptions['alsoHosts']> = (simulatorUrl) => ({
  providers: {
    cloud: {
      dialect: 'google-generate',
      baseUrl: `${simulatorUrl}/vertex/v1/projects/p/locations/l/publishers/google`,
      credential: 'sk-cloud',
    },
  },
  models: [
    gemini('gemini-2.5-pro', budget(128, 32_768, false)),
    gemini('gemini-2.5-flash-lite', budget(512, 24_576, true)),
    gemini('gemini-3-pro-preview', { kind: 'level', levels: ['low', 'high'] }),
    gemini('gemini-3-flash-preview', { kind: 'level', levels: ['minimal', 'low', 'medium', 'high'], canDisable: true }),
    gemini('gemini-2.0-flash', { kind: 'none' }),
    gemini('gemini-2.5-flash-image', { kind: 'none' }, { outputModalities: ['text', 'image'] }),
    {
      ...gemini('gemini-square-image', { kind: 'none' }, { outputModalities: ['text', 'image'] }),
      capabilities: { ...common, thinking: { kind: 'none' }, aspectRatios: ['1:1', '16:9'] },
      endpoints: [{ provider: 'google', dialect: 'google-generate', upstreamModel: 'gemini-2.5-flash-image' }],
    },
    gemini('gemini-2.5-flash-preview-tts', { kind: 'none' }, { outputModalities: ['text', 'audio'] }),
    {
      ...renamed(CLOUD),
      endpoints: [{ provider: 'cloud', dialect: 'google-generate', upstreamModel: 'gemini-2.0-flash' }],
    },
    ...[COLONED, SLASHED, PINNED, SPACED].map(renamed),
  ],
});
