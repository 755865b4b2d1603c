/** The listener callers reach: what node is told to bear, and where its requests and broken heads go. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { voices } from '@trivium/protocol/dialects';
import type { DataPlanePorts } from './data-plane-ports.ts';
import { refuseHead } from './head-faults.ts';
import { Incoming } from './incoming.ts';

/** Node looks for late heads and bodies only every half minute unless it is told to. */
const MAX_CHECK_MS = 1000;

export function createDataPlane(ports: DataPlanePorts): Server {
  const { limits, timeouts } = ports.settings();
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: Math.min(MAX_CHECK_MS, timeouts.headersMs / 4, timeouts.requestMs / 4),
    keepAliveTimeout: timeouts.keepAliveMs,
    noDelay: true,
    // Judged by ourselves, so that the refusal has the form of the path's protocol.
    requireHostHeader: false,
    rejectNonStandardBodyWrites: false,
  });
  // One more than we take: node drops the surplus silently, and we want to refuse it aloud.
  server.maxHeadersCount = limits.headerCount + 1;
  server.maxConnections = limits.connections;
  const serve = (request: IncomingMessage, response: ServerResponse): void =>
    new Incoming(ports, request, response).serve();
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket) =>
    refuseHead(
      error,
      socket,
      (protocol, fault, requestId) => voices[protocol].encodeFault(fault, requestId),
      ports.nextId(),
      ports.settings().mounts,
    ),
  );
  return server;
}
