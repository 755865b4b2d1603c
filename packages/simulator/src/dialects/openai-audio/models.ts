// Models that speak and models that listen, and how each is charged. This table is complete.

export interface SoundFamily {
  readonly pattern: RegExp;
  readonly does: 'speak' | 'listen';
  /** States tokens, in events (speech) or in JSON (words); otherwise seconds, or nothing. */
  readonly byTokens: boolean;
}

const openai: readonly SoundFamily[] = [
  { pattern: /^tts-1(?:-hd)?$/u, does: 'speak', byTokens: false },
  { pattern: /^gpt-4o-mini-tts$/u, does: 'speak', byTokens: true },
  { pattern: /^whisper-1$/u, does: 'listen', byTokens: false },
  { pattern: /^gpt-4o(?:-mini)?-transcribe(?:-diarize)?$/u, does: 'listen', byTokens: true },
];

const groq: readonly SoundFamily[] = [
  { pattern: /^whisper-large-v3(?:-turbo)?$/u, does: 'listen', byTokens: false },
  { pattern: /^(?:playai-tts|canopylabs\/orpheus)/u, does: 'speak', byTokens: false },
];

/** Like small servers: any name for either. */
const compatible: readonly SoundFamily[] = [
  { pattern: /^(?!unknown|missing|no-such).*(?:tts|speech|kokoro)/u, does: 'speak', byTokens: false },
  { pattern: /^(?!unknown|missing|no-such)/u, does: 'listen', byTokens: false },
];

const FAMILIES: Readonly<Record<string, readonly SoundFamily[]>> = { openai, azure: openai, groq };

export const findSoundFamily = (model: string, vendor: string, does: SoundFamily['does']): SoundFamily | undefined =>
  (FAMILIES[vendor] ?? compatible).find((family) => family.does === does && family.pattern.test(model));
