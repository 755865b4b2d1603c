/** Records every connection attempt of this process, by address and port; and resolves names from a table. */
import diagnostics from 'node:diagnostics_channel';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';

export type Dialled = { readonly address: string; readonly port: number };

export type DialWatch = {
  /** Since the last `forget`. */
  readonly dialled: readonly Dialled[];
  forget(): void;
  close(): void;
};

const NEW_SOCKET = 'net.client.socket';

export function watchDialling(): DialWatch {
  const dialled: Dialled[] = [];
  const onSocket = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => dialled.push({ address, port }));
  };
  diagnostics.subscribe(NEW_SOCKET, onSocket);
  return {
    dialled,
    forget: () => {
      dialled.length = 0;
    },
    close: () => void diagnostics.unsubscribe(NEW_SOCKET, onSocket),
  };
}

export type NameTable = Readonly<Record<string, readonly (readonly string[])[]>>;

/** Makes the system's resolver answer from the table, the next answer each time; other names are unknown. */
export function resolveAs(names: NameTable): { startAnew(): void; restore(): void } {
  const original = dns.lookup;
  let asked = new Map<string, number>();
  const lookup = (
    hostname: string,
    _: unknown,
    done: (error: Error | null, found?: dns.LookupAddress[]) => void,
  ): void => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    const answers = names[name];
    const turn = asked.get(name) ?? 0;
    asked.set(name, turn + 1);
    const found = answers?.[Math.min(turn, answers.length - 1)];
    if (found === undefined) done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }));
    else
      done(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
  dns.lookup = lookup as typeof dns.lookup;
  syncBuiltinESMExports();
  return {
    startAnew: () => {
      asked = new Map();
    },
    restore: () => {
      dns.lookup = original;
      syncBuiltinESMExports();
    },
  };
}
