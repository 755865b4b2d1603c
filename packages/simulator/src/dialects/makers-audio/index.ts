// Makers of sound with formats of their own.
import type { SimulatedDialect } from '../dialect.ts';
import { elevenlabs } from './elevenlabs.ts';
import { audioDialect } from './host.ts';

export const makersAudio: readonly SimulatedDialect[] = [...elevenlabs].map(audioDialect);
