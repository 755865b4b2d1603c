/** How many packages a direct dependency brings along, counted in a lock file; platform builds count, too. */
import { readJson } from './tree.ts';

type Locked = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
type LockFile = { readonly packages: Readonly<Record<string, Locked>> };

export function broughtBy(lockFile: string, name: string): number {
  const { packages } = readJson<LockFile>(lockFile);
  // A workspace may have a version of its own.
  const start = Object.keys(packages).find((path) =>
    new RegExp(`^(?:packages/\\w+/)?node_modules/${name}$`).test(path),
  );
  if (start === undefined) throw new Error(`${lockFile} has no ${name}`);
  const seen = new Set<string>();
  const queue = [start];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { dependencies, optionalDependencies } = packages[next] ?? {};
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = locate(packages, next, needed);
      if (found === undefined || found === start || seen.has(found)) continue;
      seen.add(found);
      queue.push(found);
    }
  }
  return seen.size;
}

/** As Node looks: in the package's own folder, then outwards. */
function locate(packages: LockFile['packages'], from: string, name: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const path = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (base === '') return undefined;
  }
}
