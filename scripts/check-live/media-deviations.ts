/** What a host of vectors, ranks, pictures, sound or clips could change: each is planted alone, and must be found and named. */
import { CONTENT } from './deviations.ts';
import type { Answer, Change } from './proxy.ts';

export type PlantedInMedia = {
  readonly name: string;
  readonly format: string;
  readonly change: Change;
  readonly names: RegExp;
};

type Values = Record<string, unknown>;

const onGood =
  (change: (body: Values, answer: Answer, path: string) => void): Change =>
  (answer, path) => {
    if (answer.status < 300 && typeof answer.body === 'object' && !/\/models(\?|$)/.test(path))
      change(answer.body as Values, answer, path);
  };
const firstOf = (body: Values, name: string): Values => (body[name] as Values[])[0] as Values;

export const plantedInMedia = (secret: string): readonly PlantedInMedia[] => {
  const plant = (name: string, format: string, names: RegExp, change: Change): PlantedInMedia => ({
    name,
    format,
    names,
    change,
  });
  return [
    plant(
      'a new member of a vector',
      'openai-embeddings',
      /new member at answer\.data\[\]\.new_thing: string/,
      onGood((body) => {
        firstOf(body, 'data')['new_thing'] = `${CONTENT} ${secret}`;
      }),
    ),
    plant(
      'more vectors than inputs',
      'google-embed',
      /another number of vectors/,
      onGood((body) => {
        const list = body['embeddings'] as unknown[];
        list.push(list[0]);
      }),
    ),
    plant(
      'a score of another name',
      'cohere-rerank',
      /missing at answer\.results\[\]\.relevance_score/,
      onGood((body) => {
        const [first] = body['results'] as Values[];
        if (first === undefined) return;
        first['score_of_relevance'] = first['relevance_score'];
        delete first['relevance_score'];
      }),
    ),
    plant(
      'a score as text',
      'voyage-rerank',
      /other type at answer\.data\[\]\.relevance_score: string, known as number/,
      onGood((body) => {
        firstOf(body, 'data')['relevance_score'] = CONTENT;
      }),
    ),
    plant(
      'ranks in an object',
      'tei-rerank',
      /other type at answer: object, known as array/,
      onGood((body, answer) => {
        answer.body = { results: body, said: CONTENT };
      }),
    ),
    plant(
      'no results',
      'openai-moderations',
      /missing at answer\.results/,
      onGood((body) => {
        delete body['results'];
      }),
    ),
    plant(
      'a picture of another name',
      'openai-images',
      /new member at answer\.data\[\]\.picture: string/,
      onGood((body) => {
        const first = firstOf(body, 'data');
        first['picture'] = first['b64_json'];
        delete first['b64_json'];
      }),
    ),
    plant(
      'no pictures',
      'google-predict',
      /missing at answer\.predictions|without a picture|refuses/,
      onGood((body) => {
        delete body['predictions'];
      }),
    ),
    plant(
      'a job without an id',
      'bfl-images',
      /missing at answer\.id/,
      onGood((body, _, path) => {
        if (!path.includes('get_result')) delete body['id'];
      }),
    ),
    plant(
      'a new state of a job',
      'bfl-images',
      /new word at poll\.status: Musing/,
      onGood((body, _, path) => {
        if (path.includes('get_result')) body['status'] = 'Musing';
      }),
    ),
    plant(
      'a state that is content',
      'fal-video',
      /new word at poll\.status: \(not a name\)/,
      onGood((body, _, path) => {
        if (path.includes('/status')) body['status'] = `${CONTENT} ${secret}`;
      }),
    ),
    plant(
      'a task of another name',
      'kling-video',
      /missing at answer\.data\.task_id/,
      onGood((body) => {
        const data = body['data'] as Values;
        data['job'] = data['task_id'];
        delete data['task_id'];
      }),
    ),
    plant(
      'a new member of a task',
      'openai-videos',
      /new member at (answer|poll)\.new_thing: object/,
      onGood((body) => {
        body['new_thing'] = { said: CONTENT, key: secret };
      }),
    ),
    plant('words where sound was asked for', 'elevenlabs-speech', /words where sound was asked for/, (answer) => {
      if (answer.bytes !== undefined) answer.bytes = Buffer.from(JSON.stringify({ said: CONTENT }));
    }),
    plant('sound of another kind', 'cartesia-speech', /other type at answer: ogg, known as mp3/, (answer) => {
      if (answer.bytes !== undefined) answer.bytes = Buffer.from('OggS and so on');
    }),
    plant('no last event of speech', 'google-speech', /events that do not say what was used/, (answer) => {
      answer.frames?.splice(-1);
    }),
    plant(
      'words of a recording of another name',
      'openai-transcription',
      /missing at answer\.text/,
      onGood((body) => {
        body['transcript'] = CONTENT;
        delete body['text'];
      }),
    ),
    plant(
      'times as text',
      'deepgram-transcription',
      /other type at answer\.\S+\.start: string, known as number/,
      onGood((body) => {
        const text = JSON.stringify(body).replaceAll(/"start":[\d.]+/g, '"start":"soon"');
        Object.assign(body, JSON.parse(text));
      }),
    ),
    plant('a new member of an error', 'mistral-transcription', /new member at error\S*\.new_thing/, (answer) => {
      if (answer.status >= 400) (answer.body as Values)['new_thing'] = secret;
    }),
    plant('success for a model that is not there', 'ark-images', /status at status: 200, known as 4xx/, (answer) => {
      if (answer.status < 400) return;
      answer.status = 200;
      answer.body = { said: CONTENT };
    }),
  ];
};
