/** Meters of usage in words. The API names them as the price list does. */
import { t } from '../i18n/t.ts';

const names = (): Readonly<Record<string, string>> => ({
  prompt: t('Input tokens'),
  inputCacheRead: t('Input from a cache'),
  inputCacheWrite: t('Input written to a cache'),
  inputCacheWrite5Min: t('Input written to a cache, 5 min'),
  inputCacheWrite1H: t('Input written to a cache, 1 h'),
  inputImage: t('Image input'),
  inputAudio: t('Audio input'),
  inputDocument: t('Document input'),
  toolUsePrompt: t('Input from tools'),
  completion: t('Output tokens'),
  internalReasoning: t('Reasoning'),
  outputImage: t('Image output'),
  outputAudio: t('Audio output'),
  outputVideo: t('Video output'),
  webSearch: t('Web searches'),
  pictures: t('Images'),
  videos: t('Videos'),
  videoSeconds: t('Seconds of video'),
});

/** An unknown meter keeps the API's name. */
export const meterName = (meter: string): string => names()[meter] ?? meter;
