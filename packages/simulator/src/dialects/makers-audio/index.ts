// Makers of sound with formats of their own.
import type { SimulatedDialect } from '../dialect.ts';
import { assemblyai } from './assemblyai.ts';
import { cartesia } from './cartesia.ts';
import { deepgram } from './deepgram.ts';
import { elevenlabs } from './elevenlabs.ts';
import { google } from './google.ts';
import { audioDialect } from './host.ts';
import { mistral } from './mistral.ts';

export const makersAudio: readonly SimulatedDialect[] = [
  ...elevenlabs,
  ...deepgram,
  ...mistral,
  ...google,
  ...cartesia,
  ...assemblyai,
].map(audioDialect);
