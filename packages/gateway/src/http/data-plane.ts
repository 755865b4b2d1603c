/** Public HTTP server: its request handler, and the handler for unparsable requests. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { protocolAdapters } from '@trivium/protocol/dialects';
import type { DataPlanePorts } from './destination.ts';
import { refuseHead } from './head.ts';
import { Incoming } from './incoming.ts';
import { createListener, type TakeUpgrade } from './listener.ts';

export function createDataPlane(ports: DataPlanePorts, takeUpgrade?: TakeUpgrade): Server {
  const server = createListener(
    ports.settings(),
    (request, response) => new Incoming(ports, request, response).serve(),
    ports.connections,
    takeUpgrade,
  );
  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && ports.connections.excuses(socket)) return;
    refuseHead(
      error,
      socket,
      (protocol, fault, requestId) => protocolAdapters[protocol].encodeFault(fault, requestId),
      ports.nextId(),
      ports.settings().mounts,
    );
  });
  return server;
}
