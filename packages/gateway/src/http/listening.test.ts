import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen, requireFree } from './listening.ts';

const IN_USE = 'the port is in use; end the process that has it, or choose another port';
const HOST = '127.0.0.1';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function open(): Promise<Server> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await listen(server, { host: HOST, port: 0 });
  return server;
}

async function freePort(): Promise<number> {
  const server = await open();
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

test('an address that cannot be listened on is named, with what to do about it', async () => {
  const port = portOf(await open());
  await expect(listen(createServer(), { host: HOST, port })).rejects.toThrow(
    `cannot listen on ${HOST}:${port}: ${IN_USE}`,
  );
  // An address of documentation: no machine has it.
  await expect(listen(createServer(), { host: '192.0.2.1', port: 0 })).rejects.toThrow(
    'cannot listen on 192.0.2.1:0: this machine does not have the address; choose one it has',
  );
});

test.each([
  ['the same host', HOST, HOST],
  ['every host and one of them', '0.0.0.0', HOST],
  ['one host and every host', HOST, '0.0.0.0'],
])('two listeners of one configuration cannot have one port: %s', async (_what, one, other) => {
  const port = await freePort();
  await expect(
    requireFree([
      { host: one, port },
      { host: other, port },
    ]),
  ).rejects.toThrow(`cannot listen on ${other}:${port}: ${IN_USE}`);
});

test('listeners of different ports are free, and so are those whose port the system chooses', async () => {
  const port = await freePort();
  const addresses = [port, 0, 0].map((one) => ({ host: HOST, port: one }));
  await expect(requireFree(addresses)).resolves.toBeUndefined();
});

test('a port that another process has is not free', async () => {
  const port = portOf(await open());
  await expect(requireFree([{ host: '0.0.0.0', port }])).rejects.toThrow(IN_USE);
});
