import { expect, test } from 'vitest';
import { fencesOf } from '../../tests/docs/markdown.ts';
import { read } from '../../tests/docs/tree.ts';
import { parseRunLine } from './run-line.ts';

test('the page runs the image without root, without a writable root and without capabilities', () => {
  const block = fencesOf(read('docs/start/install.md')).find(({ id }) => id === 'image-run')?.text ?? '';
  expect(parseRunLine(block)).toMatchObject({
    image: 'trivium',
    isReadOnly: true,
    uid: 65532,
    gid: 65532,
    dropsCapabilities: true,
    noNewPrivileges: true,
    ports: [{ host: 8080, container: 8080 }],
    volumes: [{ isReadOnly: true }, { from: 'trivium-data', to: '/var/lib/trivium', isReadOnly: false }],
  });
});

test.each([
  'docker run --privileged trivium',
  'docker run trivium serve',
  'docker run --read-only',
  'podman run trivium',
])('%j cannot be played, and says so', (line) => expect(() => parseRunLine(line)).toThrow());
