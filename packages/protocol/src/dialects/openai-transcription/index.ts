/** The words of a recording in the format of chat completions' home, both halves: a form in, and many forms out. */
import { type FieldTable, spellingIn, stancesIn, type TranscriptionField } from '../../canonical/fields.ts';
import type { TranscriptionDialect, TranscriptionServerHalf } from '../sound-dialects.ts';
import { decodeApiFault, errorBody } from '../upstream-errors.ts';
import { decodeAnswer, encodeAnswer, encodeEvent, readEvent, sse } from './answer.ts';
import { encodeCall, streams } from './encode-call.ts';
import { COMMON_TRANSCRIPTION } from './quirks.ts';
import { ID, understand } from './understand.ts';

const fields: FieldTable<TranscriptionField> = {
  'transcription.translate': ['native', 'translations'],
  'transcription.language': ['native', 'language'],
  'transcription.prompt': ['native', 'prompt'],
  'transcription.temperature': ['native', 'temperature'],
  'transcription.form': ['gateway', 'response_format'],
  'transcription.times': ['native', 'timestamp_granularities'],
  extras: ['native', 'extras'],
};

export const openaiTranscription: TranscriptionDialect & { readonly server: TranscriptionServerHalf } = {
  id: ID,
  operation: 'transcription',
  stances: stancesIn(fields),
  quirks: (own) => ({ ...COMMON_TRANSCRIPTION, ...own }),
  server: {
    understand,
    encodeAnswer,
    encodeEvent,
    streamFault: (fault) => sse({ type: 'error', error: errorBody(fault) }),
    spelling: spellingIn(fields),
  },
  client: { encodeCall, decodeAnswer, streams, readEvent, decodeFault: decodeApiFault, sealRefusals: [] },
};
