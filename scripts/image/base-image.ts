/**
 * A base image without a registry of images: Debian by debootstrap, from the mirror that this machine's apt uses, with this checkout's
 * Node.js and this machine's npm and its settings. The file system is made once and kept outside the checkout.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toolsFolder } from '../tools/go-tool.ts';
import { buildah } from './buildah.ts';

const SUITE = 'bookworm';
const IMAGE = 'localhost/trivium-base';

const output = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8' }).trim();

function mirror(): string {
  const sites = output('apt-get', ['indextargets', '--format', '$(SITE) $(RELEASE)']).split('\n');
  const site = sites.map((line) => line.split(' ')).find(([, release]) => release === SUITE)?.[0];
  if (site === undefined) throw new Error(`apt has no source for ${SUITE}`);
  return site;
}

function debian(): string {
  const folder = join(toolsFolder('debian'), SUITE);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  console.log(`debootstrap ${SUITE}, once`);
  execFileSync(
    'debootstrap',
    ['--variant=minbase', '--include=ca-certificates,tzdata,libatomic1,libstdc++6', SUITE, unfinished, mirror()],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  renameSync(unfinished, folder);
  return folder;
}

/** Node.js as this runs on, npm beside it, and what npm needs to reach its registry from here. */
function addNode(root: string): readonly string[] {
  const npm = join(dirname(realpathSync(output('which', ['npm']))), '..');
  mkdirSync(join(root, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(process.execPath, join(root, 'usr/local/bin/node'));
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  execFileSync('ln', ['-sf', '../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm')]);
  const settings = [`npm_config_registry=${output('npm', ['config', 'get', 'registry', '--loglevel=silent'])}`];
  const certificates = process.env['NODE_EXTRA_CA_CERTS'] ?? process.env['SSL_CERT_FILE'];
  if (certificates === undefined || !existsSync(certificates)) return settings;
  cpSync(
    readFileSync(certificates).length > 0 ? realpathSync(certificates) : certificates,
    join(root, 'etc/extra-ca.pem'),
  );
  return [...settings, 'NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem'];
}

/** The image's name. */
export function makeBaseImage(): string {
  const container = buildah('from', 'scratch');
  try {
    const root = buildah('mount', container);
    execFileSync('cp', ['-a', `${debian()}/.`, root]);
    const settings = addNode(root);
    buildah('umount', container);
    buildah(
      'config',
      ...settings.flatMap((setting) => ['--env', setting]),
      '--env',
      'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      container,
    );
    buildah('commit', '--quiet', container, IMAGE);
    return IMAGE;
  } finally {
    buildah('rm', container);
  }
}
