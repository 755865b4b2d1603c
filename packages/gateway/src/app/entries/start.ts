/** What a start needs, for a process that tries it and starts nothing. */
export { type LoadedWithSecrets, loadWithSecrets, type OpenSecrets } from '../credentials/open-secrets.ts';
export { requireStartable } from '../require-startable.ts';
