/** The thread on which recordings are measured: one after another. */
import { parentPort } from 'node:worker_threads';
import { secondsOf } from './measure.ts';
import { READY } from './measured.ts';

if (parentPort === null) throw new Error('this is the start of a thread');
const gateway = parentPort;

gateway.on('message', (bytes: Uint8Array) => {
  secondsOf(bytes).then(
    (seconds) => gateway.postMessage(seconds),
    () => gateway.postMessage(undefined),
  );
});
gateway.postMessage(READY);
