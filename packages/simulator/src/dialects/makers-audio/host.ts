// What hosts of sound share here: a credential, a refusal in their own words, and a talk to write down.
import type { VendorRequest } from '../../wire.ts';
import type { Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { json, replyOnly } from '../replies.ts';

export interface Served {
  readonly reply: Reply;
  readonly body: unknown;
  readonly model: string;
}

/** A refusal: the status, and what is wrong. */
export type Wrong = readonly [status: number, message: string, body?: unknown];

export interface AudioHost {
  readonly name: string;
  readonly vendor: string;
  readonly path: RegExp;
  readonly isKey: (headers: VendorRequest['headers']) => boolean;
  readonly error: (status: number, message: string) => object;
  readonly serve: (request: VendorRequest) => Served | Wrong;
}

export function audioDialect(host: AudioHost): SimulatedDialect {
  const refused = ([status, reason, body]: Wrong): UnderstoodRequest => ({
    kind: 'refused',
    reply: json(status, host.error(status, reason)),
    reason,
    body,
  });
  const renderer = replyOnly(({ status }) => json(status, host.error(status, 'The request failed.')));
  return {
    name: host.name,
    vendors: [host.vendor],
    paths: [host.path],
    understand: (request) => {
      if (!host.isKey(request.headers)) return refused([401, 'The key is not valid.']);
      const served = host.serve(request);
      if (!('reply' in served)) return refused(served);
      return { kind: 'reply', ...served, renderer, promptTokens: 0 };
    },
  };
}

interface TalkWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly speaker: number;
}

export interface Talk {
  readonly text: string;
  readonly words: readonly TalkWord[];
}

/** Two speakers, a sentence each, evenly through the recording. */
export function talkOf(bytes: number, seconds: number): Talk {
  const halves = [`This is a recording of ${bytes} bytes.`, `It lasts ${seconds.toFixed(2)} seconds.`];
  const spoken = halves.flatMap((half, speaker) => half.split(' ').map((word) => ({ word, speaker })));
  const step = seconds / spoken.length;
  return {
    text: halves.join(' '),
    words: spoken.map((each, at) => ({ ...each, start: at * step, end: (at + 1) * step })),
  };
}

export const soundReply = (type: string, body: Buffer): Reply => ({
  status: 200,
  headers: { 'content-type': type },
  body,
});
