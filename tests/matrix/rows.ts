/** What is no text goes from one format of callers into every host that offers it: speech, recordings, documents to rank. */
import { makersHosts, SOUND_MAKERS } from '../support/makers-sound.ts';
import { BEST_FIRST, question, RANKERS, rerankHosts } from '../support/rerank-probe.ts';
import { listen, silence, soundModels, speak } from '../support/sound-probe.ts';
import { KEY, openStand, type Stand } from '../support/stand.ts';
import type { Verdict } from './run-cell.ts';

type Row = {
  readonly name: string;
  readonly wanted: RegExp;
  readonly models: readonly string[];
  /** Callers may ask for events. */
  readonly events: boolean;
  readonly ask: (stand: Stand, model: string, stream: boolean) => Promise<Response>;
};

const ofMakers = makersHosts('').models;
const making = (kind: string): readonly string[] =>
  ([...soundModels, ...ofMakers] as readonly { id: string; outputModalities: readonly string[] }[])
    .filter(({ outputModalities }) => outputModalities.includes(kind))
    .map(({ id }) => id);
const VOICES = new Map(SOUND_MAKERS.map(({ provider, speaks }) => [`${provider}/${speaks?.[0]}`, speaks?.[1]]));

export const ROWS: readonly Row[] = [
  {
    name: 'speak',
    wanted: /^RIFF|speech\.audio\.done/,
    models: making('speech'),
    events: true,
    ask: (stand, model, stream) => {
      const events = stream ? { stream_format: 'sse' } : {};
      return speak(stand, { model, input: 'Hi.', voice: VOICES.get(model), response_format: 'wav', ...events });
    },
  },
  {
    name: 'listen',
    wanted: /"text":"[^"]/,
    models: making('transcription'),
    events: true,
    ask: (stand, model, stream) => listen(stand, silence(2), { model, ...(stream && { stream: 'true' }) }),
  },
  {
    name: 'rerank',
    wanted: new RegExp(BEST_FIRST.map((place) => `"index":${place}\\b`).join('.*')),
    models: RANKERS,
    events: false,
    ask: (stand, model) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };
      return fetch(`${stand.chatUrl}/rerank`, { method: 'POST', headers, body: JSON.stringify(question(model)) });
    },
  },
];

export const openRowsStand = (): Promise<Stand> =>
  openStand({
    alsoHosts: (url, simulator) => {
      const [sound, ranking] = [makersHosts(url, simulator), rerankHosts(url, simulator)];
      const models = [...sound.models, ...ranking.models, ...soundModels];
      return { providers: { ...sound.providers, ...ranking.providers }, models };
    },
  });

export async function runRowCell(stand: Stand, row: Row, model: string, stream: boolean): Promise<Verdict> {
  const answer = await row.ask(stand, model, stream);
  const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  if (answer.status === 400) return { kind: 'refused', why: text };
  if (answer.status !== 200 || !row.wanted.test(text)) return { kind: 'wrong', problems: [text.slice(0, 300)] };
  const losses = answer.headers.get('x-trivium-losses')?.split(',') ?? [];
  return losses.length > 0 ? { kind: 'lossy', losses } : { kind: 'carried' };
}
