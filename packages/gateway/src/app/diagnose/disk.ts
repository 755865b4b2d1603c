/** The folders the gateway writes to: permissions and free space. */
import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { type Finding, reasonOf } from './finding.ts';

const GB = 1_000_000_000;
const WARN_BYTES = GB;
const FAIL_BYTES = GB / 10;

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The folder itself, or its nearest existing parent, in which it would be created. */
async function nearestFolder(folder: string): Promise<string> {
  for (let path = resolve(folder); ; path = dirname(path))
    if ((await exists(path)) || path === dirname(path)) return path;
}

export async function diagnoseFolder(
  check: string,
  setting: string,
  folder: string,
  freeBytes: (place: string) => Promise<number> = bytesFree,
): Promise<Finding> {
  try {
    const place = await nearestFolder(folder);
    await access(place, constants.W_OK | constants.X_OK);
    const free = await freeBytes(place);
    // As `/proc`, which permits it and takes no folder.
    if (free === 0) {
      const next = `let ${setting} name a folder on a disk with space`;
      return { check, status: 'fail', detail: `${folder} cannot be used: no space on ${place}`, next };
    }
    const gigabytes = `${(free / GB).toFixed(1)} GB free`;
    if (free >= WARN_BYTES) return { check, status: 'ok', detail: `${folder} is writable, ${gigabytes}` };
    const detail = `little space for ${folder}: ${gigabytes}`;
    const next = `free some disk space, or let ${setting} name a folder on a larger disk`;
    return { check, status: free < FAIL_BYTES ? 'fail' : 'warn', detail, next };
  } catch (error) {
    const next = `make ${folder} writable for this user, or change ${setting}`;
    return { check, status: 'fail', detail: reasonOf(error), next };
  }
}

async function bytesFree(place: string): Promise<number> {
  const { bavail, bsize } = await statfs(place);
  return bavail * bsize;
}

/** Without a database there is no journal; media in S3 need no folder. */
export const diagnoseDisk = ({ database, ledger, blobs }: Config): Promise<readonly Finding[]> =>
  Promise.all([
    ...(database === undefined ? [] : [diagnoseFolder('Journal folder', 'ledger.journal', ledger.journal)]),
    ...(blobs.s3 !== undefined ? [] : [diagnoseFolder('Media folder', 'blobs.folder', blobs.folder)]),
  ]);
