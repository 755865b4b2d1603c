/** Agents for libraries that use Node's own HTTP clients: their connections are opened under the operator's policy. */
import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type DialOptions, operatorDialer } from './dialer.ts';

type Asked = { readonly host?: string | null; readonly port?: number | string | null; readonly servername?: string };
type Done = (error: Error | null, socket: Duplex) => void;

export function operatorAgent(url: URL, options: DialOptions, maxSockets: number): HttpAgent {
  const connect = operatorDialer(options);
  const { protocol, hostname } = url;
  // One connection per call: a server that closes idle connections would make the next call fail now and then.
  const settings: AgentOptions = { keepAlive: false, maxSockets };
  const agent = protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings);
  agent.createConnection = ((asked: Asked, done: Done): undefined => {
    const host = asked.host ?? hostname;
    connect({ hostname: host, host, protocol, port: String(asked.port ?? '') }, (error, socket) => {
      // By Node's contract the socket is ignored if there is an error.
      done(error, socket as Duplex);
    });
  }) as HttpAgent['createConnection'];
  return agent;
}
