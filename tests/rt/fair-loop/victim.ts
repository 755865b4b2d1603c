/**
 * A program: a caller with another key and another upstream, from another address: a small streamed call every 100 ms that must come whole.
 * Arguments: the gateway's URL, the key and the model. `mark` begins a measurement, `end` ends it.
 */
import { Agent, request } from 'node:http';
import { OpenLoop } from './waits.ts';

const EVERY_MS = 100;
const END_LIMIT_MS = 60_000;
const ADDRESS = '127.0.0.3';

const [url = '', key = '', model = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const body = JSON.stringify({ model, stream: true, max_tokens: 20, messages: [{ role: 'user', content: 'hi' }] });
const headers = {
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(body),
};

const loop = new OpenLoop(EVERY_MS, (answered) => {
  const outgoing = request(
    `${url}/api/v1/chat/completions`,
    { method: 'POST', agent, localAddress: ADDRESS, headers },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        if (response.statusCode !== 200) answered(`${response.statusCode} ${text.slice(0, 80)}`);
        else answered(text.includes('[DONE]') ? undefined : 'cut');
      });
      response.on('error', (error) => answered(error.message));
    },
  );
  outgoing.on('error', (error: NodeJS.ErrnoException) => answered(error.code ?? error.message));
  outgoing.end(body);
});

process.on('message', async (word) => {
  if (word === 'mark') loop.mark();
  if (word === 'end') process.send?.(await loop.end(END_LIMIT_MS));
});
process.send?.({});
