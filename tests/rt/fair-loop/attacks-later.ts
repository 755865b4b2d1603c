/** Attacks beyond the list of findings: just inside each limit, lies about lengths, trailers, other listeners, capture, several workers. */
import { type Attack, isEnded, isRefused } from './attack.ts';
import { call, head, inChunks, KEYS, pipelined, text, whole } from './wire.ts';

const { attacker } = KEYS;
const PATH = '/api/v1/chat/completions';
const DRIP_MS = 20_000;

const sized = (mb: number): Buffer => call({ model: 'c/ok', content: text(mb) }).body;

const lying = (claimed: number, sent: number): Buffer =>
  Buffer.concat([head(PATH, { key: attacker, lines: `content-length: ${claimed}\r\n` }), sized(sent)]);

const trailers = (count: number): string =>
  Array.from({ length: count }, (_, at) => `x-trailer-${at}: ${'t'.repeat(60)}\r\n`).join('');

export const LATER_ATTACKS: readonly Attack[] = [
  {
    // limits.pieceBytes is 64.
    name: 'new 16 × 4 MB in 65-byte chunks',
    connections: 16,
    wires: () => [inChunks(PATH, sized(4), { bytes: 65 }, { key: attacker })],
    memory: true,
  },
  {
    // limits.wireRatio is 8: a chunk of 65 bytes may carry 440 bytes of extension.
    name: 'new 16 × 1 MB in 65-byte chunks with 440 bytes of extensions',
    connections: 16,
    wires: () => [inChunks(PATH, sized(1), { bytes: 65, extension: 440 }, { key: attacker })],
    memory: true,
  },
  {
    name: 'new 16 × 0.5 MB in 65-byte chunks with 800 bytes of extensions',
    connections: 16,
    wires: () => [inChunks(PATH, sized(0.5), { bytes: 65, extension: 800 }, { key: attacker })],
    expects: isRefused,
  },
  {
    // limits.keylessConnections is 512; those that the prober has are of another address.
    name: 'new 700 idle connections, no key',
    connections: 700,
    wires: () => [pipelined('/livez', 1)],
    cutMs: 8000,
    expects: isEnded(512),
  },
  {
    // limits.pieceCount is 1024.
    name: 'new 256 × 1,000 chunks of one byte, no key',
    connections: 256,
    wires: () => [inChunks(PATH, sized(1000 / 1024 / 1024), { bytes: 1 }, {})],
    floor: '401' as const,
  },
  {
    // limits.bodyBytesPerSecond is 1024.
    name: 'new 200 bodies that drip at 1,100 bytes a second',
    connections: 200,
    wires: () => [whole(PATH, sized(0.5), { key: attacker })],
    drip: { bytes: 110, everyMs: 100 },
    cutMs: DRIP_MS,
  },
  {
    // Below limits.floodEvents and limits.floodBytes: content in between begins the count anew.
    name: 'new 16 streams with content now and then',
    connections: 16,
    wires: () => {
      const { path, body } = call({ model: 'c/rarely.5000.50', stream: true });
      return [whole(path, body, { key: attacker })];
    },
    cutMs: DRIP_MS,
  },
  {
    name: 'new 16 × 100 KB of trailers, with a key',
    connections: 16,
    wires: () => [inChunks(PATH, sized(0.01), { bytes: 1024, trailers: trailers(1400) }, { key: attacker })],
  },
  {
    name: 'new 256 × 100 KB of trailers, no key',
    connections: 256,
    wires: () => [inChunks(PATH, sized(0.01), { bytes: 1024, trailers: trailers(1400) }, {})],
    floor: '401' as const,
  },
  {
    name: 'new 32 × content-length 31 MB, 1 KB sent',
    connections: 32,
    wires: () => [lying(31 * 1024 * 1024, 0.001)],
    cutMs: DRIP_MS,
    memory: true,
  },
  {
    name: 'new 16 × content-length 100, 8 MB sent',
    connections: 16,
    wires: () => [lying(100, 8)],
    cutMs: DRIP_MS,
  },
  {
    name: 'new 16 × 0.35 MB in 1-byte chunks, members’ listener',
    connections: 16,
    listener: 'members' as const,
    gateway: 'members' as const,
    wires: () => [inChunks('/admin/v1/session', sized(0.35), { bytes: 1 }, {})],
  },
  {
    name: 'new 8 × pipelined requests, members’ listener',
    connections: 8,
    listener: 'members' as const,
    gateway: 'members' as const,
    wires: () => [pipelined('/admin/v1/session', 50_000)],
    cutMs: 15_000,
  },
  {
    name: 'new 32 × 8 MB with capture on',
    connections: 32,
    gateway: 'capture' as const,
    wires: () => [whole(PATH, sized(8), { key: attacker })],
    memory: true,
  },
  {
    name: 'new 32 × 30,000 events of one letter with capture on',
    connections: 32,
    gateway: 'capture' as const,
    wires: () => {
      const { path, body } = call({ model: 'c/tiny.30000.1', stream: true });
      return [whole(path, body, { key: attacker })];
    },
  },
  {
    name: 'new 32 × 0.35 MB in 1-byte chunks, no key, two workers',
    connections: 32,
    gateway: 'workers' as const,
    wires: () => [inChunks(PATH, sized(0.35), { bytes: 1 }, {})],
    floor: '401' as const,
  },
  {
    name: 'new 32 × pipelined probes, two workers',
    connections: 32,
    gateway: 'workers' as const,
    wires: () => [pipelined('/livez', 60_000)],
    cutMs: 20_000,
    floor: 'first' as const,
  },
].map((each) => ({ ...each, group: 'new' }));
