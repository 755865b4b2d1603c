/** Meters of usage in words. The API names them as the price list does. */
import { msg, t } from '../i18n/t.ts';

const NAMES: Readonly<Record<string, string>> = {
  prompt: msg('Input tokens'),
  inputCacheRead: msg('Input from a cache'),
  inputCacheWrite: msg('Input written to a cache'),
  inputCacheWrite5Min: msg('Input written to a cache, 5 min'),
  inputCacheWrite1H: msg('Input written to a cache, 1 h'),
  inputImage: msg('Image input'),
  inputAudio: msg('Audio input'),
  inputDocument: msg('Document input'),
  toolUsePrompt: msg('Input from tools'),
  completion: msg('Output tokens'),
  internalReasoning: msg('Reasoning'),
  outputImage: msg('Image output'),
  outputAudio: msg('Audio output'),
  outputVideo: msg('Video output'),
  webSearch: msg('Web searches'),
  searchUnits: msg('Search units'),
  pictures: msg('Images'),
  videos: msg('Videos'),
  videoSeconds: msg('Seconds of video'),
  audioSeconds: msg('Seconds of audio'),
  characters: msg('Characters'),
  units: msg('Units'),
};

/** An unknown meter keeps the API's name. */
export const meterName = (meter: string): string => t(NAMES[meter] ?? meter);
