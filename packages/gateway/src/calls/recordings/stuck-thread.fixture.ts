/** Measures nothing: a zero at the front keeps it busy for ever, any other byte is the answer. */
import { parentPort } from 'node:worker_threads';
import { READY } from './measured.ts';

parentPort?.on('message', (bytes: Uint8Array) => {
  while (bytes[0] === 0);
  parentPort?.postMessage(bytes[0]);
});
parentPort?.postMessage(READY);
