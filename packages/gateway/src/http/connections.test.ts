import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { connectionsOf } from './connections.fixture.ts';

class FakeSocket extends EventEmitter {
  bytesRead = 0;
  destroyed = false;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const asSocket = (socket: FakeSocket): Socket => socket as unknown as Socket;
const requestOn = (socket: FakeSocket, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket, headers }) as unknown as IncomingMessage;
const unfinished = (): ServerResponse => Object.assign(new EventEmitter(), { writableEnded: false }) as never;

/** Three connections without a key are allowed; `judge` runs what was put off. */
function stage(trusted = '') {
  const later: (() => void)[] = [];
  const connections = connectionsOf({ keylessConnections: 3 }, { after: (_ms, run) => void later.push(run) });
  connections.isTrustedProxy = (address) => address === trusted;
  const opened = (address: string, bytesRead = 0): FakeSocket => {
    const socket = Object.assign(new FakeSocket(address), { bytesRead });
    connections.opened(asSocket(socket));
    return socket;
  };
  const judge = (): void => {
    for (const run of later.splice(0)) run();
  };
  return { connections, opened, judge };
}

test('beyond the bound of an address, its connections that cost most are closed, and never new ones at once', () => {
  const { connections, opened, judge } = stage();
  const own = [10, 5000, 20, 7000, 0].map((bytes) => opened('192.0.2.1', bytes));
  const other = opened('192.0.2.2', 1_000_000);
  expect(own.some(({ destroyed }) => destroyed)).toBe(false);
  judge();
  expect(own.map(({ destroyed }) => destroyed)).toEqual([false, true, false, true, false]);
  expect(other.destroyed).toBe(false);
  expect(connections.cuts.get('keyless')).toBe(2);
  expect(connections.keyless('192.0.2.1')).toBe(3);
});

test('requests count as cost', () => {
  const { connections, opened, judge } = stage();
  const own = [0, 0, 0, 0].map(() => opened('192.0.2.1'));
  connections.begun(requestOn(own[2]!), unfinished());
  judge();
  expect(own.map(({ destroyed }) => destroyed)).toEqual([false, false, true, false]);
});

test('a connection that has shown a valid key is not counted, nor one that has closed', () => {
  const { connections, opened, judge } = stage();
  const own = [1, 2, 3, 4, 5].map((bytes) => opened('192.0.2.1', bytes));
  connections.identified(requestOn(own[4]!));
  own[3]!.destroy();
  judge();
  expect(own.map(({ destroyed }) => destroyed)).toEqual([false, false, false, true, false]);
  for (const socket of own) socket.destroy();
  expect(connections.keyless('192.0.2.1')).toBe(0);
});

test('of a trusted proxy the requests without a key are counted, by the address it reports', () => {
  const { connections, opened, judge } = stage('10.0.0.1');
  const begin = (address: string) => {
    const socket = opened('10.0.0.1');
    const request = requestOn(socket, { 'x-forwarded-for': address });
    const response = unfinished();
    connections.begun(request, response);
    return { socket, request, response };
  };
  const own = [1, 2, 3, 4, 5].map(() => begin('192.0.2.1'));
  begin('192.0.2.2');
  connections.identified(own[0]!.request);
  own[1]!.response.emit('close');
  expect(connections.keyless('192.0.2.1')).toBe(3);
  expect(connections.keyless('10.0.0.1')).toBe(0);
  const late = begin('192.0.2.1');
  late.socket.bytesRead = 5000;
  judge();
  expect(late.socket.destroyed).toBe(true);
  expect(own.some(({ socket }) => socket.destroyed)).toBe(false);
});

test('a forwarded request whose key was valid at once is never counted', () => {
  const { connections, opened } = stage('10.0.0.1');
  const request = requestOn(opened('10.0.0.1'), { 'x-forwarded-for': '192.0.2.1' });
  connections.identified(request);
  connections.begun(request, unfinished());
  expect(connections.keyless('192.0.2.1')).toBe(0);
});
