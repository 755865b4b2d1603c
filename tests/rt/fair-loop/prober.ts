/**
 * A program: `GET /livez` every 20 ms, as a balancer with little patience does, from an address of its own. `mark` begins a measurement,
 * `end` ends it.
 */
import { Agent, get } from 'node:http';
import { OpenLoop } from './waits.ts';

const EVERY_MS = 20;
const END_LIMIT_MS = 60_000;
const ADDRESS = '127.0.0.2';
/** A server that destroys what attackers send recognises the prober by it. */
const HEADERS = { 'x-prober': '1' };

const [url = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 400 });
const loop = new OpenLoop(EVERY_MS, (answered) => {
  const request = get(`${url}/livez`, { agent, localAddress: ADDRESS, headers: HEADERS }, (response) => {
    response.resume().on('end', () => answered(response.statusCode === 200 ? undefined : String(response.statusCode)));
    response.on('error', (error) => answered(error.message));
  });
  request.on('error', (error: NodeJS.ErrnoException) => answered(error.code ?? error.message));
});

process.on('message', async (word) => {
  if (word === 'mark') loop.mark();
  if (word === 'end') process.send?.(await loop.end(END_LIMIT_MS));
});
process.send?.({});
