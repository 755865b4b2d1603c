/**
 * Keeps string methods fast. A class that extends `String`, as in a dependency of ours, makes V8 store
 * `String.prototype` as a dictionary; from then on no compiled code in the process can inline `charCodeAt` or `slice`,
 * and every call looks its method up again. Reading from the prototype itself a few times makes V8 restore its fast
 * form.
 */
const READS = 1000;

/** To be called once everything is imported. */
export function restoreFastStrings(): number {
  let known = 0;
  for (let read = 0; read < READS; read++) known += methodOf(String.prototype).length;
  return known;
}

/** A separate function, so that one place in the code sees all the reads. */
const methodOf = (prototype: Pick<string, 'charCodeAt'>): string['charCodeAt'] => prototype.charCodeAt;
